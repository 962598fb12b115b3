"""What the hygiene rules share: every toleration of every workload, with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from msgspec import Struct

from preflight.coverage.model import Group
from preflight.coverage.outcome import PodAfter
from preflight.model.objects import DaemonSet, Namespace, NodeSelectorTerm, PodSpec, RuntimeClass, Taint, Toleration, Workload, pod_spec
from preflight.rules.api import Context, Path, Place
from preflight.scheduling.affinity import UNKNOWN, label
from preflight.scheduling.tolerations import daemon_tolerations, find_toleration, implicit_tolerations, tolerates

Named = TypeVar("Named", Namespace, RuntimeClass)


class Item(Struct, frozen=True):
    """One toleration of a workload's pods, with those that stand before it."""

    workload: Workload
    spec: PodSpec
    toleration: Toleration
    path: Path
    earlier: tuple[Toleration, ...] = ()

    @property
    def place(self) -> Place:
        """The toleration in its manifest."""
        return Place(self.workload.origin, self.path)

    def field(self, name: str) -> Place:
        """A field of the toleration in its manifest."""
        return Place(self.workload.origin, (*self.path, name))

    @property
    def daemon(self) -> bool:
        """Whether a DaemonSet's pods carry it."""
        return isinstance(self.workload, DaemonSet)

    @property
    def critical(self) -> bool:
        """Whether the pods have the priority class of what a node cannot do without."""
        return self.spec.priorityClassName == "system-node-critical"

    @property
    def replaced(self) -> bool:
        """Whether the DaemonSet controller replaces it by an implicit toleration, so that its seconds have no effect."""
        own = (self.toleration.key, self.toleration.operator, self.toleration.value, self.toleration.effect)
        implicit = implicit_tolerations(self.spec.hostNetwork)
        return self.daemon and any(own == (each.key, each.operator, each.value, each.effect) for each in implicit)

    @property
    def overtaken(self) -> bool:
        """Whether an earlier toleration matches every NoExecute taint that it matches: the first match counts, so its seconds never do."""
        return self.overtaker is not None

    @property
    def overtaker(self) -> Item | None:
        """The earlier toleration that decides the seconds in its stead."""
        own = self.toleration
        for number, other in enumerate(self.earlier):
            if other.key not in ("", own.key) or other.effect not in ("", "NoExecute"):
                continue
            same_value = other.operator in ("", "Equal") and own.operator in ("", "Equal") and other.value == own.value
            if other.operator == "Exists" or (other.key and same_value):
                return Item(self.workload, self.spec, other, (*self.path[:-1], number), self.earlier[:number])
        return None

    @property
    def every(self) -> tuple[Toleration, ...]:
        """All tolerations of the pods, in a DaemonSet the implicit ones too."""
        return daemon_tolerations(self.spec) if self.daemon else self.spec.tolerations

    def tolerated(self, taints: tuple[Taint, ...]) -> tuple[Taint, ...]:
        """Those of some taints that it tolerates."""
        return tuple(taint for taint in dict.fromkeys(taints) if tolerates(self.toleration, taint, None))


def tolerations(context: Context) -> Iterator[Item]:
    """Every toleration that is to be judged: in lint all, under a change those that match a changed taint."""
    for workload in context.workloads:
        spec, path = pod_spec(workload)
        for number, toleration in enumerate(spec.tolerations):
            item = Item(workload, spec, toleration, (*path, "tolerations", number), spec.tolerations[:number])
            if context.lint or item.tolerated(context.taints):
                yield item


def daemonsets(context: Context) -> Iterator[DaemonSet]:
    """The DaemonSets that are judged by themselves: in lint all, under a change none, which is no time to speak of other things."""
    if context.lint:
        yield from (workload for workload in context.workloads if isinstance(workload, DaemonSet))


def given_pods(context: Context) -> Iterator[DaemonSet]:
    """The DaemonSets whose pods go through admission: in lint all, under a change those that it gives new pods."""
    yield from daemonsets(context)
    if not context.lint and context.impact is not None:
        new = (group for group in context.impact.groups if group.verdict.pod is PodAfter.NEW)
        yield from {group.key: group.daemonset for group in new}.values()


def stands_alone(daemonset: DaemonSet, context: Context) -> bool:
    """Whether this is the one DaemonSet of its key: of those that stand twice with other content nobody knows which cluster they are of.

    A change judges one cluster, where each is.
    """
    return not context.lint or context.world.daemonsets.get(daemonset.key) is daemonset


def only(things: Iterable[Named], name: str) -> Named | None:
    """The one of a name; None where there is none, or more than one with other content, as in a repository of many clusters."""
    found = [each for each in things if each.metadata.name == name]
    return found[0] if len(found) == 1 else None


def left_out(context: Context, daemonset: DaemonSet, labels: Mapping[str, str]) -> tuple[str, ...] | None:
    """The nodes where a DaemonSet should run and that lack some labels; None where no node is known.

    Under a change those where it gets a new pod.
    """
    if context.impact is None:
        return None
    nodes = context.impact.change.after.nodes
    known = [nodes[name] for group in starting(context, daemonset) for name in group.names]
    return tuple(sorted(node.name for node in known if any(label(node, key) not in (value, UNKNOWN) for key, value in labels.items())))


def starting(context: Context, daemonset: DaemonSet) -> Iterator[Group]:
    """The groups of nodes where a DaemonSet should run; under a change those where it gets a new pod."""
    for group in context.impact.groups if context.impact else ():
        should_run = group.daemonset is daemonset and group.after is not None and group.after.should_run
        if should_run and (context.lint or group.verdict.pod is PodAfter.NEW):
            yield group


def loses(context: Context, daemonset: DaemonSet, nodes: Iterable[str]) -> bool:
    """Whether a change replaces pods on some of these nodes that were listed, so that there is something to lose."""
    if context.lint:
        return False
    wanted = frozenset(nodes)
    return any(group.verdict.before and not group.assumed and group.nodes & wanted for group in starting(context, daemonset))


def is_tolerated(taint: Taint, by: tuple[Toleration, ...]) -> bool:
    """Whether some toleration tolerates a taint; where that depends on the gate of Lt and Gt, it counts as tolerated."""
    toleration, certain = find_toleration(by, taint, None)
    return toleration is not None or not certain


def is_wildcard(toleration: Toleration) -> bool:
    """Whether it tolerates every key."""
    return not toleration.key and toleration.operator == "Exists"


def required_terms(spec: PodSpec) -> tuple[NodeSelectorTerm, ...]:
    """The terms of the required node affinity; () where there is none."""
    affinity = spec.affinity.nodeAffinity if spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    return required.nodeSelectorTerms if required else ()


def tolerated_words(toleration: Toleration) -> str:
    """What a toleration tolerates, as a taint is written: `dedicated=rdma:NoSchedule`, `dedicated:*`."""
    value = "=" + toleration.value if toleration.value else ""
    return f"{toleration.key or '*'}{value}:{toleration.effect or '*'}"
