"""`kubectl drain`, pod by pod and node by node: verdicts with their reasons, shared budgets, times and ends: semantics 10."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from preflight.model.core import Toleration
from preflight.model.drain_flags import DrainFlags
from preflight.model.eviction_reasons import DrainReason, KubectlRefusal, MissingInput, MissingKind, PodFilter
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import PodDisruptionBudget
from preflight.model.termination_reasons import HangReason
from preflight.scheduling.drain import simulate_drain
from preflight.scheduling.drain.model import (
    DrainAssumptions,
    DrainVerdict,
    FirstRound,
    NodeDrain,
    PodDrain,
    assume_ready_immediately,
    find_grace_period,
)
from preflight.scheduling.drain.pod_filters import quote_kubectl
from preflight.scheduling.eviction import SEVERAL_BUDGETS, VIOLATES_BUDGET
from preflight.scheduling.owners import Owners
from tests.scheduling.drain_objects import budget, node, owners, pod, reference, replicas, status, workload

SET, DB, LOG = reference("ReplicaSet", "web"), reference("StatefulSet", "db"), reference("DaemonSet", "log")
KNOWN = owners(workload("ReplicaSet", "web", 4), workload("StatefulSet", "db", 3), workload("DaemonSet", "log"))
ALL = DrainFlags(ignore_daemonsets=True, delete_emptydir_data=True, force=True)
COMES_BACK = DrainAssumptions(ready_after=lambda _: 3.0)
NOW = 1_767_225_600.0

E, D, S, R, H = DrainVerdict.EVICTED, DrainVerdict.DELETED, DrainVerdict.SKIPPED, DrainVerdict.REFUSED, DrainVerdict.HELD
FOREVER, FOR_NOW, UNKNOWN = DrainVerdict.BLOCKED_FOREVER, DrainVerdict.BLOCKED_NOW, DrainVerdict.UNKNOWN


def flags(**fields: Any) -> DrainFlags:
    return DrainFlags(**{"ignore_daemonsets": True, "delete_emptydir_data": True, "force": True, **fields})


def one(
    pods: Iterable[ClusterPod],
    budgets: Iterable[PodDisruptionBudget] | None = (),
    given: DrainFlags = ALL,
    assumed: DrainAssumptions = DrainAssumptions(),  # noqa: B008
    known: Owners = KNOWN,
    listed: frozenset[str] | None = None,
    ready: str = "True",
) -> NodeDrain:
    """The drain of one node."""
    (done,) = simulate_drain([node(ready=ready)], tuple(pods), budgets, known, given, assumed, listed)
    return done


def verdicts(done: NodeDrain) -> list[tuple[str, DrainVerdict, DrainReason]]:
    return [(pod.pod.metadata.name, pod.verdict, pod.reason) for pod in done.pods]


def test_a_node_without_pods_is_drained_at_once() -> None:
    done = one([pod(node="n2")], [budget(max=0)])
    assert (done, done.verdict_counts) == (NodeDrain("n1"), {})


def test_what_kubectl_leaves_keeps_nothing_from_ending_well() -> None:
    log = pod("log-1", LOG)
    assert one([log]) == NodeDrain(
        "n1",
        (PodDrain(log, S, DrainReason.FILTERED, PodFilter.DAEMONSET_IGNORED),),
        warnings=(f"{quote_kubectl(PodFilter.DAEMONSET_IGNORED)}: shop/log-1",),
    )


def test_one_refused_pod_holds_all_others() -> None:
    log, web = pod("log-1", LOG), pod("web-1", SET)
    done = one([web, log], [budget(max=0)], flags(ignore_daemonsets=False))
    assert done == NodeDrain(
        "n1",
        (PodDrain(log, R, DrainReason.FILTERED, PodFilter.DAEMONSET_REFUSED), PodDrain(web, H, DrainReason.NODE_REFUSED)),
        refusals=(
            KubectlRefusal(
                PodFilter.DAEMONSET_REFUSED, "", ("shop/log-1",), f"cannot delete {quote_kubectl(PodFilter.DAEMONSET_REFUSED)}: shop/log-1"
            ),
        ),
        exit_codes=(1,),
    )
    assert done.remaining_pods == done.pods


def test_a_pod_without_a_budget_is_evicted() -> None:
    web = pod("web-1", SET)
    done = one([web])
    assert done.pods == (PodDrain(web, E, DrainReason.NO_BUDGET, code=201, evicted_at=0, grace_seconds=30),)
    assert (done.exit_codes, done.does_end, done.min_seconds, done.grace_seconds, done.remaining_pods) == ((0,), True, 0, 30, ())


def get_hang_cause(done: NodeDrain) -> HangReason | None:
    hang = done.pods[0].hang
    return hang.cause if hang is not None else None


BARE = [pod("web-1"), pod("web-2", node="n2")]
SPENT = status(2, 2, 4, 0)


@pytest.mark.parametrize(
    ("pods", "budgets", "verdict", "why", "code"),
    [
        pytest.param(replicas(4), [budget(3)], E, DrainReason.ALLOWED, 201, id="the budget allows it"),
        pytest.param(
            [pod("web-1", SET, phase="Pending", ready=False)],
            [budget(9)],
            E,
            DrainReason.NO_BUDGET_CHECK,
            201,
            id="a Pending pod asks none",
        ),
        pytest.param(
            [pod("web-1", SET, ready=False)], [budget(9, policy="AlwaysAllow")], E, DrainReason.UNHEALTHY_ALLOWED, 201, id="not Ready"
        ),
        pytest.param(replicas(4), [budget(1), budget(1, name="b")], FOREVER, DrainReason.SEVERAL_BUDGETS, 500, id="two budgets"),
        pytest.param(replicas(4), [budget(max=0)], FOREVER, DrainReason.ZERO_UNAVAILABLE, 429, id="maxUnavailable 0"),
        pytest.param(replicas(4), [budget(max="0%")], FOREVER, DrainReason.ZERO_UNAVAILABLE, 429, id="maxUnavailable 0%"),
        pytest.param(replicas(4), [budget(4)], FOREVER, DrainReason.NEEDS_ALL_HEALTHY, 429, id="minAvailable as many as there can be"),
        pytest.param(replicas(4), [budget(5)], FOREVER, DrainReason.NEEDS_ALL_HEALTHY, 429, id="or more"),
        pytest.param(replicas(4), [budget("100%")], FOREVER, DrainReason.NEEDS_ALL_HEALTHY, 429, id="all of them"),
        pytest.param(
            replicas(4), [budget("76%")], FOREVER, DrainReason.NEEDS_ALL_HEALTHY, 429, id="a percentage that rounds up to all of them"
        ),
        pytest.param(replicas(3), [budget(3)], FOR_NOW, DrainReason.NOT_ENOUGH_HEALTHY, 429, id="one replica is missing today"),
        pytest.param(
            [pod("web-1", SET), *replicas(3, on="n2", first=2, ready=False)],
            [budget(2)],
            FOR_NOW,
            DrainReason.NOT_ENOUGH_HEALTHY,
            429,
            id="not Ready today",
        ),
        pytest.param(
            [pod("web-1", reference("Job", "load", "batch/v1"))], [budget(max=1)], FOREVER, DrainReason.CANNOT_SYNC, 429, id="a Job"
        ),
        pytest.param(BARE, [budget(max=1)], FOREVER, DrainReason.NONE_EXPECTED, 429, id="bare pods under maxUnavailable"),
        pytest.param(BARE, [budget("50%")], FOREVER, DrainReason.NONE_EXPECTED, 429, id="bare pods under a percentage"),
        pytest.param(BARE, [budget(1)], E, DrainReason.ALLOWED, 201, id="bare pods under a number"),
        pytest.param(replicas(4), [budget()], FOREVER, DrainReason.NO_LIMIT, 429, id="a budget that states no limit"),
        pytest.param(
            replicas(4), [budget(3, status=status(3, 3, 4, 0))], FOR_NOW, DrainReason.STALE_STATUS, 429, id="a status that is behind"
        ),
        pytest.param(
            replicas(4), [budget(1, status=status(4, 1, 4, 3), generation=2)], E, DrainReason.ALLOWED, 429, id="an edit not seen yet"
        ),
        pytest.param(
            [pod("web-1", reference("Job", "load", "batch/v1"))],
            [budget(max=1, status=status(0, 0, 0, 0, observed=0, failure="x"))],
            FOREVER,
            DrainReason.CANNOT_SYNC,
            429,
            id="a budget that never synced and never will",
        ),
        pytest.param(replicas(4), [budget(1, status=status(4, 1, 4, -1))], FOR_NOW, DrainReason.FORBIDDEN, 403, id="a broken status"),
        pytest.param(
            [pod("web-1", reference("CloneSet", "web", "apps.kruise.io/v1"))],
            [budget(max=1)],
            UNKNOWN,
            DrainReason.UNKNOWN,
            0,
            id="an owner of which nobody knows",
        ),
        pytest.param(
            [pod("web-1", reference("CloneSet", "web", "apps.kruise.io/v1"))],
            [budget(max=1, status=status(3, 2, 3, 1))],
            E,
            DrainReason.ALLOWED,
            201,
            id="its budget's status is known",
        ),
    ],
)
def test_the_verdict_on_the_first_pod(
    pods: list[ClusterPod], budgets: list[PodDisruptionBudget], verdict: DrainVerdict, why: DrainReason, code: int
) -> None:
    first = one(pods, budgets).pods[0]
    assert (first.verdict, first.reason, first.code) == (verdict, why, code)


@pytest.mark.parametrize(
    ("budgets", "message", "cause"),
    [
        pytest.param([budget(4)], VIOLATES_BUDGET, "The disruption budget guard needs 4 healthy pods and has 4 currently", id="one budget"),
        pytest.param([budget(1), budget(1, name="b")], SEVERAL_BUDGETS, "", id="two"),
    ],
)
def test_the_words_of_the_server_are_part_of_the_verdict(budgets: list[PodDisruptionBudget], message: str, cause: str) -> None:
    first = one(replicas(4), budgets).pods[0]
    assert (first.message, first.cause, first.budgets) == (message, cause, tuple(sorted(each.key for each in budgets)))


def test_nobody_knows_the_budgets() -> None:
    done = one([pod("web-1", SET), pod("web-2", SET, phase="Pending")], None)
    assert verdicts(done) == [("web-1", UNKNOWN, DrainReason.UNKNOWN), ("web-2", E, DrainReason.NO_BUDGET_CHECK)]
    assert (done.exit_codes, done.does_end, done.pods[0].missing_input) == ((0, 1), None, MissingInput(MissingKind.BUDGETS))


def test_where_not_all_pods_were_listed_budgets_rest_on_their_status() -> None:
    pods = [pod("web-1", SET)]
    assert verdicts(one(pods, [budget(max=1)], listed=frozenset())) == [("web-1", UNKNOWN, DrainReason.UNKNOWN)]
    assert verdicts(one(pods, [budget(max=1, status=status(4, 3, 4, 1))], listed=frozenset())) == [("web-1", E, DrainReason.ALLOWED)]
    spent = budget(max=1, status=status(3, 3, 4, 0))
    assert verdicts(one(pods, [spent], listed=frozenset())) == [("web-1", FOR_NOW, DrainReason.NOT_ENOUGH_HEALTHY)]
    strict = budget(max=0, status=status(4, 4, 4, 0))
    assert verdicts(one(pods, [strict], listed=frozenset())) == [("web-1", FOREVER, DrainReason.ZERO_UNAVAILABLE)]
    assert verdicts(one(pods, [budget(max=1)], listed=frozenset({"shop"}))) == [("web-1", FOR_NOW, DrainReason.NOT_ENOUGH_HEALTHY)]


def test_nobody_knows_whether_a_daemonset_is_there() -> None:
    done = one([pod("log-1", LOG), pod("web-1", SET)], known=owners(workload("ReplicaSet", "web", 4), complete=()))
    assert verdicts(done) == [("log-1", UNKNOWN, DrainReason.UNKNOWN), ("web-1", E, DrainReason.NO_BUDGET)]
    assert (done.exit_codes, done.does_end) == ((0, 1), None)


def test_pods_share_a_budget_and_which_of_them_go_is_chance() -> None:
    done = one(replicas(4), [budget(2)])
    assert verdicts(done) == [
        ("web-1", E, DrainReason.ALLOWED),
        ("web-2", E, DrainReason.ALLOWED),
        ("web-3", FOR_NOW, DrainReason.SHARED),
        ("web-4", FOR_NOW, DrainReason.SHARED),
    ]
    assert done.verdict_counts == {E: 2, FOR_NOW: 2}
    assert [pod.budget_peers for pod in done.pods] == [4, 4, 4, 4]
    names = tuple(("shop", f"web-{place}") for place in range(1, 5))
    assert done.first_round == (FirstRound(("shop", "guard"), names, 2, 2, 2),)
    assert (done.exit_codes, done.does_end, done.min_seconds) == ((), False, None)


@pytest.mark.parametrize(
    ("least", "most", "expected"),
    [
        pytest.param(0, 0, False, id="none goes"),
        pytest.param(1, 1, True, id="one of two, and which is chance"),
        pytest.param(1, 2, True, id="one or both"),
        pytest.param(2, 2, False, id="both"),
    ],
)
def test_a_first_round_is_contested(least: int, most: int, expected: bool) -> None:
    first_round = FirstRound(("shop", "guard"), (("shop", "web-1"), ("shop", "web-2")), least, least, most)
    assert first_round.is_contested is expected


def test_what_is_allowed_to_all_is_shared_by_none() -> None:
    done = one(replicas(2), [budget(0)])
    assert [pod.budget_peers for pod in done.pods] == [0, 0]
    assert not done.first_round[0].is_contested


def test_replacements_let_the_others_go_at_the_next_look() -> None:
    done = one(replicas(4), [budget(2)], assumed=COMES_BACK)
    assert [pod.evicted_at for pod in done.pods] == [0, 0, 5, 5]
    assert (done.exit_codes, done.does_end, done.min_seconds, done.grace_seconds) == ((0,), True, 5, 35)


def test_a_stateful_set_replaces_a_pod_when_it_is_gone() -> None:
    pods = [pod(f"db-{place}", DB, grace=20) for place in range(3)]
    done = one(pods, [budget(max=1, app="db")], assumed=COMES_BACK)
    assert [drain.evicted_at for drain in done.pods] == [0, 25, 50]
    at_once = one(pods, [budget(max=1, app="db")], assumed=DrainAssumptions(assume_ready_immediately, lambda _, __: 1.0))
    assert [each.evicted_at for each in at_once.pods] == [0, 5, 10]


def test_one_of_the_same_name_without_a_grace_period_counts_as_gone_for_two_minutes() -> None:
    pods = [pod(f"db-{place}", DB, grace=0) for place in range(3)]
    done = one(pods, [budget(max=1, app="db")], assumed=DrainAssumptions(lambda _: 1.0))
    assert [drain.evicted_at for drain in done.pods] == [0, 125, 250]


def test_bare_pods_leave_less_for_the_next_one_for_good() -> None:
    done = one([pod(f"web-{place}") for place in range(3)], [budget(2)], assumed=COMES_BACK)
    assert verdicts(done) == [
        ("web-0", E, DrainReason.ALLOWED),
        ("web-1", FOREVER, DrainReason.NEEDS_ALL_HEALTHY),
        ("web-2", FOREVER, DrainReason.NEEDS_ALL_HEALTHY),
    ]
    assert [drain.is_lost for drain in done.pods] == [True, False, False]


@pytest.mark.parametrize(
    ("stored", "replaced", "round"),
    [
        pytest.param(status(4, 4, 4, 0), None, (0, 0, 0), id="none is allowed"),
        pytest.param(status(4, 4, 4, 0), 0.0, (0, 0, 0), id="none, whatever comes back"),
        pytest.param(status(4, 2, 4, 2), None, (2, 2, 2), id="two of four"),
        pytest.param(status(4, 2, 4, 2), 3.0, (2, 2, 2), id="two, where replacements take a while"),
        pytest.param(status(4, 2, 4, 2), 0.1, (2, 2, 4), id="at least two, where they are Ready at once"),
        pytest.param(status(3, 2, 3, 1), None, (1, 1, 2), id="a stale status that the controller makes more of"),
        pytest.param(status(5, 2, 5, 3), None, (3, 2, 3), id="a stale status that it makes less of"),
        pytest.param(status(9, 2, 9, 7), None, (7, 2, 4), id="where the stale one allows all of them"),
        pytest.param(status(4, 2, 4, 2, observed=0), None, (0, 0, 0), id="not synced"),
    ],
)
def test_first_round(stored: Any, replaced: float | None, round: tuple[int, int, int]) -> None:
    done = one(replicas(4), [budget(2, status=stored)], flags(timeout=1), DrainAssumptions(lambda _: replaced))
    (found,) = done.first_round
    assert (found.allowed, found.min_evicted, found.max_evicted) == round


def test_the_code_is_open_where_chance_decides() -> None:
    pods = [*replicas(2), *replicas(2, on="n2", first=3)]
    quick, slow = DrainAssumptions(lambda _: 0.1, lambda _, __: 0.0), DrainAssumptions(lambda _: 3.0, lambda _, __: 0.0)
    assert one(pods, [budget(max=1)], flags(timeout=4), quick).exit_codes == (0, 1)
    assert one(pods, [budget(max=1)], flags(timeout=6), quick).exit_codes == (0,)
    assert one(pods, [budget(max=1)], flags(timeout=4), slow).exit_codes == (1,)


STUCK = [budget(max=0)]
NEVER_SYNCED = [budget(max=1, app=None, selector=budget(1).spec.selector, status=status(0, 0, 0, 0, observed=0))]
JOBS = [pod("web-1", reference("Job", "load", "batch/v1"))]


@pytest.mark.parametrize(
    ("pods", "budgets", "timeout", "ends"),
    [
        pytest.param(replicas(1), STUCK, 0, None, id="for ever without a timeout"),
        pytest.param(replicas(1), STUCK, 1, 5, id="a timeout ends at the next look"),
        pytest.param(replicas(1), STUCK, 5, 5, id="5 s at 5 s"),
        pytest.param(replicas(1), STUCK, 8, 10, id="8 s at 10 s"),
        pytest.param(replicas(1), STUCK, 16, 20, id="16 s at 20 s"),
        pytest.param(replicas(1), STUCK, 86_400, 86_400, id="a day"),
        pytest.param(JOBS, NEVER_SYNCED, 8, 105, id="a budget that never synced is asked eleven times in one call"),
        pytest.param(JOBS, NEVER_SYNCED, 106, 210, id="and again"),
        pytest.param(JOBS, NEVER_SYNCED, 0, None, id="and for ever"),
        pytest.param(replicas(4), [budget(1), budget(1, name="b")], 0, 0, id="a 500 is not tried again"),
        pytest.param([*replicas(4), pod("db-1", DB, grace=9)], [budget(1), budget(1, name="b")], 0, 0, id="but told when the rest is gone"),
    ],
)
def test_when_kubectl_gives_up(pods: list[ClusterPod], budgets: list[PodDisruptionBudget], timeout: float, ends: float | None) -> None:
    done = one(pods, budgets, flags(timeout=timeout))
    assert (done.min_seconds, done.does_end) == (ends, ends is not None)
    assert done.exit_codes == (() if ends is None else (1,))


def test_a_budget_that_never_synced_does_not_do_so_because_a_pod_leaves() -> None:
    load = reference("Job", "load", "batch/v1")
    pods = [pod("web-0", load, phase="Pending", ready=False), pod("web-1", load), pod("web-2", load, node="n2")]
    first, second = simulate_drain([node(), node("n2")], pods, NEVER_SYNCED, KNOWN, flags(timeout=8))
    waiting = "The disruption budget guard is still being processed by the server."
    assert [(drain.code, drain.cause, drain.gave_up_at) for drain in (*first.pods, *second.pods)] == [
        (201, "", None),
        (429, waiting, 105),
        (429, waiting, 105),
    ]


@pytest.mark.parametrize(
    ("given", "codes", "least", "with_grace"),
    [
        pytest.param(flags(), (0,), 0, 30, id="it waits for the pod"),
        pytest.param(flags(timeout=60), (0,), 0, 30, id="within the timeout"),
        pytest.param(flags(timeout=8), (0, 1), 0, 8, id="how long a container takes is its own"),
        pytest.param(flags(grace_period=5), (0,), 0, 5, id="--grace-period"),
        pytest.param(flags(grace_period=0, timeout=1), (0,), 0, 0, id="no grace period"),
        pytest.param(flags(disable_eviction=True), (0,), 0, 30, id="deleted pods are waited for as well"),
        pytest.param(flags(disable_eviction=True, timeout=8), (0, 1), 0, 8, id="until the timeout"),
    ],
)
def test_how_long_a_pod_takes(given: DrainFlags, codes: tuple[int, ...], least: float, with_grace: float) -> None:
    done = one([pod("web-1", SET)], (), given)
    assert (done.exit_codes, done.min_seconds, done.grace_seconds) == (codes, least, with_grace)


@pytest.mark.parametrize(
    ("one_pod", "given", "ready", "hangs", "ends"),
    [
        pytest.param(pod(), flags(), "Unknown", HangReason.SILENT_KUBELET, None, id="a silent kubelet"),
        pytest.param(pod(), flags(), "False", None, 0, id="one that says that it is not Ready"),
        pytest.param(pod(), flags(grace_period=0), "Unknown", None, 0, id="without a grace period the pod is gone all the same"),
        pytest.param(pod(phase="Failed"), flags(), "Unknown", None, 0, id="one that has ended has none"),
        pytest.param(pod(), flags(timeout=8), "Unknown", HangReason.SILENT_KUBELET, 8, id="until the timeout"),
        pytest.param(pod(), flags(skip_wait_for_delete_timeout=10), "Unknown", HangReason.SILENT_KUBELET, 41, id="until it is skipped"),
        pytest.param(
            pod(deletion="2025-12-31T23:59:59Z"),
            flags(),
            "True",
            HangReason.PAST_GRACE_PERIOD,
            None,
            id="one that should be gone",
        ),
        pytest.param(pod(deletion="2026-01-01T00:00:01Z"), flags(), "True", None, 0, id="one that goes already"),
    ],
)
def test_what_hangs(one_pod: ClusterPod, given: DrainFlags, ready: str, hangs: HangReason | None, ends: float | None) -> None:
    done = one([one_pod], (), given, DrainAssumptions(now=NOW), ready=ready)
    assert (get_hang_cause(done), done.min_seconds, done.does_end) == (hangs, ends, ends is not None)
    assert done.remaining_pods == (done.pods if hangs else ())


def test_it_can_be_assumed_that_a_pod_never_ends() -> None:
    done = one([pod("web-1", SET)], assumed=DrainAssumptions(ends_after=lambda _, __: None))
    assert (get_hang_cause(done), done.does_end) == (HangReason.ASSUMED, False)


@pytest.mark.parametrize(
    ("one_pod", "lost", "local_data", "may_return"),
    [
        pytest.param(pod("web-1", SET), False, False, False, id="nothing is lost of a pod that is replaced elsewhere"),
        pytest.param(pod(), True, False, False, id="a bare pod is lost for good"),
        pytest.param(pod(phase="Succeeded", local_data=True), False, False, False, id="not one that has ended"),
        pytest.param(pod("web-1", SET, local_data=True), False, True, False, id="local data"),
        pytest.param(pod("web-1", SET, tolerations=(Toleration(operator="Exists"),)), False, False, True, id="it tolerates everything"),
    ],
)
def test_what_is_lost(one_pod: ClusterPod, lost: bool, local_data: bool, may_return: bool) -> None:
    for each in (ALL, flags(disable_eviction=True)):
        (found,) = one([one_pod], (), each).pods
        assert (found.is_lost, found.has_local_data, found.may_return) == (lost, local_data, may_return)


def test_disable_eviction_asks_no_budget_and_takes_from_each() -> None:
    guards = [budget(max=0), budget(3, name="other", status=status(4, 3, 4, 1))]
    pods = [*replicas(2), *replicas(2, on="n2", first=3)]
    first, second = simulate_drain([node(), node("n2")], pods, guards, KNOWN, flags(disable_eviction=True))
    assert verdicts(first) == [("web-1", D, DrainReason.BYPASSED), ("web-2", D, DrainReason.BYPASSED)]
    assert (first.pods[0].code, first.pods[0].budgets) == (200, (("shop", "guard"), ("shop", "other")))
    assert (first.first_round, second.exit_codes) == ((), (0,))


def test_what_one_node_takes_the_next_one_lacks() -> None:
    pods = [*replicas(1), *replicas(1, on="n2", first=2), *replicas(2, on="n3", first=3)]
    first, second = simulate_drain([node(), node("n2")], pods, [budget(max=1)], KNOWN, flags(timeout=8))
    assert verdicts(first) == [("web-1", E, DrainReason.ALLOWED)]
    assert verdicts(second) == [("web-2", FOR_NOW, DrainReason.SHARED)]
    assert second.first_round[0].allowed == 0
    first, second = simulate_drain([node(), node("n2")], pods, [budget(max=1)], KNOWN, flags(timeout=8), COMES_BACK)
    assert verdicts(second) == [("web-2", E, DrainReason.ALLOWED)]


def test_a_deleted_pod_is_missed_on_the_next_node_too() -> None:
    pods = [*replicas(1), *replicas(3, on="n2", first=2)]
    (_,) = simulate_drain([node()], pods, [budget(max=1)], KNOWN, flags(disable_eviction=True))
    first, second = simulate_drain([node("n2"), node()], pods, [budget(max=1)], KNOWN, flags(timeout=8))
    assert [pod.verdict for pod in first.pods] == [E, FOR_NOW, FOR_NOW]
    assert [drain.verdict for drain in second.pods] == [FOR_NOW]


def test_a_pod_that_goes_already_takes_nothing_of_its_budget() -> None:
    pods = [pod("web-0", SET, deletion="now"), *replicas(4)]
    done = one(pods, [budget(3)], flags(timeout=5))
    assert [drain.verdict for drain in done.pods] == [E, E, FOR_NOW, FOR_NOW, FOR_NOW]


def test_a_node_that_is_refused_takes_nothing_from_the_next() -> None:
    pods = [pod("log-1", LOG), *replicas(1), *replicas(1, on="n2", first=2), *replicas(2, on="n3", first=3)]
    first, second = simulate_drain([node(), node("n2")], pods, [budget(max=1)], KNOWN, flags(ignore_daemonsets=False))
    assert (first.exit_codes, verdicts(second)) == ((1,), [("web-2", E, DrainReason.ALLOWED)])
    assert second.is_reached


def test_kubectl_never_gets_to_a_node_behind_one_that_it_waits_for() -> None:
    pods = [*replicas(2), *replicas(2, on="n2", first=3)]
    first, second, third = simulate_drain([node(), node("n2"), node("n3")], pods, STUCK, KNOWN, ALL)
    assert [drain.is_reached for drain in (first, second, third)] == [True, False, False]
    assert [each.is_reached for each in simulate_drain([node(), node("n2")], pods, STUCK, KNOWN, flags(timeout=5))] == [True, True]


def test_a_node_named_twice_finds_what_is_left() -> None:
    first, second = simulate_drain([node(), node()], replicas(2), [budget(max=1, status=status(4, 3, 4, 1))], KNOWN, flags(timeout=5))
    assert [pod.pod.metadata.name for pod in second.pods] == ["web-2"]
    assert first.exit_codes == (1,)


@pytest.mark.parametrize(
    ("one_pod", "period", "answer"),
    [
        pytest.param(pod(grace=7), -1, 7, id="its own"),
        pytest.param(pod(grace=None), -1, 30, id="30 where it states none"),
        pytest.param(pod(grace=-5), -1, 1, id="below 0 is 1"),
        pytest.param(pod(grace=7), 0, 0, id="that of the command line"),
        pytest.param(pod(grace=7), 900, 900, id="also a longer one"),
        pytest.param(pod(grace=7, phase="Succeeded"), -1, 0, id="none for a pod that has ended"),
        pytest.param(pod(grace=7, node=""), -1, 0, id="or was never bound"),
    ],
)
def test_grace_period(one_pod: ClusterPod, period: int, answer: int) -> None:
    assert find_grace_period(one_pod, period) == answer


LIMITS = st.one_of(st.integers(0, 6), st.sampled_from(["0%", "25%", "50%", "100%"]))
BUDGETS = st.lists(st.tuples(st.booleans(), LIMITS, st.sampled_from(["web", "db"])), max_size=2).map(
    lambda each: [
        budget(limit if low else None, None if low else limit, name=f"b{place}", app=app) for place, (low, limit, app) in enumerate(each)
    ]
)
PODS = st.lists(
    st.tuples(st.sampled_from([SET, DB, None]), st.sampled_from(["n1", "n2"]), st.booleans(), st.sampled_from(["Running", "Pending"])),
    max_size=7,
).map(
    lambda each: [
        pod(f"{'db' if owner is DB else 'web'}-{place}", owner, node=on, ready=ready and phase == "Running", phase=phase)
        for place, (owner, on, ready, phase) in enumerate(each)
    ]
)


@given(PODS, BUDGETS, st.randoms())
def test_the_order_of_pods_and_budgets_changes_nothing(pods: list[ClusterPod], budgets: list[PodDisruptionBudget], random: Any) -> None:
    expected = simulate_drain([node(), node("n2")], pods, budgets, KNOWN, flags(timeout=9), COMES_BACK)
    others, guards = list(pods), list(budgets)
    random.shuffle(others)
    random.shuffle(guards)
    found = simulate_drain([node(), node("n2")], others, guards, KNOWN, flags(timeout=9), COMES_BACK)
    assert [verdicts(drain) for drain in found] == [verdicts(each) for each in expected]


@given(PODS, BUDGETS)
def test_no_budget_lets_more_go_than_it_allows_while_nothing_comes_back(pods: list[ClusterPod], budgets: list[PodDisruptionBudget]) -> None:
    for each in (
        found for done in simulate_drain([node(), node("n2")], pods, budgets, KNOWN, flags(timeout=9)) for found in done.first_round
    ):
        assert (
            0 <= each.min_evicted == each.max_evicted <= min(each.allowed, len(each.pods))
            or each.allowed > len(each.pods) == each.min_evicted
        )


UNREADY_AND_BARE = [
    *(pod(f"web-{place}", SET, phase="Pending", ready=False) for place in (0, 1)),
    *(pod(f"web-{place}", SET) for place in (2, 3)),
    pod("web-4", ready=False),
]
"""Four pods that a ReplicaSet wants, two of them Pending, and a bare one that is not Ready: while that is there, five may be healthy."""


def bare_departures(done: NodeDrain) -> set[tuple[str, str]]:
    """The pods that nothing creates again and that go: what their budgets can count at most shrinks with them."""
    return {drain.pod.key for drain in done.pods if drain.evicted_at is not None and drain.pod.controller is None}


@given(PODS, BUDGETS)
@example(UNREADY_AND_BARE, [budget(max=0)])
def test_what_is_blocked_for_ever_is_so_whatever_comes_back(pods: list[ClusterPod], budgets: list[PodDisruptionBudget]) -> None:
    """Unless a bare pod goes only once others are back: where it stays it may become Ready yet, and make up for one that goes."""
    never, soon = (one(pods, budgets, flags(timeout=60), DrainAssumptions(ready)) for ready in (lambda _: None, lambda _: 0.5))
    blocked = {pod.pod.key for pod in soon.pods if pod.verdict is FOREVER}
    if bare_departures(soon) <= bare_departures(never):
        assert blocked <= {drain.pod.key for drain in never.pods if drain.verdict is FOREVER}


def test_a_bare_pod_that_may_become_ready_keeps_a_budget_from_blocking_for_ever() -> None:
    """maxUnavailable 0 of four: the controller desires four, and five are healthy once the bare pod is Ready and the others are back."""
    never, soon = (one(UNREADY_AND_BARE, [budget(max=0)], ALL, DrainAssumptions(ready)) for ready in (lambda _: None, lambda _: 0.5))
    assert [(drain.pod.metadata.name, drain.verdict) for drain in never.pods] == [
        *(("web-0", E), ("web-1", E)),
        *(("web-2", FOR_NOW), ("web-3", FOR_NOW), ("web-4", FOR_NOW)),
    ]
    assert [(drain.pod.metadata.name, drain.verdict) for drain in soon.pods] == [
        *(("web-0", E), ("web-1", E)),
        *(("web-2", FOREVER), ("web-3", FOREVER), ("web-4", E)),
    ]
    assert (never.does_end, soon.does_end) == (False, False)


@given(PODS, BUDGETS)
def test_without_budgets_or_with_disable_eviction_everything_goes(pods: list[ClusterPod], budgets: list[PodDisruptionBudget]) -> None:
    there = [pod for pod in pods if pod.spec.nodeName == "n1"]
    for done in (one(pods), one(pods, budgets, flags(disable_eviction=True))):
        assert (len(done.pods), done.remaining_pods, done.exit_codes) == (len(there), (), (0,))
