"""Clusters as a dump holds them, for tests of what goes by a change: everything that is not said is ordinary."""

from __future__ import annotations

import io
import shlex
from typing import Any

from preflight import load
from preflight.change.apply_command import perform_command
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.evictions.evaluate import EvictionImpact, evaluate_evictions
from preflight.kubectl.parser import parse_command
from preflight.model.evictions import Eviction
from preflight.model.world import ClusterState
from tests.builders import UNSCHEDULABLE_TAINT, Object, make_budget, make_job, make_node, make_owner, make_pod, make_workload, write_list


def node(name: str, cpu: str = "4", *, cordoned: bool = False, labels: dict[str, str] | None = None, **allocatable: str) -> Object:
    """A node that is Ready; `allocatable` further resources, with `__` for a slash and `_` for a dot."""
    more = {key.replace("__", "/").replace("_", "."): value for key, value in allocatable.items()}
    taints = [UNSCHEDULABLE_TAINT] if cordoned else []
    return make_node(name, *taints, labels=labels, cordoned=cordoned, allocatable={"cpu": cpu, "memory": "8Gi", "pods": "20", **more})


def pod(name: str, on: str, owner: str = "", *, namespace: str = "shop", ready: bool = True, cpu: str = "1", **more: Any) -> Object:
    """A pod that runs; `owner` as `Kind/name`. Its label `app` is its name up to the first hyphen. `spec` and `metadata` add to these."""
    kind, _, above = owner.partition("/")
    spec = {"terminationGracePeriodSeconds": 30, "containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]}
    return make_pod(
        name,
        namespace,
        node=on,
        owner=make_owner(kind, above) if owner else None,
        labels={"app": name.partition("-")[0]},
        ready=str(ready),
        metadata=more.get("metadata"),
        phase=more.get("phase", "Running"),
        **{**spec, **more.get("spec", {})},
    )


def owned(kind: str, name: str, replicas: int = 1, *, namespace: str = "shop") -> Object:
    """What controls pods."""
    fields = {} if kind == "DaemonSet" else {"replicas": replicas}
    return make_workload(kind, name, namespace, fields=fields, containers=[{"name": "main", "image": "x"}])


def budget(name: str, app: str, *, namespace: str = "shop", **spec: Any) -> Object:
    """A budget for the pods with a label `app`, without a status."""
    return make_budget(name, namespace, app=app, **spec)


def job(name: str, *, namespace: str = "shop", metadata: Object | None = None, **spec: Any) -> Object:
    """A Job whose pods have 30 s to end."""
    return make_job(name, namespace, metadata=metadata, **spec)


ELSEWHERE = pod("quiet-1", "", namespace="elsewhere")
"""A pod of another namespace, so that a dump is one of all namespaces."""


def world(*objects: Object) -> ClusterState:
    """The objects, and a pod of another namespace, as one list of a whole cluster."""
    text = write_list([*objects, ELSEWHERE])
    loaded = load.load_world(["-"], stdin=io.BytesIO(text.encode()), one_cluster=True, wants_whole_pods=True)
    assert loaded.problems == ()
    return loaded.world


def evicted(line: str, on: ClusterState) -> EvictionImpact:
    """What a command line does to the pods of a world."""
    found = evaluated(line, on)
    assert found is not None
    return found


def evaluated(line: str, on: ClusterState) -> EvictionImpact | None:
    """The same; None where it lets no pod go."""
    change = perform_command(parse_command(shlex.split(line)), on, lambda _: ())
    return evaluate_evictions(change, predict_impact(change, collect_listed_pods(on)))


def pods(line: str, *objects: Object) -> dict[str, Eviction]:
    """The pods that a command line speaks of, by their names."""
    evictions = evicted(line, world(*objects)).evictions
    return {eviction.pod.rpartition("/")[2]: eviction for node in evictions.nodes for eviction in node.pods}
