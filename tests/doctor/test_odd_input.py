"""Input that no API server wrote, edited by hand or cut from several lists: doctor judges the rest, and never breaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import Object, make_container, make_daemonset, make_owner, make_pod, write_list
from tests.cli.program import Result, program
from tests.doctor.test_healthy import AT, OLD, node

PLUGIN = make_daemonset(
    "plugin",
    "a",
    metadata={"uid": "u"},
    nodeSelector={"pool": "rdma"},
    containers=[make_container("p", "x/plugin:1", args=["--resource-name=rdma/hca"], volumeMounts=[{"name": "d", "mountPath": "/d"}])],
    volumes=[{"name": "d", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}],
)


def pod(name: str, on: str = "", owner: str = "", spec: Object | None = None, **status: Any) -> Object:
    """A pod that has been there for long."""
    return make_pod(
        name,
        "a",
        node=on,
        owner=make_owner("DaemonSet", owner) if owner else None,
        labels={"app": "x"},
        phase="",
        metadata={"creationTimestamp": OLD},
        status=status or {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]},
        **{"containers": [{"name": "c"}], **(spec or {})},
    )


def doctor(path: Path, *objects: Object, form: str = "text") -> Result:
    """What doctor says of some objects."""
    file = path / "w.json"
    file.write_text(write_list(objects), encoding="utf-8")
    return program("doctor", "--from", str(file), "--no-policy", "-o", form)


def said(result: Result) -> list[tuple[str, str]]:
    """The rules with their messages."""
    return [(load["rule"], load["message"]) for load in json.loads(result.out)["findings"]]


def test_a_plugin_may_run_on_a_node_that_was_not_given(tmp_path: Path) -> None:
    there = node("n1", {"pool": "rdma"}, [])
    result = doctor(tmp_path, there, PLUGIN, pod("p1", "n1", "plugin"), pod("p2", "gone", "plugin"), form="json")
    assert (result.code, said(result)) == (0, [])


def test_a_selector_with_an_operator_of_nobody_selects_nothing(tmp_path: Path) -> None:
    term = {"labelSelector": {"matchExpressions": [{"key": "app", "operator": "Like"}]}, "topologyKey": "kubernetes.io/hostname"}
    guard = pod("guard", "n1", spec={"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}})
    result = doctor(tmp_path, node("n1", {}, []), guard, pod("late", phase="Pending"), form="json")
    assert said(result) == [("PF440", f"has been waiting for a node since {OLD} (59 days): no scheduler has reported on it")]


@pytest.mark.parametrize("kept", ["x", {"components": "x"}, {"components": ["x"]}, {"components": [{"kind": {}}]}])
def test_a_snapshot_whose_daemonsets_were_edited_says_so(kept: object, tmp_path: Path) -> None:
    whole, file = tmp_path / "whole.json", tmp_path / "w.json"
    whole.write_text(write_list([node("n1", {}, []), PLUGIN]), encoding="utf-8")
    assert program("snapshot", "-o", str(file), "--from", str(whole)).code == 0
    data = json.loads(file.read_text(encoding="utf-8"))
    next(item for item in data["items"] if item["kind"] == "DaemonSet")["preflight"] = kept
    file.write_text(json.dumps(data), encoding="utf-8")
    result = program("doctor", "--from", str(file))
    words = "DaemonSet cannot be checked: its data in the snapshot was edited; create a new snapshot"
    assert (result.code, result.err.splitlines()[0]) == (3, f"{file}:1: error: {words}")


def test_a_kind_of_a_snapshot_that_is_a_map_is_left_out(tmp_path: Path) -> None:
    items = [node("n1", {}, []), {"kind": {}}, pod("p", "n1")]
    file = tmp_path / "w.json"
    metadata = {"listed": None, "at": AT}
    file.write_text(
        json.dumps({"apiVersion": "preflight/v1", "kind": "Snapshot", "metadata": metadata, "items": items}, indent=1), encoding="utf-8"
    )
    assert "unhashable" not in program("doctor", "--from", str(file)).err
