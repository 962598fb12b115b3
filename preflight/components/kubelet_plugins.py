"""What registers with the kubelet: device plugins, CSI node drivers, DRA drivers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from preflight.components.catalog import load_csi_drivers
from preflight.components.container_commands import FieldPath, is_trivial
from preflight.components.detection import ComponentFindings, ProvidedFeatures
from preflight.components.pod_template import HostMount, ParsedContainer, normalize_path
from preflight.messages import components as messages

_DEVICE_PLUGINS = re.compile(r"(^|/)device-plugins(/|$)")
_REGISTRY = re.compile(r"/(plugins_registry|kubelet/plugin-registry)$")
_KUBELET = re.compile(r"/kubelet$")
_SOCKET = re.compile(r"/plugins/([^/]+)/[^/]+$")
_PLUGIN_FOLDER = re.compile(r"/kubelet/plugins/([^/]+)$")
_REGISTRAR = re.compile(r"(^|[/-])(?<!cluster-)(csi-)?(node-)?driver-registrar|^csi-registrar")
_RESOURCE = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.[a-z0-9.-]+/[A-Za-z0-9][\w.-]*$|rdma/[\w.-]+$")
_NAME = re.compile(r"[\"']?name[\"']?\s*:\s*[\"']?([\w.-]+)")
RENAME_PATTERN = re.compile(r"^[ \t]*+-?[ \t]*+rename:\s*+[\"']?([\w./-]+)", re.MULTILINE)
RENAME_BY_DEFAULT = re.compile(r"renameByDefault:\s*true")
_DRIVER_FLAGS = ("drivername", "driver-name", "csi-driver-name", "csi_driver_name", "driver_name", "provisioner_name")


def find_kubelet_plugins(findings: ComponentFindings) -> None:
    """Find what registers with the kubelet, by the folders and the registration that this needs.

    1. A device plugin writes to `device-plugins` of the kubelet: it makes its socket there, which no command like `rm` does. With a
       program that is known as one, the kubelet's whole folder or its registry of plugins will do.
    2. A CSI node driver registers: a registrar beside it, or `--kubelet-registration-path`. A controller has neither.
    3. A DRA driver writes to `plugins_registry` without being either of these.

    Source: pkg/kubelet/cm/devicemanager, pkg/kubelet/pluginmanager, kubernetes-csi/node-driver-registrar.
    """
    writing = [
        (container, mount)
        for container, mount in findings.template.iter_mounts()
        if mount.is_writable and not findings.only_observes(container) and not is_trivial(container.programs)
    ]
    plugins = [pair for pair in writing if _DEVICE_PLUGINS.search(pair[1].host_path)]
    if not plugins:
        known = {run.container.path for run in findings.programs if "device-plugin" in run.product.kinds}
        plugins = [
            pair
            for pair in writing
            if pair[0].path in known and (_KUBELET.search(pair[1].host_path) or _REGISTRY.search(pair[1].host_path))
        ]
    for container, mount in plugins:
        findings.add_evidence(
            "device-plugin",
            mount.path,
            f"writes {mount.host_path}",
            ProvidedFeatures(resources=tuple(_iter_resources(findings, container))),
        )
    _find_csi_driver(findings)
    if "csi-node-driver" not in findings:
        _find_dra_driver(findings, [pair for pair in writing if _REGISTRY.search(pair[1].host_path)])


def _iter_resources(findings: ComponentFindings, container: ParsedContainer) -> Iterator[str]:
    """The extended resources that a device plugin advertises, as far as its settings, its ConfigMaps and its name tell."""
    stated = {*_iter_stated_resources(container), *_iter_config_resources(findings, container)}
    yield from stated
    for run in findings.programs_in(container):
        if not (stated and all(resource.endswith("*") for resource in run.product.resources)):
            yield from run.product.resources
        for setting in run.product.settings:
            value = findings.find_setting(container, setting)
            if value is not None and value.text.lower() in setting.values:
                yield from setting.resources
    if not stated and any(mount.host_path == "/dev/infiniband" for mount in container.mounts):
        yield "rdma/*"


def _iter_stated_resources(container: ParsedContainer) -> Iterator[str]:
    """Names in flags and variables: whole ones, or a name beside its prefix or domain."""
    for name, values in (*container.flags.items(), *((name.lower(), (value,)) for name, value in container.env.items())):
        if "resource" not in name or "prefix" in name:
            continue
        for value in values:
            yield from (part for part in value.text.split(",") if _RESOURCE.match(part))
            prefix = _find_resource_prefix(container)
            if name in ("resource-name", "resource_name", "resourcename") and "/" not in value.text and prefix:
                yield f"{prefix}/{value.text}"
    runs = [*container.images, *(program.name for program in container.programs)]
    if "generic-device-plugin" in runs:
        domain = container.get_setting("domain")
        for value in container.flags.get("device", ()):
            for name in _NAME.findall(value.text)[:1]:
                yield f"{domain.text if domain else 'squat.ai'}/{name}"


def _find_resource_prefix(container: ParsedContainer) -> str:
    for name in ("resource-prefix", "resource-namespace", "resource-domain", "resource-vendor"):
        value = container.get_setting(name)
        if value is not None:
            return value.text
    return ""


def _iter_config_resources(findings: ComponentFindings, container: ParsedContainer) -> Iterator[str]:
    """Names in the ConfigMaps that the template names.

    1. `configList` is the RDMA shared device plugin's, with the prefix `rdma` unless stated.
    2. `resourceList` is the SR-IOV one's, with `--resource-prefix`, else `intel.com`.
    3. `rename` and `renameByDefault` are NVIDIA's, for shared GPUs.
    """
    for name in findings.template.config_names:
        for text in findings.configs.get(name, {}).values():
            yield from (name for name in RENAME_PATTERN.findall(text) if "/" in name)
            if RENAME_BY_DEFAULT.search(text):
                yield "nvidia.com/gpu.shared"
            try:
                data = json.loads(text) if text.lstrip().startswith("{") else None
            except (ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                yield from _iter_listed_resources(data.get("configList"), "rdma")
                yield from _iter_listed_resources(data.get("resourceList"), _find_resource_prefix(container) or "intel.com")


def _iter_listed_resources(entries: object, prefix: str) -> Iterator[str]:
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("resourceName"), str):
            stated = entry.get("resourcePrefix")
            yield f"{stated if isinstance(stated, str) and stated else prefix}/{entry['resourceName']}"


def _find_csi_driver(findings: ComponentFindings) -> None:
    registrations = [
        running_container for running_container in findings.template.running_containers if _find_registration(running_container) is not None
    ]
    names = tuple(dict.fromkeys(_iter_csi_drivers(findings))) if registrations else ()
    for container in registrations:
        path, words = _find_registration(container) or ((), "")
        findings.add_evidence("csi-node-driver", path, words, ProvidedFeatures(drivers=names))
    if registrations:
        _find_own_taint(findings, names)


def _find_registration(container: ParsedContainer) -> tuple[FieldPath, str] | None:
    """The evidence that a container registers a CSI driver with the kubelet."""
    flag = container.flags.get("kubelet-registration-path")
    if flag:
        return flag[-1].path, messages.REGISTRATION_FLAG
    for program in container.programs:
        if _REGISTRAR.search(program.name):
            return program.path, messages.describe_registrar(program.name)
    if container.images and _REGISTRAR.search(container.images[-1]):
        return (*container.path, "image"), messages.describe_registrar_image(container.images[-1])
    if not container.images and _REGISTRAR.search(container.name):
        return (*container.path, "name"), messages.describe_registrar_container(container.name)
    for mount in container.mounts:
        if mount.is_writable and _REGISTRY.search(mount.host_path) and _has_csi_socket(container):
            return mount.path, messages.describe_registration_folder(mount.host_path)
    return None


def _has_csi_socket(container: ParsedContainer) -> bool:
    """Whether a container is told the socket of a CSI driver."""
    sockets = [*container.flags.get("endpoint", ()), *container.flags.get("csi-address", ())]
    return "CSI_ENDPOINT" in container.env or any("csi" in socket.text.lower() for socket in sockets)


def _iter_csi_drivers(findings: ComponentFindings) -> Iterator[str]:
    """The names of the CSI drivers: stated ones, else that of a known program, else the folder of the socket."""
    stated = [value for running_container in findings.template.running_containers for value in _iter_driver_names(running_container)]
    if stated:
        yield from stated
        return
    folders = [folder for container in findings.template.running_containers for folder in _iter_plugin_folders(container)]
    if not folders:
        yield from (name for run in findings.programs for name in run.product.drivers)
        folders = [
            match[1]
            for _, mount in findings.template.iter_mounts()
            if (match := _PLUGIN_FOLDER.search(mount.host_path)) and match[1] != "kubernetes.io"
        ]
    called = {driver.folder: driver.driver for driver in load_csi_drivers() if driver.folder}
    yield from (called.get(folder, folder) for folder in folders)


def _iter_plugin_folders(container: ParsedContainer) -> Iterator[str]:
    for value in container.flags.get("kubelet-registration-path", ()):
        if match := _SOCKET.search(normalize_path(value.text)):
            yield match[1]


def _iter_driver_names(container: ParsedContainer) -> Iterator[str]:
    for name in _DRIVER_FLAGS:
        value = container.get_setting(name)
        if value is not None and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", value.text):
            yield value.text


def _find_own_taint(findings: ComponentFindings, names: tuple[str, ...]) -> None:
    """A driver that takes `DRIVER/agent-not-ready` from its node: one that is known to, or that tolerates just this taint."""
    stated = [
        setting.text.lower()
        for container in findings.template.running_containers
        if (setting := container.get_setting("remove-not-ready-taint"))
    ]
    if "false" in stated:
        return
    tolerated = {tolerated_key.text: tolerated_key.path for tolerated_key in findings.template.tolerated_keys}
    removes = {driver.driver: driver.taint for driver in load_csi_drivers() if driver.taint}
    for name in names:
        own = f"{name}/agent-not-ready"
        taint = removes.get(name) or (own if own in tolerated or stated else "")
        if taint:
            path = tolerated.get(taint) or next(_iter_csi_evidence(findings))
            findings.add_evidence(
                "startup-taint-remover", path, messages.describe_own_taint(name, taint), ProvidedFeatures(taints=(taint,))
            )


def _iter_csi_evidence(findings: ComponentFindings) -> Iterator[FieldPath]:
    for container in findings.template.running_containers:
        if (found := _find_registration(container)) is not None:
            yield found[0]


def _find_dra_driver(findings: ComponentFindings, writable_mounts: list[tuple[ParsedContainer, HostMount]]) -> None:
    """A DRA driver; beside a device plugin, which may register there too, only where more speaks for it."""
    for container, mount in writable_mounts:
        products = [run.product for run in findings.programs_in(container)]
        known = any("dra-driver" in product.kinds for product in products)
        cdi = any(other.is_writable and other.host_path.endswith("/cdi") for other in container.mounts)
        if known or cdi or "device-plugin" not in findings:
            stated = tuple(_iter_driver_names(container))
            names = stated or tuple(name for program in products for name in program.drivers)
            findings.add_evidence("dra-driver", mount.path, messages.describe_registry(mount.host_path), ProvidedFeatures(drivers=names))
