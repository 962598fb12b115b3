"""When a dump was made, as far as its objects say."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import Raw

from preflight.load.object_times import find_latest_time

OLD, NEW = "2026-03-01T12:00:00Z", "2026-03-01T13:00:00Z"
CREATED = {"creationTimestamp": OLD}


@pytest.mark.parametrize(
    ("data", "latest"),
    [
        pytest.param({}, "", id="nothing is stated"),
        pytest.param({"metadata": {"creationTimestamp": None}}, "", id="a manifest of kubectl create --dry-run"),
        pytest.param({"metadata": CREATED, "status": {"startTime": NEW}}, NEW, id="a pod was started after it was created"),
        pytest.param({"metadata": {"creationTimestamp": NEW}, "status": {"conditions": [{"lastTransitionTime": OLD}]}}, NEW, id="created"),
        pytest.param({"metadata": CREATED, "status": {"conditions": [{"lastHeartbeatTime": NEW}]}}, NEW, id="a node reported"),
        pytest.param(
            {"metadata": CREATED, "status": {"containerStatuses": [{"lastState": {"terminated": {"finishedAt": NEW}}}]}},
            NEW,
            id="a container ended",
        ),
        pytest.param(
            {"metadata": {**CREATED, "deletionTimestamp": "2026-03-01T13:00:30Z", "deletionGracePeriodSeconds": 30}},
            NEW,
            id="it was deleted, and its grace period may be still to come",
        ),
        pytest.param({"metadata": CREATED, "spec": {"renewTime": NEW}}, NEW, id="a lease was renewed"),
        pytest.param({"metadata": {**CREATED, "managedFields": [{"time": NEW}]}}, NEW, id="somebody changed it"),
        pytest.param({"metadata": {**CREATED, "annotations": {"startTime": "2099-01-01T00:00:00Z"}}}, OLD, id="annotations say nothing"),
        pytest.param({"metadata": {"creationTimestamp": "soon"}}, "", id="no time"),
        pytest.param({"metadata": CREATED, "status": {"conditions": "odd", "startTime": NEW}}, NEW, id="a field of a wrong type"),
    ],
)
def test_latest_time(data: dict[str, Any], latest: str) -> None:
    assert find_latest_time(Raw(json.dumps(data).encode())) == latest
    assert find_latest_time(data) == latest
