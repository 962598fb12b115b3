"""What is read of the node pools of a corpus. The tables were written by hand: the public ones here, ours in the corpus itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight.load import LoadResult, load_world
from tests.corpus import BOTH, EXPECTED, OWN, PUBLIC, files, needs_public

Pools = dict[str, tuple[dict[str, str], list[str], list[str], str]]
"""Labels, taints, startup taints and count of each pool by its name."""

UNINITIALIZED = "node.cluster.x-k8s.io/uninitialized:NoSchedule"
CONTROL_PLANE = {"node-role.kubernetes.io/control-plane": "", "node.kubernetes.io/exclude-from-external-load-balancers": ""}
MACHINE_TAINTS = [
    "pre-existing-on-initialization-taint=on-initialization-value:PreferNoSchedule",
    "pre-existing-always-taint=always-value:PreferNoSchedule",
]


def eksctl(cluster: str, name: str, region: str, *, managed: bool = False, linux: bool = True, **labels: str) -> dict[str, str]:
    own = {"alpha.eksctl.io/nodegroup-name": name, "alpha.eksctl.io/cluster-name": cluster, "topology.kubernetes.io/region": region}
    by_eks = {"eks.amazonaws.com/nodegroup": name, "eks.amazonaws.com/capacityType": "ON_DEMAND"} if managed else {}
    more = {key.replace("type", "node.kubernetes.io/instance-type"): value for key, value in labels.items()}
    return {**own, **by_eks, **({"kubernetes.io/os": "linux"} if linux else {}), **more}


def kops(name: str, role: str, machine: str = "") -> dict[str, str]:
    own = {"kops.k8s.io/instancegroup": name, "kubernetes.io/os": "linux", f"node-role.kubernetes.io/{role}": ""}
    return {**own, **({"node.kubernetes.io/instance-type": machine} if machine else {})}


EXPECTED_PUBLIC: dict[str, Pools] = {
    "ack-eks-nodegroup.yaml": {
        "$NODEGROUP_NAME": ({"kubernetes.io/os": "linux", "eks.amazonaws.com/capacityType": "ON_DEMAND"}, [], [], "1"),
    },
    "aso-managedclustersagentpool.yaml": {
        "pool20260501": (
            {
                "agentpool": "pool20260501",
                "kubernetes.azure.com/agentpool": "pool20260501",
                "kubernetes.azure.com/mode": "user",
                "kubernetes.io/os": "linux",
                "node.kubernetes.io/instance-type": "Standard_DS2_v2",
            },
            [],
            [],
            "1",
        ),
    },
    "capi-cluster-topology-taints-v1beta2.yaml": {
        "control-plane": (
            {
                **CONTROL_PLANE,
                "Cluster.topology.controlPlane.label.node.cluster.x-k8s.io": "Cluster.topology.controlPlane.nodeLabelValue",
            },
            MACHINE_TAINTS,
            [],
            "",
        ),
        "md-0": (
            {"Cluster.topology.machineDeployment.label.node.cluster.x-k8s.io": "Cluster.topology.machineDeployment.nodeLabelValue"},
            MACHINE_TAINTS,
            [],
            "",
        ),
    },
    "capi-kubeadmconfigtemplate-taints-v1beta1.yaml": {
        "test-cluster-md-0": ({}, ["key2=val2:PreferNoSchedule"], [UNINITIALIZED], "3"),
        "test-cluster-md-1": ({}, ["wnTaitns2=true:PreferNoSchedule"], [UNINITIALIZED], "3"),
    },
    "capi-kubeadmcontrolplane-taints-v1beta2.yaml": {
        "${CLUSTER_NAME}-control-plane": (CONTROL_PLANE, MACHINE_TAINTS, [UNINITIALIZED], ""),
    },
    "capi-machinedeployment-taints-v1beta2.yaml": {"${CLUSTER_NAME}-md-0": ({}, MACHINE_TAINTS, [], "")},
    "crossplane-upbound-eks-nodegroup.yaml": {
        "sample-eks-ng": (
            {
                "eks.amazonaws.com/nodegroup": "sample-eks-ng",
                "eks.amazonaws.com/capacityType": "ON_DEMAND",
                "kubernetes.io/os": "linux",
                "topology.kubernetes.io/region": "us-west-1",
            },
            [],
            [],
            "1",
        ),
    },
    "eksctl-advanced-nodegroups.yaml": {
        "ng1-public": (
            {**eksctl("cluster-5", "ng1-public", "eu-west-2", type="m5.xlarge"), "nodegroup-type": "frontend-workloads"},
            [],
            [],
            "2 to 8",
        ),
        "ng2-private-a": (
            {**eksctl("cluster-5", "ng2-private-a", "eu-west-2", type="m5.large"), "nodegroup-type": "backend-cluster-addons"},
            [],
            [],
            "2",
        ),
        "ng3-private-b": (
            {
                **eksctl("cluster-5", "ng3-private-b", "eu-west-2", type="c3.8xlarge"),
                "nodegroup-type": "very-special-science-workloads",
                "topology.kubernetes.io/zone": "eu-west-2a",
            },
            ["special=true:NoSchedule"],
            [],
            "4",
        ),
    },
    "eksctl-managed-nodes.yaml": {
        "managed-ng-public": (
            {**eksctl("cluster-15", "managed-ng-public", "us-west-2", managed=True, type="m5.large"), "role": "worker"},
            ["key1=value1:NoSchedule", "key2:NoExecute"],
            [],
            "2 to 4",
        ),
        "managed-ng-private": (eksctl("cluster-15", "managed-ng-private", "us-west-2", managed=True, type="m5.large"), [], [], ""),
        "custom-ami": (eksctl("cluster-15", "custom-ami", "us-west-2", managed=True), [], [], ""),
        "custom-launch-template": (
            eksctl("cluster-15", "custom-launch-template", "us-west-2", managed=True, linux=False),
            [],
            [],
            "",
        ),
    },
    "eksctl-taints.yaml": {
        "ng1-public": (
            eksctl("taints-1", "ng1-public", "us-west-1", type="m5.xlarge"),
            ["your.domain.com/db=true:NoSchedule", "your.domain.com/production=true:NoExecute"],
            [],
            "2 to 8",
        ),
        "ng2-private": (
            eksctl("taints-1", "ng2-private", "us-west-1", type="m5.xlarge"),
            ["your.domain.com/sensitive-information=true:NoSchedule"],
            [],
            "2 to 8",
        ),
        "ng3-public": (eksctl("taints-1", "ng3-public", "us-west-1", type="m5.xlarge"), [], [], "2 to 8"),
        "mng1-public": (
            eksctl("taints-1", "mng1-public", "us-west-1", managed=True),
            ["your.domain.com/memory-pressure=true:PreferNoSchedule", "your.domain.com/needs-auth=true:NoExecute"],
            [],
            "",
        ),
    },
    "gardener-shoot.yaml": {
        "cpu-worker": (
            {
                "worker.gardener.cloud/pool": "cpu-worker",
                "worker.gardener.cloud/system-components": "true",
                "node.kubernetes.io/role": "node",
                "kubernetes.io/os": "linux",
                "kubernetes.io/arch": "amd64",
                "node.kubernetes.io/instance-type": "m5.large",
            },
            [],
            ["node.gardener.cloud/critical-components-not-ready:NoSchedule"],
            "3 to 5",
        ),
    },
    "gke-kcc-containernodepool-two-taints.yaml": {
        "nodepool-sample-${uniqueId}": (
            {"kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "us-central1-a", "topology.kubernetes.io/region": "us-central1"},
            ["taintA=anythingA:NoSchedule", "taintB=anythingB:NoSchedule"],
            [],
            "1 to 3 a zone",
        ),
    },
    "gke-kcc-containernodepool.yaml": {
        "nodepool-sample-${uniqueId}": (
            {"kubernetes.io/os": "linux", "topology.kubernetes.io/zone": "us-central1-a", "topology.kubernetes.io/region": "us-central1"},
            ["originalKey=originalValue:NoSchedule"],
            [],
            "1 to 3 a zone",
        ),
    },
    "karpenter-nodepool-v1-windows.yaml": {
        "windows2022": (
            {
                "karpenter.sh/nodepool": "windows2022",
                "karpenter.sh/capacity-type": "on-demand",
                "kubernetes.io/os": "windows",
                "kubernetes.io/arch": "amd64",
            },
            [],
            [],
            "",
        ),
    },
    "karpenter-nodepool-v1.yaml": {
        "default": (
            {"karpenter.sh/nodepool": "default", "billing-team": "my-team", "karpenter.k8s.aws/instance-hypervisor": "nitro"},
            ["example.com/special-taint:NoSchedule"],
            ["example.com/another-taint:NoSchedule"],
            "5",
        ),
    },
    "kops-cluster-ha-gce-in.yaml": {
        **{
            f"master-us-test1-{zone}": (
                kops(f"master-us-test1-{zone}", "control-plane", "e2-medium"),
                ["node-role.kubernetes.io/control-plane:NoSchedule"],
                [],
                "1",
            )
            for zone in "abc"
        },
        "nodes": (kops("nodes", "node", "e2-medium"), [], [], "2"),  # its taint a=b:c has no effect that makes sense
    },
    "kops-instancegroup.yaml": {"nodes": (kops("nodes", "node"), ["e2etest:NoSchedule"], [], "up to 10")},
    "rke2-config.yaml": {
        "rke2-config.yaml": ({}, ["node-role.kubernetes.io/etcd:NoExecute"], [], ""),
        "rke2-config.yaml#2": ({}, ["node-role.kubernetes.io/etcd:NoExecute"], [], ""),
        "rke2-config.yaml#3": ({}, ["node-role.kubernetes.io/control-plane:NoSchedule"], [], ""),
    },
}

REFUSED_PUBLIC = {
    "capi-kubeadmconfigtemplate-taints-v1beta1.yaml": ["value must be a string: true is a boolean; quote it"],
    "kops-cluster-ha-gce-in.yaml": [
        'effect: Unsupported value: "c": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
}


POOLS: dict[Path, dict[str, Pools]] = {
    OWN: {
        file: {name: (pool.labels, pool.taints, pool.startup, pool.count) for name, pool in named.items()}
        for file, named in EXPECTED.pools.items()
    },
    PUBLIC: EXPECTED_PUBLIC,
}
REFUSED = {OWN: EXPECTED.refused, PUBLIC: REFUSED_PUBLIC}


def pools(loaded: LoadResult) -> Pools:
    found = {}
    for node in loaded.world.nodes.values():
        assert node.is_partial
        assert node.pool is not None
        taints = [str(taint) for taint in node.spec.taints]
        found[node.pool.name] = (node.metadata.labels, taints, [str(taint) for taint in node.startup_taints], node.pool.node_count)
    return found


@pytest.mark.parametrize("corpus", BOTH)
def test_every_file_is_in_the_table(corpus: Path) -> None:
    assert {path.name for path in files(corpus, "nodepools")} == POOLS[corpus].keys()


@pytest.mark.parametrize(
    ("corpus", "file"),
    [
        *(pytest.param(OWN, file, id=f"own {file}") for file in POOLS[OWN]),
        *(pytest.param(PUBLIC, file, id=f"public {file}", marks=needs_public) for file in POOLS[PUBLIC]),
    ],
)
def test_a_file_of_the_corpus(corpus: Path, file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(corpus / "nodepools")
    loaded = load_world([file], one_cluster=True)
    assert loaded.problems == ()
    assert pools(loaded) == POOLS[corpus][file]
    refused = [refusal.reason for node in loaded.nodes if node.pool for refusal in (*node.refusals, *node.pool.taint_errors)]
    assert refused == REFUSED[corpus].get(file, [])
    assert [doubt for node in loaded.nodes if node.pool for doubt in node.pool.taint_warnings] == []


OWN_NAMES = (
    "(pool gpu of prod)",
    "(pool gpu of research)",
    "(pool windows of NodePool)",
    "(pool windows of nodeGroups prod)",
    "(pool workers of k8s.example.com)",
    "(pool workers of prod)",
    "(pool workers of research)",
)
PUBLIC_NAMES = (
    "(pool ng1-public of cluster-5)",
    "(pool ng1-public of taints-1)",
    "(pool nodes of ha-gce.example.com)",
    "(pool nodes of test.k8s.io)",
)


@pytest.mark.parametrize(
    ("corpus", "expected", "twice"),
    [
        pytest.param(OWN, OWN_NAMES, "inference", id="own"),
        pytest.param(PUBLIC, PUBLIC_NAMES, "nodepool-sample-${uniqueId}", id="public", marks=needs_public),
    ],
)
def test_the_folder_as_a_whole_tells_pools_of_one_name_apart(
    corpus: Path, expected: tuple[str, ...], twice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(corpus / "nodepools")
    loaded = load_world(["."], one_cluster=False)
    assert tuple(name for name in loaded.world.nodes if " of " in name) == expected
    assert [(ambiguity.kind, ambiguity.key.name) for ambiguity in loaded.world.ambiguities] == [("Node", f"(pool {twice})")]
