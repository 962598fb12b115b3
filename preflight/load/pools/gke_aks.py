"""Node pools of GKE (Config Connector) and of AKS (Azure Service Operator).

Source: GKE how-to `update-existing-nodepools` (labels and taints are updated without a new pool), Config Connector's ContainerNodePool
reference; AKS how-to `use-labels` and `use-node-taints` (node taints are changed by the API alone, initialization taints are not
reconciled), `spot-node-pool` (its label and taint); MicrosoftDocs/azure-docs#52226 (Windows nodes of AKS are not tainted by default),
Azure/AKS#1833 (CriticalAddonsOnly is set by hand).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from preflight.load.kinds import PlainObject, get_path
from preflight.load.pools.builder import (
    ARCH,
    INSTANCE_TYPE,
    OS,
    REGION,
    ZONE,
    PoolBuilder,
    PoolDeclaration,
    describe_node_count,
    extend_origin,
    list_entries,
)
from preflight.load.pools.gke_taints import is_arm, iter_automatic_taints
from preflight.load.pools.taint_formats import CLOUD_EFFECTS, TaintFormat, to_text
from preflight.messages.pools import format_nodes_per_zone
from preflight.model.core import Taint
from preflight.model.meta import Origin

_GKE = TaintFormat(effects=CLOUD_EFFECTS, fields=("key", "value", "effect"))
_SPOT = Taint("kubernetes.azure.com/scalesetpriority", "spot", "NoSchedule")
_ZONE = re.compile(r"([^-]++-.+)-[a-z]", re.ASCII)


def read_container_node_pool(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A ContainerNodePool of Config Connector.

    1. `nodeConfig.labels` and `nodeConfig.taint` reach the nodes that are there. `metadata.labels` are labels of the cloud.
    2. Pool, machine type, Spot, accelerator and a single zone are stated; Linux, unless the image is Windows; Arm by the machine type.
    3. So are the taints that GKE adds by itself: see `gke_taints`.
    """
    name = to_text(get_path(data, ("spec", "resourceID"))) or to_text(get_path(data, ("metadata", "name")))
    draft = PoolBuilder(data, origin, "ContainerNodePool", name, cluster=to_text(get_path(data, ("spec", "clusterRef", "name"))))
    config = ("spec", "nodeConfig")
    draft.add_labels(*config, "labels", in_place=True)
    draft.add_taints(*config, "taint", form=_GKE, in_place=True)
    draft.refuse_unknown_field(*config, "taints", instead="taint")
    draft.set_provider_label("cloud.google.com/gke-nodepool", name, identifies_pool=True)
    draft.set_provider_label(INSTANCE_TYPE, draft.get_text(*config, "machineType"))
    draft.set_provider_label(OS, "windows" if draft.get_text(*config, "imageType").upper().startswith("WINDOWS") else "linux")
    draft.set_provider_label(ARCH, "arm64" if is_arm(draft.get_text(*config, "machineType")) else "")
    for taint in iter_automatic_taints(draft, *config):
        draft.add_taint(taint)
    if draft.get(*config, "spot") is True:
        draft.set_provider_label("cloud.google.com/gke-spot", "true")
    accelerators = {to_text(entry.get("type")) for _, entry in list_entries(data, *config, "guestAccelerator")}
    if len(accelerators) == 1:
        draft.set_provider_label("cloud.google.com/gke-accelerator", accelerators.pop())
    location = draft.get_text("spec", "location")
    zone = _ZONE.fullmatch(location)
    draft.set_provider_label(REGION, zone[1] if zone else location)
    draft.set_provider_label(ZONE, location if zone and not draft.get("spec", "nodeLocations") else "")
    scaling = draft.get("spec", "autoscaling")
    low, high = (get_path(scaling, ("minNodeCount",)), get_path(scaling, ("maxNodeCount",))) if isinstance(scaling, dict) else (None, None)
    stated = draft.get("spec", "nodeCount")
    count = describe_node_count(draft.get("spec", "initialNodeCount") if stated is None else stated, low, high)
    draft.count = format_nodes_per_zone(count) if count else ""
    yield draft.build()


def read_agent_pool(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A ManagedClustersAgentPool: see `_build_agent_pool`."""
    name = to_text(get_path(data, ("spec", "azureName"))) or to_text(get_path(data, ("metadata", "name")))
    yield _build_agent_pool(
        PoolBuilder(data, origin, "ManagedClustersAgentPool", name, cluster=to_text(get_path(data, ("spec", "owner", "name")))), "spec"
    )


def read_managed_cluster(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """The `agentPoolProfiles` of a ManagedCluster: see `_build_agent_pool`."""
    cluster = to_text(get_path(data, ("metadata", "name")))
    for number, profile in list_entries(data, "spec", "agentPoolProfiles"):
        place = extend_origin(origin, "spec", "agentPoolProfiles", number)
        yield _build_agent_pool(PoolBuilder(profile, place, "agentPoolProfile", to_text(profile.get("name")), cluster=cluster))


def _build_agent_pool(draft: PoolBuilder, *path: str) -> PoolDeclaration:
    """A pool of AKS.

    1. `nodeLabels` and `nodeTaints` reach the nodes that are there; `nodeInitializationTaints` are set once and meant to be removed.
    2. Pool, mode, operating system (Linux where none is stated) and machine type are stated; a Spot pool has its label and its taint. AKS
       adds no other taint: those of system, GPU and Windows pools are declared in `nodeTaints`, or are not there.
    """
    draft.add_labels(*path, "nodeLabels", in_place=True)
    draft.add_taints(*path, "nodeTaints", in_place=True)
    draft.add_taints(*path, "nodeInitializationTaints", is_startup=True)
    draft.set_provider_label("kubernetes.azure.com/agentpool", draft.name, identifies_pool=True)
    draft.set_provider_label("agentpool", draft.name)
    draft.set_provider_label("kubernetes.azure.com/mode", draft.get_text(*path, "mode").lower())
    draft.set_provider_label(OS, "windows" if draft.get_text(*path, "osType") == "Windows" else "linux")
    draft.set_provider_label(INSTANCE_TYPE, draft.get_text(*path, "vmSize"))
    if draft.get_text(*path, "scaleSetPriority") == "Spot":
        draft.set_provider_label(_SPOT.key, _SPOT.value)
        draft.add_taint(_SPOT, in_place=True)
    scales = draft.get(*path, "enableAutoScaling") is True
    low, high = (draft.get(*path, "minCount"), draft.get(*path, "maxCount")) if scales else (None, None)
    draft.count = describe_node_count(draft.get(*path, "count"), low, high)
    return draft.build()
