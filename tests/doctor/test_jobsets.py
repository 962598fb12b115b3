"""Child Jobs of a JobSet with exclusive placement: how many followers cannot come, and which Jobs are over."""

from __future__ import annotations

import io
from typing import Any

import pytest

from preflight import load
from preflight.doctor.index import ClusterIndex
from preflight.doctor.jobsets import StalledJob, StallReason, find_stalled_jobs
from tests.builders import Object, make_job, make_node, make_object, make_owner, make_pod, write_list

RACK = "alpha.jobset.sigs.k8s.io/exclusive-topology"
INDEX = "batch.kubernetes.io/job-completion-index"
INDEXED = {"completionMode": "Indexed", "completions": 4, "parallelism": 4}
NODES = [make_node("n1", ready="True"), make_node("n2", labels={"rack": "r1"}, ready="True")]
"""The first lacks the label of the domains."""


def job_set(**child: Any) -> Object:
    template = {"spec": {**INDEXED, **child, "template": {"spec": {"containers": [{"name": "main"}]}}}}
    metadata = {"annotations": {RACK: "rack"}}
    return make_object(
        "JobSet", "sim", "ml", metadata=metadata, spec={"replicatedJobs": [{"name": "w", "replicas": 1, "template": template}]}
    ) | {"apiVersion": "jobset.x-k8s.io/v1alpha2"}


def job(status: Object | None = None, **spec: Any) -> Object:
    return {**make_job("sim-w-0", "ml", **{**INDEXED, **spec}), "status": status or {}}


def worker(index: int, on: str = "n1") -> Object:
    metadata = {"annotations": {INDEX: str(index)}, "creationTimestamp": "2026-02-01T08:00:00Z"}
    owner = make_owner("Job", "sim-w-0")
    return make_pod(f"sim-w-0-{index}-x", "ml", node=on, owner=owner, metadata=metadata, phase="Pending", containers=[{"name": "main"}])


def stalled(*objects: Object) -> tuple[StalledJob, ...]:
    text = write_list([*NODES, *objects])
    world = load.load_world(["-"], stdin=io.BytesIO(text.encode()), one_cluster=True, wants_state=True).world
    return find_stalled_jobs(ClusterIndex(world))


@pytest.mark.parametrize(
    ("objects", "followers"),
    [
        pytest.param([job_set(), job(), worker(0)], 3, id="all but the leader"),
        pytest.param([job_set(), job(parallelism=2), worker(0)], 1, id="as many as run at once"),
        pytest.param([job_set(), job({"succeeded": 1}), worker(0)], 2, id="those that succeeded come no more"),
        pytest.param([job_set(), job({"succeeded": 1}, parallelism=2), worker(0)], 1, id="whichever is less"),
        pytest.param([job_set(), job(), worker(0), worker(1)], 2, id="those that are there are not missing"),
        pytest.param([job_set(parallelism=3), worker(0)], 2, id="by the template, where the Job is not given"),
    ],
)
def test_followers_are_missing(objects: list[Object], followers: int) -> None:
    assert [(found.job, found.stall_reason, found.followers) for found in stalled(*objects)] == [
        ("sim-w-0", StallReason.UNLABELLED, followers)
    ]


@pytest.mark.parametrize(
    "objects",
    [
        pytest.param([job_set(), job(), worker(0, "n2")], id="the node of the leader has the label"),
        pytest.param([job_set(), job(completions=1, parallelism=1), worker(0)], id="there is only the leader"),
        pytest.param([job_set(), job({"succeeded": 3}), worker(0)], id="only the leader is left"),
        pytest.param([job_set(), job({"conditions": [{"type": "Complete", "status": "True"}]}), worker(0)], id="the Job is complete"),
        pytest.param([job_set(), job({"conditions": [{"type": "Failed", "status": "True"}]}), worker(0)], id="the Job has failed"),
        pytest.param([job_set(), job(suspend=True), worker(0)], id="the Job is suspended"),
    ],
)
def test_nothing_is_missing(objects: list[Object]) -> None:
    assert stalled(*objects) == ()


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param({"type": "Complete", "status": "False"}, id="not complete"),
        pytest.param({"type": "Suspended", "status": "True"}, id="of another kind"),
    ],
)
def test_a_job_with_another_condition_goes_on(condition: dict[str, str]) -> None:
    assert len(stalled(job_set(), job({"conditions": [condition]}), worker(0))) == 1


NO_SELECTOR = 'Error creating: admission webhook "vpod.kb.io" denied the request: follower pod node selector not set'
NO_QUOTA = 'Error creating: pods "sim-w-0-0" is forbidden: exceeded quota: team'


def refusal(first: str, last: str, message: str = NO_SELECTOR, name: str = "e1") -> Object:
    about = {"kind": "Job", "namespace": "ml", "name": "sim-w-0"}
    return {
        **make_object("Event", name, "ml", reason="FailedCreate", message=message, involvedObject=about),
        **{"type": "Warning", "firstTimestamp": first, "lastTimestamp": last, "source": {"component": "job-controller"}},
    }


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([], [], id="no refusal"),
        pytest.param([refusal("2026-03-01T11:55:01Z", "2026-03-01T12:00:00Z")], [], id="it goes on for less than five minutes"),
        pytest.param([refusal("2026-03-01T11:55:00Z", "2026-03-01T12:00:00Z")], [""], id="it goes on for five minutes"),
        pytest.param(
            [refusal("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z", NO_QUOTA)],
            ['pods "sim-w-0-0" is forbidden: exceeded quota: team'],
            id="the leader itself is refused",
        ),
    ],
)
def test_a_leader_that_is_absent(events: list[Object], expected: list[str]) -> None:
    found = stalled(job_set(), job(), make_pod("calm", "ml", node="n2"), *events)
    assert [(each.stall_reason, each.leader_refusal) for each in found] == [(StallReason.ABSENT, refused) for refused in expected]
