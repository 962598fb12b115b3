"""Nodes and pods for the tests of fit, in few words."""

from __future__ import annotations

from typing import Any

from preflight.model.core import Node
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.scheduling.fit import FitResult, fit_pod
from preflight.scheduling.node_fit import NodeFit
from preflight.scheduling.occupancy import build_occupancy
from tests.builders import make_node, make_pod, read_object


def node(
    name: str = "n", taints: tuple[str, ...] = (), labels: dict[str, str] | None = None, cordoned: bool = False, **allocatable: Any
) -> Node:
    """A node with room for 2 CPUs, 4 pods and no GPU, unless told otherwise; a taint is `key:Effect` or `key=value:Effect`."""
    room = {"cpu": "2", "memory": "4Gi", "pods": "4"} | {_name(key): amount for key, amount in allocatable.items()}
    labels = {"kubernetes.io/hostname": name, **(labels or {})}
    return read_object(make_node(name, *taints, labels=labels, ready="", allocatable=room, cordoned=cordoned), Node)


def pod(**spec: Any) -> SchedulerPodSpec:
    """A new pod: `cpu`, `memory` and `gpu` are what it asks for, `port` is a port of the node, all else is a field of its spec."""
    return read_object(_spec(spec), SchedulerPodSpec)


def there(on: str, name: str = "there", phase: str = "Running", kind: type[Any] = SchedulerPod, status: Any = (), **spec: Any) -> Any:
    """A pod that is on a node, made as `pod` makes a new one."""
    return read_object(make_pod(name, node=on, phase=phase, status=dict(status), **_spec(spec)), kind)


def _spec(fields: dict[str, Any]) -> dict[str, Any]:
    requests = {_name(key): fields.pop(key) for key in ("cpu", "memory", "gpu") if key in fields}
    port = fields.pop("port", 0)
    container = {"name": "c", "resources": {"requests": requests}, "ports": [{"containerPort": 80, "hostPort": port}] if port else []}
    return {"containers": [container], **fields}


def asked(spec: Any, *nodes: Node, pods: Any = (), **options: Any) -> FitResult:
    """Where a pod fits, with everything known unless told otherwise."""
    known: dict[str, Any] = {"labels": {}, "namespace": "default", "comparison_operators": False}
    return fit_pod(spec, build_occupancy(nodes, pods), **(known | options))


def on(spec: Any, one: Node, *pods: Any, **options: Any) -> NodeFit:
    """Whether one node takes a pod."""
    (found,) = asked(spec, one, pods=pods, **options).nodes
    return found


def texts(reasons: Any) -> list[str] | None:
    """What reasons say; None where they are not known."""
    return None if reasons is None else [reason.text for reason in reasons]


def _name(key: str) -> str:
    return "example.com/gpu" if key == "gpu" else key.replace("_", "-")
