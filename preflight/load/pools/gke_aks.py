"""Node pools of GKE (Config Connector) and of AKS (Azure Service Operator).

Source: GKE how-to `update-existing-nodepools` (labels and taints are updated without a new pool), Config Connector's ContainerNodePool
reference; AKS how-to `use-labels` and `use-node-taints` (node taints are changed by the API alone, initialization taints are not
reconciled), `spot-node-pool` (its label and taint).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from preflight.load.kinds import Data, at
from preflight.load.pools.builder import INSTANCE_TYPE, OS, REGION, ZONE, Declared, Draft, counted, entries, inside
from preflight.load.pools.taint_formats import CLOUD, Form, text_of
from preflight.model.objects import Origin, Taint

_GKE = Form(effects=CLOUD, fields=("key", "value", "effect"))
_SPOT = Taint("kubernetes.azure.com/scalesetpriority", "spot", "NoSchedule")
_ZONE = re.compile(r"(.+-.+)-[a-z]", re.ASCII)


def container_node_pool(data: Data, origin: Origin) -> Iterator[Declared]:
    """A ContainerNodePool of Config Connector.

    1. `nodeConfig.labels` and `nodeConfig.taint` reach the nodes that are there. `metadata.labels` are labels of the cloud.
    2. Pool, machine type, Spot, accelerator and a single zone are stated; Linux, unless the image is Windows. Taints that GKE adds by
       itself (GPU, Arm, Windows) are not known.
    """
    name = text_of(at(data, ("spec", "resourceID"))) or text_of(at(data, ("metadata", "name")))
    draft = Draft(data, origin, "ContainerNodePool", name, cluster=text_of(at(data, ("spec", "clusterRef", "name"))))
    config = ("spec", "nodeConfig")
    draft.labels(*config, "labels", kept=True)
    draft.taints(*config, "taint", form=_GKE, kept=True)
    draft.unknown_field(*config, "taints", instead="taint")
    draft.state("cloud.google.com/gke-nodepool", name, member=True)
    draft.state(INSTANCE_TYPE, draft.text(*config, "machineType"))
    draft.state(OS, "windows" if draft.text(*config, "imageType").upper().startswith("WINDOWS") else "linux")
    if draft.get(*config, "spot") is True:
        draft.state("cloud.google.com/gke-spot", "true")
    accelerators = {text_of(each.get("type")) for _, each in entries(data, *config, "guestAccelerator")}
    if len(accelerators) == 1:
        draft.state("cloud.google.com/gke-accelerator", accelerators.pop())
    location = draft.text("spec", "location")
    zone = _ZONE.fullmatch(location)
    draft.state(REGION, zone[1] if zone else location)
    draft.state(ZONE, location if zone and not draft.get("spec", "nodeLocations") else "")
    scaling = draft.get("spec", "autoscaling")
    low, high = (at(scaling, ("minNodeCount",)), at(scaling, ("maxNodeCount",))) if isinstance(scaling, dict) else (None, None)
    stated = draft.get("spec", "nodeCount")
    count = counted(draft.get("spec", "initialNodeCount") if stated is None else stated, low, high)
    draft.count = f"{count} a zone" if count else ""
    yield draft.done()


def agent_pool(data: Data, origin: Origin) -> Iterator[Declared]:
    """A ManagedClustersAgentPool: see `_agent_pool`."""
    name = text_of(at(data, ("spec", "azureName"))) or text_of(at(data, ("metadata", "name")))
    yield _agent_pool(Draft(data, origin, "ManagedClustersAgentPool", name, cluster=text_of(at(data, ("spec", "owner", "name")))), "spec")


def managed_cluster(data: Data, origin: Origin) -> Iterator[Declared]:
    """The `agentPoolProfiles` of a ManagedCluster: see `_agent_pool`."""
    cluster = text_of(at(data, ("metadata", "name")))
    for number, profile in entries(data, "spec", "agentPoolProfiles"):
        place = inside(origin, "spec", "agentPoolProfiles", number)
        yield _agent_pool(Draft(profile, place, "agentPoolProfile", text_of(profile.get("name")), cluster=cluster))


def _agent_pool(draft: Draft, *path: str) -> Declared:
    """A pool of AKS.

    1. `nodeLabels` and `nodeTaints` reach the nodes that are there; `nodeInitializationTaints` are set once and meant to be removed.
    2. Pool, mode, operating system (Linux where none is stated) and machine type are stated; a Spot pool has its label and its taint.
    """
    draft.labels(*path, "nodeLabels", kept=True)
    draft.taints(*path, "nodeTaints", kept=True)
    draft.taints(*path, "nodeInitializationTaints", startup=True)
    draft.state("kubernetes.azure.com/agentpool", draft.name, member=True)
    draft.state("agentpool", draft.name)
    draft.state("kubernetes.azure.com/mode", draft.text(*path, "mode").lower())
    draft.state(OS, "windows" if draft.text(*path, "osType") == "Windows" else "linux")
    draft.state(INSTANCE_TYPE, draft.text(*path, "vmSize"))
    if draft.text(*path, "scaleSetPriority") == "Spot":
        draft.state(_SPOT.key, _SPOT.value)
        draft.add_taint(_SPOT, kept=True)
    scales = draft.get(*path, "enableAutoScaling") is True
    low, high = (draft.get(*path, "minCount"), draft.get(*path, "maxCount")) if scales else (None, None)
    draft.count = counted(draft.get(*path, "count"), low, high)
    return draft.done()
