"""What the rules say of the manifests of a corpus, each judged by hand: without nodes, under no policy.

The public table was made from the manifests and the rules' documentation alone, before the program judged them. Ours is in the corpus.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import program
from tests.corpus import BOTH, EXPECTED, OWN, PUBLIC, needs_public

MOST_WARNED = {OWN: 2, PUBLIC: 13}
"""More DaemonSets than this with a warning or an error would be noise."""

NODE_CRITICAL_PUBLIC = (
    ("canal.yaml", "canal"),
    ("cilium-kops-rendered.yaml", "cilium"),
    ("flannel.yaml", "kube-flannel-ds"),
    ("kube-proxy-master-aliyun-export.yaml", "kube-proxy-master"),
    ("kube-proxy-worker-aliyun-export.yaml", "kube-proxy-worker"),
    ("kube-router.yaml", "kube-router"),
)
"""Networks and Service proxies with the priority class `system-node-critical`: they may do what others should not."""

NODE_CRITICAL = {
    OWN: tuple((daemonset.file, daemonset.name) for daemonset in EXPECTED.daemonsets if daemonset.network_or_proxy),
    PUBLIC: NODE_CRITICAL_PUBLIC,
}

# The file, the DaemonSet, what is to be said of it (rule and severity, as often as it is said), and why.
EXPECTED_PUBLIC: tuple[tuple[str, str, tuple[str, ...], str], ...] = (
    ("amdgpu-device-plugin.yaml", "amdgpu-device-plugin-daemonset", (), "one exact key with Exists, a selector, the class of the system"),
    (
        "aws-ebs-csi-node-windows.yaml",
        "ebs-csi-node-windows",
        ("PF201 note",),
        "a node-critical wildcard that selects Windows and no serverless node",
    ),
    (
        "aws-efs-csi-node.yaml",
        "efs-csi-node",
        ("PF201 note",),
        "a node-critical wildcard; the key after it says nothing else, so it is not shadowed",
    ),
    (
        "aws-iam-authenticator-kops.yaml",
        "aws-iam-authenticator",
        ("PF208 note", "PF208 note", "PF209 note"),
        "three keys without an operator, one of them the old name of another",
    ),
    (
        "aws-node-termination-handler-kops.yaml",
        "aws-node-termination-handler",
        ("PF201 note",),
        "a node-critical wildcard that leaves fargate out",
    ),
    ("azuredisk-csi-node.yaml", "csi-azuredisk-node", ("PF201 note",), "a node-critical wildcard that leaves virtual nodes out"),
    (
        "calico-csi-node-driver.yaml",
        "csi-node-driver",
        ("PF209 note", "PF214 warning"),
        "the old key beside the new; a CSI driver that may be evicted",
    ),
    ("canal.yaml", "canal", ("PF201 note", "PF201 note"), "a node-critical wildcard in two effects, with a selector"),
    ("ceph-csi-cephfs.yaml", "csi-cephfsplugin", (), "tolerates nothing and is node-critical: what it costs shows on nodes only"),
    (
        "cilium-kops-rendered.yaml",
        "cilium",
        ("PF201 note", "PF215 note"),
        "a node-critical wildcard; kOps deletes the pods of OnDelete itself",
    ),
    ("csi-nfs-node.yaml", "csi-nfs-node", ("PF201 note",), "a node-critical wildcard with a selector"),
    ("datadog-agent-chart-baseline.yaml", "datadog", (), "an agent that tolerates nothing, and on which nothing depends"),
    ("dra-example-driver.yaml", "dra-example-driver-kubeletplugin", ("PF214 note",), "a driver without a priority class"),
    ("falco.yaml", "falco", ("PF208 note", "PF209 note"), "both names of the control plane, without an operator"),
    ("flannel.yaml", "kube-flannel-ds", ("PF201 note",), "a node-critical wildcard for NoSchedule, Linux by its affinity"),
    (
        "fluent-bit.yaml",
        "fluent-bit",
        ("PF201 warning", "PF201 note", "PF209 note", "PF213 note"),
        "a log agent stays on every node that is emptied, and goes to every kind of node",
    ),
    (
        "gce-pd-csi-node.yaml",
        "csi-gce-pd-node",
        ("PF201 warning", "PF214 note"),
        "a wildcard, and a priority class of its own, which is none of the system's",
    ),
    (
        "gcp-cloud-controller-kops.yaml",
        "cloud-controller-manager",
        ("PF201 note",),
        "a wildcard that is not node-critical; the old label only beside the new",
    ),
    ("gke-nccl-rdma-installer.yaml", "nccl-rdma-installer", ("PF201 note",), "a node-critical wildcard with node affinity"),
    (
        "gke-nvidia-device-plugin.yaml",
        "nvidia-gpu-device-plugin",
        ("PF201 note", "PF201 note"),
        "a node-critical wildcard in two effects, with node affinity",
    ),
    ("gke-nvidia-driver-installer-cos.yaml", "nvidia-driver-installer", ("PF201 note",), "a node-critical wildcard with node affinity"),
    ("gpu-operator-dcgm-exporter.yaml", "nvidia-dcgm-exporter", (), "one key with Exists, a selector, the class of the system"),
    ("gpu-operator-mig-manager.yaml", "nvidia-mig-manager", (), "the same"),
    ("gpu-operator-operator-validator.yaml", "nvidia-operator-validator", (), "the same"),
    ("gpu-operator-vgpu-device-manager.yaml", "nvidia-vgpu-device-manager", (), "the same: its siblings tolerate what it does"),
    (
        "hcloud-csi-node.yaml",
        "hcloud-csi-node",
        ("PF201 warning", "PF201 note", "PF214 warning"),
        "a wildcard with node affinity; a CSI driver that may be evicted",
    ),
    ("kops-controller.yaml", "kops-controller", ("PF209 note", "PF215 note"), "the old key beside the new; kOps deletes the pods itself"),
    (
        "kube-network-policies.yaml",
        "kube-network-policies",
        ("PF201 note", "PF213 note", "PF214 note"),
        "a wildcard for NoSchedule without a selector or a class",
    ),
    (
        "kube-proxy-master-aliyun-export.yaml",
        "kube-proxy-master",
        ("PF201 note", "PF209 note"),
        "a node-critical wildcard; its cluster is as old as its label",
    ),
    (
        "kube-proxy-windows-hostprocess.yaml",
        "kube-proxy-windows",
        ("PF201 warning", "PF214 warning"),
        "a wildcard and a Service proxy without a class",
    ),
    (
        "kube-proxy-worker-aliyun-export.yaml",
        "kube-proxy-worker",
        ("PF201 note", "PF209 note"),
        "a node-critical wildcard; excludes nodes by the old label",
    ),
    (
        "kube-router.yaml",
        "kube-router",
        ("PF201 note", "PF201 note", "PF213 note"),
        "a node-critical wildcard in two effects, on every kind of node",
    ),
    ("kured.yaml", "kured", ("PF208 note", "PF209 note"), "both names of the control plane, without an operator"),
    ("longhorn.yaml", "longhorn-manager", ("PF214 note",), "a storage node with a class of its own; tolerates nothing"),
    ("metallb-speaker.yaml", "speaker", ("PF209 note",), "the old key beside the new; other speakers take an address over"),
    (
        "multus-thick.yaml",
        "kube-multus-ds",
        ("PF201 warning", "PF201 note", "PF213 note", "PF214 warning"),
        "a network without a class, which stays on every node and goes to every one",
    ),
    ("multus.yaml", "kube-multus-ds", ("PF201 warning", "PF201 note", "PF213 note", "PF214 warning"), "the same"),
    (
        "node-exporter-kube-prometheus.yaml",
        "node-exporter",
        ("PF201 warning",),
        "a wildcard of what a node can do without; hostPort, but no surge",
    ),
    (
        "node-local-dns.yaml",
        "node-local-dns",
        ("PF201 note", "PF201 note", "PF213 note"),
        "a node-critical wildcard in two effects, without a selector",
    ),
    (
        "node-problem-detector.yaml",
        "node-problem-detector",
        ("PF201 warning", "PF201 note"),
        "a wildcard in two effects, Linux by its affinity",
    ),
    (
        "npd-k8s-addon.yaml",
        "node-problem-detector",
        ("PF201 warning", "PF201 note", "PF207 error", "PF213 note"),
        "the same, without a selector: it says nodeSelectors, which is no field, as the program saw before the person did",
    ),
    ("nvidia-gpu-feature-discovery.yaml", "gpu-feature-discovery", ("PF214 note",), "a label producer without a class"),
    ("nvidia-kops-rendered.yaml", "nvidia-device-plugin-daemonset", (), "its template says all that its RuntimeClass adds"),
    ("rdma-shared-device-plugin.yaml", "rdma-shared-dp-ds", (), "tolerates nothing and is node-critical"),
    ("scaleway-csi-kops.yaml", "scaleway-csi-node", (), "tolerates nothing and is node-critical; its Deployment is another matter"),
    (
        "secrets-store-csi-driver.yaml",
        "csi-secrets-store",
        ("PF201 warning", "PF214 warning"),
        "a wildcard, and a CSI driver without a class",
    ),
    ("vector-agent.yaml", "vector", (), "a log agent that tolerates nothing"),
    ("vsphere-csi-node.yaml", "vsphere-csi-node", ("PF201 note", "PF201 note"), "a node-critical wildcard in two effects, with a selector"),
    ("vsphere-csi-node.yaml", "vsphere-csi-node-windows", ("PF201 note", "PF201 note"), "the same for Windows"),
)

TABLES = {OWN: tuple((each.file, each.name, each.findings, each.why) for each in EXPECTED.daemonsets), PUBLIC: EXPECTED_PUBLIC}
CASES = [
    pytest.param(corpus, file, name, findings, id=f"{file} {name}: {why}", marks=needs_public if corpus == PUBLIC else ())
    for corpus, table in TABLES.items()
    for file, name, findings, why in table
]


@cache
def judged(corpus: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """What is said of each DaemonSet of which something is said, by file and name."""
    report: dict[str, Any] = json.loads(program("lint", str(corpus / "manifests"), "-o", "json").out)
    found: dict[tuple[str, str], list[str]] = {}
    for finding in report["findings"]:
        subject = finding["subject"]
        if subject["kind"] == "DaemonSet":
            key = Path(finding["location"]["file"]).name, subject["name"]
            found.setdefault(key, []).append(f"{finding['rule']} {finding['severity']}")
    return {key: tuple(sorted(said)) for key, said in found.items()}


@pytest.mark.parametrize(("corpus", "file", "name", "rules"), CASES)
def test_what_is_said_of_a_daemonset(corpus: Path, file: str, name: str, rules: tuple[str, ...]) -> None:
    assert Counter(judged(corpus).get((file, name), ())) == Counter(rules)


@pytest.mark.parametrize("corpus", BOTH)
def test_the_table_holds_every_daemonset_that_something_is_said_of(corpus: Path) -> None:
    assert set(judged(corpus)) <= {(file, name) for file, name, _, _ in TABLES[corpus]}


@pytest.mark.parametrize("corpus", BOTH)
def test_few_have_a_warning_and_no_network_or_proxy_that_is_node_critical(corpus: Path) -> None:
    warned = [key for key, said in judged(corpus).items() if any(not each.endswith(" note") for each in said)]
    assert len(warned) <= MOST_WARNED[corpus]
    assert NODE_CRITICAL[corpus]
    assert [key for key in NODE_CRITICAL[corpus] if key in warned] == []
