"""Clusters with a CSI driver: its DaemonSet and pods, claims and volumes, for tests of pods that cannot end."""

from __future__ import annotations

from typing import Any

from tests.builders import Object, list_daemonset_pod, make_daemonset, make_object
from tests.evictions.clusters import budget, node, owned, pod

DRIVER = "block.example.com"
REGISTRAR = "registry.example/csi-node-driver-registrar:v2"
ANY = budget("other", "nothing", maxUnavailable=1)
SHOWN_NODE = {"kubernetes.io/os": "linux"}


def csi_node(name: str = "csi-node", **spec: Any) -> Object:
    """The DaemonSet of the node pods of the driver."""
    path = f"--kubelet-registration-path=/var/lib/kubelet/plugins/{DRIVER}/csi.sock"
    containers = [{"name": "r", "image": REGISTRAR, "args": [path]}]
    return make_daemonset(name, "storage", containers=containers, **spec)


def csi_pod(on: str, daemonset: Object | None = None, ready: str = "True", **more: Any) -> Object:
    """Its pod on a node."""
    return list_daemonset_pod(daemonset or csi_node(), on, ready=ready, **more)


def tainted(name: str, *taints: str, ready: str = "True", labels: dict[str, str] | None = None) -> Object:
    """A node with taints."""
    found = node(name, labels=labels or {})
    for taint in taints:
        key, _, effect = taint.rpartition(":")
        name_of_key, _, value = key.partition("=")
        found["spec"].setdefault("taints", []).append({"key": name_of_key, "value": value, "effect": effect})
    found["status"]["conditions"] = [{"type": "Ready", "status": ready}]
    return found


def claim(name: str = "data", **spec: Any) -> Object:
    """A claim that is bound to the volume `pv`, unless `spec` says otherwise."""
    return make_object("PersistentVolumeClaim", name, "shop", spec=spec or {"volumeName": "pv"})


def volume(name: str = "pv", bound_to: str = "data", *, metadata: Object | None = None, **spec: Any) -> Object:
    """A CSI volume of the driver, unless `spec` has another source."""
    source = {} if spec.keys() & {"hostPath", "local", "nfs"} else {"csi": {"driver": DRIVER, "volumeHandle": "v"}}
    reference = {"claimRef": {"namespace": "shop", "name": bound_to}} if bound_to else {}
    return make_object("PersistentVolume", name, metadata=metadata, spec={**source, **reference, **spec})


def storage_class(name: str = "fast", provisioner: str = DRIVER, **fields: Any) -> Object:
    """A StorageClass of the driver."""
    return {**make_object("StorageClass", name, provisioner=provisioner, **fields), "apiVersion": "storage.k8s.io/v1"}


def claimed(**spec: Any) -> Object:
    """The fields of a pod that uses the claim, and tolerates everything."""
    volumes = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]
    return {"tolerations": [{"operator": "Exists"}], "volumes": volumes, **spec}


def database(on: str = "n1", **more: Any) -> tuple[Object, Object]:
    """A StatefulSet and its only pod, which uses the claim."""
    return owned("StatefulSet", "db"), pod("db-0", on, "StatefulSet/db", **{"spec": claimed(), **more})


NODES = (tainted("n1", "hold=x:NoSchedule"), node("n2"))
KEPT_OUT = (*NODES, csi_node(), csi_pod("n2"), claim(), volume(), ANY)
"""Two nodes, and a driver that a taint keeps out of the first: its pod is on the second only."""
