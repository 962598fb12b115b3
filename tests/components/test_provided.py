"""What components provide: resources, drivers, labels, taints, networks."""

from __future__ import annotations

import pytest

from preflight.components import Component, recognize_components
from preflight.model.apps import DaemonSet
from tests.components.daemonset_templates import container, daemonset

PLUGINS = {"/var/lib/kubelet/device-plugins": "/dp"}
RDMA = """{"periodicUpdateInterval": 300, "configList": [
  {"resourceName": "hca_shared_devices_a", "rdmaHcaMax": 1000, "selectors": {"ifNames": ["ib0"]}},
  {"resourceName": "hca", "resourcePrefix": "example.com", "rdmaHcaMax": 10}]}"""
SRIOV = """{"resourceList": [
  {"resourceName": "netdevice", "selectors": {}}, {"resourceName": "rdma", "resourcePrefix": "nvidia.com"}, "rubbish"]}"""


def only(given: DaemonSet, kind: str, **config: str) -> Component:
    data = {("here", name.replace("_", "-")): {"config": text} for name, text in config.items()}
    (found,) = (recognize_component for recognize_component in recognize_components(given, data) if recognize_component.kind.id == kind)
    return found


RESOURCES = {
    "a device plugin that nobody knows: not known": (daemonset(container("registry.example/quantum:1", mounts=PLUGINS)), ()),
    "NVIDIA": (daemonset(container("nvcr.io/nvidia/k8s-device-plugin:v0.17", mounts=PLUGINS)), ("nvidia.com/gpu",)),
    "NVIDIA with mixed MIG": (
        daemonset(container("nvcr.io/nvidia/k8s-device-plugin:v0.17", env={"MIG_STRATEGY": "mixed"}, mounts=PLUGINS)),
        ("nvidia.com/gpu", "nvidia.com/mig-*"),
    ),
    "AMD, in an image of the same name": (daemonset(container("rocm/k8s-device-plugin", mounts=PLUGINS)), ("amd.com/gpu",)),
    "RDMA without its ConfigMap: the prefix is known": (
        daemonset(container("ghcr.io/mellanox/k8s-rdma-shared-dev-plugin", mounts=PLUGINS)),
        ("rdma/*",),
    ),
    "an RDMA plugin that nobody knows, by its devices": (
        daemonset(container("registry.example/ib:1", mounts={**PLUGINS, "/dev/infiniband": "/dev/infiniband"})),
        ("rdma/*",),
    ),
    "a flag with the whole name": (
        daemonset(container("registry.example/q:1", args=["--resource-name=example.com/qubit"], mounts=PLUGINS)),
        ("example.com/qubit",),
    ),
    "a flag with a name beside its prefix": (
        daemonset(container("registry.example/q:1", args=["--resource-prefix", "example.com", "--resource-name", "qubit"], mounts=PLUGINS)),
        ("example.com/qubit",),
    ),
    "a variable": (
        daemonset(container("registry.example/q:1", env={"RESOURCE_NAME": "example.com/qubit"}, mounts=PLUGINS)),
        ("example.com/qubit",),
    ),
    "an argument with a variable in it": (
        daemonset(container("registry.example/q:1", args=["--resource-name=$(WHAT)"], env={"WHAT": "example.com/qubit"}, mounts=PLUGINS)),
        ("example.com/qubit",),
    ),
    "the generic device plugin": (
        daemonset(container("squat/generic-device-plugin", args=["--device", "name: serial\ngroups:\n  - paths: []"], mounts=PLUGINS)),
        ("squat.ai/serial",),
    ),
}


@pytest.mark.parametrize(("given", "expected"), RESOURCES.values(), ids=RESOURCES)
def test_a_device_plugin_advertises(given: DaemonSet, expected: tuple[str, ...]) -> None:
    assert only(given, "device-plugin").resources == expected


def test_the_rdma_plugin_advertises_what_its_configmap_names() -> None:
    given = daemonset(container("ghcr.io/mellanox/k8s-rdma-shared-dev-plugin", mounts=PLUGINS), configs=["rdma-devices"])
    assert only(given, "device-plugin", rdma_devices=RDMA).resources == ("example.com/hca", "rdma/hca_shared_devices_a")


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        pytest.param([], ("intel.com/netdevice", "nvidia.com/rdma"), id="with the usual prefix"),
        pytest.param(["--resource-prefix=openshift.io"], ("nvidia.com/rdma", "openshift.io/netdevice"), id="with a stated prefix"),
    ],
)
def test_the_sriov_plugin_advertises_what_its_configmap_names(args: list[str], expected: tuple[str, ...]) -> None:
    given = daemonset(container("nfvpe/sriov-network-device-plugin", args=args, mounts=PLUGINS), configs=["sriovdp"])
    assert only(given, "device-plugin", sriovdp=SRIOV).resources == expected


def test_a_configmap_of_another_namespace_or_that_is_not_named_says_nothing() -> None:
    given = daemonset(container("ghcr.io/mellanox/k8s-rdma-shared-dev-plugin", mounts=PLUGINS), configs=["rdma-devices"])
    (found,) = recognize_components(given, {("elsewhere", "rdma-devices"): {"c": RDMA}, ("here", "other"): {"c": RDMA}})
    assert found.resources == ("rdma/*",)


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"configList": 3}', "[" * 100_000, '{"configList": ' + "[" * 100_000, ""])
def test_a_configmap_of_any_text_is_survived(text: str) -> None:
    given = daemonset(container("ghcr.io/mellanox/k8s-rdma-shared-dev-plugin", mounts=PLUGINS), configs=["rdma-devices"])
    assert only(given, "device-plugin", rdma_devices=text).resources == ("rdma/*",)


def test_whether_a_resource_is_advertised_can_be_unknown() -> None:
    quantum, rdma, gpu = (
        daemonset(container(image, mounts=PLUGINS)) for image in ("quantum", "k8s-rdma-shared-dev-plugin", "k8s-device-plugin")
    )
    assert only(quantum, "device-plugin").advertises("example.com/qubit") is None
    assert only(rdma, "device-plugin").advertises("rdma/hca") is True
    assert only(gpu, "device-plugin").advertises("amd.com/gpu") is False


DRIVERS = {
    "the folder": (["--kubelet-registration-path=/var/lib/kubelet/plugins/disk.example.com/csi.sock"], {}, ("disk.example.com",)),
    "the folder in a variable": (
        ["--kubelet-registration-path=$(SOCK)"],
        {"SOCK": "/data/kubelet/plugins/disk.example.com/csi.sock"},
        ("disk.example.com",),
    ),
    "a folder of Windows": (
        [r"--kubelet-registration-path=C:\\var\\lib\\kubelet\\plugins\\disk.example.com\\csi.sock"],
        {},
        ("disk.example.com",),
    ),
    "a folder that is called otherwise": (
        ["--kubelet-registration-path=/var/lib/kubelet/plugins/csi-nfsplugin/csi.sock"],
        {},
        ("nfs.csi.k8s.io",),
    ),
    "a stated name before the folder": (
        ["--kubelet-registration-path=/var/lib/kubelet/plugins/x/csi.sock", "--drivername=real.example.com"],
        {},
        ("real.example.com",),
    ),
    "a path that is not known": (["--kubelet-registration-path=$(UNKNOWN)"], {}, ()),
}


@pytest.mark.parametrize(("args", "env", "expected"), DRIVERS.values(), ids=DRIVERS)
def test_a_csi_driver_is_called(args: list[str], env: dict[str, str], expected: tuple[str, ...]) -> None:
    assert only(daemonset(container("registry.example/registrar:1", args=args, env=env)), "csi-node-driver").drivers == expected


@pytest.mark.parametrize(
    ("args", "tolerates", "expected"),
    [
        pytest.param([], [], ["disk.csi.azure.com/agent-not-ready"], id="a driver that is known to remove its taint"),
        pytest.param(["--remove-not-ready-taint=false"], [], [], id="the same, told not to"),
    ],
)
def test_a_csi_driver_removes_its_startup_taint(args: list[str], tolerates: list[str], expected: list[str]) -> None:
    path = "--kubelet-registration-path=/var/lib/kubelet/plugins/disk.csi.azure.com/csi.sock"
    found = recognize_components(daemonset(container("registry.example/registrar:1", args=[path, *args]), tolerates=tolerates))
    assert [taint for component in found for taint in component.taints] == expected


def test_a_csi_driver_that_tolerates_its_own_taint_removes_it() -> None:
    path = "--kubelet-registration-path=/var/lib/kubelet/plugins/new.example.com/csi.sock"
    taint = "new.example.com/agent-not-ready"
    found = only(daemonset(container("registry.example/registrar:1", args=[path]), tolerates=["other", taint]), "startup-taint-remover")
    assert found.taints == (taint,)
    assert found.evidence[0].path == ("spec", "template", "spec", "tolerations", 1, "key")


def test_a_script_owns_the_labels_and_taints_that_it_changes() -> None:
    script = "kubectl label node $N a.example.com/x=1 plain=2 gone-; kubectl taint node $N b.example.com/y=z:NoSchedule- kept=1:NoExecute"
    given = daemonset(container("registry.example/tools:1", "sh", "-c", script))
    assert only(given, "label-producer").labels == ("a.example.com/x", "gone", "plain")
    assert only(given, "startup-taint-remover").taints == ("b.example.com/y",)


def test_a_prefix_of_labels_covers_what_begins_so() -> None:
    worker = only(daemonset(container("registry.k8s.io/nfd/node-feature-discovery", "nfd-worker")), "label-producer")
    assert worker.sets_label("feature.node.kubernetes.io/pci-10de.present") is True
    assert worker.sets_label("kubernetes.io/hostname") is False
    unknown = only(daemonset(container("registry.example/acme-node-labeller:1")), "label-producer")
    assert unknown.sets_label("anything") is None


def test_cilium_reads_its_configmap_without_mounting_it() -> None:
    given = daemonset(container("quay.io/cilium/cilium:v1.18", "cilium-agent", args=["--config-dir=/tmp/c"]))
    data = {"kube-proxy-replacement": "true", "agent-not-ready-taint-key": "example.com/cilium"}
    found = {
        recognize_component.kind.id: recognize_component
        for recognize_component in recognize_components(given, {("here", "cilium-config"): data})
    }
    assert found.keys() == {"cni", "kube-proxy", "startup-taint-remover"}
    assert found["startup-taint-remover"].taints == ("example.com/cilium",)
    assert {component.kind.id for component in recognize_components(given)} == {"cni", "startup-taint-remover"}


@pytest.mark.parametrize(
    ("image", "folder", "expected"),
    [
        pytest.param("docker.io/flannel/flannel:v0.26", "/etc/cni/net.d", ("pod",), id="the network of every pod"),
        pytest.param("ghcr.io/k8snetworkplumbingwg/multus-cni:v4", "/etc/cni/net.d", ("multus", "pod"), id="the network before the others"),
        pytest.param("registry.example/overlay:1", "/etc/cni/net.d", (), id="a network that nobody knows"),
    ],
)
def test_a_cni_provides(image: str, folder: str, expected: tuple[str, ...]) -> None:
    assert only(daemonset(container(image, mounts={folder: "/host"})), "cni").networks == expected


def test_a_network_that_pods_ask_for_is_known_by_its_type() -> None:
    given = daemonset(container("ghcr.io/k8snetworkplumbingwg/sriov-cni:v2.9", mounts={"/opt/cni/bin": "/host"}))
    assert only(given, "secondary-cni").networks == ("sriov",)


def test_a_program_of_a_kind_may_have_a_symptom_of_its_own() -> None:
    given = daemonset(container("nvcr.io/nvidia/k8s-device-plugin:v0.17", "mps-control-daemon"))
    assert "MPS" in only(given, "device-configurer").symptom


def test_a_cilium_that_is_chained_to_another_network_is_not_the_network_alone() -> None:
    given = daemonset(container("quay.io/cilium/cilium:v1.17", "cilium-agent"))
    for config, expected in (
        ({}, ("pod",)),
        ({"cni-chaining-mode": "none"}, ("pod",)),
        ({"cni-chaining-mode": "aws-cni"}, ("cilium-chained", "pod")),
    ):
        (cni,) = (part for part in recognize_components(given, {("here", "cilium-config"): config}) if part.kind.id == "cni")
        assert cni.networks == expected
