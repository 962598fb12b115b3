"""`preflight verify`: the report after a maintenance, and what is refused. What each rule says stands in its cases."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from preflight.report import FORMATS
from tests.cli.program import program
from tests.load.live.api_server import TOKEN, ApiServer, serving
from tests.load.snapshot.marked_cluster import MARK, Data, cluster, save, text, write

LATER = """\
since saved.json.gz: 15 DaemonSet pods before, 12 now
x 2 DaemonSets have lost 2 nodes; 2 errors: pod-not-ready and resource-gone
  note: re-created since then: 3 of 12 DaemonSet pods that still exist

  DAEMONSET               BEFORE  NOW  READY  LOST ON
x kube-system/rdma-plugin      2    0      0  rdma-1, rdma-2
x ops/agent                    3    2      2  rdma-1
! kube-system/services         4    4      3
  2 DaemonSets keep their pods (--all-rows lists them)

error[PF402] pod-not-ready: kube-system/services has a pod on cpu-1 that is no longer Ready
 --> later.json items[7]
  = note: cpu-1: its pod is not Ready: CrashLoopBackOff
  = impact: Service addresses on the node are no longer updated: connections go to pods that no longer exist, \
and a new node has no Service addresses at all

error[PF401] pod-gone: 2 DaemonSets no longer run on rdma-1, rdma-2: no toleration for maintenance:NoSchedule
  kube-system/rdma-plugin (later.json items[4].spec.template.spec.tolerations)
    impact: the node stops offering its devices: new pods stay Pending, running pods keep theirs
  ops/agent on rdma-1 (later.json items[8].spec.template.spec.tolerations)
  fix:  - {key: maintenance, operator: Equal, value: "", effect: NoSchedule}

error[PF403] resource-gone: rdma/hca is no longer in Allocatable on rdma-1, rdma-2 (2 -> 0)
 --> later.json items[0].status.allocatable["rdma/hca"]
  = note: kube-system/rdma-plugin advertises it

note[PF404] node-changed: rdma-1 has different taints (also rdma-2): +maintenance:NoSchedule
 --> later.json items[0].spec.taints

Next:
  # add the suggested tolerations to the manifests, and check again
  preflight explain PF402

4 errors, 1 note. Checked 5 DaemonSets on 4 nodes. Not checked: NOT_JUDGED.
"""


def named(objects: list[Data], kind: str, *names: str) -> list[Data]:
    return [item for item in objects if item["kind"] == kind and item["metadata"]["name"] in names]


def later() -> list[Data]:
    """The cluster after a maintenance that left a taint on two nodes, and an update after it."""
    objects = copy.deepcopy(cluster())
    for each in named(objects, "Node", "rdma-1", "rdma-2"):
        each["spec"]["taints"] = [{"key": "maintenance", "effect": "NoSchedule"}]
        each["status"]["allocatable"]["rdma/hca"] = "0"
    for each in named(objects, "Pod", "pod-network-cpu-1", "pod-network-cpu-2", "services-cpu-1"):
        each["metadata"]["uid"] += "-again"
    for each in named(objects, "Pod", "services-cpu-1"):
        each["status"]["conditions"] = [{"type": "Ready", "status": "False", "message": "CrashLoopBackOff"}]
    gone = ("rdma-plugin-rdma-1", "rdma-plugin-rdma-2", "agent-rdma-1")
    return [item for item in objects if item["metadata"]["name"] not in gone or item["kind"] != "Pod"]


@pytest.fixture
def saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A snapshot in the working directory, beside lists of the cluster as it was and as it is later."""
    monkeypatch.chdir(tmp_path)
    save(Path("saved.json.gz"), write(Path("before.json"), cluster()))
    write(Path("later.json"), later())
    return "saved.json.gz"


def test_the_report_after_a_maintenance(saved: str) -> None:
    result = program("verify", saved, "--from", "later.json")
    left_out = [line.partition("Not checked: ")[2] for line in result.out.splitlines() if "Not checked: " in line]
    expected = LATER.replace("NOT_JUDGED.", left_out[0])
    assert result.out == expected
    assert (result.code, result.err) == (1, "")


def test_nothing_differs(saved: str) -> None:
    result = program("verify", saved, "--from", "before.json")
    assert "no DaemonSet has lost a node\n" in result.out
    assert "re-created since then: none of 15 DaemonSet pods that still exist" in result.out
    assert result.code == 0


def test_now_may_be_a_snapshot_too_and_before_a_list(saved: str) -> None:
    save(Path("later.json.gz"), "later.json")
    said = []
    for before, now in ((saved, "later.json"), (saved, "later.json.gz"), ("before.json", "later.json"), ("before.json", "later.json.gz")):
        report = json.loads(program("verify", before, "--from", now, "-o", "json").out)
        said.append([(finding["rule"], finding["message"], finding["nodes"]) for finding in report["findings"]])
    assert said[0]
    assert said == [said[0]] * 4


def test_json_tells_each_pair(saved: str) -> None:
    report = json.loads(program("verify", saved, "--from", "later.json", "-o", "json").out)
    counts = ("before", "now", "ready", "recreated")
    rows = [(row["daemonset"], row["outcome"], tuple(row["nodes"]), *(row[name] for name in counts)) for row in report["coverage"]]
    assert rows == [
        ("kube-system/pod-network", "kept", ("cpu-1", "cpu-2", "rdma-1", "rdma-2"), 4, 4, 4, 4),
        ("kube-system/rdma-plugin", "lost-now", ("rdma-1", "rdma-2"), 2, 0, 0, 0),
        ("kube-system/services", "not-ready", ("cpu-1",), 1, 1, 0, 1),
        ("kube-system/services", "kept", ("cpu-2", "rdma-1", "rdma-2"), 3, 3, 3, 3),
        ("ops/agent", "lost-now", ("rdma-1",), 1, 0, 0, 0),
        ("ops/agent", "kept", ("cpu-1", "rdma-2"), 2, 2, 2, 1),
        ("storage/csi-rdma", "kept", ("rdma-1", "rdma-2"), 2, 2, 2, 0),
    ]
    assert report["change"]["command"] == "verify saved.json.gz"


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_shows_it(form: str, saved: str) -> None:
    result = program("verify", saved, "--from", "later.json", "-o", form)
    assert result.code == 1
    for word in ("PF401", "rdma-plugin", "PF403", "rdma/hca"):
        assert word in result.out or word.replace("/", "\\/") in result.out, form


def test_a_policy_decides_how_much_it_matters(saved: str) -> None:
    Path("policy.yaml").write_text("rules: {pod-gone: note, PF402: false, resource-gone: warning}\n", encoding="utf-8")
    result = program("verify", saved, "--from", "later.json", "-o", "json", "--policy", "policy.yaml")
    severities = {load["rule"]: load["severity"] for load in json.loads(result.out)["findings"]}
    assert severities == {"PF401": "note", "PF403": "warning", "PF404": "note"}
    assert result.code == 0


def test_snapshots_of_two_clusters_are_not_compared(saved: str) -> None:
    others = cluster()
    for other in others:
        other["metadata"]["uid"] += "-of-another"
    write(Path("other.json"), others)
    result = program("verify", saved, "--from", "other.json")
    assert (result.code, result.out) == (3, "")
    assert result.err == "error: saved.json.gz is a snapshot of cluster another, not of another: choose its context with --context\n"


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        pytest.param(["-", "--from", "-"], 2, "standard input (-) can be read only once", id="standard input twice"),
        pytest.param([], 2, "SNAPSHOT is required", id="no snapshot"),
        pytest.param(["nowhere", "--from", "later.json"], 3, "error: cannot read nowhere: no such file or directory", id="none there"),
        pytest.param(["saved.json.gz", "--from", "later.json", "-o", "yaml"], 2, 'unknown output format "yaml"', id="no such format"),
        pytest.param(["saved.json.gz", "--from", "later.json", "--why", "a/b"], 2, "no such pair was checked", id="no chain to explain"),
    ],
)
@pytest.mark.usefixtures("saved")
def test_a_command_line_that_is_wrong(words: list[str], code: int, says: str) -> None:
    result = program("verify", *words)
    assert result.code == code
    assert says in result.err


def test_without_pods_there_is_nothing_to_compare(tmp_path: Path) -> None:
    path = write(tmp_path / "world.json", [item for item in cluster() if item["kind"] != "Pod"])
    result = program("verify", path, "--from", path)
    assert result.code == 3
    assert "no pods on either side" in result.err
    assert "unknown: 5 DaemonSets: pods not listed before or now" in result.out


def test_a_cluster_with_nothing_in_it(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = program("verify", str(tmp_path / "empty"), "--from", str(tmp_path / "empty"))
    assert result.code == 3
    assert "no Kubernetes objects in " in result.err


# The cluster itself.


def asked(server: ApiServer) -> set[str]:
    return {request.method for request in server.asked}


def test_a_snapshot_of_the_cluster_itself_and_a_verification_against_it(tmp_path: Path) -> None:
    server, after = ApiServer(cluster()), ApiServer(later())
    path = tmp_path / "saved.json.gz"
    with serving(server, tmp_path) as config:
        result = program("snapshot", "-o", str(path), "--kubeconfig", str(config), "-v")
        assert result.code == 0, result.err
        assert "4 nodes, 5 DaemonSets, 17 pods (all namespaces)" in result.err
        assert "requests" in result.err
        same = program("verify", str(path), "--kubeconfig", str(config))
        assert (same.code, "no DaemonSet has lost a node\n" in same.out) == (0, True)
    (tmp_path / "after").mkdir()
    with serving(after, tmp_path / "after") as config:
        report = program("verify", str(path), "--kubeconfig", str(config), "-o", "json")
    assert sorted(load["rule"] for load in json.loads(report.out)["findings"]) == ["PF401", "PF401", "PF402", "PF403", "PF404"]
    assert asked(server) | asked(after) == {"GET"}
    kept = text(path)
    assert MARK not in kept
    assert TOKEN not in kept + result.err + report.out
    head = json.loads(kept)["metadata"]
    assert (head["context"], head["version"], head["listed"], head["nodes"]) == ("test", "v1.37.2", None, True)


def test_what_may_not_be_listed_is_said_and_stays_unknown(tmp_path: Path) -> None:
    from tests.load.live.api_server import status

    server = ApiServer(cluster(), fault=lambda each: status(403, "pods is forbidden") if each.resource == "pods" else None)
    with serving(server, tmp_path) as config:
        result = program("snapshot", "-o", str(tmp_path / "w.json"), "--kubeconfig", str(config))
    assert result.code == 3
    assert "no pods (coverage will be assumed)" in result.err
    assert "  without Pod: no permission to list pods" in result.err
    judged = program("taint", "nodes", "rdma-1", "a=b:NoSchedule", "--from", str(tmp_path / "w.json"), "-o", "json")
    report = json.loads(judged.out)
    assert {row["assumed"] for row in report["coverage"]} == {True}
    assert [problem["kind"] for problem in report["problems"]] == ["Pod"]


def test_laws_of_taints_hold_for_a_change_that_was_predicted(tmp_path: Path) -> None:
    """What `taint` says is lost once pods are re-created is what verify then finds."""
    whole = write(tmp_path / "whole.json", cluster())
    save(tmp_path / "saved.json", whole)
    line = ["taint", "nodes", "rdma-1", "rdma-2", "late=x:NoSchedule", "--from", str(tmp_path / "saved.json"), "-o", "json"]
    predicted = {
        (row["daemonset"], name)
        for row in json.loads(program(*line).out)["coverage"]
        if row["outcome"] == "lost-on-recreation"
        for name in row["nodes"]
    }
    after = cluster()
    for each in named(after, "Node", "rdma-1", "rdma-2"):
        each["spec"]["taints"] = [{"key": "late", "value": "x", "effect": "NoSchedule"}]
    lost = {f"{key.rpartition('/')[2]}-{name}" for key, name in predicted}
    now = write(tmp_path / "now.json", [item for item in after if item["kind"] != "Pod" or item["metadata"]["name"] not in lost])
    report: Any = json.loads(program("verify", str(tmp_path / "saved.json"), "--from", now, "-o", "json").out)
    found = {(row["daemonset"], name) for row in report["coverage"] if row["outcome"] == "lost-now" for name in row["nodes"]}
    assert predicted
    assert found == predicted


@pytest.mark.parametrize("content", ["", "{", "null", "apiVersion: v1\nkind: Node\nmetadata: [\n"])
def test_a_state_that_cannot_be_read_is_compared_with_nothing(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("now.json"), cluster())
    Path("saved.json").write_text(content)
    result = program("verify", "saved.json", "--from", "now.json")
    assert result.code == 3
    for words in ("is new", "since saved.json", "has no pod"):
        assert words not in result.out


def test_a_state_that_does_not_exist_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("now.json"), cluster())
    result = program("verify", "nowhere.json", "--from", "now.json", "-o", "json")
    assert result == (3, "", "error: cannot read nowhere.json: no such file or directory\n")
