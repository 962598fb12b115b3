"""What the hygiene rules share: every toleration of every workload, with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct

from preflight.coverage.model import CoverageGroup
from preflight.coverage.outcome import PodAfter
from preflight.model.apps import DaemonSet
from preflight.model.core import Namespace, NodeSelectorTerm, PodSpec, RuntimeClass, Taint, Toleration
from preflight.model.workloads import TolerationOwner, locate_pod_spec
from preflight.rules.api import Context, FieldPath, ManifestLocation
from preflight.rules.identity import make_toleration_key
from preflight.scheduling.affinity import UNKNOWN, get_label
from preflight.scheduling.tolerations import add_implicit_tolerations, find_toleration, list_implicit_tolerations, tolerates

NamedObject = TypeVar("NamedObject", Namespace, RuntimeClass)


class WorkloadToleration(Struct, frozen=True):
    """One toleration of a workload's pods, with those that stand before it."""

    workload: TolerationOwner
    spec: PodSpec
    toleration: Toleration
    path: FieldPath
    earlier_tolerations: tuple[Toleration, ...] = ()

    @property
    def location(self) -> ManifestLocation:
        """The toleration in its manifest."""
        return ManifestLocation(self.workload.origin, self.path)

    def locate_field(self, name: str) -> ManifestLocation:
        """A field of the toleration in its manifest."""
        return ManifestLocation(self.workload.origin, (*self.path, name))

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from the other tolerations of the workload: see `identity.make_toleration_key`."""
        return make_toleration_key((*self.earlier_tolerations, self.toleration), len(self.earlier_tolerations))

    @property
    def is_daemon(self) -> bool:
        """Whether a DaemonSet's pods carry it."""
        return isinstance(self.workload, DaemonSet)

    @property
    def is_critical(self) -> bool:
        """Whether the pods have the priority class of what a node cannot do without."""
        return self.spec.priorityClassName == "system-node-critical"

    @property
    def is_replaced(self) -> bool:
        """Whether the DaemonSet controller replaces it by an implicit toleration, so that its seconds have no effect."""
        own = (self.toleration.key, self.toleration.operator, self.toleration.value, self.toleration.effect)
        implicit = list_implicit_tolerations(self.spec.hostNetwork)
        return self.is_daemon and any(
            own == (toleration.key, toleration.operator, toleration.value, toleration.effect) for toleration in implicit
        )

    @property
    def is_shadowed(self) -> bool:
        """Whether an earlier toleration matches every NoExecute taint that it matches: the first match counts, so its seconds never do."""
        return self.shadowing_toleration is not None

    @property
    def shadowing_toleration(self) -> WorkloadToleration | None:
        """The earlier toleration that decides the seconds in its stead."""
        own = self.toleration
        for number, other in enumerate(self.earlier_tolerations):
            if other.key not in ("", own.key) or other.effect not in ("", "NoExecute"):
                continue
            same_value = other.operator in ("", "Equal") and own.operator in ("", "Equal") and other.value == own.value
            if other.operator == "Exists" or (other.key and same_value):
                return WorkloadToleration(self.workload, self.spec, other, (*self.path[:-1], number), self.earlier_tolerations[:number])
        return None

    @property
    def all_tolerations(self) -> tuple[Toleration, ...]:
        """All tolerations of the pods, in a DaemonSet the implicit ones too."""
        return add_implicit_tolerations(self.spec) if self.is_daemon else self.spec.tolerations

    def select_tolerated(self, taints: tuple[Taint, ...]) -> tuple[Taint, ...]:
        """Those of some taints that it tolerates."""
        return tuple(taint for taint in dict.fromkeys(taints) if tolerates(self.toleration, taint, None))


def iter_tolerations(context: Context) -> Iterator[WorkloadToleration]:
    """Every toleration that is to be judged: in lint all, under a change those that match a changed taint."""
    for workload in (*context.workloads, *context.custom_resources):
        spec, path = locate_pod_spec(workload)
        for number, toleration in enumerate(spec.tolerations):
            item = WorkloadToleration(workload, spec, toleration, (*path, "tolerations", number), spec.tolerations[:number])
            if context.is_lint or item.select_tolerated(context.taints):
                yield item


def iter_linted_daemonsets(context: Context) -> Iterator[DaemonSet]:
    """The DaemonSets that are judged by themselves: in lint all, under a change none, which is no time to speak of other things."""
    if context.is_lint:
        yield from (workload for workload in context.workloads if isinstance(workload, DaemonSet))


def iter_daemonsets_with_new_pods(context: Context) -> Iterator[DaemonSet]:
    """The DaemonSets whose pods go through admission: in lint all, under a change those that it gives new pods."""
    yield from iter_linted_daemonsets(context)
    if not context.is_lint and context.impact is not None:
        new = (group for group in context.impact.groups if _gets_new_pod(group))
        yield from {group.key: group.daemonset for group in new}.values()


def _gets_new_pod(group: CoverageGroup) -> bool:
    """Whether a pod is created, one that stays Pending included."""
    return group.forecast.pod_after is PodAfter.NEW or (group.fit is not None and group.forecast.pod_after is PodAfter.NONE)


def is_unique_daemonset(daemonset: DaemonSet, context: Context) -> bool:
    """Whether this is the one DaemonSet of its key: of those that stand twice with other content nobody knows which cluster they are of.

    A change judges one cluster, where each is.
    """
    return not context.is_lint or context.world.daemonsets.get(daemonset.key) is daemonset


def find_unique(objects: Iterable[NamedObject], name: str) -> NamedObject | None:
    """The one of a name; None where there is none, or more than one with other content, as in a repository of many clusters."""
    found = [candidate for candidate in objects if candidate.metadata.name == name]
    return found[0] if len(found) == 1 else None


def find_nodes_without_labels(context: Context, daemonset: DaemonSet, labels: Mapping[str, str]) -> tuple[str, ...] | None:
    """The nodes where a DaemonSet should run and that lack some labels; None where no node is known.

    Under a change those where it gets a new pod.
    """
    if context.impact is None:
        return None
    nodes = context.impact.change.after.nodes
    known = [nodes[name] for group in iter_starting_groups(context, daemonset) for name in group.node_names]
    return tuple(sorted(node.name for node in known if any(get_label(node, key) not in (value, UNKNOWN) for key, value in labels.items())))


def iter_starting_groups(context: Context, daemonset: DaemonSet) -> Iterator[CoverageGroup]:
    """The groups of nodes where a DaemonSet should run; under a change those where it gets a new pod."""
    for group in context.impact.groups if context.impact else ():
        should_run = group.daemonset is daemonset and group.placement_after is not None and group.placement_after.should_run
        if should_run and (context.is_lint or _gets_new_pod(group)):
            yield group


def replaces_listed_pods(context: Context, daemonset: DaemonSet, nodes: Iterable[str]) -> bool:
    """Whether a change replaces pods on some of these nodes that were listed, so that there is something to lose."""
    if context.is_lint:
        return False
    wanted = frozenset(nodes)
    return any(
        group.forecast.had_pod and not group.is_assumed and group.nodes & wanted for group in iter_starting_groups(context, daemonset)
    )


def is_tolerated(taint: Taint, tolerations: tuple[Toleration, ...]) -> bool:
    """Whether some toleration tolerates a taint; where that depends on the gate of Lt and Gt, it counts as tolerated."""
    toleration, certain = find_toleration(tolerations, taint, None)
    return toleration is not None or not certain


def is_wildcard(toleration: Toleration) -> bool:
    """Whether it tolerates every key."""
    return not toleration.key and toleration.operator == "Exists"


def get_required_terms(spec: PodSpec) -> tuple[NodeSelectorTerm, ...]:
    """The terms of the required node affinity; () where there is none."""
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    return required.nodeSelectorTerms if required else ()
