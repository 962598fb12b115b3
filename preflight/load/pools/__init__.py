"""Node pools as template nodes: what Karpenter, Cluster API, cloud providers, kOps, Gardener and Rancher declare of their nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from preflight.load.kinds import PlainObject
from preflight.load.pools import capi, eks, gke_aks, karpenter, kops_gardener_rancher
from preflight.load.pools.builder import ManifestReference, PoolDeclaration
from preflight.load.pools.resolve import ResolvedPools, resolve_pools
from preflight.model.meta import Origin

_READERS: Mapping[str, Callable[[PlainObject, Origin], Iterator[PoolDeclaration]]] = {
    "NodePool": karpenter.read_node_pool,
    "Provisioner": karpenter.read_provisioner,
    "EC2NodeClass": karpenter.read_ec2_node_class,
    "MachineDeployment": capi.read_machine_deployment,
    "MachineSet": capi.read_machine_deployment,
    "MachinePool": capi.read_machine_deployment,
    "KubeadmControlPlane": capi.read_control_plane,
    "KubeadmControlPlaneTemplate": capi.read_control_plane_template,
    "KubeadmConfigTemplate": capi.read_kubeadm_config,
    "KubeadmConfig": capi.read_kubeadm_config,
    "Cluster": capi.read_topology,
    "ClusterClass": capi.read_cluster_class,
    "ClusterConfig": eks.read_cluster_config,
    "Nodegroup": eks.read_ack_nodegroup,
    "NodeGroup": eks.read_crossplane_node_group,
    "ContainerNodePool": gke_aks.read_container_node_pool,
    "ManagedClustersAgentPool": gke_aks.read_agent_pool,
    "ManagedCluster": gke_aks.read_managed_cluster,
    "InstanceGroup": kops_gardener_rancher.read_instance_group,
    "Shoot": kops_gardener_rancher.read_shoot,
}


def read_pool_declarations(data: PlainObject, origin: Origin) -> tuple[PoolDeclaration, ...]:
    """What a manifest of a kind in `kinds.POOL_KINDS`, or a configuration file of RKE2 or k3s, says of pools."""
    read = _READERS[data["kind"]] if "kind" in data else kops_gardener_rancher.read_rancher_config
    return tuple(declaration for declaration in read(data, origin) if declaration.node.pool is not None and declaration.node.pool.name)


__all__ = ["ManifestReference", "PoolDeclaration", "ResolvedPools", "resolve_pools"]
