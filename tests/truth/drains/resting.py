"""When a world is at rest: nothing is on its way, and nothing has changed for a while."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from tests.cluster.bed import Bed
from tests.truth.drains.worlds import BAD
from tests.truth.drawing import Object
from tests.truth.worlds import PLAY

QUIET = 2.5
"""Seconds without a change after which a world counts as settled."""

BACK_OFF = 11.0
"""The same where pods are not scheduled and nodes were uncordoned: longer than the scheduler waits before it tries again."""

_PLURALS = ("deployments", "replicasets", "statefulsets", "daemonsets", "jobs", "poddisruptionbudgets")


class Restless(Exception):
    """The world did not come to rest."""


def rest(bed: Bed, *, uncordoned: bool, going: Collection[str] = (), silent: Collection[str] = (), limit: float = 40) -> None:
    """Wait until a world is at rest; Restless after `limit` seconds. Pods that are `going`, or on `silent` nodes, may take their time."""
    start = changed = time.monotonic()
    before: object = None
    while True:
        pods = bed.list("pods")
        others = {plural: bed.list(plural) for plural in _PLURALS}
        now = time.monotonic()
        seen = _signature(pods), [_signature(other) for other in others.values()]
        moving = [pod["metadata"]["name"] for pod in pods if pod["spec"].get("nodeName") not in silent and is_moving(pod, going)]
        moving += [job["metadata"]["name"] for job in others["jobs"] if not silent and is_waiting(job)]
        if seen != before or moving:
            before, changed = seen, now
        pending = any(not each["spec"].get("nodeName") for each in pods)
        if now - changed >= (BACK_OFF if pending and uncordoned else QUIET):
            return
        if now - start > limit:
            raise Restless(", ".join(moving[:5]) or "something changes all the time")
        time.sleep(0.3)


def _signature(items: list[Object]) -> list[Any]:
    """What changes when something happens; not the times of a status."""
    return sorted((item["metadata"]["uid"], item["metadata"]["resourceVersion"]) for item in items)


def is_moving(pod: Object, going: Collection[str]) -> bool:
    """Whether something is about to happen to a pod by itself."""
    metadata, status = pod["metadata"], pod["status"]
    name = f"{metadata['namespace']}/{metadata['name']}"
    node = pod["spec"].get("nodeName")
    if metadata.get("deletionTimestamp"):
        return name not in going
    if status.get("phase") in ("Succeeded", "Failed"):
        return False
    conditions = {condition["type"]: condition["status"] for condition in status.get("conditions", ())}
    if not node:
        return conditions.get("PodScheduled") != "False"
    what, _, where = metadata.get("annotations", {}).get(PLAY, "").partition("@")
    plays = what if not where or node in where.split(",") else ""
    if any(container["image"] == BAD for container in pod["spec"]["containers"]):
        plays = "image-fails"
    if plays == "image-fails":
        return "Ready" not in conditions
    if plays == "never-ready":
        return bool(status.get("phase") != "Running")
    return plays in ("succeed", "fail") or conditions.get("Ready") != "True"


def is_waiting(job: Object) -> bool:
    """Whether a Job has yet to create pods: after a loss it waits."""
    spec, status = job["spec"], job["status"]
    if any(
        condition["type"] in ("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet") for condition in status.get("conditions", ())
    ):
        return False
    wanted = min(spec["parallelism"], spec["completions"] - status.get("succeeded", 0))
    return bool(status.get("active", 0) < wanted or status.get("terminating", 0))
