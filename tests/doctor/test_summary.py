"""The head of the report and what stands under it say the same, and what a list of somebody's making lacks is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight.model.timestamps import parse_time
from tests.builders import Object, make_container, make_daemonset
from tests.cli.program import program
from tests.doctor.test_healthy import AT, node
from tests.doctor.test_odd_input import PLUGIN, doctor, pod

SOCKET = "--kubelet-registration-path=/var/lib/kubelet/plugins/csi.example.com/csi.sock"
CSI = make_daemonset(
    "csi",
    "a",
    nodeSelector={"storage": "y"},
    containers=[make_container("node-driver-registrar", "r/csi-node-driver-registrar:v2", args=[SOCKET])],
)
STARTUP = {"key": "node.cilium.io/agent-not-ready", "effect": "NoExecute"}


def head(path: Path, *objects: Object) -> list[str]:
    """The first lines: what is wrong where, and the sentences."""
    lines = doctor(path, *objects).out.splitlines()
    return [line for line in lines if line.startswith(("problems", "no problems", "x "))]


def test_a_driver_that_selects_another_node_than_its_volumes_is_told(tmp_path: Path) -> None:
    user = pod("u", "n2", spec={"volumes": [{"name": "v", "csi": {"driver": "csi.example.com"}}]})
    assert head(tmp_path, node("n1", {"storage": "y"}, []), node("n2", {}, []), CSI, pod("csi-1", "n1", "csi"), user) == [
        f"problems found on 1 of 2 nodes at {AT}",
        "x 1 fault found",
        "x n2 has no pod of the CSI driver csi.example.com, but 1 pod there mounts its volumes",
    ]


def test_a_startup_taint_is_told(tmp_path: Path) -> None:
    assert head(tmp_path, node("n1", {}, []), node("n2", {}, [STARTUP]), pod("p", "n1")) == [
        f"problems found on 1 of 2 nodes at {AT}",
        "x 1 fault found",
        "x n2 still has the startup taint node.cilium.io/agent-not-ready: no known DaemonSet removes it",
    ]


def test_an_update_that_stands_still_is_told(tmp_path: Path) -> None:
    daemonset = {**PLUGIN, "metadata": {**PLUGIN["metadata"], "annotations": {"deprecated.daemonset.template.generation": "3"}}}
    pods = [pod(f"p{number}", name, "plugin") for name, number in (("n1", 2), ("n2", 3))]
    for each, number in zip(pods, (2, 3), strict=True):
        each["metadata"]["labels"] = {"pod-template-generation": str(number), "controller-revision-hash": f"r{number}"}
    assert head(tmp_path, node("n1", {"pool": "rdma"}, []), node("n2", {"pool": "rdma"}, []), daemonset, *pods) == [
        f"problems found on 1 of 2 nodes at {AT}",
        "x 1 fault found",
        "x the update of DaemonSet a/plugin is stalled: n1 has a pod from an older template",
    ]


@pytest.mark.parametrize(
    ("objects", "unknown"),
    [
        pytest.param(
            [node("n1", {}, []), pod("p", "n1")],
            ["which components nodes lack (no DaemonSets in the input: add the output of `kubectl get daemonsets -A -o json`)"],
            id="no DaemonSets",
        ),
        pytest.param(
            [node("n1", {"pool": "rdma"}, []), PLUGIN, pod("p", "n1", "plugin"), pod("o", "n1", "other")],
            [
                (
                    "where a/other should run (its pods are in the input, the DaemonSet is not: add the output of `kubectl get "
                    "daemonsets -A -o json`)"
                )
            ],
            id="a DaemonSet of which there are pods",
        ),
        pytest.param(
            [{**node("n1", {}, []), "status": {"allocatable": {"cpu": "1"}}}, PLUGIN, pod("p", "n1")],
            ["whether n1 is Ready (no condition in the input)"],
            id="a node without conditions",
        ),
        pytest.param(
            [node("n1", {"pool": "rdma"}, [{"key": "karpenter.sh/disrupted", "effect": "NoSchedule"}]), PLUGIN, pod("p", "n1", "plugin")],
            ["what n1 lacks (an autoscaler is about to remove it)"],
            id="a node that goes",
        ),
    ],
)
def test_what_was_not_given_is_not_known(objects: list[Object], unknown: list[str], tmp_path: Path) -> None:
    start = "  note: unknown: "
    found = [line.removeprefix(start) for line in doctor(tmp_path, *objects).out.splitlines() if line.startswith(start)]
    usual = ("what refuses or blocks pods", "pods of namespaces other than")
    assert [each for each in found if not each.startswith(usual)] == unknown


def test_a_time_without_a_zone_is_the_same_on_every_machine() -> None:
    assert parse_time("2026-03-01T12:00:00") == parse_time(AT) == parse_time("2026-03-01T13:00:00+01:00")


def test_an_event_of_nobody_may_be_of_a_kubelet_and_is_not_shown(tmp_path: Path) -> None:
    waits = pod("p", "n1", "plugin", phase="Pending")
    about = {"kind": "Pod", "namespace": "a", "name": "p"}
    event = {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "e", "namespace": "a"}, "type": "Warning", "reason": "BackOff"}
    result = doctor(
        tmp_path, node("n1", {"pool": "rdma"}, []), PLUGIN, waits, {**event, "message": "TOKEN=hunter2", "involvedObject": about}
    )
    assert "PF414" in result.out
    assert "hunter2" not in result.out


def test_a_state_of_before_that_cannot_be_read_is_not_compared(tmp_path: Path) -> None:
    world = [node("n1", {"pool": "rdma"}, []), PLUGIN, pod("p", "n1", "plugin")]
    doctor(tmp_path, *world)
    result = program("doctor", "--from", str(tmp_path / "w.json"), "--since", str(tmp_path / "none.json"), "--no-policy")
    assert (result.code, "is new" in result.out, "DaemonSets that had" in result.out) == (3, False, False)
    assert result.err == f"error: cannot read {tmp_path}/none.json: no such file or directory\n"


def test_a_pod_without_a_namespace_in_front_of_the_slash_is_none(tmp_path: Path) -> None:
    doctor(tmp_path, node("n1", {}, []), pod("p", "n1"))
    result = program("doctor", "--from", str(tmp_path / "w.json"), "--pod", "/p", "--no-policy")
    assert (result.code, result.err) == (2, 'error: pods "/p" not found: did you mean a/p?\n')
