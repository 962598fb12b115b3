"""Where each DaemonSet must have a pod, as far as metrics can tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from preflight.coverage.model import CoverageGroup, Impact
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, Taint
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome

NAME = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)
"""What the API server takes as the name of a node, a namespace or a DaemonSet."""

NODE_HEALTH_TAINTS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_EXPECTED = (Outcome.KEPT, Outcome.ALREADY_FRAGILE, Outcome.MISSING, Outcome.LOOP)


class ExpectedCoverage(Struct, frozen=True):
    """Where a DaemonSet must have a pod.

    1. `nodes` are those of today, with those that it lacks only while they are not Ready; `other_nodes` the known nodes where it need not.
    2. `has_node_selection`: nodeSelector, affinity or nodeName choose its nodes, so that metrics do not tell whether a later node is
       one.
    3. `accepted_taints` are the taints that keep it from nodes today: a later node with one need not have it either.
    """

    daemonset: DaemonSet
    nodes: frozenset[str]
    other_nodes: frozenset[str]
    has_node_selection: bool
    accepted_taints: tuple[Taint, ...]


def has_valid_key(key: ObjectKey) -> bool:
    """Whether metrics can tell a DaemonSet from others: it states a namespace, and the API server takes its names."""
    return bool(key.namespace and NAME.fullmatch(key.namespace) and NAME.fullmatch(key.name))


def compute_expected_coverage(daemonset: DaemonSet, impact: Impact | None, nodes: Mapping[str, Node]) -> ExpectedCoverage | None:
    """Where a DaemonSet must have a pod; None where that is nowhere."""
    groups = [group for group in impact.groups if group.key == daemonset.key] if impact is not None else []
    wanted = frozenset().union(*(group.nodes for group in groups if group.outcome in _EXPECTED or _is_only_not_ready(group))) & nodes.keys()
    if not wanted:
        return None
    spec = daemonset.spec.template.spec
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    selects = bool(spec.nodeName or spec.nodeSelector or (affinity and affinity.requiredDuringSchedulingIgnoredDuringExecution))
    return ExpectedCoverage(daemonset, wanted, frozenset(nodes) - wanted, selects, tuple(dict.fromkeys(_iter_accepted_taints(groups))))


def _is_only_not_ready(group: CoverageGroup) -> bool:
    """Whether nothing keeps the DaemonSet from these nodes but that they are not Ready now."""
    after = group.placement_after
    return (
        group.outcome is Outcome.NEVER
        and after is not None
        and bool(after.untolerated_taints)
        and after.is_selected is True
        and not after.unsure_taints
        and all(untolerated_taint.key in NODE_HEALTH_TAINTS for untolerated_taint in after.untolerated_taints)
    )


def _iter_accepted_taints(groups: Iterable[CoverageGroup]) -> Iterator[Taint]:
    for group in groups:
        if group.outcome is Outcome.NEVER and group.placement_after is not None:
            yield from (
                untolerated_taint
                for untolerated_taint in group.placement_after.untolerated_taints
                if untolerated_taint.key not in NODE_HEALTH_TAINTS
            )
