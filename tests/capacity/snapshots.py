"""Worlds for `preflight capacity`, as files: snapshots, which say that all pods and nodes are in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from tests.cli.program import Result, program
from tests.paths import ROOT

Object = dict[str, Any]

GPU = "example.com/gpu"
SCHEMA = json.loads((ROOT / "preflight/report/capacity/schema.v1.json").read_text(encoding="utf-8"))
_TAINTS = {
    "cordoned": ("node.kubernetes.io/unschedulable:NoSchedule",),
    "dead": ("node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"),
}


def node(name: str, *taints: str, gpus: int = 8, labels: Mapping[str, str] | None = None, state: str = "", **allocatable: str) -> Object:
    """A node with 8 GPUs, 64 CPUs and room for 110 pods; `state` is cordoned, dead (its kubelet is silent) or "" for neither."""
    every = [*taints, *_TAINTS.get(state, ())]
    ready = "Unknown" if state == "dead" else "True"
    room = {"cpu": "64", "memory": "512Gi", "pods": "110", **({GPU: str(gpus)} if gpus else {}), **allocatable}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, **(labels or {})}},
        "spec": {"taints": [_taint(each) for each in every], "unschedulable": state == "cordoned"},
        "status": {"conditions": [{"type": "Ready", "status": ready}], "allocatable": room},
    }


def _taint(text: str) -> Object:
    left, _, effect = text.rpartition(":")
    key, _, value = left.partition("=")
    return {"key": key, "value": value, "effect": effect}


def pod(name: str, on: str = "", gpus: int = 0, phase: str = "Running", namespace: str = "team", **more: Any) -> Object:
    """A pod, bound where a node is named; `labels` and what else metadata has, and the rest of its spec."""
    metadata = {key: more.pop(key) for key in ("labels", "deletionTimestamp", "ownerReferences") if key in more}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": namespace, **metadata},
        "spec": {**spec(gpus), **({"nodeName": on} if on else {}), **more},
        "status": {"phase": phase},
    }


def spec(gpus: int, **more: Any) -> Object:
    """The spec of a pod with one container that asks for GPUs."""
    return {"containers": [{"name": "c", "image": "c", "resources": {"requests": {GPU: str(gpus)}} if gpus else {}}], **more}


def deployment(name: str, namespace: str = "team", **more: Any) -> Object:
    """A Deployment whose pods ask for one GPU, unless `spec` says otherwise."""
    template = {"metadata": {"labels": {"app": name}}, "spec": spec(1, **more)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"selector": {"matchLabels": {"app": name}}, "template": template},
    }


def listing(items: Iterable[Object]) -> str:
    """Objects as kubectl lists them."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(items)})


def snapshot(items: Iterable[Object], **survey: Any) -> str:
    """Objects as a snapshot has them: with every pod and every node, unless the survey says otherwise."""
    head = {"listed": None, "nodes": True, "complete": ["ResourceQuota"], **survey}
    return json.dumps({"apiVersion": "preflight/v1", "kind": "Snapshot", "metadata": head, "items": list(items)})


def asked(*argv: str, stdin: bytes = b"") -> tuple[Result, Any]:
    """A run, and its report as JSON, which is as the schema says."""
    result = program("capacity", *argv, "-o", "json", stdin=stdin)
    report = json.loads(result.out) if result.out else None
    if report:
        assert [error.message for error in Draft202012Validator(SCHEMA).iter_errors(report)] == []
        assert report["exit"] == result.code
    return result, report


def room(*argv: str) -> Any:
    """The room that the one cluster of a run has."""
    _, report = asked(*argv)
    (cluster,) = report["clusters"]
    return cluster["room"]
