"""Listed pods as a whole, where they are wanted: from lists, series of JSON, and YAML, with nulls and wrong types in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.load import load_world
from preflight.model.pod_scheduling import SchedulerPod
from tests.builders import make_list

POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "namespace": "ml",
        "name": "train-0",
        "labels": {"job": "train"},
        "annotations": {"kubernetes.io/config.mirror": "x"},
        "ownerReferences": [{"kind": "Job", "name": "train", "uid": "1", "controller": True}],
        "creationTimestamp": "2026-11-29T10:00:00Z",
    },
    "spec": {
        "nodeName": "gpu-1",
        "terminationGracePeriodSeconds": 30,
        "priority": 5,
        "containers": [{"name": "c", "resources": {"requests": {"nvidia.com/gpu": "8", "cpu": 2}}}],
        "initContainers": [{"name": "proxy", "restartPolicy": "Always"}],
        "volumes": [{"name": "scratch", "emptyDir": {}}],
    },
    "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True", "reason": "r"}]},
}
SECOND = {**POD, "metadata": {**POD["metadata"], "name": "train-1"}}
WITH_NULL = {**SECOND, "metadata": {**SECOND["metadata"], "deletionTimestamp": None}}


_BARE = [{name: value for name, value in each.items() if name not in ("apiVersion", "kind")} for each in (POD, SECOND)]
_TEXTS = {
    "a list of kubectl": ("pods.json", json.dumps(make_list(POD, SECOND))),
    "a null among them": ("pods.json", json.dumps(make_list(POD, WITH_NULL))),
    "a list of the API, whose items name no kind": ("pods.json", json.dumps({"apiVersion": "v1", "kind": "PodList", "items": _BARE})),
    "JSON lines": ("pods.jsonl", f"{json.dumps(POD)}\n{json.dumps(SECOND)}\n"),
    "YAML": ("pods.yaml", yaml.safe_dump(make_list(POD, SECOND))),
}


@pytest.mark.parametrize(("name", "text"), [pytest.param(*case, id=title) for title, case in _TEXTS.items()])
def test_pods_are_read_as_a_whole_where_they_are_wanted(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    world = load_world([str(tmp_path)], one_cluster=True, wants_whole_pods=True).world
    assert world.pods_by_key is not None
    assert list(world.pods_by_key) == [("ml", "train-0"), ("ml", "train-1")]
    pod = world.pods_by_key["ml", "train-1"]
    assert isinstance(pod, SchedulerPod)
    assert pod.metadata.annotations == {"kubernetes.io/config.mirror": "x"}
    assert (pod.spec.nodeName, pod.spec.priority, pod.spec.terminationGracePeriodSeconds) == ("gpu-1", 5, 30)
    assert pod.spec.containers[0].resources.requests == {"nvidia.com/gpu": "8", "cpu": 2}
    assert [init_container.restartPolicy for init_container in pod.spec.initContainers] == ["Always"]
    assert pod.spec.volumes[0].emptyDir is not None
    assert (pod.is_ready, pod.has_ended, pod.status.conditions[0].reason) == (True, False, "r")
    assert pod.controller is not None
    assert pod.controller.kind == "Job"


def test_they_are_not_read_where_nobody_wants_them(tmp_path: Path) -> None:
    (tmp_path / "pods.json").write_text(json.dumps(make_list(POD)))
    assert load_world([str(tmp_path)], one_cluster=True).world.pods_by_key is None


def test_a_pod_with_a_value_of_the_wrong_type_is_there_without_it(tmp_path: Path) -> None:
    odd = {**POD, "spec": {**POD["spec"], "priority": "high"}}
    (tmp_path / "pods.json").write_text(json.dumps(make_list(odd, SECOND)))
    world = load_world([str(tmp_path)], one_cluster=True, wants_whole_pods=True).world
    assert world.pods_by_key is not None
    assert [pod.spec.priority for pod in world.pods_by_key.values()] == [None, 5]
