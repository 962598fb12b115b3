"""What a drain keeps count of over all its nodes: how each budget stands, and the replacements that are on their way."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from copy import copy

import msgspec

from preflight.model.eviction_reasons import MissingInput, MissingKind
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import PodDisruptionBudget
from preflight.scheduling.budgets import evaluate_budget_health, find_covering_budgets, has_empty_selector
from preflight.scheduling.drain.model import DrainAssumptions, DrainCase
from preflight.scheduling.drain.pdb_state import BudgetTracker
from preflight.scheduling.owners import Owners, is_kind

BudgetIndexKey = tuple[str, str, str]


def _make_index_key(budget: PodDisruptionBudget) -> BudgetIndexKey:
    """A namespace and a label without which the budget selects no pod, so that not each is compared with each; "" where there is none."""
    labels = budget.spec.selector.matchLabels if budget.spec.selector is not None else {}
    return budget.metadata.namespace, *min(labels.items(), default=("", ""))


class DrainState:
    """The ledgers of all budgets, and the replacements that are on their way."""

    def __init__(
        self,
        pods: Sequence[ClusterPod],
        budgets: Iterable[PodDisruptionBudget],
        owners: Owners,
        assumptions: DrainAssumptions,
        listed_namespaces: frozenset[str] | None,
    ) -> None:
        self.assumptions = assumptions
        self.owners = owners
        self.listed_namespaces = listed_namespaces
        self.pending_replacements: list[tuple[float, int, tuple[tuple[str, str], ...]]] = []
        self._trackers: dict[tuple[str, str], BudgetTracker] = {}
        self._budgets_by_pod: dict[tuple[str, str], tuple[PodDisruptionBudget, ...]] = {}
        self._budgets: dict[BudgetIndexKey, list[PodDisruptionBudget]] = {}
        for budget in budgets:
            self._budgets.setdefault(_make_index_key(budget), []).append(budget)
        self._pods: dict[BudgetIndexKey, list[ClusterPod]] = {}
        for pod in pods:
            for shelf in self._iter_index_keys(pod):
                self._pods.setdefault(shelf, []).append(pod)

    def _iter_index_keys(self, pod: ClusterPod) -> Iterator[BudgetIndexKey]:
        """The shelves of budgets that may select a pod."""
        namespace = pod.metadata.namespace
        for label in (("", ""), *pod.metadata.labels.items()):
            if (namespace, *label) in self._budgets:
                yield namespace, *label

    def copy(self) -> DrainState:
        """The same book, to try another course with."""
        other = copy(self)
        other._trackers = {key: copy(ledger) for key, ledger in self._trackers.items()}
        other.pending_replacements = list(self.pending_replacements)
        return other

    def find_tracker(self, budget: PodDisruptionBudget) -> BudgetTracker:
        """The ledger of a budget."""
        known = self._trackers.get(budget.key)
        if known is None:
            namespace = budget.metadata.namespace
            all_listed = self.listed_namespaces is None or namespace in self.listed_namespaces
            made = evaluate_budget_health(budget, self._pods.get(_make_index_key(budget), ()), self.owners)
            if not all_listed:
                made = msgspec.structs.replace(made, unknown=MissingInput(MissingKind.NAMESPACE_PODS, name=namespace))
            may_be_ignored = self.assumptions.behavior.empty_selectors_guard is None and has_empty_selector(budget)
            known = BudgetTracker(budget, made, all_listed=all_listed, may_be_ignored=may_be_ignored)
            self._trackers[budget.key] = known
        return known

    def find_trackers(self, pod: ClusterPod) -> tuple[BudgetTracker, ...]:
        """The ledgers of the budgets that select a pod, by the names of these."""
        found = self._budgets_by_pod.get(pod.key)
        if found is None:
            may = [budget for shelf in self._iter_index_keys(pod) for budget in self._budgets[shelf]]
            found = self._budgets_by_pod[pod.key] = tuple(sorted(find_covering_budgets(pod, may), key=lambda budget: budget.key))
        return tuple(map(self.find_tracker, found))

    def advance_to(self, moment: float) -> None:
        """Let the replacements become Ready that are so before a moment."""
        while self.pending_replacements and self.pending_replacements[0][0] < moment:
            _, _, keys = heapq.heappop(self.pending_replacements)
            for key in keys:
                self._trackers[key].departed_count -= 1

    def record_departure(self, pod: ClusterPod, moment: float, grace: int, *, takes_disruption: bool, case: DrainCase) -> None:
        """A pod leaves, and its replacement is on its way, if it gets one."""
        guards = self.find_trackers(pod)
        for ledger in guards:
            ledger.record_departure(pod, moment, takes_disruption=takes_disruption, is_bare=pod.controller is None)
        after = self.estimate_return(pod, grace)
        if guards and after is not None:
            if takes_disruption and grace == 0 and is_stateful_set_pod(pod) and case is DrainCase.CERTAIN:
                after = max(after, self.assumptions.stale_pod_seconds)
            heapq.heappush(
                self.pending_replacements, (moment + after, len(self.pending_replacements), tuple(ledger.budget.key for ledger in guards))
            )

    def estimate_return(self, pod: ClusterPod, grace: int) -> float | None:
        """Seconds from a pod's deletion until its replacement is Ready; None where there is none, or it never is.

        A StatefulSet creates it when the old pod is gone; all others count as creating it at once: what a Job waits before it does is for
        `Assumed.ready_after` to say. A pod that has ended or is being deleted was replaced before.
        """
        if pod.controller is None or pod.has_ended or pod.metadata.deletionTimestamp:
            return None
        ready = self.assumptions.ready_after(pod)
        if ready is None or not is_stateful_set_pod(pod):
            return ready
        ends = self.assumptions.ends_after(pod, grace)
        return None if ends is None else ends + ready


def is_stateful_set_pod(pod: ClusterPod) -> bool:
    """Whether a StatefulSet controls a pod."""
    return pod.controller is not None and is_kind(pod.controller, "StatefulSet", ("apps",))
