"""Where each DaemonSet must have a pod, as far as metrics can tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from msgspec import Struct

from preflight.coverage.model import Group, Impact
from preflight.model.objects import DaemonSet, Node, ObjectKey, Taint
from preflight.model.report import Outcome

NAME = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?", re.ASCII)
"""What the API server takes as the name of a node, a namespace or a DaemonSet."""

OF_THE_NODE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
_EXPECTED = (Outcome.KEPT, Outcome.ALREADY_FRAGILE, Outcome.MISSING, Outcome.LOOP)


class Cover(Struct, frozen=True):
    """Where a DaemonSet must have a pod.

    1. `nodes` are those of today, with those that it lacks only while they are not Ready; `others` the known nodes where it need not.
    2. `selects`: nodeSelector, affinity or nodeName choose its nodes, so that nobody knows from metrics whether a later node is one.
    3. `accepted` are the taints that keep it from nodes today: a later node with one need not have it either.
    """

    daemonset: DaemonSet
    nodes: frozenset[str]
    others: frozenset[str]
    selects: bool
    accepted: tuple[Taint, ...]


def is_named(key: ObjectKey) -> bool:
    """Whether metrics can tell a DaemonSet from others: it states a namespace, and the API server takes its names."""
    return bool(key.namespace and NAME.fullmatch(key.namespace) and NAME.fullmatch(key.name))


def cover_of(daemonset: DaemonSet, impact: Impact | None, nodes: Mapping[str, Node]) -> Cover | None:
    """Where a DaemonSet must have a pod; None where that is nowhere."""
    groups = [group for group in impact.groups if group.key == daemonset.key] if impact is not None else []
    wanted = frozenset().union(*(group.nodes for group in groups if group.outcome in _EXPECTED or _only_down(group))) & nodes.keys()
    if not wanted:
        return None
    spec = daemonset.spec.template.spec
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    selects = bool(spec.nodeName or spec.nodeSelector or (affinity and affinity.requiredDuringSchedulingIgnoredDuringExecution))
    return Cover(daemonset, wanted, frozenset(nodes) - wanted, selects, tuple(dict.fromkeys(_accepted(groups))))


def _only_down(group: Group) -> bool:
    """Whether nothing keeps the DaemonSet from these nodes but that they are not Ready now."""
    after = group.after
    return (
        group.outcome is Outcome.NEVER
        and after is not None
        and bool(after.untolerated)
        and after.selected is True
        and not after.unsure
        and all(each.key in OF_THE_NODE for each in after.untolerated)
    )


def _accepted(groups: Iterable[Group]) -> Iterator[Taint]:
    for group in groups:
        if group.outcome is Outcome.NEVER and group.after is not None:
            yield from (each for each in group.after.untolerated if each.key not in OF_THE_NODE)
