"""Updates of DaemonSets that stand still: old pods beside the new template, and nothing that has moved for a while."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.coverage.daemonset_pods import Made, PodsOf
from preflight.doctor.jobsets import RECENT
from preflight.doctor.timestamps import SETTLING, seconds
from preflight.messages.lists import names
from preflight.model.objects import TEMPLATE_GENERATION, DaemonSet, controller
from preflight.scheduling.rollout import surges
from preflight.scheduling.validation import scaled

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis


class Standstill(Struct, frozen=True):
    """A DaemonSet with pods of another template than its own on `nodes`, of which none is about to be replaced.

    1. `certain`: some of them are of an older template: all, or where none carries the DaemonSet's own number and they are of several
       `templates`, all but one at least. Else it may be a rollback, which leaves pods that carry an older number and are up to date.
    2. `numbers` are those of the pods, `own` is that of the DaemonSet.
    3. `without` are the nodes that have no pod of it that is Ready, or one that hangs: they use up maxUnavailable, which comes to `budget`.
       Where it surges `budget` is 0, and the nodes are those where a pod beside the old one does not come up, or goes.
    4. `since` is when a pod of it was created or deleted last, "" where that is not known.
    """

    daemonset: DaemonSet
    nodes: tuple[str, ...]
    certain: bool
    templates: int
    numbers: tuple[int, ...]
    own: str
    without: tuple[str, ...]
    budget: int
    since: str

    @property
    def what(self) -> str:
        """Which pods the nodes have: `n1, n2 have pods of an older template`."""
        which = f"of {self.templates} templates, and one at most is its own" if self.templates > 1 else "of an older template"
        return (
            f"{names(self.nodes)} {'has a pod' if len(self.nodes) == 1 else 'have pods'} {which if self.certain else 'of an older number'}"
        )


def standstills(facts: Diagnosis) -> tuple[Standstill, ...]:
    """Every such update.

    1. Only where pods are listed and carry a number, and the strategy is a rolling update: with OnDelete old pods are meant.
    2. A pod that was created or deleted within five minutes, and minReadySeconds, of the latest time that is known is progress.
    3. Old pods on nodes that are not Ready or gone do not count: nobody can replace them, and that is said of the node.
    4. Where no pod carries the DaemonSet's own number, pods of two templates show that one is old. Pods of one template are told only where
       maxUnavailable is used up by nodes without a live pod, or where it surges and a creation was refused of late: else the update would
       have begun. An old pod that is merely not Ready uses up nothing: the controller deletes it at once.

    Source: kubernetes `pkg/controller/daemon/update.go`, rollingUpdate.
    """
    found = []
    for key, daemonset in facts.world.daemonsets.items():
        pods = facts.pods.get(key)
        if pods is None or not (pods.made or pods.undecided) or daemonset.spec.updateStrategy.type == "OnDelete":
            continue
        one = _standstill(facts, daemonset, pods)
        if one is not None:
            found.append(one)
    return tuple(sorted(found, key=lambda each: str(each.daemonset.key)))


def _standstill(facts: Diagnosis, daemonset: DaemonSet, pods: PodsOf) -> Standstill | None:
    key = (daemonset.metadata.namespace, daemonset.metadata.name)
    made = pods.made or pods.undecided
    nodes = _nodes(made) - facts.down - facts.removed
    last = _last(facts, key)
    age = seconds(last, facts.at)
    if not nodes or (age is not None and age < SETTLING + daemonset.spec.minReadySeconds):
        return None
    groups = facts.impact.groups if facts.impact is not None else ()
    desired = {name for group in groups if group.key == daemonset.key and group.after and group.after.should_run for name in group.nodes}
    live = frozenset().union(*(group.nodes for group in pods.groups))
    own = facts.own_pods.get(key)
    there = own.working if own is not None else frozenset()
    hanging = frozenset(own.moving) - {""} if own is not None else frozenset()
    budget = 0 if surges(daemonset.spec) else scaled(daemonset.spec.updateStrategy.rollingUpdate.maxUnavailable, len(desired), default=1)
    templates = 1 if pods.made else len({each.template for each in made})
    certain = bool(pods.made) or templates > 1
    without = ((desired | live | hanging) - there) if certain else ((desired | hanging) - live)
    if not budget and own is not None:
        without |= hanging | own.others
    if not certain and not (len(without) >= budget if budget else _is_refused(facts, key)):
        return None
    return Standstill(
        daemonset,
        tuple(sorted(nodes)),
        certain,
        templates,
        tuple(sorted({each.generation for each in made})),
        daemonset.metadata.annotations.get(TEMPLATE_GENERATION, ""),
        tuple(sorted(without)),
        budget,
        last,
    )


def _is_refused(facts: Diagnosis, key: tuple[str, str]) -> bool:
    """Whether a recent event says that a pod could not be created: the controller tries again before long."""
    ages = (seconds(event.last, facts.at) for event in facts.events.of("DaemonSet", *key, "FailedCreate"))
    return any(age is None or age <= RECENT for age in ages)


def _nodes(made: Iterable[Made]) -> frozenset[str]:
    return frozenset().union(*(each.nodes for each in made))


def _last(facts: Diagnosis, key: tuple[str, str]) -> str:
    """When a pod of a DaemonSet was created or deleted last."""
    running, times = facts.world.running or {}, [""]
    for pod in facts.world.pods:
        owner = controller(pod)
        if owner is None or (pod.metadata.namespace, owner.name) != key or owner.kind != "DaemonSet":
            continue
        whole = running.get((pod.metadata.namespace, pod.metadata.name))
        if whole is not None:
            times += [whole.metadata.creationTimestamp, whole.metadata.deletionTimestamp]
    return max(times)
