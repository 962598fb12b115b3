"""What becomes of a JobSet whose child Jobs fail, and what exclusive placement asks of the pods that come anew."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.job_reasons import JobFailure, JobSetFailure, JobUnknown, JobUnknownKind, SkipCause, SkipReason
from preflight.scheduling.jobs.exclusive_placement import (
    EXCLUSIVE_TOPOLOGY,
    NODE_SELECTOR_STRATEGY,
    ExclusivePlacement,
    count_required_domains,
    find_exclusive_placement,
    find_exclusive_topology,
    list_follower_refusals,
)
from preflight.scheduling.jobs.forecast import JobForecast
from preflight.scheduling.jobs.jobsets import JobSetForecast, count_restarts_left, find_replicated_job, forecast_job_set
from tests.scheduling.jobs.job_objects import job_set


def replicated(
    name: str = "workers", replicas: int = 2, template: dict[str, str] | None = None, pods: dict[str, str] | None = None
) -> dict[str, Any]:
    pod_template = {"metadata": {"annotations": pods or {}}, "spec": {"containers": [{"name": "main"}]}}
    return {
        "name": name,
        "replicas": replicas,
        "template": {"metadata": {"annotations": template or {}}, "spec": {"template": pod_template}},
    }


def failing(reason: JobFailure = JobFailure.BACKOFF_LIMIT_EXCEEDED, by: float = 30.0) -> JobForecast:
    return JobForecast(failure_reason=reason, failed_by=by)


LEADER, WORKERS = replicated("leader", 1), replicated("workers", 2)
POLICY = {"maxRestarts": 3}
FAILS = {"llm-workers-1": failing()}


@pytest.mark.parametrize(
    ("spec", "given", "answer"),
    [
        pytest.param({}, {}, JobSetForecast(), id="no Job loses anything"),
        pytest.param(
            {"failurePolicy": POLICY},
            {"llm-workers-0": JobForecast()},
            JobSetForecast(restarts_left=3),
            id="a Job loses a pod and does not fail",
        ),
        pytest.param(
            {"failurePolicy": POLICY}, {"other-workers-0": failing()}, JobSetForecast(restarts_left=3), id="a Job of another JobSet fails"
        ),
        pytest.param({"suspend": True}, FAILS, JobSetForecast(skip_reason=SkipReason(SkipCause.SUSPENDED)), id="suspended"),
        pytest.param(
            {"managedBy": "acme.io/x"},
            FAILS,
            JobSetForecast(skip_reason=SkipReason(SkipCause.MANAGED_BY_OTHER, "acme.io/x")),
            id="managed by another",
        ),
        pytest.param(
            {},
            FAILS,
            JobSetForecast(failed_jobs=("llm-workers-1",), failure_reason=JobSetFailure.FAILED_JOBS),
            id="without a failure policy it fails",
        ),
        pytest.param(
            {"failurePolicy": {}},
            FAILS,
            JobSetForecast(failed_jobs=("llm-workers-1",), failure_reason=JobSetFailure.REACHED_MAX_RESTARTS),
            id="with no restart it fails",
        ),
        pytest.param(
            {"failurePolicy": POLICY},
            FAILS,
            JobSetForecast(failed_jobs=("llm-workers-1",), restarts_all=True, counts_restart=True, restarts_left=2),
            id="all Jobs restart, and one restart is gone",
        ),
        pytest.param(
            {"failurePolicy": POLICY},
            {"llm-workers-1": failing(by=60), "llm-leader-0": failing(by=20)},
            JobSetForecast(failed_jobs=("llm-leader-0", "llm-workers-1"), restarts_all=True, counts_restart=True, restarts_left=2),
            id="two that fail cost one restart",
        ),
        pytest.param(
            {"failurePolicy": {**POLICY, "rules": [{"action": "FailJobSet", "onJobFailureReasons": ["PodFailurePolicy"]}]}},
            FAILS,
            JobSetForecast(failed_jobs=("llm-workers-1",), restarts_all=True, counts_restart=True, restarts_left=2),
            id="a rule for another reason",
        ),
        pytest.param(
            {"failurePolicy": {**POLICY, "rules": [{"action": "FailJobSet", "targetReplicatedJobs": ["leader"]}]}},
            FAILS,
            JobSetForecast(failed_jobs=("llm-workers-1",), restarts_all=True, counts_restart=True, restarts_left=2),
            id="a rule for another replicated Job",
        ),
        pytest.param(
            {"failurePolicy": {**POLICY, "rules": [{"action": "FailJobSet", "targetReplicatedJobs": ["workers"]}]}},
            FAILS,
            JobSetForecast(failed_jobs=("llm-workers-1",), failure_reason=JobSetFailure.FAIL_JOB_SET_ACTION, rule_index=0, restarts_left=3),
            id="a rule that fails it",
        ),
        pytest.param(
            {"failurePolicy": {"rules": [{"action": "RestartJobSetAndIgnoreMaxRestarts", "onJobFailureReasons": ["PodFailurePolicy"]}]}},
            {"llm-workers-0": failing(JobFailure("PodFailurePolicy"))},
            JobSetForecast(failed_jobs=("llm-workers-0",), restarts_all=True, rule_index=0),
            id="a restart that is free",
        ),
        pytest.param(
            {"failurePolicy": {**POLICY, "rules": [{"action": "RestartJob"}]}},
            {"llm-workers-0": failing(by=9), "llm-workers-1": failing(by=5)},
            JobSetForecast(
                failed_jobs=("llm-workers-1", "llm-workers-0"),
                restarted_job="llm-workers-1",
                rule_index=0,
                counts_restart=True,
                restarts_left=2,
            ),
            id="a rule that restarts one Job",
        ),
        pytest.param(
            {"failurePolicy": {**POLICY, "rules": [{"action": "RestartJobSet", "onJobFailureMessagePatterns": ["^Container"]}]}},
            FAILS,
            JobSetForecast(
                failed_jobs=("llm-workers-1",), restarts_left=3, rule_index=0, unknown=JobUnknown(JobUnknownKind.FAILURE_MESSAGE)
            ),
            id="a rule that asks for words",
        ),
        pytest.param(
            {"failurePolicy": {**POLICY, "rules": [{"action": "Shrink"}]}},
            FAILS,
            JobSetForecast(
                failed_jobs=("llm-workers-1",), restarts_left=3, rule_index=0, unknown=JobUnknown(JobUnknownKind.ACTION, "Shrink")
            ),
            id="an action that nobody knows",
        ),
    ],
)
def test_a_job_set(spec: dict[str, Any], given: dict[str, JobForecast], answer: JobSetForecast) -> None:
    assert forecast_job_set(job_set(LEADER, WORKERS, **spec), given) == answer


@pytest.mark.parametrize(
    ("condition", "cause"),
    [pytest.param("Completed", SkipCause.COMPLETE, id="complete"), pytest.param("Failed", SkipCause.FAILED, id="failed")],
)
def test_a_job_set_that_has_ended(condition: str, cause: SkipCause) -> None:
    status = {"conditions": [{"type": condition, "status": "True"}]}
    assert forecast_job_set(job_set(WORKERS, status=status), FAILS) == JobSetForecast(skip_reason=SkipReason(cause))


FREE = {"maxRestarts": 3, "rules": [{"action": "RestartJobSetAndIgnoreMaxRestarts"}]}


@pytest.mark.parametrize(
    ("policy", "status", "left"),
    [
        pytest.param(None, {}, 0, id="no policy, no restart"),
        pytest.param({}, {}, 0, id="no restart stated"),
        pytest.param(POLICY, {}, 3, id="none used"),
        pytest.param(POLICY, {"restarts": 2, "restartsCountTowardsMax": 2}, 1, id="two used"),
        pytest.param(POLICY, {"restarts": 2}, 1, id="the status of an older controller"),
        pytest.param(FREE, {"restarts": 2}, 3, id="two that were free"),
        pytest.param(FREE, {"restarts": 3, "restartsCountTowardsMax": 1}, 2, id="two of three were free"),
        pytest.param(POLICY, {"restarts": 7, "restartsCountTowardsMax": 7}, 0, id="never less than none"),
    ],
)
def test_restarts_left(policy: dict[str, Any] | None, status: dict[str, Any], left: int) -> None:
    assert count_restarts_left(job_set(WORKERS, status=status, failurePolicy=policy)) == left


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        pytest.param("llm-workers-1", "workers", id="a child"),
        pytest.param("llm-workers-x-1", "workers-x", id="of two names the longer"),
        pytest.param("llm-workers", None, id="no number"),
        pytest.param("llm-workers-x", None, id="a word for a number"),
        pytest.param("llm-2-workers-1", None, id="of another JobSet"),
    ],
)
def test_the_replicated_job_of_a_child(name: str, owner: str | None) -> None:
    found = find_replicated_job(job_set(WORKERS, replicated("workers-x")), name)
    assert (found.name if found else None) == owner


POOL = {EXCLUSIVE_TOPOLOGY: "pool"}


@pytest.mark.parametrize(
    ("annotations", "template", "pods", "answer"),
    [
        pytest.param({}, {}, {}, "", id="nowhere"),
        pytest.param({**POOL, NODE_SELECTOR_STRATEGY: "true"}, {}, {}, "", id="with nodes that somebody labelled"),
        pytest.param(POOL, {NODE_SELECTOR_STRATEGY: "true"}, {}, "pool", id="that alone says nothing"),
        pytest.param(POOL, {}, {}, "pool", id="of the JobSet"),
        pytest.param({}, POOL, {}, "pool", id="of the Job's template"),
        pytest.param({}, {}, POOL, "pool", id="of the pods' template"),
        pytest.param(POOL, {EXCLUSIVE_TOPOLOGY: "rack"}, {EXCLUSIVE_TOPOLOGY: "zone"}, "rack", id="of all three the Job's"),
        pytest.param({}, {EXCLUSIVE_TOPOLOGY: "rack", NODE_SELECTOR_STRATEGY: ""}, {}, "", id="the value of the second does not matter"),
    ],
)
def test_exclusive_topology(annotations: dict[str, str], template: dict[str, str], pods: dict[str, str], answer: str) -> None:
    found = job_set(replicated(template=template, pods=pods), annotations=annotations)
    assert find_exclusive_topology(found, found.spec.replicatedJobs[0]) == answer


def test_the_domains_that_a_restart_wants() -> None:
    jobs = (replicated("a", 3), replicated("b", 2, {EXCLUSIVE_TOPOLOGY: "rack"}), replicated("c", 1))
    assert count_required_domains(job_set(*jobs, annotations=POOL)) == {"pool": 4, "rack": 2}
    assert count_required_domains(job_set(*jobs)) == {"rack": 2}


DOMAINS = {0: "a", 1: "a", 2: "a"}


@pytest.mark.parametrize(
    ("topology", "domains", "anew", "answer"),
    [
        pytest.param("", DOMAINS, [0], None, id="no exclusive placement"),
        pytest.param("pool", DOMAINS, [], None, id="no pod anew"),
        pytest.param("pool", DOMAINS, [2, 1], ExclusivePlacement("pool", False, (1, 2), "a"), id="followers go where their leader is"),
        pytest.param("pool", DOMAINS, [0], ExclusivePlacement("pool", True, (), "a"), id="a leader goes where its followers are"),
        pytest.param("pool", DOMAINS, [0, 1], ExclusivePlacement("pool", True, (1,), "a"), id="a leader, and a follower that waits for it"),
        pytest.param("pool", DOMAINS, [0, 1, 2], ExclusivePlacement("pool", True, (1, 2), None), id="all of them may go anywhere"),
        pytest.param("pool", {**DOMAINS, 1: None}, [0], ExclusivePlacement("pool", True, (), "a"), id="a follower's node lacks the label"),
        pytest.param(
            "pool",
            {**DOMAINS, 0: None},
            [1],
            ExclusivePlacement("pool", False, (1,), None, is_refused=True),
            id="the leader's node lacks it",
        ),
    ],
)
def test_placement(topology: str, domains: dict[int, str | None], anew: list[int], answer: ExclusivePlacement | None) -> None:
    assert find_exclusive_placement(topology, domains, anew) == answer


@pytest.mark.parametrize(
    ("given", "words"),
    [
        pytest.param(ExclusivePlacement("pool", False, (1,), "a"), (), id="the leader stays"),
        pytest.param(ExclusivePlacement("pool", True, (), "a"), (), id="no follower comes anew"),
        pytest.param(
            ExclusivePlacement("pool", True, (1,), "a"),
            (
                "follower pod node selector for topology domain not found. missing selector: pool",
                "follower pod node selector not set",
                "leader pod not yet scheduled, not creating follower pod. this is an expected, transient error",
            ),
            id="the leader comes anew",
        ),
        pytest.param(
            ExclusivePlacement("pool", False, (1,), None, is_refused=True),
            ("node does not have topology label: pool",),
            id="the leader's node lacks the label",
        ),
    ],
)
def test_the_words_that_followers_are_refused_with(given: ExclusivePlacement, words: tuple[str, ...]) -> None:
    assert list_follower_refusals(given) == words
