"""A change of nodes where the input has no DaemonSet: what workloads and pods alone tell of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import Result, program

NODES = """\
apiVersion: v1
kind: Node
metadata: {name: gpu-1, labels: {pool: gpu}}
---
apiVersion: v1
kind: Node
metadata: {name: gpu-2, labels: {pool: gpu}}
---
"""
WORKLOADS = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: ml}
spec:
  backoffLimit: 0
  completionMode: Indexed
  completions: 2
  template:
    spec: {restartPolicy: Never, nodeSelector: {pool: gpu}, containers: [{name: a, image: "a:1"}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db, namespace: ml}
spec:
  replicas: 2
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {tolerations: [{key: stays, operator: Exists}], containers: [{name: a, image: "a:1"}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: db, namespace: ml}
spec: {minAvailable: 2, selector: {matchLabels: {app: db}}}
---
"""
POD = """\
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata:
    name: train-0
    namespace: ml
    annotations: {batch.kubernetes.io/job-completion-index: "0"}
    finalizers: [batch.kubernetes.io/job-tracking]
    ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, controller: true}]
  spec: {nodeName: gpu-1, containers: [{name: a}]}
  status: {phase: Running}
"""
NOTHING = "no DaemonSet in the input: the change cannot cost coverage"
ADD_PODS = "add the output of `kubectl get pods -A -o json`"


def run(line: str, text: str, tmp_path: Path) -> Result:
    (tmp_path / "world.yaml").write_text(text, encoding="utf-8")
    return program(*line.split(), "--from", str(tmp_path / "world.yaml"), "-o", "json")


@pytest.mark.parametrize("line", ["drain gpu-1 --ignore-daemonsets", "cordon gpu-1", "taint nodes gpu-1 a=b:NoExecute"])
def test_nodes_alone_leave_nothing_to_lose(line: str, tmp_path: Path) -> None:
    result = run(line, NODES, tmp_path)
    assert (result.code, [each["message"] for each in json.loads(result.out)["problems"]]) == (3, [NOTHING])


@pytest.mark.parametrize(
    ("line", "workloads", "rules"),
    [
        pytest.param(
            "drain gpu-1 --ignore-daemonsets", "Job ml/train and StatefulSet ml/db", ["PF321 PodDisruptionBudget", "PF332 Job"], id="drain"
        ),
        pytest.param(
            "drain gpu-1 --ignore-daemonsets --disable-eviction",
            "Job ml/train and StatefulSet ml/db",
            ["PF332 Job"],
            id="a drain that asks no budget",
        ),
        pytest.param("taint nodes gpu-1 stays=x:NoExecute", "Job ml/train", ["PF332 Job"], id="a taint that one of them tolerates"),
        pytest.param("reboot gpu-1 --graceful", "Job ml/train and StatefulSet ml/db", ["PF332 Job"], id="a graceful reboot"),
    ],
)
def test_pods_that_have_to_go_and_are_not_given_are_unknown(line: str, workloads: str, rules: list[str], tmp_path: Path) -> None:
    result = run(line, NODES + WORKLOADS, tmp_path)
    report = json.loads(result.out)
    message = f"unknown: the pods on gpu-1, which have to leave ({workloads} may have pods there); {ADD_PODS}"
    assert (result.code, [each["message"] for each in report["problems"]]) == (3, [message])
    of_evictions = [finding for finding in report["findings"] if finding["rule"].startswith("PF3")]
    assert [f"{finding['rule']} {finding['subject']['kind']}" for finding in of_evictions] == rules


@pytest.mark.parametrize("line", ["cordon gpu-1", "taint nodes gpu-1 a=b:NoSchedule", "taint nodes gpu-1 a=b:PreferNoSchedule"])
def test_pods_that_stay_are_judged_by_their_templates(line: str, tmp_path: Path) -> None:
    result = run(line, NODES + WORKLOADS, tmp_path)
    report = json.loads(result.out)
    note = "Job ml/train and StatefulSet ml/db may have pods on gpu-1: running pods stay, only new pods are affected"
    assert (result.code, report["problems"], report["findings"]) == (0, [], [])
    assert note in report["change"]["steps"][0]["notes"]


def test_pods_that_are_given_are_judged_as_with_daemonsets(tmp_path: Path) -> None:
    result = run("drain gpu-1 --ignore-daemonsets", f"{NODES}{WORKLOADS}{POD}", tmp_path)
    report = json.loads(result.out)
    assert report["problems"] == []
    assert "PF307" in {finding["rule"] for finding in report["findings"]}


def test_pods_alone_are_something_that_a_cordon_concerns(tmp_path: Path) -> None:
    assert run("cordon gpu-1", NODES + POD, tmp_path).code == 0
