"""What becomes of a Job that loses pods, beyond what was recorded."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.model.job_reasons import JobLimit, SkipCause, SkipReason
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.jobs.disruption import Disruption
from preflight.scheduling.jobs.forecast import JobForecast, LostPodForecast, forecast_by_exit_code, forecast_job
from preflight.scheduling.jobs.lost_pods import SIGKILL, SIGTERM, JobPod, PodLoss, make_job_pod, make_pod_loss
from preflight.scheduling.jobs.pod_failure_policy import FailureVerdict
from tests.builders import read_object
from tests.scheduling.jobs.job_objects import job, policy, rule

INDEXED: dict[str, Any] = {"completionMode": "Indexed", "completions": 3, "parallelism": 3}
PER_INDEX: dict[str, Any] = {**INDEXED, "backoffLimitPerIndex": 1}
PODS = tuple(JobPod(f"p{index}", index) for index in range(3))
IGNORE = policy(rule("Ignore", condition="DisruptionTarget"))
DELETING = [disruption for disruption in Disruption if disruption.deletes_pod and not disruption.is_forced]
IN_PLACE = [Disruption.NODE_PRESSURE, Disruption.SHUTDOWN]


def lose(spec: dict[str, Any], *losses: PodLoss, pods: tuple[JobPod, ...] = PODS, **given: Any) -> JobForecast:
    return forecast_job(job(**{**INDEXED, **spec}, **given), pods, losses)


def one(spec: dict[str, Any], loss: PodLoss, *, pods: tuple[JobPod, ...] = PODS, **given: Any) -> LostPodForecast:
    (fate,) = lose(spec, loss, pods=pods, **given).lost_pods
    return fate


EVICTED = PodLoss("p1", Disruption.EVICTION)


def test_nothing_is_lost() -> None:
    assert lose({}) == JobForecast(max_pods=3)


def test_a_pod_that_the_job_has_not_is_no_loss() -> None:
    assert lose({}, PodLoss("other", Disruption.EVICTION)) == JobForecast(max_pods=3)


def test_a_pod_that_is_being_deleted_already_is_no_loss() -> None:
    pods = (*PODS, JobPod("old", 1, is_terminating=True))
    assert lose({}, PodLoss("old", Disruption.EVICTION), pods=pods).lost_pods == ()


@pytest.mark.parametrize(
    ("spec", "given", "reason"),
    [
        pytest.param(
            {"managedBy": "kueue.x-k8s.io/multikueue"},
            {},
            SkipReason(SkipCause.MANAGED_BY_OTHER, "kueue.x-k8s.io/multikueue"),
            id="another controller's",
        ),
        pytest.param({"suspend": True}, {}, SkipReason(SkipCause.SUSPENDED), id="suspended"),
        pytest.param(
            {}, {"status": {"conditions": [{"type": "Complete", "status": "True"}]}}, SkipReason(SkipCause.COMPLETE), id="complete"
        ),
        pytest.param({}, {"status": {"conditions": [{"type": "Failed", "status": "True"}]}}, SkipReason(SkipCause.FAILED), id="failed"),
        pytest.param(
            {},
            {"status": {"conditions": [{"type": "FailureTarget", "status": "True"}]}},
            SkipReason(SkipCause.FAILING),
            id="about to fail",
        ),
    ],
)
def test_a_job_that_is_left_alone(spec: dict[str, Any], given: dict[str, Any], reason: SkipReason) -> None:
    assert lose(spec, EVICTED, **given) == JobForecast(skip_reason=reason)


def test_a_job_that_the_job_controller_has_by_name_is_not_left_alone() -> None:
    spec = {"managedBy": "kubernetes.io/job-controller"}
    status = {"conditions": [{"type": "Complete", "status": "False"}]}
    assert one(spec, EVICTED, status=status).replaced_after == 10


@pytest.mark.parametrize("kind", DELETING)
def test_by_default_two_pods_of_an_index_run_for_the_grace_period_minus_the_back_off(kind: Disruption) -> None:
    assert one({}, PodLoss("p1", kind)) == LostPodForecast(
        pod="p1",
        index=1,
        replaced_after=10,
        waits_for_end=False,
        overlap=20,
        verdict=FailureVerdict(),
        counts_against=(JobLimit.BACKOFF_LIMIT,),
        fails_index=False,
        has_succeeded=False,
    )


@pytest.mark.parametrize(
    ("lost", "overlap"),
    [pytest.param(1, 50, id="one"), pytest.param(2, 40, id="two"), pytest.param(3, 20, id="three")],
)
def test_pods_that_are_lost_together_count_together(lost: int, overlap: float) -> None:
    found = lose({}, *(PodLoss(pod.name, Disruption.EVICTION, ends_after=60) for pod in PODS[:lost]))
    assert [(fate.replaced_after, fate.overlap) for fate in found.lost_pods] == [(60 - overlap, overlap)] * lost
    assert found.max_pods == 3 + lost


def test_a_later_loss_pushes_the_replacement_of_an_earlier_one_back() -> None:
    found = lose({}, PodLoss("p0", Disruption.EVICTION), PodLoss("p1", Disruption.EVICTION, lost_at=5))
    assert [(fate.replaced_after, fate.overlap) for fate in found.lost_pods] == [(25, 5), (20, 10)]


def test_with_a_limit_per_index_each_index_has_its_own_back_off() -> None:
    pods = (JobPod("p0", 0, failures=1), JobPod("p1", 1), JobPod("p2", 2, ignored_failures=2))
    found = lose(
        {**PER_INDEX, "backoffLimitPerIndex": 5}, *(PodLoss(pod.name, Disruption.EVICTION, ends_after=90) for pod in pods), pods=pods
    )
    assert [(fate.index, fate.replaced_after) for fate in found.lost_pods] == [(0, 20), (1, 10), (2, 40)]


def test_the_back_off_ends_at_ten_minutes() -> None:
    pods = (JobPod("p1", 1, failures=9),)
    assert (
        one({**PER_INDEX, "backoffLimitPerIndex": 50}, PodLoss("p1", Disruption.EVICTION, ends_after=900), pods=pods).replaced_after == 600
    )


def test_with_a_limit_per_index_the_back_off_runs_from_the_end_where_that_comes_before_the_replacement() -> None:
    assert one(PER_INDEX, PodLoss("p1", Disruption.EVICTION, ends_after=3)).replaced_after == 13
    assert one({}, PodLoss("p1", Disruption.EVICTION, ends_after=3)).replaced_after == 10


@pytest.mark.parametrize("kind", IN_PLACE)
def test_a_pod_that_fails_where_it_is_is_replaced_after_its_end(kind: Disruption) -> None:
    fate = one({}, PodLoss("p1", kind, ends_after=30))
    assert (fate.replaced_after, fate.waits_for_end, fate.overlap) == (40, True, 0)


@pytest.mark.parametrize("kind", IN_PLACE)
def test_a_pod_that_its_kubelet_fails_has_failed_though_it_exits_with_0(kind: Disruption) -> None:
    found = lose({"backoffLimit": 0}, PodLoss("p1", kind, exit_code=0))
    assert (found.failure_reason, found.lost_pods[0].has_succeeded) == ("BackoffLimitExceeded", False)


def test_a_pod_whose_node_does_not_answer_runs_beside_its_replacement_for_ever() -> None:
    assert one({}, PodLoss("p1", Disruption.TAINT, ends_after=math.inf)).overlap == math.inf


def test_where_only_failed_pods_are_replaced_it_is_never_replaced() -> None:
    fate = one({"podReplacementPolicy": "Failed"}, PodLoss("p1", Disruption.TAINT, ends_after=math.inf))
    assert (fate.replaced_after, fate.counts_against) == (None, ())


def test_garbage_collection_fails_a_pod_at_once_and_leaves_no_exit_code() -> None:
    stopping = policy(rule("FailJob", 143), rule("Ignore", condition="DisruptionTarget"))
    found = lose({"podFailurePolicy": stopping}, PodLoss("p1", Disruption.POD_GC))
    assert (found.failure_reason, found.lost_pods[0].verdict, found.lost_pods[0].replaced_after) == ("", FailureVerdict(1, "Ignore"), 10)


def test_a_refused_pod_has_no_condition_and_its_back_off_counts_from_its_creation() -> None:
    pods = (JobPod("old", 0), JobPod("new", 1, age=2), JobPod("p2", 2))
    found = lose({"podFailurePolicy": IGNORE}, PodLoss("new", Disruption.REFUSAL), pods=pods)
    assert (found.lost_pods[0].verdict, found.lost_pods[0].replaced_after) == (FailureVerdict(), 8)
    found = lose({"podFailurePolicy": IGNORE}, PodLoss("old", Disruption.REFUSAL), pods=pods)
    assert (found.lost_pods[0].verdict, found.lost_pods[0].replaced_after) == (FailureVerdict(), 1)


def test_a_pod_that_has_not_been_ready_for_long_is_replaced_without_a_pause() -> None:
    pods = (JobPod("p1", 1, unready_for=math.inf), JobPod("p2", 2, unready_for=4))
    assert one({}, EVICTED, pods=pods).replaced_after == 1
    assert one({}, PodLoss("p2", Disruption.EVICTION), pods=pods).replaced_after == 6


@pytest.mark.parametrize("kind", [disruption for disruption in Disruption if disruption.has_condition])
def test_a_rule_keeps_the_limit_but_not_the_back_off(kind: Disruption) -> None:
    found = lose({"backoffLimit": 0, "podFailurePolicy": IGNORE}, PodLoss("p1", kind, ends_after=5))
    assert (found.failure_reason, found.failed_count, found.lost_pods[0].counts_against) == ("", 0, ())
    assert found.lost_pods[0].replaced_after == (10 if kind is Disruption.POD_GC else 15)


@pytest.mark.parametrize("kind", [disruption for disruption in Disruption if not disruption.has_condition])
def test_a_rule_does_not_help_where_nobody_says_that_it_is_a_disruption(kind: Disruption) -> None:
    found = lose({"backoffLimit": 0, "podFailurePolicy": IGNORE}, PodLoss("p1", kind))
    assert (found.failure_reason, found.rule_index) == ("BackoffLimitExceeded", None)


def test_a_job_fails_as_soon_as_the_pod_is_deleted_and_is_failed_when_all_pods_have_ended() -> None:
    found = lose({"backoffLimit": 0}, PodLoss("p1", Disruption.EVICTION, ends_after=50))
    assert (found.failure_reason, found.fails_after, found.failed_by, found.failed_count) == ("BackoffLimitExceeded", 1, 50, 3)
    assert found.lost_pods[0].replaced_after is None


def test_the_other_pods_have_their_own_grace_period() -> None:
    template = {"spec": {"restartPolicy": "Never", "terminationGracePeriodSeconds": 120, "containers": [{"name": "main"}]}}
    assert lose({"backoffLimit": 0, "template": template}, PodLoss("p1", Disruption.EVICTION, ends_after=5)).failed_by == 121


def test_earlier_failures_count() -> None:
    assert lose({"backoffLimit": 2}, EVICTED, status={"failed": 1}).failure_reason == ""
    assert lose({"backoffLimit": 2}, EVICTED, status={"failed": 2}).failure_reason == "BackoffLimitExceeded"


def test_the_back_off_is_not_known_where_there_were_failures() -> None:
    assert lose({}, EVICTED).is_back_off_known
    assert not lose({}, EVICTED, status={"failed": 1}).is_back_off_known
    assert lose(PER_INDEX, EVICTED, status={"failed": 1}).is_back_off_known


def test_the_back_off_is_not_known_where_nobody_says_since_when_a_pod_is_not_ready() -> None:
    pods = (JobPod("p1", 1, unready_for=math.inf), JobPod("p2", 2, unready_for=4))
    assert not lose({}, EVICTED, pods=pods).is_back_off_known
    assert lose({}, PodLoss("p2", Disruption.EVICTION), pods=pods).is_back_off_known
    assert lose({}, PodLoss("p1", Disruption.SHUTDOWN), pods=pods).is_back_off_known


def test_the_rule_that_stops_the_job_is_named() -> None:
    stopping = policy(rule("Ignore", 42), rule("FailJob", SIGTERM))
    found = lose({"podFailurePolicy": stopping}, PodLoss("p1", Disruption.DELETION))
    assert (found.failure_reason, found.rule_index, found.lost_pods[0].verdict) == (
        "PodFailurePolicy",
        1,
        FailureVerdict(1, "FailJob", "main", SIGTERM),
    )
    assert lose({"podFailurePolicy": stopping}, PodLoss("p1", Disruption.DELETION, exit_code=SIGKILL)).failure_reason == ""


@pytest.mark.parametrize(
    ("spec", "status", "answer"),
    [
        pytest.param({"backoffLimitPerIndex": 1}, {}, ("", "", "", False), id="one failure is within the limit of the index"),
        pytest.param({"backoffLimitPerIndex": 0}, {}, ("", "FailedIndexes", "1", True), id="an index over its limit: the others go on"),
        pytest.param(
            {"backoffLimitPerIndex": 0, "maxFailedIndexes": 0},
            {},
            ("MaxFailedIndexesExceeded", "MaxFailedIndexesExceeded", "1", True),
            id="more failed indexes than allowed",
        ),
        pytest.param(
            {"backoffLimitPerIndex": 0, "maxFailedIndexes": 1},
            {"failedIndexes": "0"},
            ("MaxFailedIndexesExceeded", "MaxFailedIndexesExceeded", "0,1", True),
            id="together with the failed ones of before",
        ),
        pytest.param(
            {"backoffLimitPerIndex": 0},
            {"completedIndexes": "0,2"},
            ("FailedIndexes", "FailedIndexes", "1", True),
            id="the last index",
        ),
        pytest.param(
            {"backoffLimitPerIndex": 0, "backoffLimit": 0, "maxFailedIndexes": 0},
            {},
            ("BackoffLimitExceeded", "BackoffLimitExceeded", "1", True),
            id="of two reasons the limit of the Job",
        ),
        pytest.param(
            {"backoffLimitPerIndex": 5, "podFailurePolicy": policy(rule("FailIndex", SIGTERM))},
            {},
            ("", "FailedIndexes", "1", True),
            id="a rule that fails the index",
        ),
    ],
)
def test_indexes_that_fail(spec: dict[str, Any], status: dict[str, Any], answer: tuple[str, str, str, bool]) -> None:
    found = lose(spec, EVICTED, status=status, pods=PODS if not status else PODS[1:2])
    assert (found.failure_reason, found.end_reason, found.failed_indexes, found.lost_pods[0].fails_index) == answer


@pytest.mark.parametrize(
    ("disruption", "against"),
    [
        pytest.param(Disruption.EVICTION, (), id="its kubelet ends it, and says that it is not Ready"),
        pytest.param(Disruption.NODE_PRESSURE, (), id="so it does by itself"),
        pytest.param(Disruption.POD_GC, ("backoffLimit",), id="its node is gone, and nothing says so"),
    ],
)
def test_a_rule_on_readiness_matches_what_a_kubelet_ended(disruption: Disruption, against: tuple[str, ...]) -> None:
    not_ready = {"action": "Ignore", "onPodConditions": [{"type": "Ready", "status": "False"}]}
    fate = one({"podFailurePolicy": policy(not_ready), "podReplacementPolicy": "Failed"}, PodLoss("p1", disruption, ends_after=5))
    assert fate.counts_against == against


def test_another_index_takes_the_place_of_one_that_failed_at_once() -> None:
    found = lose({"completions": 6, "backoffLimitPerIndex": 0}, EVICTED)
    assert (found.other_indexes, found.max_pods) == ((3,), 4)


def test_exit_0_completes_the_index_where_the_job_waits_for_the_end() -> None:
    fate = one({"podReplacementPolicy": "Failed"}, PodLoss("p1", Disruption.EVICTION, exit_code=0))
    assert (fate.has_succeeded, fate.replaced_after, fate.counts_against) == (True, None, ())


def test_exit_0_is_a_failure_where_it_does_not() -> None:
    fate = one({}, PodLoss("p1", Disruption.EVICTION, exit_code=0))
    assert (fate.has_succeeded, fate.replaced_after, fate.counts_against) == (False, 10, ("backoffLimit",))


def test_it_is_one_in_a_job_without_indexes_too() -> None:
    (fate,) = forecast_job(job(), (JobPod("a"),), [PodLoss("a", Disruption.EVICTION, exit_code=0)]).lost_pods
    assert (fate.has_succeeded, fate.replaced_after, fate.counts_against) == (False, 10, ("backoffLimit",))


def test_with_a_limit_per_index_exit_0_completes_the_index_where_it_comes_before_the_replacement() -> None:
    assert one(PER_INDEX, PodLoss("p1", Disruption.EVICTION, ends_after=5, exit_code=0)).has_succeeded
    late = one(PER_INDEX, PodLoss("p1", Disruption.EVICTION, ends_after=20, exit_code=0))
    assert (late.has_succeeded, late.overlap) == (False, 10)


@pytest.mark.parametrize(
    ("rules", "succeeds"),
    [
        pytest.param([{"succeededIndexes": "1"}], True, id="the index that ended is enough"),
        pytest.param([{"succeededIndexes": "0-1"}], False, id="it is not all of them"),
        pytest.param([{"succeededIndexes": "0-1", "succeededCount": 1}], True, id="one of them is enough"),
        pytest.param([{"succeededIndexes": "7"}], False, id="an index that the Job has not"),
        pytest.param([{"succeededIndexes": "7", "succeededCount": 1}], False, id="of which none can be enough"),
        pytest.param([{"succeededCount": 2}], False, id="two are wanted"),
        pytest.param([{"succeededCount": 2}, {"succeededCount": 1}], True, id="a later rule"),
    ],
)
def test_exit_0_may_be_taken_for_the_success_of_the_job(rules: list[dict[str, Any]], succeeds: bool) -> None:
    spec = {"podReplacementPolicy": "Failed", "successPolicy": {"rules": rules}}
    found = lose(spec, PodLoss("p1", Disruption.EVICTION, exit_code=0))
    assert (found.succeeds, found.failure_reason) == (succeeds, "")


def test_a_job_without_completions_creates_no_pod_once_one_succeeded() -> None:
    pods = (JobPod("a"), JobPod("b"))
    queue = job(parallelism=2, podReplacementPolicy="Failed")
    losses = [PodLoss("a", Disruption.EVICTION, exit_code=0), PodLoss("b", Disruption.EVICTION, lost_at=60)]
    assert [fate.replaced_after for fate in forecast_job(queue, pods, losses[:1]).lost_pods] == [None]
    assert [fate.replaced_after for fate in forecast_job(queue, pods, losses[1:]).lost_pods] == [40]
    assert [fate.replaced_after for fate in forecast_job(queue, pods, losses).lost_pods] == [None, None]


def test_no_more_pods_than_completions_are_left() -> None:
    found = forecast_job(job(parallelism=2, completions=5, status={"succeeded": 4}), (JobPod("a"),), [PodLoss("a", Disruption.EVICTION)])
    assert ([fate.replaced_after for fate in found.lost_pods], found.other_indexes) == ([10], ())


def test_a_pod_that_somebody_deleted_before_holds_its_place_where_only_failed_pods_are_replaced() -> None:
    pods = (JobPod("p0", 0, is_terminating=True), *PODS[1:])
    found = lose({"podReplacementPolicy": "Failed"}, EVICTED, pods=pods)
    assert (found.lost_pods[0].replaced_after, found.other_indexes) == (40, ())


def test_a_job_that_is_being_deleted_replaces_nothing() -> None:
    found = lose({}, EVICTED, metadata={"deletionTimestamp": "2027-01-01T00:00:00Z"})
    assert found.lost_pods[0].replaced_after is None


def test_a_job_that_has_fewer_pods_than_it_wants_goes_on_having_fewer() -> None:
    found = lose({"completions": 9, "parallelism": 9}, EVICTED)
    assert (found.lost_pods[0].replaced_after, found.other_indexes) == (10, ())
    huge = job(parallelism=2**31 - 1, podReplacementPolicy="Failed")
    assert forecast_job(huge, (JobPod("a"), JobPod("b")), [PodLoss("a", Disruption.DELETION)]).max_pods == 2


def test_a_replacement_that_is_still_to_come_is_not_that_of_a_lost_pod() -> None:
    pods = (JobPod("p0", 0, is_terminating=True), *PODS[1:])
    found = lose({}, EVICTED, pods=pods)
    assert (found.lost_pods[0].replaced_after, found.other_indexes) == (10, ())


def test_the_forecast_for_each_exit_code() -> None:
    spec = job(**INDEXED, podFailurePolicy=policy(rule("FailJob", SIGTERM), rule("Ignore", condition="DisruptionTarget")))
    found = forecast_by_exit_code(spec, PODS, [EVICTED])
    assert {code: (forecast.failure_reason, forecast.lost_pods[0].has_succeeded) for code, forecast in found.items()} == {
        SIGTERM: ("PodFailurePolicy", False),
        SIGKILL: ("", False),
        0: ("", True),
    }


@pytest.mark.parametrize(
    ("spec", "grace", "seconds"),
    [
        pytest.param({}, None, 30, id="the default"),
        pytest.param({"terminationGracePeriodSeconds": 0}, None, 0, id="its own, 0 too"),
        pytest.param({"terminationGracePeriodSeconds": 90}, 5, 5, id="what somebody gives it"),
    ],
)
def test_the_loss_of_a_pod_of_the_cluster(spec: dict[str, Any], grace: int | None, seconds: float) -> None:
    pod = read_object({"metadata": {"name": "p"}, "spec": spec}, ClusterPod)
    assert make_pod_loss(pod, Disruption.EVICTION, 3.0, grace) == PodLoss("p", Disruption.EVICTION, 3.0, seconds)


def test_a_pod_of_the_cluster() -> None:
    data = {
        "metadata": {
            "name": "train-1-x",
            "annotations": {
                "batch.kubernetes.io/job-completion-index": "1",
                "batch.kubernetes.io/job-index-failure-count": "2",
                "batch.kubernetes.io/job-index-ignored-failure-count": "3",
            },
        },
        "spec": {"containers": [{"name": "main"}], "initContainers": [{"name": "fetch"}, {"name": "proxy", "restartPolicy": "Always"}]},
        "status": {"conditions": [{"type": "Ready", "status": "True"}]},
    }
    assert make_job_pod(read_object(data, ClusterPod)) == JobPod("train-1-x", 1, ("main", "proxy"), 2, 3, (("Ready", "True"),))


def test_a_pod_of_the_cluster_that_is_not_ready_and_has_odd_annotations() -> None:
    annotations = {"batch.kubernetes.io/job-completion-index": "-1", "batch.kubernetes.io/job-index-failure-count": "many"}
    data = {
        "metadata": {"name": "p", "annotations": annotations, "deletionTimestamp": "2027-01-01T00:00:00Z"},
        "status": {"conditions": [{"type": "Ready", "status": "False"}]},
    }
    assert make_job_pod(read_object(data, ClusterPod)) == JobPod(
        "p", None, (), conditions=(("Ready", "False"),), unready_for=math.inf, is_terminating=True
    )


SPECS = st.fixed_dictionaries(
    {},
    optional={
        "backoffLimit": st.integers(0, 4),
        "backoffLimitPerIndex": st.integers(0, 2),
        "podReplacementPolicy": st.sampled_from(["Failed", "TerminatingOrFailed"]),
        "completions": st.integers(3, 6),
    },
)
LOSSES = st.lists(
    st.builds(
        PodLoss,
        pod=st.sampled_from([pod.name for pod in PODS]),
        disruption=st.sampled_from(list(Disruption)),
        lost_at=st.integers(0, 40).map(float),
        ends_after=st.integers(0, 90).map(float),
        exit_code=st.sampled_from([0, 1, SIGTERM, SIGKILL, None]),
    ),
    max_size=3,
    unique_by=lambda each: each.pod,
)


@given(SPECS, LOSSES)
def test_where_only_failed_pods_are_replaced_no_index_has_two_pods(spec: dict[str, Any], losses: list[PodLoss]) -> None:
    found = lose({**spec, "podReplacementPolicy": "Failed"}, *losses)
    assert [fate.overlap for fate in found.lost_pods] == [0] * len(losses)
    assert found.max_pods == 3


@given(SPECS, LOSSES)
def test_a_higher_limit_never_makes_a_job_fail(spec: dict[str, Any], losses: list[PodLoss]) -> None:
    lower = lose({**spec, "backoffLimit": 1}, *losses)
    higher = lose({**spec, "backoffLimit": 4}, *losses)
    assert lower.failure_reason != "" or higher.failure_reason == ""


@given(SPECS, LOSSES)
def test_every_pod_is_replaced_unless_its_index_or_its_job_is_done_with(spec: dict[str, Any], losses: list[PodLoss]) -> None:
    found = lose(spec, *losses)
    if not found.failure_reason:
        assert [fate.pod for fate in found.lost_pods if (fate.replaced_after is None) is not (fate.has_succeeded or fate.fails_index)] == []


@given(SPECS, LOSSES)
def test_what_is_ignored_never_counts(spec: dict[str, Any], losses: list[PodLoss]) -> None:
    spec = {**spec, "podFailurePolicy": IGNORE, "podReplacementPolicy": "Failed"}
    found = lose(spec, *(loss for loss in losses if loss.disruption.has_condition))
    assert (found.failure_reason, found.failed_count, found.failed_indexes) == ("", 0, "")
