"""What a policy brings into a world, and what its rules read of it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from preflight.model.declared_components import StatedKinds
from preflight.model.objects import DaemonSet, Metadata, Node, NodeSpec, Origin, Pool, Taint, Toleration, Workload
from preflight.model.world import World
from preflight.policy.config import Match, NodePool, Required, Stated
from preflight.policy.matching import Thing, any_glob, fits, texts
from preflight.policy.model import Policy, Said
from preflight.rules.api import subject_of
from preflight.rules.team_convention import Convention, RequiredTolerations

_TAG = re.compile(r"(?:@.*|:[^:/]*(?:@.*)?)$")


def with_policy(policy: Policy, world: World) -> World:
    """A world with the node pools of a policy, and with what it states of DaemonSets.

    1. The pools stand in where the input has no node that is fully known: they are what there is without a cluster. Each is one partly
       known node, `(pool NAME)`; one that the input has by this name stays.
    2. The same world where the policy has neither.
    """
    stated = tuple(_stated(each, said) for each, said in policy.components)
    if stated:
        world = replace(world, stated=stated)
    if policy.node_pools and all(node.partial for node in world.nodes.values()):
        pools = (_node(each, said) for each, said in policy.node_pools)
        world = replace(world, nodes=dict(sorted({**{node.name: node for node in pools}, **world.nodes}.items())))
    return world


def convention(policy: Policy) -> Convention:
    """What rules read of a policy."""
    return Convention(
        no_execute=policy.no_execute,
        required=tuple(_required(each, said) for each, said in policy.required),
        declared={taint: each.meaning for each, _ in policy.taints for taint in _taints(each.key, texts(each.values), texts(each.effects))},
        options=policy.options,
    )


def _taints(key: str, values: Iterable[str], effects: Iterable[str]) -> list[Taint]:
    return [Taint(key, value, effect) for value in (tuple(values) or ("",)) for effect in effects]


def _node(pool: NodePool, said: Said) -> Node:
    labels = dict(pool.labels)
    taints = tuple(Taint(each.key, each.value, each.effect) for each in pool.taints)
    origin = Origin(said.layer.file, said.layer.chunk.index, said.layer.place(said.path)[0], said.path)
    count = "" if pool.count is None else str(pool.count)
    return Node(
        metadata=Metadata(name=f"(pool {pool.name})", labels=labels),
        spec=NodeSpec(taints=taints),
        partial=True,
        origin=origin,
        pool=Pool("nodePools", pool.name, count=count),
    )


def _required(required: Required, said: Said) -> RequiredTolerations:
    folder, match = said.layer.folder, required.match

    def is_meant(workload: Workload) -> bool:
        return _fits(match, workload, folder)

    return RequiredTolerations(
        name=required.name,
        tolerations=tuple(
            Toleration(each.key, each.operator, each.value, each.effect, each.tolerationSeconds) for each in required.tolerations
        ),
        is_meant=is_meant,
        kinds=texts(required.kinds),
        exactly=required.exactly,
        reason=required.reason,
    )


def _stated(stated: Stated, said: Said) -> StatedKinds:
    folder, match, images = said.layer.folder, stated.match, texts(stated.image)

    def is_meant(daemonset: DaemonSet) -> bool:
        return _fits(match, daemonset, folder) and (not images or any(any_glob(images, image) for image in _images(daemonset)))

    return StatedKinds(
        is_meant=is_meant,
        kinds=stated.kinds,
        added=stated.add,
        resources=stated.resources,
        drivers=stated.drivers,
        labels=stated.labels,
        taints=stated.taints,
        words=f"stated by {said.where}",
    )


def _fits(match: Match | None, workload: Workload, folder: str) -> bool:
    return match is None or fits(match, Thing(subject_of(workload), workload.origin.file, workload.metadata.labels), folder)


def _images(daemonset: DaemonSet) -> Iterable[str]:
    """The images of the containers, each as it is written and without its tag or digest."""
    spec = daemonset.spec.template.spec
    for container in (*spec.containers, *spec.initContainers):
        yield container.image
        yield _TAG.sub("", container.image)
