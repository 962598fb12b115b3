"""What each DaemonSet of a corpus is, judged by hand from its manifest."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.components import recognize_components
from preflight.model.apps import DaemonSet
from preflight.model.meta import Metadata
from tests.corpus import BOTH, EXPECTED, OWN, PUBLIC, files

NEVER_MISSED = {"cni", "csi-node-driver", "device-plugin"}

# The DaemonSets of public projects, judged before the program was asked; ours are in the corpus itself.
JUDGED_PUBLIC = {
    ("amdgpu-device-plugin.yaml", "amdgpu-device-plugin-daemonset"): "device-plugin",
    ("aws-ebs-csi-node-windows.yaml", "ebs-csi-node-windows"): "csi-node-driver startup-taint-remover",
    ("aws-efs-csi-node.yaml", "efs-csi-node"): "csi-node-driver startup-taint-remover",
    ("aws-iam-authenticator-kops.yaml", "aws-iam-authenticator"): "control-plane",
    ("aws-node-termination-handler-kops.yaml", "aws-node-termination-handler"): "termination-handler",
    ("azuredisk-csi-node.yaml", "csi-azuredisk-node"): "csi-node-driver startup-taint-remover",
    ("calico-csi-node-driver.yaml", "csi-node-driver"): "csi-node-driver",
    ("canal.yaml", "canal"): "cni",
    ("ceph-csi-cephfs.yaml", "csi-cephfsplugin"): "csi-node-driver",
    ("cilium-kops-rendered.yaml", "cilium"): "cni startup-taint-remover",
    ("csi-nfs-node.yaml", "csi-nfs-node"): "csi-node-driver",
    ("datadog-agent-chart-baseline.yaml", "datadog"): "metrics-exporter",
    ("dra-example-driver.yaml", "dra-example-driver-kubeletplugin"): "dra-driver",
    ("falco.yaml", "falco"): "security-agent",
    ("flannel.yaml", "kube-flannel-ds"): "cni",
    ("fluent-bit.yaml", "fluent-bit"): "log-agent",
    ("gce-pd-csi-node.yaml", "csi-gce-pd-node"): "csi-node-driver",
    ("gcp-cloud-controller-kops.yaml", "cloud-controller-manager"): "startup-taint-remover cloud-controller",
    ("gke-nccl-rdma-installer.yaml", "nccl-rdma-installer"): "device-libraries",
    ("gke-nvidia-device-plugin.yaml", "nvidia-gpu-device-plugin"): "device-plugin",
    ("gke-nvidia-driver-installer-cos.yaml", "nvidia-driver-installer"): "driver-installer",
    ("gpu-operator-dcgm-exporter.yaml", "nvidia-dcgm-exporter"): "metrics-exporter",
    ("gpu-operator-mig-manager.yaml", "nvidia-mig-manager"): "device-configurer",
    ("gpu-operator-operator-validator.yaml", "nvidia-operator-validator"): "readiness-gate",
    ("gpu-operator-vgpu-device-manager.yaml", "nvidia-vgpu-device-manager"): "device-configurer",
    ("hcloud-csi-node.yaml", "hcloud-csi-node"): "csi-node-driver",
    ("kops-controller.yaml", "kops-controller"): "control-plane",
    ("kube-network-policies.yaml", "kube-network-policies"): "network-policy",
    ("kube-proxy-master-aliyun-export.yaml", "kube-proxy-master"): "kube-proxy",
    ("kube-proxy-windows-hostprocess.yaml", "kube-proxy-windows"): "kube-proxy",
    ("kube-proxy-worker-aliyun-export.yaml", "kube-proxy-worker"): "kube-proxy",
    ("kube-router.yaml", "kube-router"): "cni",
    ("kured.yaml", "kured"): "reboot-coordinator",
    ("longhorn.yaml", "longhorn-manager"): "storage-node",
    ("metallb-speaker.yaml", "speaker"): "load-balancer",
    ("multus-thick.yaml", "kube-multus-ds"): "cni",
    ("multus.yaml", "kube-multus-ds"): "cni",
    ("node-exporter-kube-prometheus.yaml", "node-exporter"): "metrics-exporter",
    ("node-local-dns.yaml", "node-local-dns"): "node-local-dns",
    ("node-problem-detector.yaml", "node-problem-detector"): "node-problem-detector",
    ("npd-k8s-addon.yaml", "node-problem-detector"): "node-problem-detector",
    ("nvidia-gpu-feature-discovery.yaml", "gpu-feature-discovery"): "label-producer",
    ("nvidia-kops-rendered.yaml", "nvidia-device-plugin-daemonset"): "device-plugin",
    ("rdma-shared-device-plugin.yaml", "rdma-shared-dp-ds"): "device-plugin",
    ("scaleway-csi-kops.yaml", "scaleway-csi-node"): "csi-node-driver",
    ("secrets-store-csi-driver.yaml", "csi-secrets-store"): "csi-node-driver",
    ("vector-agent.yaml", "vector"): "log-agent",
    ("vsphere-csi-node.yaml", "vsphere-csi-node"): "csi-node-driver",
    ("vsphere-csi-node.yaml", "vsphere-csi-node-windows"): "csi-node-driver",
    ("xpumanager.yaml", "intel-xpumanager"): "label-producer",
}

JUDGED = {
    OWN: {(each.file, each.name): set(each.components) for each in EXPECTED.daemonsets},
    PUBLIC: {key: set(kinds.split()) for key, kinds in JUDGED_PUBLIC.items()},
}


def objects(file: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for document in yaml.load_all(file.read_text(encoding="utf-8"), yaml.CSafeLoader):
        if isinstance(document, dict):
            found += document["items"] if document.get("kind") == "List" else [document]
    return found


@cache
def answers(corpus: Path) -> dict[tuple[str, str], set[str]]:
    found = {}
    for file in files(corpus, "manifests"):
        here = objects(file)
        config = {
            (each["metadata"].get("namespace", ""), each["metadata"]["name"]): {
                key: str(value) for key, value in (each.get("data") or {}).items()
            }
            for each in here
            if each.get("kind") == "ConfigMap"
        }
        for each in here:
            if each.get("kind") == "DaemonSet":
                name, namespace = each["metadata"]["name"], each["metadata"].get("namespace") or ""
                daemonset = DaemonSet(metadata=Metadata(name=name, namespace=namespace), data=each)
                found[file.name, name] = {component.kind.id for component in recognize_components(daemonset, config)}
    return found


@pytest.mark.parametrize("corpus", BOTH)
def test_every_daemonset_of_the_corpus_was_judged(corpus: Path) -> None:
    assert set(answers(corpus)) == set(JUDGED[corpus])


@pytest.mark.parametrize("corpus", BOTH)
def test_at_least_95_percent_are_told_exactly(corpus: Path) -> None:
    wrong = {key: found for key, found in answers(corpus).items() if found != JUDGED[corpus][key]}
    assert len(wrong) <= len(JUDGED[corpus]) * 0.05, wrong


@pytest.mark.parametrize("corpus", BOTH)
def test_no_network_csi_driver_or_device_plugin_is_missed_or_made_up(corpus: Path) -> None:
    told = {key: found & NEVER_MISSED for key, found in answers(corpus).items()}
    assert told == {key: kinds & NEVER_MISSED for key, kinds in JUDGED[corpus].items()}
