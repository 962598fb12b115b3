"""Keys tell the findings of one rule about one object apart, also where only a count or a text of the cluster differs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from preflight import load
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.doctor.diagnose import diagnose
from preflight.rules.api import Context
from preflight.rules.doctor import pod_restarting
from preflight.rules.doctor._keys import KeyCandidate, distinguish_keys
from tests.builders import Object, write_list
from tests.doctor.test_healthy import node
from tests.doctor.test_odd_input import PLUGIN, pod


def test_the_first_name_keeps_the_key_and_the_others_are_added() -> None:
    candidates = [
        KeyCandidate("a", ("pending",), "n2"),
        KeyCandidate("a", ("pending",), "n1"),
        KeyCandidate("b", ("pending",), "n3"),
        KeyCandidate("a", ("missing",), "n4"),
    ]
    assert distinguish_keys(candidates) == [("pending", "n2"), ("pending",), ("pending",), ("missing",)]


def failed(restarts: int) -> Object:
    """A container that has ended with an error."""
    return {"name": "p", "restartCount": restarts, "state": {"terminated": {"exitCode": 2}}}


def find_keys(folder: Path, *restarts: int) -> list[tuple[str, ...]]:
    """The keys of the findings on pods that end with an error after so many restarts, one on each node."""
    nodes = [node(f"n{number}", {"pool": "rdma"}, []) for number, _ in enumerate(restarts)]
    status: dict[str, Any] = {"phase": "Running", "conditions": [{"type": "Ready", "status": "False"}]}
    pods = [
        pod(f"plugin-{number}", f"n{number}", "plugin", **status, containerStatuses=[failed(count)])
        for number, count in enumerate(restarts)
    ]
    path = folder / "cluster.json"
    path.write_text(write_list([*nodes, PLUGIN, *pods]), encoding="utf-8")
    world = load.load_world([str(path)], one_cluster=True, wants_state=True).world
    listed = collect_listed_pods(world)
    diagnosis = diagnose(world, predict_impact(make_empty_change(world), listed), listed)
    context = Context(world, None, is_lint=False, workloads=(), nodes=(), taints=(), diagnosis=diagnosis)
    return [hit.key for hit in pod_restarting.check(context)]


def test_pods_that_differ_in_their_restarts_have_keys_without_the_number(tmp_path: Path) -> None:
    key = ("crashing", "failed-container", "p", "2")
    assert find_keys(tmp_path, 1) == find_keys(tmp_path, 7) == find_keys(tmp_path, 3, 3) == [key]
    assert find_keys(tmp_path, 1, 7) == [key, (*key, "n1")]
