"""From the course of an eviction to the verdict on a pod."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from preflight.model.core import Taint
from preflight.model.drain_flags import DrainFlags
from preflight.model.eviction_reasons import DrainReason, MissingInput, MissingKind
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.drain.eviction_loop import EvictionCourse
from preflight.scheduling.drain.model import DrainVerdict, PodDrain, find_grace_period
from preflight.scheduling.drain.pdb_tracker import DrainState
from preflight.scheduling.drain.pod_filters import FilterDecision, FilteredPod, has_local_data
from preflight.scheduling.eviction import skips_budget_check
from preflight.scheduling.tolerations import find_toleration

_CORDON_TAINT = Taint("node.kubernetes.io/unschedulable", effect="NoSchedule")


def drain_without_request(filtered_pod: FilteredPod) -> PodDrain:
    """A pod that kubectl sends no request for: left, refused, of unknown fate, or held because another one is refused."""
    if filtered_pod.decision is FilterDecision.UNKNOWN:
        return PodDrain(filtered_pod.pod, DrainVerdict.UNKNOWN, DrainReason.UNKNOWN, missing_input=filtered_pod.missing_input)
    if filtered_pod.decision is FilterDecision.GOES:
        return PodDrain(filtered_pod.pod, DrainVerdict.HELD, DrainReason.NODE_REFUSED)
    return PodDrain(
        filtered_pod.pod,
        DrainVerdict.REFUSED if filtered_pod.decision is FilterDecision.REFUSED else DrainVerdict.SKIPPED,
        DrainReason.FILTERED,
        filtered_pod.filter,
    )


def drain_without_budgets(pod: ClusterPod, flags: DrainFlags) -> PodDrain:
    """A pod that is asked for while nobody knows the budgets; one that asks none goes all the same."""
    if skips_budget_check(pod):
        return _mark_leaving(PodDrain(pod, DrainVerdict.EVICTED, DrainReason.NO_BUDGET_CHECK, code=201, evicted_at=0.0), flags)
    return PodDrain(pod, DrainVerdict.UNKNOWN, DrainReason.UNKNOWN, missing_input=MissingInput(MissingKind.BUDGETS))


def drain_by_deletion(pod: ClusterPod, drain_state: DrainState, flags: DrainFlags) -> PodDrain:
    """A pod that --disable-eviction deletes; the budgets that it passes by are named."""
    budgets = tuple(guard.budget.key for guard in drain_state.find_trackers(pod))
    return _mark_leaving(PodDrain(pod, DrainVerdict.DELETED, DrainReason.BYPASSED, code=200, budgets=budgets, evicted_at=0.0), flags)


def drain_by_eviction(
    pod: ClusterPod, course: EvictionCourse, drain_state: DrainState, flags: DrainFlags, start: float, peers: Mapping[tuple[str, str], int]
) -> PodDrain:
    """A pod whose eviction had this course; the book is as the node left it.

    1. Let go: evicted, and why the server did so. Refused: for ever or for now, and why.
    2. A 500 is for ever, a 403 for now: kubectl asks neither again.

    `peers` says for pods that share a budget how many they are, where which of them go first is chance.
    """
    guards = drain_state.find_trackers(pod)
    first, last = course.first_response, course.last_response
    done = PodDrain(
        pod,
        DrainVerdict.UNKNOWN,
        DrainReason.UNKNOWN,
        code=first.code,
        message=first.message,
        cause=first.cause,
        healthy_pods=first.healthy_pods,
        gave_up_at=None if course.gave_up_at is None else course.gave_up_at - start,
        budgets=tuple(guard.budget.key for guard in guards),
        budget_peers=peers.get(pod.key, 0),
    )
    if last.code == 201:
        assert course.evicted_at is not None
        why = (
            DrainReason.ALLOWED
            if last.takes_disruption
            else DrainReason.NO_BUDGET_CHECK
            if skips_budget_check(pod)
            else DrainReason.UNHEALTHY_ALLOWED
            if guards
            else DrainReason.NO_BUDGET
        )
        return _mark_leaving(replace(done, verdict=DrainVerdict.EVICTED, reason=why, evicted_at=course.evicted_at - start), flags)
    if last.code == 500:
        return replace(done, verdict=DrainVerdict.BLOCKED_FOREVER, reason=DrainReason.SEVERAL_BUDGETS)
    if last.code == 403:
        return replace(done, verdict=DrainVerdict.BLOCKED_NOW, reason=DrainReason.FORBIDDEN)
    if last.code == 429:
        why, is_forever = guards[0].explain_refusal(last)
        return replace(done, verdict=DrainVerdict.BLOCKED_FOREVER if is_forever else DrainVerdict.BLOCKED_NOW, reason=why)
    return replace(done, missing_input=last.missing_input)


def _mark_leaving(pod_drain: PodDrain, flags: DrainFlags) -> PodDrain:
    pod = pod_drain.pod
    cordon, certain = find_toleration(pod.spec.tolerations, _CORDON_TAINT, None)
    return replace(
        pod_drain,
        grace_seconds=find_grace_period(pod, flags.grace_period),
        is_lost=pod.controller is None and not pod.has_ended,
        has_local_data=has_local_data(pod) and not pod.has_ended,
        may_return=pod.controller is not None and (cordon is not None or not certain),
    )
