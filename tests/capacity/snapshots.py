"""Worlds for `preflight capacity`, as files: snapshots, which say that all pods and nodes are in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from tests.builders import UNSCHEDULABLE_TAINT, Object, make_container, make_deployment, make_node, make_pod
from tests.cli.program import Result, program
from tests.paths import ROOT

GPU = "example.com/gpu"
SCHEMA = json.loads((ROOT / "preflight/report/capacity/schema.v1.json").read_text(encoding="utf-8"))
_TAINTS = {
    "cordoned": (UNSCHEDULABLE_TAINT,),
    "dead": ("node.kubernetes.io/unreachable:NoSchedule", "node.kubernetes.io/unreachable:NoExecute"),
}


def node(name: str, *taints: str, gpus: int = 8, labels: Mapping[str, str] | None = None, state: str = "", **allocatable: str) -> Object:
    """A node with 8 GPUs, 64 CPUs and room for 110 pods; `state` is cordoned, dead (its kubelet is silent) or "" for neither."""
    return make_node(
        name,
        *taints,
        *_TAINTS.get(state, ()),
        labels={"kubernetes.io/hostname": name, **(labels or {})},
        ready="Unknown" if state == "dead" else "True",
        allocatable={"cpu": "64", "memory": "512Gi", "pods": "110", **({GPU: str(gpus)} if gpus else {}), **allocatable},
        cordoned=state == "cordoned",
    )


def pod(name: str, on: str = "", gpus: int = 0, phase: str = "Running", namespace: str = "team", **more: Any) -> Object:
    """A pod, bound where a node is named; `labels` and what else metadata has, and the rest of its spec."""
    metadata: Object = {key: more.pop(key) for key in ("labels", "deletionTimestamp", "ownerReferences") if key in more}
    return make_pod(name, namespace, node=on, phase=phase, metadata=metadata, **spec(gpus, **more))


def spec(gpus: int, **more: Any) -> Object:
    """The spec of a pod with one container that asks for GPUs."""
    return {"containers": [make_container("c", "c", resources={"requests": {GPU: str(gpus)}} if gpus else {})], **more}


def deployment(name: str, namespace: str = "team", **more: Any) -> Object:
    """A Deployment whose pods ask for one GPU, unless `spec` says otherwise."""
    return make_deployment(name, namespace, **spec(1, **more))


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
