"""What is done to the node itself: drivers and runtimes installed, labels set, startup taints removed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from preflight.components.container_commands import CommandProgram, is_trivial
from preflight.components.detection import ComponentFindings, ProvidedFeatures
from preflight.components.pod_template import ParsedContainer
from preflight.messages import components as messages

_FEATURES = re.compile(r"/node-feature-discovery/(features|source)\.d$")
_DRIVERS = re.compile(r"/run/(nvidia|nvidia/driver|mellanox/drivers)$")
_PROVIDERS = re.compile(r"/secrets-store-csi-providers$")
_CHECKS = re.compile(r"/validations$")
_TOOLKIT = re.compile(r"/(run|usr/local)/nvidia/toolkit$|/nvidia-container-runtime$|/(amd|habana)-container-runtime$")
_LIBRARIES = re.compile(r"\bnccl|\bgib\b|tcpxo?\b|\bfastsocket|libfabric|\brccl|\bhccl", re.I)
_RUNTIME_HOOK = re.compile(r"container-toolkit|container-runtime|\bcdi\b", re.I)
_DEVICES = re.compile(
    r"nvidia|amdgpu|\bgpu|\brocm|\bcuda|rdma|mofed|ofed\b|infiniband|mlx[45]|mellanox|\bnccl|\bsriov|\bgib\b|tcpxo?\b|habana|gaudi|neuron|\befa\b",
    re.I,
)
_LOADERS = frozenset({"insmod", "modprobe", "depmod", "dkms"})
_INSTALLERS = frozenset(("driver-installer", "container-toolkit", "device-libraries"))
UNINITIALIZED = "node.cloudprovider.kubernetes.io/uninitialized"
"""The taint of a node that no cloud controller has initialized yet."""
_PAUSE = re.compile(r"^pause")
_LABEL = re.compile(r"([a-z0-9A-Z][\w.-]*\.[\w.-]+/[\w.-]+|[A-Za-z0-9][\w.-]*)(=|-$)")
_TAINT_NAME = re.compile(r"(startup|not-?_?ready|init).*taint|taint.*(key|name)|^taint$|node-taint|remove-taint")
_TAINT = re.compile(r"([a-z0-9.-]+/[\w.-]+)(=[\w.-]*)?(:\w+)?-?$")


def find_node_changes(findings: ComponentFindings) -> None:
    """Find what changes the node.

    1. A label producer writes features for node feature discovery, or runs `kubectl label node`.
    2. An installer of drivers mounts the folder of drivers so that the node sees them, loads modules of devices, or is an init
       container that installs something for devices beside a container that only waits. What is called after libraries or after the
       container runtime brings these, and no driver; so does what writes the folder of a toolkit.
    3. Init containers whose mounts reach the node leave the results of checks there, which others wait for.
    4. A remover of a startup taint runs `kubectl taint node KEY-`, or is told a key by a setting that speaks of it.
    5. A cloud controller is told its cloud, and tolerates the taint of nodes that no cloud controller has initialized. An autoscaler is
       told a cloud too; components of Kubernetes are told `external`, which is none.

    Source: node-feature-discovery's local source, gpu-operator and network-operator manifests, kubectl's grammar.
    """
    for container, mount in findings.template.iter_mounts():
        if findings.only_observes(container):
            continue
        if mount.is_writable and _FEATURES.search(mount.host_path):
            findings.add_evidence("label-producer", mount.path, messages.describe_feature_folder(mount.host_path))
        if mount.is_writable and _PROVIDERS.search(mount.host_path) and "csi-node-driver" not in findings:
            findings.add_evidence("secrets-store-provider", mount.path, messages.describe_secrets_folder(mount.host_path))
        if mount.is_writable and _TOOLKIT.search(mount.host_path):
            findings.add_evidence("container-toolkit", mount.path, messages.describe_toolkit_folder(mount.host_path))
        elif mount.is_writable and mount.is_propagated and _DRIVERS.search(mount.host_path) and "container-toolkit" not in findings:
            findings.add_evidence("driver-installer", mount.path, messages.describe_driver_folder(mount.host_path))
    for container in findings.template.containers:
        _find_script_changes(findings, container)
        _find_stated_taint(findings, container)
        _find_cloud_controller(findings, container)
    if not _pod_only_waits(findings):
        return
    for container, mount in findings.template.iter_mounts():
        if mount.is_propagated and not container.keeps_running and _CHECKS.search(mount.host_path):
            findings.add_evidence("readiness-gate", mount.path, messages.describe_check_folder(mount.host_path))
    if _INSTALLERS.isdisjoint(findings.kinds) and "readiness-gate" not in findings:
        for container in findings.template.containers:
            if not container.keeps_running and any(mount.is_writable for mount in container.mounts):
                kind = _classify_installer(container)
                if kind is not None:
                    findings.add_evidence(kind, (*container.path, "image"), messages.INSTALLS_THEN_WAITS)


def _find_script_changes(findings: ComponentFindings, container: ParsedContainer) -> None:
    for program in container.programs:
        if program.name in _LOADERS and any(_DEVICES.search(word) for word in program.words):
            findings.add_evidence("driver-installer", program.path, messages.describe_module_loader(program.name))
        if program.name == "kubectl" and len(program.words) > 1 and program.words[1].startswith("node"):
            if program.words[0] == "label":
                keys = tuple(match[1] for word in program.words[2:] if (match := _LABEL.match(word)))
                findings.add_evidence("label-producer", program.path, messages.LABELS_NODES, ProvidedFeatures(labels=keys))
            if program.words[0] == "taint":
                removed = tuple(_iter_removed_taints(program))
                if removed:
                    findings.add_evidence("startup-taint-remover", program.path, messages.REMOVES_TAINT, ProvidedFeatures(taints=removed))


def _iter_removed_taints(program: CommandProgram) -> Iterator[str]:
    for word in program.words[2:]:
        if word.endswith("-") and not word.startswith("$"):
            yield re.split(r"[=:]", word[:-1])[0]


def _find_stated_taint(findings: ComponentFindings, container: ParsedContainer) -> None:
    """A key of a taint that a flag or a variable states, whose name speaks of a startup taint."""
    for name, values in (*container.flags.items(), *((name.lower(), (value,)) for name, value in container.env.items())):
        if _TAINT_NAME.search(name):
            for value in values:
                if match := _TAINT.match(value.text):
                    findings.add_evidence(
                        "startup-taint-remover", value.path, messages.describe_startup_taint(name), ProvidedFeatures(taints=(match[1],))
                    )


def _find_cloud_controller(findings: ComponentFindings, container: ParsedContainer) -> None:
    """A cloud controller that is not known by name: `--cloud-provider` or `--cloud-config`, and the toleration that only it needs."""
    flag = next((container.flags[name][-1] for name in ("cloud-provider", "cloud-config") if name in container.flags), None)
    tolerated = any(tolerated_key.text == UNINITIALIZED for tolerated_key in findings.template.tolerated_keys)
    is_other = findings.programs_in(container) or any("autoscaler" in name for name in container.images) or "csi-node-driver" in findings
    if flag is None or flag.text == "external" or not tolerated or not container.keeps_running or is_other:
        return
    findings.add_evidence("cloud-controller", flag.path, messages.CLOUD_CONTROLLER)
    findings.add_evidence("startup-taint-remover", flag.path, messages.CLOUD_CONTROLLER, ProvidedFeatures(taints=(UNINITIALIZED,)))


def _pod_only_waits(findings: ComponentFindings) -> bool:
    """Whether every container that runs does nothing but wait."""
    return bool(findings.template.running_containers) and all(only_waits(container) for container in findings.template.running_containers)


def only_waits(container: ParsedContainer) -> bool:
    """Whether a container does nothing but wait: a pause image, or a command of `sleep` and the like."""
    if container.programs:
        return is_trivial(container.programs)
    return not container.words and bool(container.images) and _PAUSE.match(container.images[-1]) is not None


def _classify_installer(container: ParsedContainer) -> str | None:
    """What an init container installs for devices: libraries, the hook of the container runtime, or else a driver; None for nothing."""
    texts = [*container.images, container.name, *(word.text for word in container.words), *(mount.host_path for mount in container.mounts)]
    if not any("install" in text.lower() for text in texts) or not any(_DEVICES.search(text) or _LIBRARIES.search(text) for text in texts):
        return None
    names = [*container.images, container.name]
    if any(_LIBRARIES.search(name) for name in names):
        return "device-libraries"
    return "container-toolkit" if any(_RUNTIME_HOOK.search(name) for name in names) else "driver-installer"
