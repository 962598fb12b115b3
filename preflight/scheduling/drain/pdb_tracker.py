"""What a drain keeps count of over all its nodes: how each budget stands, and the replacements that are on their way."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from copy import copy

import msgspec

from preflight.model.budgets import PodDisruptionBudget
from preflight.model.pod_status import RunningPod
from preflight.scheduling.budgets import guarding, health
from preflight.scheduling.drain.model import Assumed
from preflight.scheduling.drain.pdb_state import Ledger
from preflight.scheduling.owners import Owners, is_kind

Shelf = tuple[str, str, str]


def _shelf(budget: PodDisruptionBudget) -> Shelf:
    """A namespace and a label without which the budget selects no pod, so that not each is compared with each; "" where there is none."""
    labels = budget.spec.selector.matchLabels if budget.spec.selector is not None else {}
    return budget.metadata.namespace, *min(labels.items(), default=("", ""))


class Book:
    """The ledgers of all budgets, and the replacements that are on their way."""

    def __init__(
        self,
        pods: Sequence[RunningPod],
        budgets: Iterable[PodDisruptionBudget],
        owners: Owners,
        assumed: Assumed,
        listed: frozenset[str] | None,
    ) -> None:
        self.assumed = assumed
        self.owners = owners
        self.listed = listed
        self.coming: list[tuple[float, int, tuple[tuple[str, str], ...]]] = []
        self._ledgers: dict[tuple[str, str], Ledger] = {}
        self._guarding: dict[tuple[str, str], tuple[PodDisruptionBudget, ...]] = {}
        self._budgets: dict[Shelf, list[PodDisruptionBudget]] = {}
        for budget in budgets:
            self._budgets.setdefault(_shelf(budget), []).append(budget)
        self._pods: dict[Shelf, list[RunningPod]] = {}
        for pod in pods:
            for shelf in self._shelves(pod):
                self._pods.setdefault(shelf, []).append(pod)

    def _shelves(self, pod: RunningPod) -> Iterator[Shelf]:
        """The shelves of budgets that may select a pod."""
        namespace = pod.metadata.namespace
        for label in (("", ""), *pod.metadata.labels.items()):
            if (namespace, *label) in self._budgets:
                yield namespace, *label

    def copy(self) -> Book:
        """The same book, to try another course with."""
        other = copy(self)
        other._ledgers = {key: copy(ledger) for key, ledger in self._ledgers.items()}
        other.coming = list(self.coming)
        return other

    def ledger(self, budget: PodDisruptionBudget) -> Ledger:
        """The ledger of a budget."""
        known = self._ledgers.get(budget.key)
        if known is None:
            namespace = budget.metadata.namespace
            all_listed = self.listed is None or namespace in self.listed
            made = health(budget, self._pods.get(_shelf(budget), ()), self.owners)
            if not all_listed:
                made = msgspec.structs.replace(made, unknown=f"not all pods of namespace {namespace} were listed")
            known = self._ledgers[budget.key] = Ledger(budget, made, all_listed=all_listed)
        return known

    def guards(self, pod: RunningPod) -> tuple[Ledger, ...]:
        """The ledgers of the budgets that select a pod, by the names of these."""
        found = self._guarding.get(pod.key)
        if found is None:
            may = [budget for shelf in self._shelves(pod) for budget in self._budgets[shelf]]
            found = self._guarding[pod.key] = tuple(sorted(guarding(pod, may), key=lambda budget: budget.key))
        return tuple(map(self.ledger, found))

    def until(self, moment: float) -> None:
        """Let the replacements become Ready that are so before a moment."""
        while self.coming and self.coming[0][0] < moment:
            _, _, keys = heapq.heappop(self.coming)
            for key in keys:
                self._ledgers[key].gone -= 1

    def leave(self, pod: RunningPod, moment: float, grace: int, *, takes: bool, lucky: bool) -> None:
        """A pod leaves, and its replacement is on its way, if it gets one."""
        guards = self.guards(pod)
        for ledger in guards:
            ledger.leave(pod, moment, takes=takes, bare=pod.controller is None)
        after = self.back_after(pod, grace)
        if guards and after is not None:
            if takes and grace == 0 and is_stateful(pod) and not lucky:
                after = max(after, self.assumed.forgotten)
            heapq.heappush(self.coming, (moment + after, len(self.coming), tuple(ledger.budget.key for ledger in guards)))

    def back_after(self, pod: RunningPod, grace: int) -> float | None:
        """Seconds from a pod's deletion until its replacement is Ready; None where there is none, or it never is.

        A StatefulSet creates it when the old pod is gone; all others count as creating it at once: what a Job waits before it does is for
        `Assumed.ready_after` to say. A pod that has ended or is being deleted was replaced before.
        """
        if pod.controller is None or pod.has_ended or pod.metadata.deletionTimestamp:
            return None
        ready = self.assumed.ready_after(pod)
        if ready is None or not is_stateful(pod):
            return ready
        ends = self.assumed.ends_after(pod, grace)
        return None if ends is None else ends + ready


def is_stateful(pod: RunningPod) -> bool:
    """Whether a StatefulSet controls a pod."""
    return pod.controller is not None and is_kind(pod.controller, "StatefulSet", ("apps",))
