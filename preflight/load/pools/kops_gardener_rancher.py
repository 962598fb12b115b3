"""Pools of kOps and Gardener, and the configuration file of an RKE2 or k3s node.

Source: kOps `pkg/nodelabels/builder.go`, `docs/labels.md` (changes need a rolling update); Gardener `pkg/utils/gardener/shoot.go`
(NodeLabelsForWorkerPool), `docs/usage/shoot-operations/shoot_updates.md` (labels and taints roll no nodes), machine-controller-manager
`syncMachineNodeTemplates` (which sets them on nodes that are there); k3s `docs/cli/agent` (node-label and node-taint are added when the
node registers), and the same of RKE2.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.kinds import PlainObject, get_path
from preflight.load.pools.builder import (
    ARCH,
    CONTROL_PLANE,
    INSTANCE_TYPE,
    OS,
    PoolBuilder,
    PoolDeclaration,
    describe_node_count,
    extend_origin,
    list_entries,
)
from preflight.load.pools.taint_formats import to_text
from preflight.messages.pools import KOPS_ROLLS, RANCHER_ADDS
from preflight.model.core import Taint
from preflight.model.meta import Origin

_CRITICAL = Taint("node.gardener.cloud/critical-components-not-ready", "", "NoSchedule")


def read_instance_group(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """An InstanceGroup of kOps.

    1. The labels of the group and of its role are stated, Linux, and the machine type where it is one.
    2. A control plane that declares no taints has the usual one. A bastion has no node.
    3. Labels and taints are those with which nodes register.
    """
    name = to_text(get_path(data, ("metadata", "name")))
    cluster = to_text(get_path(data, ("metadata", "labels", "kops.k8s.io/cluster")))
    draft = PoolBuilder(data, origin, "InstanceGroup", name, cluster=cluster, renewal=KOPS_ROLLS)
    role = draft.get_text("spec", "role")
    if role == "Bastion":
        return
    draft.add_labels("spec", "nodeLabels")
    declared = draft.add_taints("spec", "taints")
    draft.set_provider_label("kops.k8s.io/instancegroup", name, identifies_pool=True)
    draft.set_provider_label(OS, "linux")
    machine = draft.get_text("spec", "machineType")
    draft.set_provider_label(INSTANCE_TYPE, "" if "," in machine or draft.get("spec", "mixedInstancesPolicy") is not None else machine)
    if role in ("Master", "ControlPlane"):
        draft.provider_labels["node-role.kubernetes.io/control-plane"] = ""
        if not declared:
            draft.add_taint(CONTROL_PLANE)
    elif role == "Node":
        draft.provider_labels["node-role.kubernetes.io/node"] = ""
    draft.count = describe_node_count(None, draft.get("spec", "minSize"), draft.get("spec", "maxSize"))
    yield draft.build()


def read_shoot(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """The workers of a Shoot of Gardener.

    1. Labels and taints reach the nodes that are there. Pool, role, architecture (amd64 where none is stated), machine type and Linux are
       stated.
    2. Each node starts with the taint of its critical components, which Gardener removes.
    """
    cluster = to_text(get_path(data, ("metadata", "name")))
    for number, worker in list_entries(data, "spec", "provider", "workers"):
        place = extend_origin(origin, "spec", "provider", "workers", number)
        draft = PoolBuilder(worker, place, "worker", to_text(worker.get("name")), cluster=cluster)
        draft.add_labels("labels", in_place=True)
        draft.add_taints("taints", in_place=True)
        draft.set_provider_label("worker.gardener.cloud/pool", draft.name, identifies_pool=True)
        draft.set_provider_label("node.kubernetes.io/role", "node")
        if get_path(worker, ("systemComponents", "allow")) is not False:
            draft.set_provider_label("worker.gardener.cloud/system-components", "true")
        draft.set_provider_label(OS, "linux")
        draft.set_provider_label(ARCH, draft.get_text("machine", "architecture") or "amd64")
        draft.set_provider_label(INSTANCE_TYPE, draft.get_text("machine", "type"))
        draft.startup_taints.append(_CRITICAL)
        draft.count = describe_node_count(None, worker.get("minimum"), worker.get("maximum"))
        yield draft.build()


def read_rancher_config(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """The configuration of one node of RKE2 or k3s: what it registers with. Known by its `node-name`, else by its file."""
    number = f"#{origin.document + 1}" if origin.document else ""
    name = to_text(data.get("node-name")) or f"{origin.file}{number}"
    draft = PoolBuilder(data, origin, "Config", name, renewal=RANCHER_ADDS)
    draft.add_labels("node-label")
    draft.add_taints("node-taint")
    yield draft.build()
