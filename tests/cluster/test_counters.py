"""The status of a DaemonSet while a taint and an update cost it its nodes: the numbers that the stories of tests/alerting are told with."""

from __future__ import annotations

import threading
import time

import pytest

from tests.cluster.bed import Bed
from tests.cluster.objects import daemonset, node

pytestmark = pytest.mark.cluster

Counts = tuple[int, int, int, int]


def _counts(bed: Bed) -> Counts:
    """Desired, ready, updated and misscheduled."""
    status = bed.get("/apis/apps/v1/namespaces/default/daemonsets/plugin")["status"]
    names = ("desiredNumberScheduled", "numberReady", "updatedNumberScheduled", "numberMisscheduled")
    desired, ready, updated, misscheduled = (int(status.get(name, 0)) for name in names)
    return desired, ready, updated, misscheduled


def test_desired_falls_together_with_ready(bed: Bed) -> None:
    bed.create([node("n1"), node("n2"), node("cpu", labels={"pool": "cpu"}), daemonset("plugin", nodeSelector={"pool": "rdma"})])
    bed.kubectl("label", "nodes", "n1", "n2", "pool=rdma")
    bed.wait(lambda: _counts(bed) == (2, 2, 2, 0), 30, "two pods")
    seen: list[Counts] = []
    over = threading.Event()

    def look() -> None:
        while not over.is_set():
            counts = _counts(bed)
            if not seen or counts != seen[-1]:
                seen.append(counts)
            time.sleep(0.01)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        bed.kubectl("taint", "nodes", "n1", "n2", "dedicated=rdma:NoSchedule")
        time.sleep(3)
        assert seen == [(2, 2, 2, 0)], "nothing wakes the controller: the taint changes no number"
        bed.kubectl("set", "image", "ds/plugin", "c=registry.example/c:2")
        bed.wait(lambda: not bed.list("pods", "default"), 30, "the pods to go")
        bed.wait(lambda: _counts(bed) == (0, 0, 0, 0), 30, "the numbers to follow")
    finally:
        over.set()
        looking.join()
    assert [desired - ready for desired, ready, _, _ in seen] == [0] * len(seen), seen
    assert _counts(bed) == (0, 0, 0, 0)
