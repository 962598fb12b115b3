"""Node groups of EKS: eksctl, the controllers of AWS (ACK), and Crossplane's provider.

Source: eksctl `pkg/apis/eksctl.io/v1alpha5/types.go` and its examples; EKS API UpdateNodegroupConfig ("labels/taints to apply to the
nodes in the node group after the update"), user guide `associate-workload` (eks.amazonaws.com/compute-type), API_Nodegroup (amiType);
cilium/cilium#17103 (a new taint of a managed node group reaches its nodes at once).
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.kinds import Data, at
from preflight.load.pools.builder import ARCH, INSTANCE_TYPE, OS, REGION, ZONE, Declared, Draft, counted, entries, inside
from preflight.load.pools.taint_formats import CLOUD, Form, text_of
from preflight.model.objects import Origin

_COMPUTE_TYPE = "eks.amazonaws.com/compute-type"
_CLOUD = Form(effects=CLOUD, fields=("key", "value", "effect"))
_GROUPS = {"nodeGroups": Form(fields=("key", "value", "effect"), by_key=True), "managedNodeGroups": Form(fields=("key", "value", "effect"))}
_EKSCTL = ": eksctl changes no node group that is there, make a new one"


def cluster_config(data: Data, origin: Origin) -> Iterator[Declared]:
    """The `nodeGroups` and `managedNodeGroups` of a ClusterConfig of eksctl.

    1. eksctl's own labels and, for a managed group, `eks.amazonaws.com/nodegroup` are stated; instance type, region and a single zone
       where the file states them; Linux, unless the AMI family is Windows.
    2. The taints of `nodeGroups` may be a map by key as well.
    3. Nothing acts on nodes that are there: eksctl does not update labels and taints of a group from its file.
    """
    cluster = text_of(at(data, ("metadata", "name")))
    for field, form in _GROUPS.items():
        for number, group in entries(data, field):
            draft = Draft(group, inside(origin, field, number), field, text_of(group.get("name")), cluster=cluster, renewal=_EKSCTL)
            draft.labels("labels")
            draft.taints("taints", form=form)
            draft.state("alpha.eksctl.io/nodegroup-name", draft.name, member=True)
            draft.state("alpha.eksctl.io/cluster-name", cluster)
            if field == "managedNodeGroups":
                draft.state("eks.amazonaws.com/nodegroup", draft.name)
                draft.state("eks.amazonaws.com/capacityType", "SPOT" if group.get("spot") is True else "ON_DEMAND")
            if group.get("instanceType") != "mixed":
                draft.state(INSTANCE_TYPE, draft.text("instanceType"))
            draft.state(REGION, text_of(at(data, ("metadata", "region"))))
            draft.state(ZONE, _only(group.get("availabilityZones")))
            if "launchTemplate" not in group:
                draft.state(OS, "windows" if draft.text("amiFamily").startswith("Windows") else "linux")
            draft.absent.add(_COMPUTE_TYPE)
            draft.count = counted(group.get("desiredCapacity"), group.get("minSize"), group.get("maxSize"))
            yield draft.done()


def ack_nodegroup(data: Data, origin: Origin) -> Iterator[Declared]:
    """A Nodegroup of ACK: see `_managed`."""
    name = text_of(at(data, ("spec", "name"))) or text_of(at(data, ("metadata", "name")))
    draft = Draft(data, origin, "Nodegroup", name, cluster=text_of(at(data, ("spec", "clusterName"))))
    draft.taints("spec", "taints", form=_CLOUD, kept=True)
    draft.unknown_field("spec", "taint", instead="taints")
    yield _managed(draft, "spec")


def crossplane_node_group(data: Data, origin: Origin) -> Iterator[Declared]:
    """A NodeGroup of Crossplane's provider: see `_managed`. Its name is that of the annotation, else of the object."""
    name = text_of(at(data, ("metadata", "annotations", "crossplane.io/external-name"))) or text_of(at(data, ("metadata", "name")))
    cluster = text_of(at(data, ("spec", "forProvider", "clusterName"))) or text_of(
        at(data, ("spec", "forProvider", "clusterNameRef", "name"))
    )
    draft = Draft(data, origin, "NodeGroup", name, cluster=cluster)
    draft.taints("spec", "forProvider", "taint", form=_CLOUD, kept=True)
    draft.unknown_field("spec", "forProvider", "taints", instead="taint")
    draft.state(REGION, draft.text("spec", "forProvider", "region"))
    yield _managed(draft, "spec", "forProvider")


def _managed(draft: Draft, *path: str) -> Declared:
    """A node group that the API of EKS manages.

    Labels and taints reach the nodes that are there. The type of the AMI tells system and architecture; without one and without a launch
    template it is Linux.
    """
    draft.labels(*path, "labels", kept=True)
    draft.state("eks.amazonaws.com/nodegroup", draft.name, member=True)
    draft.state("eks.amazonaws.com/capacityType", draft.text(*path, "capacityType") or "ON_DEMAND")
    ami = draft.text(*path, "amiType")
    if ami.startswith("WINDOWS"):
        draft.state(OS, "windows")
        draft.state(ARCH, "amd64")
    elif ami != "CUSTOM" and (ami or draft.get(*path, "launchTemplate") is None):
        draft.state(OS, "linux")
        draft.state(ARCH, "arm64" if "ARM_64" in ami else "amd64" if "x86_64" in ami else "")
    draft.state(INSTANCE_TYPE, _only(draft.get(*path, "instanceTypes")))
    draft.absent.add(_COMPUTE_TYPE)
    scaling = draft.get(*path, "scalingConfig")
    if isinstance(scaling, list):  # v1beta1 of Crossplane: a list of one
        scaling = scaling[0] if scaling else None
    draft.count = counted(at(scaling, ("desiredSize",)), at(scaling, ("minSize",)), at(scaling, ("maxSize",))) if scaling else ""
    return draft.done()


def _only(values: object) -> str:
    """The one value of a list, "" where there are more or none."""
    return text_of(values[0]) if isinstance(values, list) and len(values) == 1 else ""
