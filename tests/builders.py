"""Builders of API objects for tests: plain data as kubectl prints it, the text of manifests, and what the program reads of them.

What an argument does not state is ordinary. A test binds its own defaults in a wrapper of a line or two.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import yaml

from preflight.model.apps import DaemonSet
from preflight.model.convert import convert
from preflight.model.core import CoveragePod, Node
from preflight.model.meta import Origin
from preflight.model.world import ClusterState

Object = dict[str, Any]
T = TypeVar("T")

IMAGE = "registry.example/c:1"
UNSCHEDULABLE_TAINT = "node.kubernetes.io/unschedulable:NoSchedule"

_API_VERSIONS = {
    **dict.fromkeys(("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"), "apps/v1"),
    **dict.fromkeys(("Job", "CronJob"), "batch/v1"),
    "JobSet": "jobset.x-k8s.io/v1alpha2",
    "PodDisruptionBudget": "policy/v1",
    "RuntimeClass": "node.k8s.io/v1",
}


def make_object(kind: str, name: str, namespace: str | None = None, *, metadata: Mapping[str, Any] | None = None, **fields: Any) -> Object:
    """An object of the API: `metadata` adds to its name and namespace, `fields` are `spec`, `status` and others."""
    head: Object = {"name": name}
    if namespace:
        head["namespace"] = namespace
    return {"apiVersion": _API_VERSIONS.get(kind, "v1"), "kind": kind, "metadata": {**head, **(metadata or {})}, **fields}


def make_list(*items: Any, kind: str = "List") -> Object:
    """Objects as kubectl lists them."""
    return {"apiVersion": "v1", "kind": kind, "items": list(items)}


def write_list(items: Iterable[Any]) -> str:
    """The JSON that `kubectl get -o json` prints of objects."""
    return json.dumps(make_list(*items))


def make_container(name: str = "c", image: str = IMAGE, **more: Any) -> Object:
    """A container of a pod."""
    return {"name": name, "image": image, **more}


def make_taint(text: str) -> dict[str, str]:
    """A taint from its text for kubectl: `key=value:Effect` or `key:Effect`."""
    key_value, _, effect = text.rpartition(":")
    key, _, value = key_value.partition("=")
    return {"key": key, "value": value, "effect": effect}


def make_node(
    name: str,
    *taints: str | Mapping[str, str],
    labels: Mapping[str, str] | None = None,
    ready: str = "True",
    allocatable: Mapping[str, str] | None = None,
    cordoned: bool = False,
    metadata: Mapping[str, Any] | None = None,
    **status: Any,
) -> Object:
    """A node.

    1. A taint is its text for kubectl, or an object of the API.
    2. `ready` is the status of its condition Ready; "" means that it has no conditions.
    3. `cordoned` sets the field only; the taint is UNSCHEDULABLE_TAINT.
    """
    spec: Object = {"taints": [make_taint(taint) if isinstance(taint, str) else dict(taint) for taint in taints]}
    if cordoned:
        spec["unschedulable"] = True
    found = make_object("Node", name, metadata={"labels": dict(labels or {}), **(metadata or {})}, spec=spec)
    if ready:
        status = {"conditions": [{"type": "Ready", "status": ready}], **status}
    if allocatable is not None:
        status = {"allocatable": dict(allocatable), **status}
    return {**found, "status": status} if status else found


def make_owner(kind: str, name: str, uid: str = "") -> Object:
    """The reference to the owner that controls an object."""
    owner: Object = {"apiVersion": _API_VERSIONS.get(kind, "v1"), "kind": kind, "name": name}
    if uid:
        owner["uid"] = uid
    return {**owner, "controller": True}


def make_pod(
    name: str,
    namespace: str = "default",
    *,
    node: str = "",
    owner: Mapping[str, Any] | None = None,
    labels: Mapping[str, str] | None = None,
    phase: str = "Running",
    ready: str = "",
    metadata: Mapping[str, Any] | None = None,
    status: Mapping[str, Any] | None = None,
    **spec: Any,
) -> Object:
    """A pod.

    1. `node` "" means that it is not bound, `owner` is made by `make_owner`, and `spec` has further fields of its spec.
    2. `phase` "" means that it has no status but `status`; `ready` is the status of its condition Ready, "" for none.
    """
    head: Object = {}
    if labels is not None:
        head["labels"] = dict(labels)
    if owner:
        head["ownerReferences"] = [dict(owner)]
    found = make_object("Pod", name, namespace, metadata={**head, **(metadata or {})})
    found["spec"] = {"containers": [make_container()], **({"nodeName": node} if node else {}), **spec}
    state: Object = {"phase": phase} if phase else {}
    if ready:
        state["conditions"] = [{"type": "Ready", "status": ready}]
    if state or status:
        found["status"] = {**state, **(status or {})}
    return found


def make_workload(
    kind: str,
    name: str,
    namespace: str | None = "default",
    *,
    labels: Mapping[str, str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    template_metadata: Mapping[str, Any] | None = None,
    fields: Mapping[str, Any] | None = None,
    **pod_spec: Any,
) -> Object:
    """A workload that selects the pods with the labels of its template.

    1. `labels` are those of the template, `app` with its name if none are given.
    2. `metadata` and `fields` are further fields of its metadata and of its spec.
    3. `pod_spec` has further fields of the template's spec.
    """
    selected = dict(labels or {"app": name})
    template = {"metadata": {"labels": selected, **(template_metadata or {})}, "spec": {"containers": [make_container()], **pod_spec}}
    spec = {"selector": {"matchLabels": selected}, **(fields or {}), "template": template}
    return make_object(kind, name, namespace, metadata=metadata, spec=spec)


def make_daemonset(name: str, namespace: str | None = "default", *tolerations: Mapping[str, Any], **more: Any) -> Object:
    """A DaemonSet with these tolerations; `more` is as in `make_workload`."""
    if tolerations:
        more["tolerations"] = [dict(toleration) for toleration in tolerations]
    return make_workload("DaemonSet", name, namespace, **more)


def make_deployment(name: str, namespace: str | None = "default", replicas: int | None = None, **more: Any) -> Object:
    """A Deployment; `more` is as in `make_workload`."""
    fields = {**({} if replicas is None else {"replicas": replicas}), **more.pop("fields", {})}
    return make_workload("Deployment", name, namespace, fields=fields, **more)


def make_job(name: str, namespace: str | None = "default", *, metadata: Mapping[str, Any] | None = None, **spec: Any) -> Object:
    """A Job; `spec` may replace its template, whose pods never restart."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}
    return make_object("Job", name, namespace, metadata=metadata, spec={"template": template, **spec})


def make_budget(name: str, namespace: str | None = "default", *, app: str = "", **spec: Any) -> Object:
    """A PodDisruptionBudget without a status; `app` selects the pods with this label `app`."""
    selector = {"selector": {"matchLabels": {"app": app}}} if app else {}
    return make_object("PodDisruptionBudget", name, namespace, spec={**selector, **spec})


def list_daemonset_pod(daemonset: Mapping[str, Any], node: str, **more: Any) -> Object:
    """The pod of a DaemonSet on a node, with the labels and tolerations of the template; `more` is as in `make_pod`."""
    metadata, template = daemonset["metadata"], daemonset["spec"]["template"]
    name = metadata["name"]
    more = {"labels": template["metadata"]["labels"], "tolerations": template["spec"].get("tolerations", []), **more}
    owner = make_owner("DaemonSet", name, metadata.get("uid", ""))
    return make_pod(f"{name}-{node or 'unbound'}", metadata.get("namespace", "default"), node=node, owner=owner, **more)


def write_manifest(*objects: Mapping[str, Any]) -> str:
    """The YAML of objects, its fields in the order of the data."""
    text: str = yaml.safe_dump_all(objects, sort_keys=False)
    return text


def write_daemonset(name: str, namespace: str = "", image: str = "", *lines: str) -> str:
    """The manifest of a DaemonSet as people write it; `lines` are further lines of the pod's spec."""
    metadata = f"{{name: {name}, namespace: {namespace}}}" if namespace else f"{{name: {name}}}"
    spec = "".join(f"      {line}\n" for line in lines)
    return f"""\
apiVersion: apps/v1
kind: DaemonSet
metadata: {metadata}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      containers: [{{name: {name}, image: "{image or f"{name}:1"}"}}]
{spec}"""


def read_object(data: object, kind: type[T], file: str = "<test>") -> T:
    """An object as the program reads it; nothing of it may be refused."""
    found, refusals = convert(data, kind, Origin(file))
    assert found is not None
    assert refusals == ()
    return found


def read_leniently(data: object, kind: type[T], file: str = "<test>") -> T:
    """An object as the program reads it, whatever is refused of it."""
    found, refusals = convert(data, kind, Origin(file))
    assert found is not None, refusals
    return found


def make_cluster_state(
    *objects: Node | DaemonSet | CoveragePod, listed: Sequence[str] = (), comparison_operators: bool | None = None
) -> ClusterState:
    """A cluster state of these objects, in their order; `listed` are the namespaces whose pods are known."""
    daemonsets = [item for item in objects if isinstance(item, DaemonSet)]
    return ClusterState(
        nodes={item.name: item for item in objects if isinstance(item, Node)},
        daemonsets={item.key: item for item in daemonsets},
        workloads=tuple(daemonsets),
        pods=tuple(item for item in objects if isinstance(item, CoveragePod)),
        listed_namespaces=frozenset(listed),
        comparison_operators=comparison_operators,
    )
