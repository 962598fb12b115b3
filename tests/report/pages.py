"""Runs of all kinds that have a page, on the examples and on small clusters of their own; what a page and a text state."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from html import unescape
from pathlib import Path
from typing import Any, NamedTuple

from tests.cli.program import program
from tests.paths import ROOT

_EXAMPLES = ROOT / "examples"
_INCIDENT = str(_EXAMPLES / "rdma-incident" / "cluster")
_DRAIN = str(_EXAMPLES / "drain" / "cluster.yaml")
_FLAGS = ("--ignore-daemonsets", "--delete-emptydir-data")

RUNS: dict[str, tuple[str, ...]] = {
    "a change": ("taint", "nodes", "-l", "pool=rdma", "dedicated=rdma:NoSchedule", "--from", _INCIDENT),
    "a drain": ("drain", "gpu-1", "gpu-2", *_FLAGS, "--force", "--from", _DRAIN),
    "a plan": ("plan", str(_EXAMPLES / "rdma-incident" / "plan.yaml"), "--from", _INCIDENT),
    "a diff": (
        *("diff", str(_EXAMPLES / "upgrade" / "before"), str(_EXAMPLES / "upgrade" / "after")),
        *("--from", str(_EXAMPLES / "upgrade" / "nodes.yaml")),
    ),
    "lint": ("lint", _INCIDENT),
    "doctor": ("doctor", "--from", str(_EXAMPLES / "gpu-13-free" / "cluster.json")),
    "capacity": ("capacity", "--from", str(_EXAMPLES / "capacity"), "-f", str(_EXAMPLES / "capacity" / "pod.yaml")),
}
"""One run of each kind of page."""

CLUSTER, WITHOUT_PODS, HEALTHY = "CLUSTER", "WITHOUT_PODS", "HEALTHY"
"""Stand for the files of clusters in the runs below: with a DaemonSet that has no pods, without any pod, and with nothing missing."""

MORE_RUNS: dict[str, tuple[str, ...]] = {
    "a drain that kubectl refuses on one node of several": ("drain", "n-1", "n-2", "n-3", "--ignore-daemonsets", "--from", CLUSTER),
    "a drain of all nodes, so that nothing finds room": ("drain", "n-1", "n-2", "n-3", *_FLAGS, "--force", "--from", CLUSTER),
    "a drain that finds room": ("drain", "n-3", *_FLAGS, "--from", CLUSTER),
    "a taint that one DaemonSet of several tolerates": ("taint", "nodes", "--all", "reserved=research:NoSchedule", "--from", CLUSTER),
    "a taint that deletes pods": ("taint", "nodes", "n-1", "out=yes:NoExecute", "--from", CLUSTER),
    "a change that loses nothing": ("label", "nodes", "n-1", "zone=b", "--overwrite", "--from", CLUSTER),
    "an update": ("rollout", "restart", "ds/agent-0", "-n", "ops", "--from", CLUSTER),
    "a DaemonSet whose nodes are unknown": ("taint", "nodes", "x-1", "a=b:NoSchedule", "--from", f"{_INCIDENT}/csi-rdma-node.yaml"),
    "a healthy cluster": ("doctor", "--from", HEALTHY),
    "a healthy drain": ("drain", "n-3", *_FLAGS, "--from", HEALTHY),
    "a DaemonSet without pods": ("doctor", "--from", CLUSTER),
    "lint without pods": ("lint", WITHOUT_PODS),
    "a taint without pods": ("taint", "nodes", "n-1", "a=b:NoSchedule", "--from", WITHOUT_PODS),
    "lint with two DaemonSets that share a port": ("lint", CLUSTER),
    "a time bomb": ("doctor", "--from", str(_EXAMPLES / "rdma-incident" / "thursday.json")),
}


class Pair(NamedTuple):
    """The page and the text of one run."""

    page: str
    text: str
    code: int


def run(argv: Iterable[str], folder: Path, *options: str) -> Pair:
    """Runs it once, for both formats."""
    items = _make_cluster()
    clusters = {
        CLUSTER: items,
        WITHOUT_PODS: [item for item in items if item["kind"] != "Pod"],
        HEALTHY: [item for item in items if item["metadata"]["name"] != "agent-2"],
    }
    paths = {name: folder / f"{name.lower()}.json" for name in clusters}
    for name, path in paths.items():
        path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": clusters[name]}), encoding="utf-8")
    page, text = folder / "report.html", folder / "report.txt"
    words = [str(paths.get(word, word)) for word in argv]
    result = program(*words, *options, "-o", f"html={page}", "-o", f"text={text}")
    return Pair(page.read_text(encoding="utf-8"), text.read_text(encoding="utf-8"), result.code)


def read_all(page: str, pattern: str) -> list[str]:
    """What parts of a page say, without their markup; the first group of the pattern is the part."""
    return [squeeze(unescape(re.sub(r"<[^>]*>", "", found[1]))) for found in re.finditer(pattern, page, re.DOTALL)]


def squeeze(text: str) -> str:
    """A text on one line, without the backticks that a page shows as code."""
    return " ".join(text.replace("`", "").split())


def _make_cluster() -> list[dict[str, Any]]:
    """Three nodes; DaemonSets of which one tolerates everything, and two share a port; Jobs, a Deployment and a pod of nobody."""
    items: list[dict[str, Any]] = []
    nodes = ["n-1", "n-2", "n-3"]
    allocatable = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    for node in nodes:
        status = {"allocatable": allocatable, "capacity": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}
        labels = {"kubernetes.io/hostname": node, "kubernetes.io/os": "linux"}
        items.append({"apiVersion": "v1", "kind": "Node", "metadata": {"name": node, "labels": labels}, "spec": {}, "status": status})
    for number in range(3):
        ports = [{"containerPort": 9100, "hostPort": 9100}] if number else []
        spec: dict[str, Any] = {"containers": [{"name": "c", "image": "registry.example/x:1", "ports": ports}]}
        if number == 2:
            spec["tolerations"] = [{"operator": "Exists"}]
        items += _make_workload("DaemonSet", "ops", f"agent-{number}", spec, nodes if number < 2 else [])
    busy = {"containers": [{"name": "c", "image": "registry.example/y:1", "resources": {"requests": {"cpu": "3"}}}]}
    items += _make_workload("Job", "ml", "train", {**busy, "restartPolicy": "Never"}, nodes[:2])
    small = {"containers": [{"name": "c", "image": "registry.example/z:1", "resources": {"requests": {"cpu": "100m"}}}]}
    items += _make_workload("ReplicaSet", "shop", "web", small, nodes[2:])
    items.append(_make_pod("ops", "shell", small, "n-2"))
    items.append(
        {
            **{"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"namespace": "shop", "name": "none"}},
            "spec": {"minAvailable": 0, "selector": {"matchLabels": {"app": "none"}}},
        }
    )
    return items


def _make_workload(kind: str, namespace: str, name: str, spec: dict[str, Any], nodes: list[str]) -> list[dict[str, Any]]:
    template = {"metadata": {"labels": {"app": name}}, "spec": spec}
    rest: dict[str, Any] = {"replicas": len(nodes)} if kind == "ReplicaSet" else {}
    if kind == "Job":
        rest = {"parallelism": len(nodes), "completions": len(nodes)}
    version = "batch/v1" if kind == "Job" else "apps/v1"
    owner = {"apiVersion": version, "kind": kind, "name": name, "uid": f"{namespace}-{name}", "controller": True}
    metadata = {"namespace": namespace, "name": name, "uid": owner["uid"]}
    whole = {"selector": {"matchLabels": {"app": name}}, "template": template, **rest}
    pods = [_make_pod(namespace, f"{name}-{node}", spec, node) for node in nodes]
    for pod in pods:
        pod["metadata"].update(labels={"app": name}, ownerReferences=[owner])
    return [{"apiVersion": version, "kind": kind, "metadata": metadata, "spec": whole}, *pods]


def _make_pod(namespace: str, name: str, spec: dict[str, Any], node: str) -> dict[str, Any]:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    metadata = {"namespace": namespace, "name": name}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**spec, "nodeName": node}, "status": status}
