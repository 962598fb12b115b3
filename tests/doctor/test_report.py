"""The report of `preflight doctor`: one page, the same from files, a snapshot and a cluster. What each rule says stands in its cases."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from preflight.report import FORMATS
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, serving
from tests.load.snapshot.marked_cluster import MARK, Data, cluster, item, save, text, write

AT = "2026-03-01T12:00:00Z"
WAITS = {"name": "agent", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off pulling image"}}}
BROKEN = f"""\
problems found on 2 of 4 nodes at {AT}
x 2 faults found

x cpu-1 lacks the Service proxy (DaemonSet kube-system/services): it should run there but has no pod; no event gives a reason
x rdma-1 lacks DaemonSet ops/agent: its pod does not start: container agent: ImagePullBackOff: Back-off pulling image

error[PF410] pod-missing: kube-system/services has no pod on cpu-1, where it should run
 --> w.json items[7]
  = impact: Service addresses on the node are no longer updated: connections go to pods that no longer exist, and a new node has no \
Service addresses at all
  = note: no event reports a refused creation (events expire after about an hour)
  = check: kubectl -n kube-system describe ds services
  = check: kubectl -n kube-system get events --field-selector involvedObject.kind=DaemonSet,involvedObject.name=services

warning[PF414] pod-not-starting: ops/agent has a pod on rdma-1 that has not started since 2026-01-01T00:00:00Z (59 days): container agent: \
ImagePullBackOff: Back-off pulling image
 --> w.json items[8]
  = check: kubectl -n ops describe pod agent-rdma-1
  = check: kubectl -n ops get pods -o wide
"""


def named(objects: list[Data], kind: str, name: str) -> Data:
    """One object of a list."""
    return next(item for item in objects if item["kind"] == kind and item["metadata"]["name"] == name)


def event(reason: str, component: str, message: str, about: tuple[str, str, str], **more: Any) -> Data:
    """A warning about an object."""
    kind, namespace, name = about
    made = item("Event", f"{name}.{reason}", namespace, type="Warning", reason=reason, message=message, **more)
    return {
        **made,
        "involvedObject": {"kind": kind, "namespace": namespace, "name": name},
        "source": {"component": component},
        "lastTimestamp": AT,
    }


def healthy() -> list[Data]:
    """A cluster in which all is well, and which says so today."""
    objects = [each for each in copy.deepcopy(cluster()) if each["metadata"]["name"] not in ("web-1-pending", "web-1-cpu-1", "train")]
    for each in objects:
        if each["kind"] == "Node":
            each["metadata"]["creationTimestamp"] = "2026-01-01T00:00:00Z"
            each["status"]["conditions"][0] |= {"lastHeartbeatTime": AT, "lastTransitionTime": "2026-01-01T00:00:00Z"}
            each["spec"]["taints"] = []
    agent, services = (named(objects, "DaemonSet", name) for name in ("agent", "services"))
    drivers = {"drivers": [{"name": "csi.rdma.example.com", "nodeID": MARK}]}
    objects += [item("CSINode", name, "", "storage.k8s.io/v1", spec=drivers) for name in ("rdma-1", "rdma-2")]
    return [*objects, copied(objects, agent, "cpu-2"), event("Odd", "some-controller", "nothing", ("Service", "shop", services["kind"]))]


def copied(objects: list[Data], daemonset: Data, node: str) -> Data:
    """One more pod of a DaemonSet, on another node."""
    name = daemonset["metadata"]["name"]
    pod = copy.deepcopy(next(item for item in objects if item["kind"] == "Pod" and item["metadata"]["name"].startswith(f"{name}-")))
    pod["metadata"]["name"] = f"{name}-{node}"
    pod["spec"]["nodeName"] = node
    return pod


def broken() -> list[Data]:
    """The same with a pod that is missing and one that waits for its image."""
    objects = [each for each in healthy() if each["metadata"]["name"] != "services-cpu-1"]
    named(objects, "Pod", "agent-rdma-1")["status"] = {
        "phase": "Pending",
        "conditions": [{"type": "Ready", "status": "False"}],
        "containerStatuses": [WAITS],
    }
    return objects


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def found(*words: str) -> tuple[list[tuple[Any, ...]], int]:
    """The findings of a run, without their places, and its exit code."""
    result = program("doctor", *words, "-o", "json")
    report = json.loads(result.out)
    return [
        (finding["rule"], finding["severity"], finding["subject"], finding["nodes"], finding["message"]) for finding in report["findings"]
    ], result.code


def test_a_healthy_cluster_gives_no_finding() -> None:
    assert found("--from", write(Path("world.json"), healthy())) == ([], 0)


def test_the_report() -> None:
    save(Path("w.json"), write(Path("world.json"), broken()))
    last = (
        "\nNext:\n  kubectl -n kube-system describe ds services\n  kubectl -n ops describe pod agent-rdma-1\n  preflight explain PF410\n\n"
    )
    last += "1 error, 1 warning. Checked 5 DaemonSets on 4 nodes.\n"
    assert program("doctor", "--from", "w.json") == (1, BROKEN + last, "")


def test_a_healthy_cluster_is_three_lines() -> None:
    write(Path("world.json"), healthy())
    fault, empty, summary = program("doctor", "--from", "world.json").out.splitlines()
    assert (fault, empty) == ("no fault found on 4 nodes", "")
    assert summary.startswith("Checked 5 DaemonSets on 4 nodes.")


def test_of_one_node() -> None:
    write(Path("world.json"), broken())
    findings, code = found("--from", "world.json", "--node", "rdma-1")
    assert ([finding[0] for finding in findings], code) == (["PF414"], 0)
    out = program("doctor", "--from", "world.json", "--node", "rdma-1").out
    assert "ops/agent" in out
    assert "services" not in out


def test_since_a_maintenance_of_one_node() -> None:
    save(Path("before.json.gz"), write(Path("world.json"), healthy()))
    line = ["--since", "before.json.gz", "--node", "cpu-1", "--from", "world.json"]
    assert found(*line) == ([], 0)
    assert "note: since before.json.gz: 3 of the 3 DaemonSets that had a pod on cpu-1 have one now\n" in program("doctor", *line).out
    after = broken()
    named(after, "Node", "cpu-1")["spec"]["unschedulable"] = True
    write(Path("world.json"), after)
    findings, code = found(*line)
    assert ([finding[0] for finding in findings], code) == (["PF401", "PF410", "PF404", "PF431"], 1)
    text = "3 DaemonSets that had a pod on cpu-1 have one now; missing: kube-system/services\n"
    assert f"note: since before.json.gz: 2 of the {text}" in program("doctor", *line).out


def test_of_no_node() -> None:
    write(Path("world.json"), broken())
    assert program("doctor", "--from", "world.json", "--node", "x") == (2, "", 'error: nodes "x" not found\n')


def test_without_pods_nothing_is_called_fine() -> None:
    write(Path("world.json"), [item for item in broken() if item["kind"] != "Pod"])
    result = program("doctor", "--from", "world.json")
    assert (result.code, result.err) == (
        3,
        "error: no pods in the input: what is broken shows only in pods (add the output of `kubectl get pods -A -o json`)\n",
    )
    assert result.out.startswith("unknown: no pods in the input (add the output of `kubectl get pods -A -o json`)\n")


def test_without_events_what_refuses_is_not_known() -> None:
    write(Path("world.json"), [item for item in healthy() if item["kind"] != "Event"])
    result = program("doctor", "--from", "world.json")
    assert result.code == 0
    assert "  note: unknown: what refuses or blocks pods (no events in the input: " in result.out


def test_an_old_snapshot_says_what_it_lacks() -> None:
    save(Path("w.json"), write(Path("world.json"), broken()))
    old = text(Path("w.json")).replace(f',"at":"{AT}"', "")
    Path("w.json").write_text(old, encoding="utf-8")
    assert "the snapshot was taken without them: take a new one with `preflight snapshot`" in program("doctor", "--from", "w.json").out


@pytest.mark.parametrize("world", [healthy, broken], ids=["healthy", "broken"])
def test_a_snapshot_and_the_cluster_say_the_same(world: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = found("--from", write(Path("world.json"), world()))
    save(Path("w.json.gz"), "world.json")
    assert found("--from", "w.json.gz") == expected
    with serving(ApiServer(world()), tmp_path) as config:
        monkeypatch.setenv("KUBECONFIG", str(config))
        assert found() == expected
        assert program("snapshot", "-o", "live.json.gz").code == 0
    assert found("--from", "live.json.gz") == expected


def test_a_kind_that_may_not_be_listed_is_not_known_and_the_rest_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = ApiServer(broken())
    server.fault = lambda asked: (403, b'{"message": "no"}') if "/events" in asked.path or "/csinodes" in asked.path else None
    with serving(server, tmp_path) as config:
        monkeypatch.setenv("KUBECONFIG", str(config))
        result = program("doctor")
    assert result.code == 1
    assert "unknown: what refuses or blocks pods (no events in the input: no permission to list events" in result.out
    assert (
        "unknown: which CSI drivers are registered on nodes (no CSINodes in the input: no permission to list csinodes.storage.k8s.io"
        in result.out
    )
    assert "PF410] pod-missing: kube-system/services has no pod on cpu-1" in result.out


def test_every_format_takes_it() -> None:
    write(Path("world.json"), broken())
    for name in FORMATS:
        result = program("doctor", "--from", "world.json", "-o", name)
        assert result.code == 1, name
        assert "services" in result.out, name


def test_nothing_of_the_state_that_may_hold_a_secret_is_kept() -> None:
    objects = broken()
    unsafe = {"reason": "CreateContainerError", "message": f"exec: {MARK}"}
    containers = [{"name": "agent", "state": {"waiting": unsafe}, "lastState": {"terminated": {"exitCode": 1, "message": MARK}}}]
    named(objects, "Pod", "agent-rdma-2")["status"] |= {"phase": "Pending", "conditions": [], "containerStatuses": containers}
    for name in ("rdma-1", "rdma-2"):
        named(objects, "Node", name)["status"]["nodeInfo"] = {"machineID": MARK}
    about = ("Pod", "ops", "agent-rdma-2")
    objects += [
        event("Unhealthy", "kubelet", f"Readiness probe failed: {MARK}", about),
        event("FailedMount", "kubelet", f"Mounting arguments: -o password={MARK}", about),
        event("Created", "some-controller", MARK, about) | {"type": "Normal"},
    ]
    save(Path("w.json"), write(Path("world.json"), objects))
    assert MARK not in text(Path("w.json"))
    for source in ("world.json", "w.json"):
        assert MARK not in program("doctor", "--from", source, "--all-rows").out
