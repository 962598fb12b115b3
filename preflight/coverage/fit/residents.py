"""The new pods of DaemonSets under a change, and the pods that they find on their nodes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from preflight.coverage.fit.created_pods import CreatedPod, can_preempt
from preflight.coverage.fit.node_contents import NodeContents
from preflight.coverage.model import CoverageGroup
from preflight.coverage.outcome import PodAfter
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.scheduling.occupancy import PodUsage


class JudgedDaemonSet(NamedTuple):
    """A DaemonSet before and after a change, None where it is not there, and what becomes of its pods if all that are created fit."""

    key: ObjectKey
    before: DaemonSet | None
    after: DaemonSet | None
    groups: Sequence[CoverageGroup]


class NewPods(Struct, frozen=True):
    """The new pods of one DaemonSet: the pod, and the nodes that get one, of these those where it replaces one.

    `waiting` are nodes where none runs and there is no room for one before the change; the pod that waits there is asked for again.
    """

    key: ObjectKey
    pod: CreatedPod
    usage: PodUsage
    nodes: frozenset[str]
    replacing: frozenset[str]
    has_same_doubts: bool
    has_surge: bool
    waiting: frozenset[str] = frozenset()
    is_updated: bool = False


class Residents:
    """What is on a node beside the pod that is asked for: pods that stay, and the new ones of other DaemonSets."""

    def __init__(
        self, contents: NodeContents, judged: Iterable[JudgedDaemonSet], new: Mapping[ObjectKey, NewPods], nodes: frozenset[str]
    ) -> None:
        self._contents, self._new = contents, new
        moving: dict[str, set[ObjectKey]] = defaultdict(set)
        self._decided: dict[str, set[ObjectKey]] = defaultdict(set)
        self._new_on: dict[str, set[ObjectKey]] = defaultdict(set)
        for item in judged:
            for group in item.groups:
                if _is_decided(group):
                    for name in group.nodes & nodes:
                        self._decided[name].add(item.key)
                if group.forecast.pod_after is not PodAfter.SAME:
                    for name in group.nodes & nodes:
                        moving[name].add(item.key)
                        if group.forecast.pod_after is PodAfter.NEW and item.key in new:
                            self._new_on[name].add(item.key)
        self._staying: dict[str, list[tuple[ObjectKey, list[PodUsage]]]] = defaultdict(list)
        for (key, name), usages in contents.daemonset_pods.items():
            if key not in moving.get(name, ()) or name in contents.silent_nodes:
                self._staying[name].append((key, usages))

    def list_staying(self, name: str, own: ObjectKey) -> list[PodUsage]:
        """The pods of a node that stay, but for those of one DaemonSet."""
        of_others = (usage for key, usages in self._staying.get(name, ()) if key != own for usage in usages)
        return [*self._contents.other_pods.get(name, ()), *self._contents.list_hanging(name, own), *of_others]

    def list_staying_daemonsets(self, name: str) -> list[tuple[ObjectKey, list[PodUsage]]]:
        """The pods of DaemonSets that stay on a node."""
        return self._staying.get(name, [])

    def list_waiting(self, name: str) -> list[NewPods]:
        """The DaemonSets whose pod waits for room on a node and is asked for again."""
        return [new_pods for new_pods in self._new.values() if name in new_pods.waiting]

    def is_decided(self, name: str, key: ObjectKey) -> bool:
        """Whether a pod of a DaemonSet that waits on a node is none beside those that stay and the new ones: it goes, or is one of them."""
        return key in self._decided.get(name, ())

    def list_rivals(self, name: str, found: NewPods) -> list[tuple[ObjectKey, PodUsage]]:
        """The new pods of other DaemonSets there that do not give way to one of this priority, which may not preempt perhaps."""
        own = found.pod.spec.priority if can_preempt(found.pod) else None
        others = (self._new[key] for key in sorted(self._new_on.get(name, ())) if key != found.key)
        return [
            (other.key, other.usage) for other in others if own is None or other.pod.spec.priority is None or other.pod.spec.priority >= own
        ]


def _is_decided(group: CoverageGroup) -> bool:
    """Whether pods of a group that wait count no more: new ones come in their place, or none."""
    pod_after, outcome = group.forecast.pod_after, group.outcome
    return pod_after is PodAfter.NEW or (pod_after is PodAfter.NONE and outcome not in (Outcome.MISSING, Outcome.UNKNOWN))
