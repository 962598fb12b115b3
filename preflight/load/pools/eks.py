"""Node groups of EKS: eksctl, the controllers of AWS (ACK), and Crossplane's provider.

Source: eksctl `pkg/apis/eksctl.io/v1alpha5/types.go` and its examples; EKS API UpdateNodegroupConfig ("labels/taints to apply to the
nodes in the node group after the update"), user guide `associate-workload` (eks.amazonaws.com/compute-type), API_Nodegroup (amiType);
cilium/cilium#17103 (a new taint of a managed node group reaches its nodes at once).
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.load.kinds import PlainObject, get_path
from preflight.load.pools.bootstrap_text import list_bottlerocket_taints, list_registered_taints
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
from preflight.load.pools.taint_formats import CLOUD_EFFECTS, TaintFormat, to_text
from preflight.messages.pools import EKSCTL_REPLACES
from preflight.model.meta import Origin

_COMPUTE_TYPE = "eks.amazonaws.com/compute-type"
_CLOUD = TaintFormat(effects=CLOUD_EFFECTS, fields=("key", "value", "effect"))
_GROUPS = {
    "nodeGroups": TaintFormat(fields=("key", "value", "effect"), by_key=True),
    "managedNodeGroups": TaintFormat(fields=("key", "value", "effect")),
}


def read_cluster_config(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """The `nodeGroups` and `managedNodeGroups` of a ClusterConfig of eksctl.

    1. eksctl's own labels and, for a managed group, `eks.amazonaws.com/nodegroup` are stated; instance type, region and a single zone
       where the file states them; Linux, unless the AMI family is Windows.
    2. The taints of `nodeGroups` may be a map by key as well. Settings of Bottlerocket, of the kubelet, and a bootstrap command may have
       more.
    3. Nothing acts on nodes that are there: eksctl does not update labels and taints of a group from its file.
    """
    cluster = to_text(get_path(data, ("metadata", "name")))
    for field, form in _GROUPS.items():
        for number, group in list_entries(data, field):
            draft = PoolBuilder(
                group, extend_origin(origin, field, number), field, to_text(group.get("name")), cluster=cluster, renewal=EKSCTL_REPLACES
            )
            draft.add_labels("labels")
            draft.add_taints("taints", form=form)
            _add_bootstrap_taints(draft)
            draft.set_provider_label("alpha.eksctl.io/nodegroup-name", draft.name, identifies_pool=True)
            draft.set_provider_label("alpha.eksctl.io/cluster-name", cluster)
            if field == "managedNodeGroups":
                draft.set_provider_label("eks.amazonaws.com/nodegroup", draft.name)
                draft.set_provider_label("eks.amazonaws.com/capacityType", "SPOT" if group.get("spot") is True else "ON_DEMAND")
            if group.get("instanceType") != "mixed":
                draft.set_provider_label(INSTANCE_TYPE, draft.get_text("instanceType"))
            draft.set_provider_label(REGION, to_text(get_path(data, ("metadata", "region"))))
            draft.set_provider_label(ZONE, _get_only_value(group.get("availabilityZones")))
            if "launchTemplate" not in group:
                draft.set_provider_label(OS, "windows" if draft.get_text("amiFamily").startswith("Windows") else "linux")
            draft.absent.add(_COMPUTE_TYPE)
            draft.count = describe_node_count(group.get("desiredCapacity"), group.get("minSize"), group.get("maxSize"))
            yield draft.build()


def _add_bootstrap_taints(draft: PoolBuilder) -> None:
    """The taints that the nodes of a group register with by themselves."""
    bottlerocket = ("bottlerocket", "settings", "kubernetes", "node-taints")
    draft.add_taints(*bottlerocket, data=list_bottlerocket_taints(draft.get(*bottlerocket)))
    draft.add_taints("kubeletExtraConfig", "registerWithTaints")
    draft.add_labels("bottlerocket", "settings", "kubernetes", "node-labels")
    command = to_text(draft.get("overrideBootstrapCommand"))
    draft.add_taints("overrideBootstrapCommand", data=list_registered_taints(command))


def read_ack_nodegroup(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A Nodegroup of ACK: see `_build_managed`."""
    name = to_text(get_path(data, ("spec", "name"))) or to_text(get_path(data, ("metadata", "name")))
    draft = PoolBuilder(data, origin, "Nodegroup", name, cluster=to_text(get_path(data, ("spec", "clusterName"))))
    draft.add_taints("spec", "taints", form=_CLOUD, in_place=True)
    draft.refuse_unknown_field("spec", "taint", instead="taints")
    yield _build_managed(draft, "spec")


def read_crossplane_node_group(data: PlainObject, origin: Origin) -> Iterator[PoolDeclaration]:
    """A NodeGroup of Crossplane's provider: see `_build_managed`. Its name is that of the annotation, else of the object."""
    name = to_text(get_path(data, ("metadata", "annotations", "crossplane.io/external-name"))) or to_text(
        get_path(data, ("metadata", "name"))
    )
    cluster = to_text(get_path(data, ("spec", "forProvider", "clusterName"))) or to_text(
        get_path(data, ("spec", "forProvider", "clusterNameRef", "name"))
    )
    draft = PoolBuilder(data, origin, "NodeGroup", name, cluster=cluster)
    draft.add_taints("spec", "forProvider", "taint", form=_CLOUD, in_place=True)
    draft.refuse_unknown_field("spec", "forProvider", "taints", instead="taint")
    draft.set_provider_label(REGION, draft.get_text("spec", "forProvider", "region"))
    yield _build_managed(draft, "spec", "forProvider")


def _build_managed(draft: PoolBuilder, *path: str) -> PoolDeclaration:
    """A node group that the API of EKS manages.

    Labels and taints reach the nodes that are there. The type of the AMI tells system and architecture; without one and without a launch
    template it is Linux.
    """
    draft.add_labels(*path, "labels", in_place=True)
    draft.set_provider_label("eks.amazonaws.com/nodegroup", draft.name, identifies_pool=True)
    draft.set_provider_label("eks.amazonaws.com/capacityType", draft.get_text(*path, "capacityType") or "ON_DEMAND")
    ami = draft.get_text(*path, "amiType")
    if ami.startswith("WINDOWS"):
        draft.set_provider_label(OS, "windows")
        draft.set_provider_label(ARCH, "amd64")
    elif ami != "CUSTOM" and (ami or draft.get(*path, "launchTemplate") is None):
        draft.set_provider_label(OS, "linux")
        draft.set_provider_label(ARCH, "arm64" if "ARM_64" in ami else "amd64" if "x86_64" in ami else "")
    draft.set_provider_label(INSTANCE_TYPE, _get_only_value(draft.get(*path, "instanceTypes")))
    draft.absent.add(_COMPUTE_TYPE)
    scaling = draft.get(*path, "scalingConfig")
    if isinstance(scaling, list):  # v1beta1 of Crossplane: a list of one
        scaling = scaling[0] if scaling else None
    draft.count = (
        describe_node_count(get_path(scaling, ("desiredSize",)), get_path(scaling, ("minSize",)), get_path(scaling, ("maxSize",)))
        if scaling
        else ""
    )
    return draft.build()


def _get_only_value(values: object) -> str:
    """The one value of a list, "" where there are more or none."""
    return to_text(values[0]) if isinstance(values, list) and len(values) == 1 else ""
