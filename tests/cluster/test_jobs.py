"""What becomes of Jobs that lose pods, foreseen and then played: what the recordings do not show."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import pytest

from preflight.model.batch import Job
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.jobs.disruption import Disruption
from preflight.scheduling.jobs.forecast import JobForecast, forecast_job
from preflight.scheduling.jobs.lost_pods import COMPLETION_INDEX, SIGKILL, SIGTERM, PodLoss, make_job_pod
from tests.builders import IMAGE, make_container, make_job, read_object
from tests.cluster.api import Object, Objects
from tests.cluster.bed import Bed
from tests.cluster.objects import node, told

pytestmark = pytest.mark.cluster

EVICT, DELETE = Disruption.EVICTION, Disruption.DELETION
PODS = 3
AGE, HORIZON, LAG = 12.0, 40.0, 2.0
"""Seconds: of the pods at the first loss, more than a back-off; of the play; to which times are good."""


class Story(NamedTuple):
    """A Job of three pods: its spec, which of them are lost how and when, and how they end, so many seconds later, with which exit code."""

    spec: Object
    losses: tuple[tuple[int, Disruption, float], ...]
    ends_after: int
    exit_code: int = SIGTERM
    plays: str = ""


INDEXED = {"completionMode": "Indexed", "completions": PODS}
WAITS = {**INDEXED, "podReplacementPolicy": "Failed"}
ONCE = ((1, EVICT, 0.0),)
IGNORE = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}


def rules(*given: Object) -> Object:
    return {"podFailurePolicy": {"rules": list(given)}}


def on_sigterm(action: str) -> Object:
    return {"action": action, "onExitCodes": {"operator": "In", "values": [SIGTERM]}}


STORIES = {
    "exit-0-before-the-replacement": Story({**INDEXED, "backoffLimitPerIndex": 1}, ONCE, 5, 0),
    "exit-0-after-the-replacement": Story({**INDEXED, "backoffLimitPerIndex": 1}, ONCE, 20, 0),
    "not-ready": Story({"completions": PODS}, ((0, DELETE, 0.0),), 25, plays="never-ready"),
    "not-ready-and-waits": Story({"completions": PODS, "podReplacementPolicy": "Failed"}, ((0, DELETE, 0.0),), 5, plays="never-ready"),
    "one-after-another": Story(INDEXED, ((0, EVICT, 0.0), (1, EVICT, 5.0)), 35),
    "each-index-by-itself": Story({**INDEXED, "backoffLimitPerIndex": 2}, ((0, EVICT, 0.0), (1, EVICT, 4.0), (2, DELETE, 8.0)), 30),
    "success-policy": Story({**WAITS, "successPolicy": {"rules": [{"succeededIndexes": "1"}]}}, ONCE, 3, 0),
    "success-policy-that-wants-more": Story({**WAITS, "successPolicy": {"rules": [{"succeededIndexes": "0-1"}]}}, ONCE, 3, 0),
    "fails-its-index": Story({**INDEXED, "backoffLimitPerIndex": 5, **rules(on_sigterm("FailIndex"), IGNORE)}, ONCE, 3),
    "fails-by-its-condition": Story({**INDEXED, **rules({**IGNORE, "action": "FailJob"})}, ONCE, 3),
    "queue-that-is-done": Story({"podReplacementPolicy": "Failed"}, ONCE, 3, 0),
    "queue": Story({}, ONCE, 30),
    "another-index": Story({**INDEXED, "completions": 6, "backoffLimitPerIndex": 0}, ONCE, 8),
    "counted-by-its-rule": Story({**INDEXED, "backoffLimit": 0, **rules(on_sigterm("Count"), IGNORE)}, ONCE, 3),
    "killed": Story({**INDEXED, **rules(on_sigterm("FailJob"), IGNORE)}, ONCE, 4, SIGKILL),
    "ignored-twice": Story({**INDEXED, "backoffLimit": 0, **rules(IGNORE)}, ((0, EVICT, 0.0), (2, EVICT, 10.0)), 3),
}


def manifest(name: str, story: Story) -> Object:
    plays = {"preflight.test/terminates-after": f"{story.ends_after}s", "preflight.test/exit-code": str(story.exit_code)}
    pods = {"restartPolicy": "Never", "terminationGracePeriodSeconds": 60, "containers": [make_container("c", IMAGE)]}
    template = {"metadata": {"annotations": {**told(story.plays), **plays}}, "spec": pods}
    return make_job(name, parallelism=PODS, **story.spec, template=template)


def name_of(pod: Object) -> str:
    return str(pod["metadata"]["name"])


def index_of(pod: Object) -> str:
    return str(pod["metadata"]["annotations"].get(COMPLETION_INDEX, ""))


def by_job(pods: Objects) -> dict[str, Objects]:
    """The pods of each Job, by index and name."""
    found: dict[str, Objects] = {}
    for each in sorted(pods, key=lambda pod: (index_of(pod), name_of(pod))):
        found.setdefault(each["metadata"]["labels"]["job-name"], []).append(each)
    return found


class Seen:
    """What was seen of pods while the losses were played: when one that is new came, and when one had ended."""

    def __init__(self, known: Objects) -> None:
        self.there = {name_of(each) for each in known}
        self.came: dict[str, list[tuple[float, str]]] = {}
        self.ended: dict[str, float] = {}

    def look(self, pods: Objects, now: float) -> None:
        for pod in pods:
            if name_of(pod) not in self.there:
                self.there.add(name_of(pod))
                self.came.setdefault(pod["metadata"]["labels"]["job-name"], []).append((now, index_of(pod)))
        over = {name_of(each) for each in pods if each["status"]["phase"] in ("Failed", "Succeeded")}
        for name in over | (self.there - {name_of(each) for each in pods}):
            self.ended.setdefault(name, now)


def play(bed: Bed, losses: Mapping[str, list[PodLoss]]) -> Seen:
    """Lose the pods at their times, and watch."""
    seen = Seen(bed.list("pods", "default"))
    waiting = sorted((loss for of_one in losses.values() for loss in of_one), key=lambda each: each.lost_at)
    start = time.monotonic()
    while (now := time.monotonic() - start) < HORIZON:
        while waiting and waiting[0].lost_at <= now:
            lost = waiting.pop(0)
            path = f"/api/v1/namespaces/default/pods/{lost.pod}"
            if lost.disruption is EVICT:
                eviction = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": lost.pod, "namespace": "default"}}
                bed.api.ask("POST", f"{path}/eviction", eviction)
            else:
                bed.api.ask("DELETE", path)
        seen.look(bed.list("pods", "default"), time.monotonic() - start)
        time.sleep(0.2)
    return seen


def differences(foreseen: JobForecast, losses: list[PodLoss], status: Object, seen: Seen, name: str) -> Iterator[str]:
    """What came otherwise than it was foreseen."""
    came = list(seen.came.get(name, ()))
    for loss, fate in zip(sorted(losses, key=lambda each: each.lost_at), foreseen.lost_pods, strict=True):
        index = "" if fate.index is None else str(fate.index)
        new = next((each for each in came if each[1] == index), None)
        if new is not None:
            came.remove(new)
        after = None if new is None else new[0] - loss.lost_at
        near = after is not None and fate.replaced_after is not None and abs(after - fate.replaced_after) <= LAG
        if not near and (after, fate.replaced_after) != (None, None):
            yield f"{loss.pod} was replaced after {after} s, not {fate.replaced_after}"
        beside = new is not None and new[0] < seen.ended.get(loss.pod, HORIZON) - 1
        if beside is not (fate.overlap > 0):
            yield f"{loss.pod} and its replacement were there at once: {beside}, not for {fate.overlap} s"
    true = {condition["type"]: condition["reason"] for condition in status.get("conditions", ()) if condition["status"] == "True"}
    yield from (
        f"{what}: {real!r}, not {ours!r}"
        for what, real, ours in (
            ("it fails", true.get("FailureTarget", ""), foreseen.failure_reason),
            ("its success policy is met", "SuccessCriteriaMet" in true, foreseen.succeeds),
            ("failed pods", status.get("failed", 0), foreseen.failed_count),
            ("failed indexes", status.get("failedIndexes", ""), foreseen.failed_indexes),
            ("other new pods", len(came), len(foreseen.other_indexes)),
        )
        if real != ours
    )


def test_what_becomes_of_a_job(bed: Bed) -> None:
    bed.create([node(f"n{number}") for number in range(3)])
    bed.create([manifest(name, story) for name, story in STORIES.items()])
    bed.wait(lambda: sum(pod["status"]["phase"] == "Running" for pod in bed.list("pods", "default")) == PODS * len(STORIES), 60, "pods")
    time.sleep(AGE)
    pods = by_job(bed.list("pods", "default"))
    jobs = {name_of(job): read_object(job, Job) for job in bed.list("jobs", "default")}
    losses = {
        name: [PodLoss(name_of(pods[name][which]), kind, at, story.ends_after, story.exit_code) for which, kind, at in story.losses]
        for name, story in STORIES.items()
    }
    foreseen = {
        name: forecast_job(jobs[name], [make_job_pod(read_object(pod, ClusterPod)) for pod in pods[name]], given)
        for name, given in losses.items()
    }
    seen = play(bed, losses)
    found = {name_of(each): each.get("status", {}) for each in bed.list("jobs", "default")}
    wrong = {name: list(differences(foreseen[name], losses[name], found[name], seen, name)) for name in STORIES}
    assert wrong == {name: [] for name in STORIES}
