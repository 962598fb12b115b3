"""The same input judged as several versions of Kubernetes.

The answers of 1.30.4, 1.34.4 and 1.37.2 were seen on control planes of these versions, those of older ones read in their sources.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.builders import (
    list_daemonset_pod,
    make_budget,
    make_container,
    make_daemonset,
    make_job,
    make_list,
    make_node,
    make_owner,
    make_pod,
    make_workload,
)
from tests.cli.program import Result, program

Object = dict[str, Any]
ALLOCATABLE = {"cpu": "8", "memory": "32Gi", "pods": "110"}
SILENT = "node.kubernetes.io/unreachable:NoSchedule"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(*argv: str, world: Sequence[Object], version: str = "", files: Mapping[str, Object] | None = None) -> Result:
    Path("world.json").write_text(json.dumps(make_list(*world)), encoding="utf-8")
    for name, content in (files or {}).items():
        Path(name).write_text(json.dumps(content), encoding="utf-8")
    stated = ("--kubernetes-version", version) if version else ()
    return program(*argv, "--from", "world.json", *stated)


def outcomes(result: Result) -> dict[str, str]:
    """The outcome of the DaemonSet on each node."""
    return {node: row["outcome"] for row in json.loads(result.out)["coverage"] for node in row["nodes"]}


def rules(result: Result, node: str) -> list[str]:
    """The rules that have something to say of a node."""
    return [finding["rule"] for finding in json.loads(result.out)["findings"] if node in finding["nodes"]]


def verdicts(result: Result) -> set[str]:
    """What becomes of the pods that have to go."""
    (step,) = json.loads(result.out)["change"]["steps"]
    return {pod["verdict"] for node in step["evictions"]["nodes"] for pod in node["pods"]}


def silent_world(*healthy: Object, kubelet: str = "") -> list[Object]:
    """Nodes with a pod of `d1` each, and `nx`, whose kubelet says nothing and whose pod is not Ready."""
    nodes = [*healthy, make_node("nx", SILENT, "node.kubernetes.io/unreachable:NoExecute", ready="Unknown")]
    if kubelet:
        nodes = [{**node, "status": {**node["status"], "nodeInfo": {"kubeletVersion": kubelet}}} for node in nodes]
    owner = make_daemonset("d1", fields={"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}})
    pods = [list_daemonset_pod(owner, node["metadata"]["name"], ready="False" if node is nodes[-1] else "True") for node in nodes]
    return [*nodes, owner, *pods]


BOMB = make_node("n1", "k=v:NoSchedule")


@pytest.mark.parametrize(
    ("version", "outcome", "found"),
    [
        ("1.27.16", "lost-now", ["PF101"]),
        ("v1.30.4", "lost-now", ["PF101"]),
        ("v1.30.5-gke.3", "lost-now", ["PF101"]),
        ("1.30.6", "already-fragile", ["PF106"]),
        ("1.34.4", "already-fragile", ["PF106"]),
        ("1.37.2", "already-fragile", ["PF106"]),
        ("", "already-fragile", ["PF106"]),
        ("1.30", "unknown", ["PF109"]),
    ],
)
def test_an_update_beside_a_silent_node(version: str, outcome: str, found: list[str]) -> None:
    result = ask("rollout", "restart", "ds/d1", "-o", "json", world=silent_world(BOMB), version=version)
    assert outcomes(result)["n1"] == outcome
    assert rules(result, "n1") == found


def test_the_kubelets_make_it_unknown_and_the_reason_says_how_to_know() -> None:
    result = ask("rollout", "restart", "ds/d1", world=silent_world(BOMB, kubelet="v1.30.4"))
    assert result.code == 3
    changed = "depends on the Kubernetes version (changed in 1.28.15, 1.29.10, 1.30.6 and 1.31.0; --kubernetes-version)"
    assert f"default/d1 may lose n1: {changed}: 0 to 1 of n1 keeps the old pod" in result.out.replace("keep the", "keeps the")
    assert "Answers are for Kubernetes 1.30 to 1.33 (what the kubelets allow)." in result.out


def test_kubelets_of_newer_versions_make_nothing_unknown() -> None:
    result = ask("rollout", "restart", "ds/d1", "-o", "json", world=silent_world(BOMB, kubelet="v1.31.1"))
    assert outcomes(result)["n1"] == "already-fragile"


@pytest.mark.parametrize(("version", "kept"), [("1.30.4", "3 of 4 nodes keep the old pod"), ("1.37", "impact: 4 nodes keep the old pod")])
def test_one_of_four_healthy_nodes_is_replaced(version: str, kept: str) -> None:
    world = silent_world(*(make_node(f"n{number}") for number in range(1, 5)))
    assert kept in ask("rollout", "restart", "ds/d1", world=world, version=version).out


@pytest.mark.parametrize(
    ("version", "outcome"),
    [
        ("1.26.9", "already-fragile"),
        ("1.28.2", "already-fragile"),
        ("1.28.3", "lost-now"),
        ("1.37", "lost-now"),
        ("1.28", "unknown"),
    ],
)
def test_a_surge_where_the_daemonset_should_not_run(version: str, outcome: str) -> None:
    owner = make_daemonset(
        "d1", fields={"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}
    )
    nodes = [BOMB, make_node("n2")]
    pods = [list_daemonset_pod(owner, node["metadata"]["name"], ready="True") for node in nodes]
    result = ask("rollout", "restart", "ds/d1", "-o", "json", world=[*nodes, owner, *pods], version=version)
    assert outcomes(result)["n1"] == outcome


def test_a_snapshot_keeps_the_version_and_the_kubelets() -> None:
    world = silent_world(BOMB, kubelet="v1.30.4")
    assert ask("snapshot", "-o", "exact.json", world=world, version="1.30.6").code == 0
    assert ask("snapshot", "-o", "unknown.json", world=world).code == 0
    exact, unknown = (program("rollout", "restart", "ds/d1", "--from", f"{name}.json") for name in ("exact", "unknown"))
    assert "Answers are for Kubernetes 1.30.6 (the snapshot)." in exact.out
    assert "Answers are for Kubernetes 1.30 to 1.33 (what the kubelets allow)." in unknown.out


def test_a_policy_states_the_version_where_no_cluster_does() -> None:
    world = silent_world(BOMB)
    Path(".preflight.yaml").write_text('kubernetesVersion: "1.30.4"\n', encoding="utf-8")
    result = ask("rollout", "restart", "ds/d1", world=world)
    assert "default/d1 loses n1 now" in result.out
    assert "Answers are for Kubernetes 1.30.4 (the policy)." in result.out
    assert "Answers are for Kubernetes 1.37 (--kubernetes-version)." in ask("rollout", "restart", "ds/d1", world=world, version="1.37").out
    Path(".preflight.yaml").write_text("kubernetesVersion: latest\n", encoding="utf-8")
    refused = ask("rollout", "restart", "ds/d1", world=world)
    assert (refused.code, '.preflight.yaml:1:1: invalid value "latest" for kubernetesVersion' in refused.err) == (2, True)


def web_world(*, owner_kind: str = "ReplicaSet", budget: bool = False) -> list[Object]:
    """Two nodes, two pods of one owner on the first, and perhaps a budget with `selector: {}` that allows nothing."""
    nodes = [make_node(name, allocatable=ALLOCATABLE) for name in ("n1", "n2")]
    owner = make_owner(owner_kind, "web", "u1")
    if owner_kind == "DaemonSet":
        owner = {**owner, "apiVersion": "apps.kruise.io/v1alpha1"}
    pods = [make_pod(f"web-{number}", node="n1", owner=owner, labels={"app": "web"}, ready="True") for number in range(2)]
    other = make_pod("other", "kube-system", node="n2")
    replica_set = make_workload("ReplicaSet", "web", metadata={"uid": "u1"}, fields={"replicas": 2})
    guard = make_budget("all", selector={} if budget else {"matchLabels": {"app": "nothing"}}, maxUnavailable=0)
    return [*nodes, *([replica_set] if owner_kind == "ReplicaSet" else []), *pods, other, guard]


@pytest.mark.parametrize(
    ("version", "verdict"),
    [
        ("1.26.15", "evicted"),
        ("1.27.6", "evicted"),
        ("1.27.7", "blocked-for-ever"),
        ("1.28.2-eks-1", "evicted"),
        ("1.29.0", "blocked-for-ever"),
        ("1.37.2", "blocked-for-ever"),
        ("", "blocked-for-ever"),
        ("1.28", "unknown"),
    ],
)
def test_a_budget_with_an_empty_selector(version: str, verdict: str) -> None:
    result = ask("drain", "n1", "-o", "json", world=web_world(budget=True), version=version)
    assert verdicts(result) == {verdict}


@pytest.mark.parametrize(
    ("version", "argv", "verdict"),
    [
        ("1.30.4", (), "refused"),
        ("1.33.13", (), "refused"),
        ("1.34.4", (), "evicted"),
        ("1.37", (), "evicted"),
        ("", (), "evicted"),
        ("1.30.4", ("--force",), "evicted"),
        ("1.30.4", ("--kubectl-version", "1.34.1"), "evicted"),
        ("1.37.2", ("--kubectl-version", "1.33"), "refused"),
    ],
)
def test_the_daemonset_of_another_api_group(version: str, argv: tuple[str, ...], verdict: str) -> None:
    result = ask("drain", "n1", "--ignore-daemonsets", *argv, "-o", "json", world=web_world(owner_kind="DaemonSet"), version=version)
    assert verdicts(result) == {verdict}


@pytest.mark.parametrize(
    ("version", "argv", "code"), [("1.30.4", (), 0), ("1.31.0", (), 2), ("", (), 2), ("1.34", ("--kubectl-version", "1.30.9"), 0)]
)
def test_delete_local_data(version: str, argv: tuple[str, ...], code: int) -> None:
    result = ask("drain", "n1", "--delete-local-data", *argv, world=web_world(), version=version)
    assert result.code == code
    assert ("unknown flag: --delete-local-data" in result.err) is (code == 2)


def pod_file(*containers: Object, **spec: Any) -> Object:
    return {"pod.json": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {"containers": [*containers], **spec}}}


SIDECAR = make_container("s", restartPolicy="Always", ports=[{"containerPort": 80, "hostPort": 8080}])
PORT = make_container("c", ports=[{"containerPort": 80, "hostPort": 8080}])


@pytest.mark.parametrize(
    ("version", "spec", "copies"),
    [
        ("1.30.4", {"initContainers": [SIDECAR]}, (109, 109)),
        ("1.33.5", {"initContainers": [SIDECAR]}, (109, 109)),
        ("1.33.6", {"initContainers": [SIDECAR]}, (1, 1)),
        ("1.34.4", {"initContainers": [SIDECAR]}, (1, 1)),
        ("", {"initContainers": [SIDECAR]}, (1, 1)),
        ("1.33", {"initContainers": [SIDECAR]}, (1, 109)),
        ("1.33", {"containers": [PORT], "initContainers": [SIDECAR]}, (1, 1)),
        ("1.30.4", {"containers": [PORT]}, (1, 1)),
    ],
)
def test_the_host_port_of_a_sidecar(version: str, spec: Object, copies: tuple[int, int]) -> None:
    world = [make_node("n1", allocatable=ALLOCATABLE), make_pod("a", node="n1"), make_pod("b", "other", node="n1", phase="Succeeded")]
    files = pod_file(make_container(), **spec)
    found = json.loads(ask("capacity", "-f", "pod.json", "-o", "json", world=world, version=version, files=files).out)["clusters"][0]
    assert (found["room"]["copies"], found["room"]["atMost"]) == copies


@pytest.mark.parametrize(
    ("version", "requests", "copies"),
    [
        ("1.27.16", {"memory": "1Gi"}, (0, 0)),
        ("1.28.0", {"memory": "1Gi"}, (32, 32)),
        ("", {"memory": "1Gi"}, (32, 32)),
        ("1.27.16", {}, (109, 109)),
    ],
)
def test_a_pod_that_asks_for_no_cpu_where_cpu_is_overcommitted(version: str, requests: Object, copies: tuple[int, int]) -> None:
    big = make_pod("a", node="n1", containers=[make_container(resources={"requests": {"cpu": "9"}})])
    world = [make_node("n1", allocatable=ALLOCATABLE), big, make_pod("b", "other", node="n1", phase="Succeeded")]
    files = pod_file(make_container(resources={"requests": requests}))
    found = json.loads(ask("capacity", "-f", "pod.json", "-o", "json", world=world, version=version, files=files).out)["clusters"][0]
    assert (found["room"]["copies"], found["room"]["atMost"]) == copies


@pytest.mark.parametrize(("version", "code"), [("1.30.4", 2), ("1.34", 2), ("1.37", 3), ("", 3)])
def test_operators_that_compare(version: str, code: int) -> None:
    owner = make_daemonset("d1", "default", {"key": "gen", "operator": "Gt", "value": "3", "effect": "NoSchedule"})
    nodes = [make_node("n1", "gen=5:NoSchedule")]
    result = ask("apply", "-f", "ds.json", "-o", "json", world=nodes, version=version, files={"ds.json": owner})
    assert result.code == code
    refused = 'spec.template.spec.tolerations[0].operator: Unsupported value: "Gt": supported values: "Equal", "Exists"'
    assert (refused in result.err) is (code == 2)


@pytest.mark.parametrize(
    ("version", "requested", "note"),
    [
        ("1.30.4", "cpu=1", "Kubernetes 1.30.4 does not know the field, and kubectl refuses the object"),
        ("1.33", "cpu=1", "Kubernetes 1.33 drops the field without a word"),
        ("1.34.4", "cpu=6", ""),
        ("", "cpu=6", ""),
    ],
)
def test_resources_of_a_whole_pod(version: str, requested: str, note: str) -> None:
    files = pod_file(make_container(resources={"requests": {"cpu": "1"}}), resources={"requests": {"cpu": "6"}})
    result = ask("capacity", "-f", "pod.json", world=[make_node("n1", allocatable=ALLOCATABLE)], version=version, files=files)
    assert f"which requests {requested}" in result.out
    assert (f"the pod loses spec.resources: {note}" in result.out) is bool(note)


@pytest.mark.parametrize(("version", "copies"), [("1.26.15", 0), ("1.27.0", 109), ("", 109)])
def test_an_affinity_term_whose_names_exclude_one_another(version: str, copies: int) -> None:
    fields = [[["n1"], ["n2"]], [["n1"]]]
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": names} for names in term]} for term in fields]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    world = [make_node("n1", allocatable=ALLOCATABLE), make_pod("a", node="n1"), make_pod("b", "other", node="n1", phase="Succeeded")]
    files = pod_file(make_container(), affinity=affinity)
    found = json.loads(ask("capacity", "-f", "pod.json", "-o", "json", world=world, version=version, files=files).out)["clusters"][0]
    assert found["room"]["copies"] == copies


@pytest.mark.parametrize(("version", "overlaps"), [("1.27.16", True), ("1.28.0", False), ("", False)])
def test_a_job_with_a_failure_policy_replaces_a_pod(version: str, overlaps: bool) -> None:
    rule = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}
    owner = make_job("train", metadata={"uid": "u1"}, completionMode="Indexed", completions=1, podFailurePolicy={"rules": [rule]})
    index = {"batch.kubernetes.io/job-completion-index": "0"}
    pod = make_pod(
        "train-0", node="n1", owner=make_owner("Job", "train", "u1"), ready="True", metadata={"annotations": index}, restartPolicy="Never"
    )
    guard = make_budget("other", app="other", maxUnavailable=1)
    world = [*(make_node(name, allocatable=ALLOCATABLE) for name in ("n1", "n2")), owner, pod, make_pod("x", "other", node="n2"), guard]
    result = ask("drain", "n1", "-o", "json", world=world, version=version)
    (step,) = json.loads(result.out)["change"]["steps"]
    (job,) = step["evictions"]["jobs"]
    assert (job["overlap"] > 0) is overlaps, job


@pytest.mark.parametrize(("kubelet", "severities"), [("v1.26.1", ["error"]), ("v1.30.4", ["note"]), ("v1.32.0", [])])
def test_a_comparison_of_manifests_takes_the_version_of_the_cluster_around_them(kubelet: str, severities: list[str]) -> None:
    for folder, job in (("old", make_job("train", "ml")), ("new", make_job("train", "ml", managedBy="acme.io/queue"))):
        Path(folder).mkdir()
        Path(folder, "job.json").write_text(json.dumps(job), encoding="utf-8")
    node = make_node("n1", nodeInfo={"kubeletVersion": kubelet})
    result = ask("diff", "old", "new", "-o", "json", world=[node])
    assert [finding["severity"] for finding in json.loads(result.out)["findings"] if finding["rule"] == "PF240"] == severities


@pytest.mark.parametrize(("kubelet", "copies"), [("v1.29.1", (8, 8)), ("v1.32.1", (1, 8)), ("v1.34.0", (1, 1))])
def test_where_the_server_may_keep_a_field_the_fewer_copies_are_certain(kubelet: str, copies: tuple[int, int]) -> None:
    files = pod_file(make_container(resources={"requests": {"cpu": "1"}}), resources={"requests": {"cpu": "6"}})
    node = make_node("n1", allocatable=ALLOCATABLE, nodeInfo={"kubeletVersion": kubelet})
    pods = [make_pod("a", node="n1", phase="Succeeded"), make_pod("b", "other", node="n1", phase="Succeeded")]
    found = json.loads(ask("capacity", "-f", "pod.json", "-o", "json", world=[node, *pods], files=files).out)["clusters"][0]["room"]
    assert (found["copies"], found["atMost"]) == copies
    assert any("may lose spec.resources" in reason for reason in found["unknown"]) is (copies == (1, 8))
