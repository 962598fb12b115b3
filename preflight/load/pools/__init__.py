"""Node pools as template nodes: what Karpenter, Cluster API, cloud providers, kOps, Gardener and Rancher declare of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from preflight.load.kinds import Data
from preflight.load.pools import capi, eks, gke_aks, karpenter, kops_gardener_rancher
from preflight.load.pools.builder import Declared, Reference
from preflight.load.pools.resolve import Resolved, resolve
from preflight.model.objects import Origin

_READERS: Mapping[str, Callable[[Data, Origin], Iterator[Declared]]] = {
    "NodePool": karpenter.node_pool,
    "Provisioner": karpenter.provisioner,
    "EC2NodeClass": karpenter.ec2_node_class,
    "MachineDeployment": capi.machine_deployment,
    "MachineSet": capi.machine_deployment,
    "MachinePool": capi.machine_deployment,
    "KubeadmControlPlane": capi.control_plane,
    "KubeadmControlPlaneTemplate": capi.control_plane_template,
    "KubeadmConfigTemplate": capi.kubeadm_config,
    "KubeadmConfig": capi.kubeadm_config,
    "Cluster": capi.topology,
    "ClusterClass": capi.cluster_class,
    "ClusterConfig": eks.cluster_config,
    "Nodegroup": eks.ack_nodegroup,
    "NodeGroup": eks.crossplane_node_group,
    "ContainerNodePool": gke_aks.container_node_pool,
    "ManagedClustersAgentPool": gke_aks.agent_pool,
    "ManagedCluster": gke_aks.managed_cluster,
    "InstanceGroup": kops_gardener_rancher.instance_group,
    "Shoot": kops_gardener_rancher.shoot,
}


def declared(data: Data, origin: Origin) -> tuple[Declared, ...]:
    """What a manifest of a kind in `kinds.POOLS`, or a configuration file of RKE2 or k3s, says of pools."""
    read = _READERS[data["kind"]] if "kind" in data else kops_gardener_rancher.rancher
    return tuple(each for each in read(data, origin) if each.node.pool is not None and each.node.pool.name)


__all__ = ["Declared", "Reference", "Resolved", "declared", "resolve"]
