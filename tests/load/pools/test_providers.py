"""What each provider's manifest makes of a pool: labels, taints, what is kept up to date, what refers to what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from preflight.load import LoadResult, load_world
from preflight.load.command_files import read_objects
from preflight.model.core import Node
from tests.builders import Object, make_list
from tests.load.plain_objects import ambiguous, loaded, node, problems, skipped, write


def manifest(api_version: str, kind: str, name: str = "p", *, labels: dict[str, str] | None = None, **fields: Any) -> Object:
    metadata = {"name": name, **({"labels": labels} if labels else {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}


def karpenter(name: str = "p", **spec: Any) -> Object:
    labels = spec.pop("labels", {})
    return manifest("karpenter.sh/v1", "NodePool", name, spec={"template": {"metadata": {"labels": labels}, "spec": spec}})


def pool(result: LoadResult, name: str = "p") -> Node:
    return result.world.nodes[f"(pool {name})"]


def taints(found: Node) -> list[str]:
    return [str(taint) for taint in found.spec.taints]


@pytest.mark.parametrize(
    "other",
    [
        manifest("hypershift.openshift.io/v1beta1", "NodePool", spec={"taints": [{"key": "a", "effect": "NoSchedule"}]}),
        manifest("postgresql.cnpg.io/v1", "Cluster", spec={"topology": {"workers": {}}}),
        manifest("cluster.x-k8s.io/v1beta1", "Cluster", spec={"controlPlaneRef": {"name": "x"}}),
        manifest("kops.k8s.io/v1alpha2", "InstanceGroup", spec={"role": "Bastion"}),
        {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {}, "spec": {}},
        {"node-taint": ["a=b:NoSchedule"], "kind": "Settings"},
    ],
    ids=[
        "a kind of that name of another group",
        "a cluster of a database",
        "a Cluster without a topology",
        "a bastion has no node",
        "a patch without a name",
        "a document with a kind is no configuration file",
    ],
)
def test_what_is_no_pool(other: Object, folder: Path) -> None:
    result = loaded(other, folder=folder)
    assert result.world.nodes == {}
    assert result.nodes == ()
    assert problems(result) == []


def test_a_pool_is_one_partly_known_node_beside_those_that_are_there(folder: Path) -> None:
    live = node("n1") | {"metadata": {"name": "n1", "labels": {"karpenter.sh/nodepool": "p"}}}
    result = loaded(karpenter(), live, folder=folder)
    assert list(result.world.nodes) == ["(pool p)", "n1"]
    assert pool(result).is_partial
    assert [each.name for each in result.nodes] == ["n1", "(pool p)"]
    assert result.objects == 2


@pytest.mark.parametrize(
    ("requirement", "labels", "absent"),
    [
        ({"key": "zone", "operator": "In", "values": ["a"]}, {"zone": "a"}, set()),
        ({"key": "zone", "operator": "In", "values": ["a", "b"]}, {}, set()),
        ({"key": "zone", "operator": "NotIn", "values": ["a"]}, {}, set()),
        ({"key": "zone", "operator": "Exists"}, {}, set()),
        ({"key": "zone", "operator": "DoesNotExist"}, {}, {"zone"}),
        ({"key": "zone", "operator": "Gt", "values": ["2"]}, {}, set()),
        ({"key": "zone", "operator": "In", "values": ["${ZONE}"]}, {}, set()),
    ],
    ids=[
        "one value is a label",
        "several values are unknown",
        "an excluded value leaves the rest open",
        "some value",
        "no value is absent",
        "a bound is no value",
        "a value that is filled in later is unknown",
    ],
)
def test_a_requirement_of_karpenter(requirement: Object, labels: dict[str, str], absent: set[str], folder: Path) -> None:
    found = pool(loaded(karpenter(requirements=[requirement]), folder=folder))
    assert found.metadata.labels == {"karpenter.sh/nodepool": "p", **labels}
    assert found.absent_labels == absent


@pytest.mark.parametrize(
    ("node_class", "system"),
    [
        ({"amiFamily": "AL2023"}, "linux"),
        ({"amiFamily": "Windows2022"}, "windows"),
        ({"amiSelectorTerms": [{"alias": "bottlerocket@latest"}]}, "linux"),
        ({"amiSelectorTerms": [{"alias": "windows2019@latest"}]}, "windows"),
        ({"amiFamily": "Custom", "amiSelectorTerms": [{"id": "ami-1"}]}, None),
        ({"amiSelectorTerms": [{"id": "ami-1"}]}, None),
    ],
    ids=["Linux by its family", "Windows by its family", "Linux by an alias", "Windows by an alias", "a custom family", "an id alone"],
)
def test_the_system_of_a_karpenter_pool_is_that_of_its_class(node_class: Object, system: str | None, folder: Path) -> None:
    of = {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "c"}
    result = loaded(karpenter(nodeClassRef=of), manifest("karpenter.k8s.aws/v1", "EC2NodeClass", "c", spec=node_class), folder=folder)
    assert pool(result).metadata.labels.get("kubernetes.io/os") == system
    assert pool(result).absent_labels == {"eks.amazonaws.com/compute-type"}
    assert list(result.world.nodes) == ["(pool p)"]


def test_taints_that_an_agent_removes_are_startup_taints_wherever_they_are_declared(folder: Path) -> None:
    cilium = {"key": "node.cilium.io/agent-not-ready", "value": "true", "effect": "NoExecute"}
    found = pool(
        loaded(
            karpenter(taints=[cilium, {"key": "a", "effect": "NoSchedule"}], startupTaints=[{"key": "b", "effect": "NoSchedule"}]),
            folder=folder,
        )
    )
    assert taints(found) == ["a:NoSchedule"]
    assert [str(taint) for taint in found.startup_taints] == ["node.cilium.io/agent-not-ready=true:NoExecute", "b:NoSchedule"]


CONFIG = {
    "joinConfiguration": {
        "nodeRegistration": {
            "kubeletExtraArgs": {"node-labels": "a=b,c=d", "register-with-taints": "x=y:NoSchedule,z:NoExecute"},
            "taints": [{"key": "not", "effect": "NoSchedule"}],
        }
    }
}
CONFIG_2 = {
    "joinConfiguration": {
        "nodeRegistration": {
            "kubeletExtraArgs": [{"name": "node-labels", "value": "a=b"}],
            "taints": [{"key": "k", "effect": "NoSchedule"}],
        }
    }
}


def machines(kind: str = "MachineDeployment", **spec: Any) -> Object:
    ref = {"kind": "KubeadmConfigTemplate", "name": "c"}
    template = {"metadata": {"labels": spec.pop("labels", {})}, "spec": {"bootstrap": {"configRef": ref}, "taints": spec.pop("taints", [])}}
    return manifest("cluster.x-k8s.io/v1beta2", kind, spec={"clusterName": "k", "template": template, **spec})


def bootstrap(config: Object, name: str = "c", namespace: str = "") -> Object:
    found = manifest("bootstrap.cluster.x-k8s.io/v1beta1", "KubeadmConfigTemplate", name, spec={"template": {"spec": config}})
    return {**found, "metadata": {"name": name, **({"namespace": namespace} if namespace else {})}}


def test_a_machine_deployment_has_what_its_bootstrap_says(folder: Path) -> None:
    synced = {"node-role.kubernetes.io/gpu": "", "node.cluster.x-k8s.io/tier": "1", "x.node-restriction.kubernetes.io/y": "z", "team": "ml"}
    own = [
        {"key": "always", "effect": "NoSchedule", "propagation": "Always"},
        {"key": "once", "effect": "NoSchedule", "propagation": "OnInitialization"},
    ]
    found = pool(loaded(machines(labels=synced, taints=own, replicas=3), bootstrap(CONFIG), folder=folder))
    kept = {key: value for key, value in synced.items() if key != "team"}
    assert found.metadata.labels == {**kept, "a": "b", "c": "d"}
    assert taints(found) == ["always:NoSchedule", "once:NoSchedule", "x=y:NoSchedule", "z:NoExecute"]
    assert found.pool is not None
    assert found.pool.synced_labels == kept
    assert [str(taint) for taint in found.pool.synced_taints] == ["always:NoSchedule"]
    assert (found.pool.node_count, found.pool.cluster, found.pool.owner_annotations) == ("3", "k", ("MachineSet", "p"))


def test_arguments_of_the_kubelet_as_a_list(folder: Path) -> None:
    found = pool(loaded(machines(), bootstrap(CONFIG_2), folder=folder))
    assert (found.metadata.labels, taints(found)) == ({"a": "b"}, ["k:NoSchedule"])


def test_a_bootstrap_that_nobody_gave_is_named(folder: Path) -> None:
    result = loaded(machines(), folder=folder)
    assert skipped(result) == [
        "the number of nodes of a pool: counted as one node",
        "what KubeadmConfigTemplate c declares for (pool p): not in the input",
    ]


def test_of_two_bootstraps_of_one_name_the_one_in_the_same_file_is_meant(folder: Path) -> None:
    text = "\n---\n".join(json.dumps(each) for each in (machines(), bootstrap(CONFIG_2)))
    assert taints(pool(loaded(text, bootstrap(CONFIG), folder=folder))) == ["k:NoSchedule"]
    apart = loaded(machines(), bootstrap(CONFIG_2), bootstrap(CONFIG), folder=folder)
    assert (taints(pool(apart)), skipped(apart)) == (
        [],
        ["the number of nodes of a pool: counted as one node", "what KubeadmConfigTemplate c declares for (pool p): not in the input"],
    )


def test_a_machine_set_of_a_machine_deployment_is_no_pool_of_its_own(folder: Path) -> None:
    owned = machines("MachineSet")
    owned["metadata"]["ownerReferences"] = [{"kind": "MachineDeployment", "name": "p", "controller": True}]
    assert loaded(owned, folder=folder).world.nodes == {}
    assert list(loaded(machines("MachineSet"), folder=folder).world.nodes) == ["(pool p)"]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"version": "v1.33.0"}, ["node-role.kubernetes.io/control-plane:NoSchedule"]),
        ({"version": "v1.33.0", "kubeadmConfigSpec": {"joinConfiguration": {"nodeRegistration": {"taints": []}}}}, []),
        ({"version": "v1.33.0", "kubeadmConfigSpec": CONFIG_2}, ["k:NoSchedule"]),
        ({}, []),
    ],
    ids=["no taints stated are the usual one", "an empty list is none", "stated ones replace it", "a patch does not say"],
)
def test_the_taints_of_a_control_plane(spec: Object, expected: list[str], folder: Path) -> None:
    found = pool(loaded(manifest("controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane", spec=spec), folder=folder))
    assert taints(found) == expected
    assert found.metadata.labels["node-role.kubernetes.io/control-plane"] == ""


def test_a_topology_has_what_its_class_and_the_templates_of_that_say(folder: Path) -> None:
    workers = {
        "machineDeployments": [{"name": "md", "class": "gpu", "replicas": 2, "metadata": {"labels": {"node-role.kubernetes.io/w": ""}}}]
    }
    cluster = manifest("cluster.x-k8s.io/v1beta1", "Cluster", "k", spec={"topology": {"class": "cc", "workers": workers}})
    template = {
        "metadata": {"labels": {"node.cluster.x-k8s.io/from": "class"}},
        "bootstrap": {"ref": {"kind": "KubeadmConfigTemplate", "name": "c"}},
    }
    of = manifest(
        "cluster.x-k8s.io/v1beta1", "ClusterClass", "cc", spec={"workers": {"machineDeployments": [{"class": "gpu", "template": template}]}}
    )
    result = loaded(cluster, of, bootstrap(CONFIG_2), folder=folder)
    found = pool(result, "md")
    assert found.metadata.labels == {"node-role.kubernetes.io/w": "", "node.cluster.x-k8s.io/from": "class", "a": "b"}
    assert taints(found) == ["k:NoSchedule"]
    assert list(result.world.nodes) == ["(pool md)"]
    assert skipped(result) == ["the number of nodes of a pool: counted as one node"]


def test_a_list_of_pools_as_kubectl_writes_it(folder: Path) -> None:
    items = [karpenter("a"), karpenter("b", taints=[{"key": "k", "effect": "NoSchedule"}]), node("n1")]
    for text in (json.dumps(make_list(*items)), json.dumps(make_list(*items), indent=1).replace('"kind": "List"', '"kind": "List"  ')):
        result = loaded(text, folder=folder)
        assert list(result.world.nodes) == ["(pool a)", "(pool b)", "n1"]
        assert taints(pool(result, "b")) == ["k:NoSchedule"]


def test_azure_states_what_a_spot_pool_has_by_itself(folder: Path) -> None:
    spec = {
        "azureName": "gpu",
        "osType": "Windows",
        "scaleSetPriority": "Spot",
        "nodeTaints": ["sku=gpu:NoSchedule"],
        "nodeInitializationTaints": ["init=1:NoExecute"],
        "nodeLabels": {"a": "b"},
        **{"enableAutoScaling": True, "count": 2, "minCount": 1, "maxCount": 5},
    }
    found = pool(loaded(manifest("containerservice.azure.com/v1api20240901", "ManagedClustersAgentPool", spec=spec), folder=folder), "gpu")
    assert found.metadata.labels["kubernetes.io/os"] == "windows"
    assert found.metadata.labels["kubernetes.azure.com/scalesetpriority"] == "spot"
    assert taints(found) == ["sku=gpu:NoSchedule", "kubernetes.azure.com/scalesetpriority=spot:NoSchedule"]
    assert [str(taint) for taint in found.startup_taints] == ["init=1:NoExecute"]
    assert found.pool is not None
    assert (found.pool.node_count, found.pool.synced_labels) == ("1 to 5", {"a": "b"})


def test_the_profiles_of_a_managed_cluster_are_pools(folder: Path) -> None:
    profiles = [{"name": "sys", "mode": "System", "count": 3}, {"name": "user", "nodeTaints": ["a:NoSchedule"]}]
    result = loaded(
        manifest("containerservice.azure.com/v1api20240901", "ManagedCluster", "k", spec={"agentPoolProfiles": profiles}), folder=folder
    )
    assert list(result.world.nodes) == ["(pool sys)", "(pool user)"]
    assert pool(result, "user").origin.path == ("spec", "agentPoolProfiles", 1)


def test_upper_case_effects_and_a_field_of_another_name(folder: Path) -> None:
    config = {
        "taint": [{"key": "a", "value": "b", "effect": "NO_EXECUTE"}],
        "taints": [{"key": "c", "effect": "NO_SCHEDULE"}],
        "spot": True,
    }
    gke = manifest(
        "container.cnrm.cloud.google.com/v1beta1",
        "ContainerNodePool",
        labels={"cloud": "label"},
        spec={"location": "europe-west1", "nodeConfig": config},
    )
    found = pool(loaded(gke, folder=folder))
    assert taints(found) == ["a=b:NoExecute"]
    assert "cloud" not in found.metadata.labels
    assert found.metadata.labels["cloud.google.com/gke-spot"] == "true"
    assert found.metadata.labels["topology.kubernetes.io/region"] == "europe-west1"
    assert found.pool is not None
    assert [(taint_error.path, taint_error.reason) for taint_error in found.pool.taint_errors] == [
        (("spec", "nodeConfig", "taints"), 'unknown field "taints": did you mean "taint"?')
    ]


def test_labels_that_the_api_server_refuses(folder: Path) -> None:
    found = pool(loaded(karpenter(labels={"a": True, "b c": "x", "d": "${D}"}), folder=folder))
    assert found.metadata.labels == {"karpenter.sh/nodepool": "p", "a": "true", "b c": "x"}
    assert [refusal.path[-1] for refusal in found.refusals] == ["a", "b c"]


@pytest.mark.parametrize(
    ("file", "named", "read_as_pool"),
    [
        ("etc/rancher/rke2/config.yaml", False, True),
        ("hosts/k3s-agent.yml", False, True),
        ("hosts/values.yaml", False, False),
        ("hosts/values.yaml", True, True),
    ],
    ids=["the path says so", "the name says so", "a folder of anything", "the person names the file"],
)
def test_the_configuration_of_an_rke2_or_k3s_node(file: str, named: bool, read_as_pool: bool, folder: Path) -> None:
    path = folder / file
    path.parent.mkdir(parents=True)
    path.write_text("node-name: n7\nnode-label:\n- a=b\nnode-taint:\n- k=v:NoExecute\n")
    result = load_world([file if named else "."], one_cluster=True)
    assert list(result.world.nodes) == (["(pool n7)"] if read_as_pool else [])
    if read_as_pool:
        assert (pool(result, "n7").metadata.labels, taints(pool(result, "n7"))) == ({"a": "b"}, ["k=v:NoExecute"])


def test_two_pools_of_one_name_of_different_kinds_are_told_apart(folder: Path) -> None:
    result = loaded(karpenter(), manifest("kops.k8s.io/v1alpha2", "InstanceGroup", spec={"role": "Node"}), folder=folder)
    assert list(result.world.nodes) == ["(pool p of InstanceGroup)", "(pool p of NodePool)"]


def test_one_pool_with_other_content_twice_is_ambiguous(folder: Path) -> None:
    result = loaded(karpenter(), karpenter(labels={"a": "b"}), folder=folder, one_cluster=False)
    assert result.world.nodes == {}
    assert ambiguous(result) == ("Node (pool p) is in 0.yaml:1 and 1.yaml:1 with different content",)


def test_an_applied_bootstrap_changes_the_pools_that_refer_to_it(folder: Path) -> None:
    around = loaded(machines(), bootstrap(CONFIG_2), folder=folder).pools
    write(folder, new_yaml=bootstrap(CONFIG))
    given = read_objects("new.yaml", pools=around).given_objects
    assert [node.name for node in given if isinstance(node, Node)] == ["(pool p)"]
    assert [taints(each) for each in given if isinstance(each, Node)] == [["x=y:NoSchedule", "z:NoExecute"]]


def test_no_document_makes_it_crash(folder: Path) -> None:
    from preflight.load.kinds import POOL_KINDS

    odd: list[Any] = [None, "x", 5, True, [], {}, [1], ["a=b:c:d"], [{}], {"a": {"b": []}}]
    paths = ["spec", "topology", "nodeGroups", "managedNodeGroups"]
    texts: list[str] = []
    for kind, groups in POOL_KINDS.items():
        for value in odd:
            inner = dict.fromkeys(
                (
                    "template",
                    "forProvider",
                    "nodeConfig",
                    "provider",
                    "topology",
                    "workers",
                    "agentPoolProfiles",
                    "taints",
                    "nodeTaints",
                    "labels",
                    "nodeLabels",
                    "limits",
                    "scalingConfig",
                    "kubeadmConfigSpec",
                    "machineTemplate",
                ),
                value,
            )
            deeper = {
                **inner,
                "template": {"spec": inner, "metadata": inner},
                "topology": {"workers": {"machineDeployments": [inner]}, "controlPlane": inner},
            }
            head = {"apiVersion": f"{groups[0]}/v1", "kind": kind, "metadata": {"name": "x"}}
            texts += (json.dumps({**head, **dict.fromkeys(paths, spec)}) for spec in (value, inner, deeper))
    result = loaded("\n---\n".join(texts), folder=folder, one_cluster=False)
    assert problems(result) == []


def gke(**config: Any) -> Object:
    spec = {"location": "europe-west4", "initialNodeCount": 1, "clusterRef": {"name": "prod"}, "nodeConfig": config}
    return manifest("container.cnrm.cloud.google.com/v1beta1", "ContainerNodePool", spec=spec)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        pytest.param({"machineType": "n2-standard-4"}, [], id="none for other machines"),
        pytest.param({"machineType": "t2d-standard-4"}, [], id="none for AMD machines with a similar name"),
        pytest.param(
            {"machineType": "c4a-standard-4", "taintConfig": {"architectureTaintBehavior": "NONE"}}, [], id="none where it is switched off"
        ),
        pytest.param({"machineType": "n1-standard-4", "guestAccelerator": [{"type": "nvidia-l4", "count": 0}]}, [], id="none for 0 GPUs"),
        pytest.param({"machineType": "t2a-standard-4"}, ["kubernetes.io/arch=arm64:NoSchedule"], id="Arm"),
        pytest.param({"machineType": "n4a-highmem-8"}, ["kubernetes.io/arch=arm64:NoSchedule"], id="Axion"),
        pytest.param(
            {"machineType": "n1-standard-4", "guestAccelerator": [{"type": "nvidia-tesla-t4", "count": 1}]},
            ["nvidia.com/gpu=present:NoSchedule"],
            id="a GPU that is attached",
        ),
        pytest.param({"machineType": "a3-megagpu-8g"}, ["nvidia.com/gpu=present:NoSchedule"], id="a machine that has GPUs"),
        pytest.param(
            {"machineType": "a4x-highgpu-4g"}, ["kubernetes.io/arch=arm64:NoSchedule", "nvidia.com/gpu=present:NoSchedule"], id="both"
        ),
        pytest.param({"machineType": "ct6e-standard-4t"}, ["google.com/tpu=present:NoSchedule"], id="TPUs"),
        pytest.param(
            {"machineType": "n2-standard-4", "imageType": "windows_ltsc_containerd"},
            ["node.kubernetes.io/os=windows:NoSchedule"],
            id="Windows",
        ),
        pytest.param(
            {"machineType": "n2-standard-4", "sandboxConfig": {"sandboxType": "gvisor"}},
            ["sandbox.gke.io/runtime=gvisor:NoSchedule"],
            id="GKE Sandbox",
        ),
        pytest.param(
            {"machineType": "g2-standard-8", "taint": [{"key": "nvidia.com/gpu", "value": "mine", "effect": "NO_SCHEDULE"}]},
            ["nvidia.com/gpu=mine:NoSchedule"],
            id="one that is declared stays",
        ),
    ],
)
def test_gke_adds_taints_by_itself(config: dict[str, Any], expected: list[str], folder: Path) -> None:
    assert taints(pool(loaded(gke(**config), folder=folder))) == expected


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        pytest.param({}, [], id="none, of a managed group: EKS adds none by itself"),
        pytest.param({"amiFamily": "WindowsServer2022FullContainer"}, [], id="none, of Windows"),
        pytest.param(
            {
                "amiFamily": "Bottlerocket",
                "bottlerocket": {"settings": {"kubernetes": {"node-taints": {"dedicated": ["rdma:NoSchedule"]}}}},
            },
            ["dedicated=rdma:NoSchedule"],
            id="settings of Bottlerocket",
        ),
        pytest.param(
            {"kubeletExtraConfig": {"registerWithTaints": [{"key": "a", "value": "b", "effect": "NoExecute"}]}},
            ["a=b:NoExecute"],
            id="settings of the kubelet",
        ),
        pytest.param(
            {"overrideBootstrapCommand": "bootstrap.sh c --kubelet-extra-args '--register-with-taints=a=b:NoSchedule,c=:NoSchedule,$MORE'"},
            ["a=b:NoSchedule", "c:NoSchedule"],
            id="flags of the kubelet",
        ),
    ],
)
def test_nodes_of_eksctl_register_with_taints(group: dict[str, Any], expected: list[str], folder: Path) -> None:
    config = manifest("eksctl.io/v1alpha5", "ClusterConfig", "c", nodeGroups=[{"name": "p", **group}])
    assert taints(pool(loaded(config, folder=folder))) == expected


def test_user_data_of_karpenter_has_taints(folder: Path) -> None:
    data = '[settings.kubernetes.node-taints]\n"dedicated" = "rdma:NoSchedule"\n"example.com/gpu" = [":NoExecute"]\n'
    node_class = manifest("karpenter.k8s.aws/v1", "EC2NodeClass", "b", spec={"amiFamily": "Bottlerocket", "userData": data})
    result = loaded(karpenter(nodeClassRef={"kind": "EC2NodeClass", "name": "b"}), node_class, folder=folder)
    assert taints(pool(result)) == ["dedicated=rdma:NoSchedule", "example.com/gpu:NoExecute"]
