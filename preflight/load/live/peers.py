"""Which pods share a budget or an owner with those that may have to go: whatever decides whether these go, and what that costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from preflight.load.live.lists import format_label_selector, plan_pods_of
from preflight.load.live.planner import NamespacedName
from preflight.load.live.resources import PODS, ListQuery
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet, Deployment
from preflight.model.meta import LabelSelector
from preflight.model.policy import PodDisruptionBudget
from preflight.scheduling.budgets import find_covering_budgets
from preflight.scheduling.owners import find_top_owner, index_owners, is_kind

if TYPE_CHECKING:
    from preflight.model.owners import OwnerKey
    from preflight.model.pod_scheduling import SchedulerPod


def plan_peer_lists(
    pods: Iterable[SchedulerPod],
    nodes: Collection[str],
    budgets: Iterable[PodDisruptionBudget],
    owners: Sequence[Deployment],
    daemonsets: Mapping[NamespacedName, DaemonSet],
) -> list[ListQuery]:
    """The pods that share a budget or an owner with one that may have to go from `nodes`.

    1. A pod of a known DaemonSet does not go. All pods of a DaemonSet tell how far its update has come, where one is not through
       (`may_have_old_pods`) or a pod here is of another template.
    2. The selectors of budgets and owners are the server's to apply. An owner that is not known, or has no selector, may have any pod of
       the namespace.
    """
    index = index_owners(owners, ())
    selectors = {(type(owner).__name__, owner.metadata.namespace, owner.metadata.name): owner.spec.selector for owner in owners}
    guards: dict[str, list[PodDisruptionBudget]] = {}
    for budget in budgets:
        guards.setdefault(budget.metadata.namespace, []).append(budget)
    old = (daemonset for daemonset in daemonsets.values() if may_have_old_pods(daemonset))
    found: dict[ListQuery, None] = {query: None for daemonset in old for query in plan_pods_of(daemonset)}
    for pod in pods:
        namespace, reference = pod.metadata.namespace, pod.controller
        if pod.spec.nodeName not in nodes:
            continue
        if reference is not None and is_kind(reference, "DaemonSet", ("apps",)) and (namespace, reference.name) in daemonsets:
            daemonset = daemonsets[namespace, reference.name]
            own = daemonset.metadata.annotations.get(TEMPLATE_GENERATION)
            if own and pod.metadata.labels.get("pod-template-generation") != own:
                found |= dict.fromkeys(plan_pods_of(daemonset))
            continue
        for budget in find_covering_budgets(pod, guards.get(namespace, ())):
            found[_select_pods(namespace, budget.spec.selector)] = None
        if (owner := find_top_owner(pod, index)) is not None:
            found[_select_pods(namespace, selectors.get(_make_key(owner)))] = None
    return [query for query in found if not query.labels or ListQuery(PODS, query.namespace) not in found]


def may_have_old_pods(daemonset: DaemonSet) -> bool:
    """Whether pods of a DaemonSet may be of an older template, by its status: then an update goes on, on whatever node.

    1. Nothing is old where its template has no number.
    2. Fewer pods are up to date than are counted, or the status is of an older template itself.
    3. Pods on nodes where they should not run are not counted. A rolling update replaces them too, unless pods are unavailable.

    Source: kubernetes `pkg/controller/daemon/daemon_controller.go`, updateDaemonSetStatus; `update.go`, rollingUpdate.
    """
    if not daemonset.metadata.annotations.get(TEMPLATE_GENERATION):
        return False
    status, metadata = daemonset.data.get("status"), daemonset.data.get("metadata")
    if not isinstance(status, dict) or not isinstance(metadata, dict):
        return True
    current, updated, misplaced, unavailable, observed, generation = (
        count if isinstance(count, int) else 0
        for count in (
            *(status.get(f"{name}Scheduled") for name in ("currentNumber", "updatedNumber")),
            *(status.get(name) for name in ("numberMisscheduled", "numberUnavailable", "observedGeneration")),
            metadata.get("generation"),
        )
    )
    is_manual = daemonset.spec.updateStrategy.type == "OnDelete"
    return updated < current or observed < generation or (misplaced > 0 and (is_manual or unavailable > 0))


def _select_pods(namespace: str, selector: LabelSelector | None) -> ListQuery:
    return ListQuery(PODS, namespace, labels=format_label_selector(selector) if selector is not None else "")


def _make_key(owner: OwnerKey) -> tuple[str, str, str]:
    return owner.kind, owner.namespace, owner.name
