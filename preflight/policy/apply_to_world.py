"""What a policy brings into a world, and what its rules read of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from preflight.messages.policy import describe_statement
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, NodeSpec, PoolTemplate, Taint, Toleration
from preflight.model.declared_components import ComponentOverride
from preflight.model.meta import Metadata, Origin
from preflight.model.workloads import Workload
from preflight.model.world import ClusterState
from preflight.policy.config import Match, NodePool, Required, Stated
from preflight.policy.matching import MatchTarget, matches_any_glob, matches_target, to_texts
from preflight.policy.model import Policy, PolicySource
from preflight.rules.api import make_subject_of
from preflight.rules.team_convention import RequiredTolerations, TeamConvention

_TAG = re.compile(r"(?:@.*|:[^:/]*(?:@.*)?)$")


def apply_policy(policy: Policy, world: ClusterState) -> ClusterState:
    """A world with the node pools of a policy, and with what it states of DaemonSets.

    1. The pools stand in where the input has no node that is fully known: they are what there is without a cluster. Each is one partly
       known node, `(pool NAME)`; one that the input has by this name stays.
    2. The same world where the policy has neither.
    """
    stated = tuple(_make_stated_kinds(component, said) for component, said in policy.components)
    if stated:
        world = replace(world, component_overrides=stated)
    if policy.node_pools and all(node.is_partial for node in world.nodes.values()):
        pools = (_make_pool_node(node_pool, said) for node_pool, said in policy.node_pools)
        world = replace(world, nodes=dict(sorted({**{node.name: node for node in pools}, **world.nodes}.items())))
    return world


def make_convention(policy: Policy) -> TeamConvention:
    """What rules read of a policy."""
    return TeamConvention(
        no_execute=policy.no_execute,
        required_tolerations=tuple(_make_required_tolerations(required, said) for required, said in policy.required),
        declared_taints={
            taint: declared.meaning
            for declared, _ in policy.taints
            for taint in _make_taints(declared.key, to_texts(declared.values), to_texts(declared.effects))
        },
        rule_options=policy.options,
    )


def _make_taints(key: str, values: Iterable[str], effects: Iterable[str]) -> list[Taint]:
    return [Taint(key, value, effect) for value in (tuple(values) or ("",)) for effect in effects]


def _make_pool_node(pool: NodePool, source: PolicySource) -> Node:
    labels = dict(pool.labels)
    taints = tuple(Taint(taint.key, taint.value, taint.effect) for taint in pool.taints)
    origin = Origin(source.layer.file, source.layer.chunk.index, source.layer.locate(source.path)[0], source.path)
    count = "" if pool.count is None else str(pool.count)
    return Node(
        metadata=Metadata(name=f"(pool {pool.name})", labels=labels),
        spec=NodeSpec(taints=taints),
        is_partial=True,
        origin=origin,
        pool=PoolTemplate("nodePools", pool.name, node_count=count),
    )


def _make_required_tolerations(required: Required, source: PolicySource) -> RequiredTolerations:
    folder, match = source.layer.folder, required.match

    def is_meant(workload: Workload) -> bool:
        return _matches_workload(match, workload, folder)

    return RequiredTolerations(
        name=required.name,
        tolerations=tuple(
            Toleration(toleration.key, toleration.operator, toleration.value, toleration.effect, toleration.tolerationSeconds)
            for toleration in required.tolerations
        ),
        applies_to=is_meant,
        kinds=to_texts(required.kinds),
        is_exact=required.exactly,
        reason=required.reason,
    )


def _make_stated_kinds(stated: Stated, source: PolicySource) -> ComponentOverride:
    folder, match, images = source.layer.folder, stated.match, to_texts(stated.image)

    def is_meant(daemonset: DaemonSet) -> bool:
        return _matches_workload(match, daemonset, folder) and (
            not images or any(matches_any_glob(images, image) for image in _iter_images(daemonset))
        )

    return ComponentOverride(
        selects_daemonset=is_meant,
        kinds=stated.kinds,
        added_kinds=stated.add,
        resources=stated.resources,
        drivers=stated.drivers,
        labels=stated.labels,
        taints=stated.taints,
        stated_by=describe_statement(source.location),
    )


def _matches_workload(match: Match | None, workload: Workload, folder: str) -> bool:
    return match is None or matches_target(
        match, MatchTarget(make_subject_of(workload), workload.origin.file, workload.metadata.labels), folder
    )


def _iter_images(daemonset: DaemonSet) -> Iterable[str]:
    """The images of the containers, each as it is written and without its tag or digest."""
    spec = daemonset.spec.template.spec
    for container in (*spec.containers, *spec.initContainers):
        yield container.image
        yield _TAG.sub("", container.image)
