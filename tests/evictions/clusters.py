"""Clusters as a dump holds them, for tests of what goes by a change: everything that is not said is ordinary."""

from __future__ import annotations

import io
import json
import shlex
from typing import Any

from preflight import load
from preflight.change.apply_command import perform_command
from preflight.evictions.evaluate import EvictionImpact, evaluate_evictions
from preflight.kubectl.parser import parse_command
from preflight.model.evictions import Eviction
from preflight.model.world import ClusterState

Data = dict[str, Any]


def node(name: str, cpu: str = "4", *, cordoned: bool = False, labels: dict[str, str] | None = None, **allocatable: str) -> Data:
    """A node that is Ready; `allocatable` further resources, with `__` for a slash and `_` for a dot."""
    more = {key.replace("__", "/").replace("_", "."): value for key, value in allocatable.items()}
    taints = [{"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}] if cordoned else []
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels or {}},
        "spec": {"unschedulable": cordoned, "taints": taints},
        "status": {
            "allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "20", **more},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }


def pod(name: str, on: str, owner: str = "", *, namespace: str = "shop", ready: bool = True, cpu: str = "1", **more: Any) -> Data:
    """A pod that runs; `owner` as `Kind/name`. Its label `app` is its name up to the first hyphen. `spec` and `metadata` add to these."""
    kind, _, above = owner.partition("/")
    api = {"Job": "batch/v1"}.get(kind, "apps/v1")
    references = [{"apiVersion": api, "kind": kind, "name": above, "controller": True}] if owner else []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": namespace,
            "labels": {"app": name.partition("-")[0]},
            "ownerReferences": references,
            **more.get("metadata", {}),
        },
        "spec": {
            "nodeName": on,
            "terminationGracePeriodSeconds": 30,
            "containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}],
            **more.get("spec", {}),
        },
        "status": {"phase": "Running", "conditions": [{"type": "Ready", "status": "True" if ready else "False"}]},
    }


def owned(kind: str, name: str, replicas: int = 1, *, namespace: str = "shop") -> Data:
    """What controls pods."""
    template = {"metadata": {"labels": {"app": name}}, "spec": {"containers": [{"name": "main", "image": "x"}]}}
    spec: Data = {"selector": {"matchLabels": {"app": name}}, "template": template}
    if kind != "DaemonSet":
        spec["replicas"] = replicas
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def budget(name: str, app: str, *, namespace: str = "shop", **spec: Any) -> Data:
    """A budget for the pods with a label `app`, without a status."""
    spec = {"selector": {"matchLabels": {"app": app}}, **spec}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": name, "namespace": namespace}, "spec": spec}


def job(name: str, *, namespace: str = "shop", metadata: Data | None = None, **spec: Any) -> Data:
    """A Job whose pods have 30 s to end."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace, **(metadata or {})},
        "spec": {"template": template, **spec},
    }


ELSEWHERE = pod("quiet-1", "", namespace="elsewhere")
"""A pod of another namespace, so that a dump is one of all namespaces."""


def world(*objects: Data) -> ClusterState:
    """The objects, and a pod of another namespace, as one list of a whole cluster."""
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": [*objects, ELSEWHERE]})
    loaded = load.load_world(["-"], stdin=io.BytesIO(text.encode()), one_cluster=True, wants_whole_pods=True)
    assert loaded.problems == ()
    return loaded.world


def evicted(line: str, on: ClusterState) -> EvictionImpact:
    """What a command line does to the pods of a world."""
    found = evaluate_evictions(perform_command(parse_command(shlex.split(line)), on, lambda _: ()))
    assert found is not None
    return found


def pods(line: str, *objects: Data) -> dict[str, Eviction]:
    """The pods that a command line speaks of, by their names."""
    evictions = evicted(line, world(*objects)).evictions
    return {eviction.pod.rpartition("/")[2]: eviction for node in evictions.nodes for eviction in node.pods}
