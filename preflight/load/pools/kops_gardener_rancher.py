"""Pools of kOps and Gardener, and the configuration file of an RKE2 or k3s node.

Source: kOps `pkg/nodelabels/builder.go`, `docs/labels.md` (changes need a rolling update); Gardener `pkg/utils/gardener/shoot.go`
(NodeLabelsForWorkerPool), `docs/usage/shoot-operations/shoot_updates.md` (labels and taints roll no nodes), machine-controller-manager
`syncMachineNodeTemplates` (which sets them on nodes that are there); k3s `docs/cli/agent` (node-label and node-taint are added when the
node registers), and the same of RKE2.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.kinds import Data, at
from preflight.load.pools.builder import ARCH, CONTROL_PLANE, INSTANCE_TYPE, OS, Declared, Draft, counted, entries, inside
from preflight.load.pools.taint_formats import text_of
from preflight.model.objects import Origin, Taint

_CRITICAL = Taint("node.gardener.cloud/critical-components-not-ready", "", "NoSchedule")
_ROLLING = ": they need `kops rolling-update cluster`"


def instance_group(data: Data, origin: Origin) -> Iterator[Declared]:
    """An InstanceGroup of kOps.

    1. The labels of the group and of its role are stated, Linux, and the machine type where it is one.
    2. A control plane that declares no taints has the usual one. A bastion has no node.
    3. Labels and taints are those with which nodes register.
    """
    name = text_of(at(data, ("metadata", "name")))
    cluster = text_of(at(data, ("metadata", "labels", "kops.k8s.io/cluster")))
    draft = Draft(data, origin, "InstanceGroup", name, cluster=cluster, renewal=_ROLLING)
    role = draft.text("spec", "role")
    if role == "Bastion":
        return
    draft.labels("spec", "nodeLabels")
    declared = draft.taints("spec", "taints")
    draft.state("kops.k8s.io/instancegroup", name, member=True)
    draft.state(OS, "linux")
    machine = draft.text("spec", "machineType")
    draft.state(INSTANCE_TYPE, "" if "," in machine or draft.get("spec", "mixedInstancesPolicy") is not None else machine)
    if role in ("Master", "ControlPlane"):
        draft.sure["node-role.kubernetes.io/control-plane"] = ""
        if not declared:
            draft.add_taint(CONTROL_PLANE)
    elif role == "Node":
        draft.sure["node-role.kubernetes.io/node"] = ""
    draft.count = counted(None, draft.get("spec", "minSize"), draft.get("spec", "maxSize"))
    yield draft.done()


def shoot(data: Data, origin: Origin) -> Iterator[Declared]:
    """The workers of a Shoot of Gardener.

    1. Labels and taints reach the nodes that are there. Pool, role, architecture (amd64 where none is stated), machine type and Linux are
       stated.
    2. Each node starts with the taint of its critical components, which Gardener removes.
    """
    cluster = text_of(at(data, ("metadata", "name")))
    for number, worker in entries(data, "spec", "provider", "workers"):
        place = inside(origin, "spec", "provider", "workers", number)
        draft = Draft(worker, place, "worker", text_of(worker.get("name")), cluster=cluster)
        draft.labels("labels", kept=True)
        draft.taints("taints", kept=True)
        draft.state("worker.gardener.cloud/pool", draft.name, member=True)
        draft.state("node.kubernetes.io/role", "node")
        if at(worker, ("systemComponents", "allow")) is not False:
            draft.state("worker.gardener.cloud/system-components", "true")
        draft.state(OS, "linux")
        draft.state(ARCH, draft.text("machine", "architecture") or "amd64")
        draft.state(INSTANCE_TYPE, draft.text("machine", "type"))
        draft.startup.append(_CRITICAL)
        draft.count = counted(None, worker.get("minimum"), worker.get("maximum"))
        yield draft.done()


def rancher(data: Data, origin: Origin) -> Iterator[Declared]:
    """The configuration of one node of RKE2 or k3s: what it registers with. Known by its `node-name`, else by its file."""
    number = f"#{origin.document + 1}" if origin.document else ""
    name = text_of(data.get("node-name")) or f"{origin.file}{number}"
    draft = Draft(data, origin, "Config", name, renewal=": they are added when a node registers")
    draft.labels("node-label")
    draft.taints("node-taint")
    yield draft.done()
