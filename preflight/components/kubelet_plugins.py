"""What registers with the kubelet: device plugins, CSI node drivers, DRA drivers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from preflight.components.catalog import drivers
from preflight.components.container_commands import Path
from preflight.components.detection import Findings, Provided
from preflight.components.pod_template import Container, Mount, normal

_DEVICE_PLUGINS = re.compile(r"(^|/)device-plugins(/|$)")
_REGISTRY = re.compile(r"/(plugins_registry|kubelet/plugin-registry)$")
_KUBELET = re.compile(r"/kubelet$")
_SOCKET = re.compile(r"/plugins/([^/]+)/[^/]+$")
_PLUGIN_FOLDER = re.compile(r"/kubelet/plugins/([^/]+)$")
_REGISTRAR = re.compile(r"(^|[/-])(csi-)?(node-)?driver-registrar|^csi-registrar")
_RESOURCE = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?\.[a-z0-9.-]+/[A-Za-z0-9][\w.-]*$|rdma/[\w.-]+$")
_NAME = re.compile(r"[\"']?name[\"']?\s*:\s*[\"']?([\w.-]+)")
RENAME = re.compile(r"^\s*-?\s*rename:\s*[\"']?([\w./-]+)", re.MULTILINE)
BY_DEFAULT = re.compile(r"renameByDefault:\s*true")
_DRIVER_FLAGS = ("drivername", "driver-name", "csi-driver-name", "csi_driver_name", "driver_name", "provisioner_name")


def find_kubelet_plugins(findings: Findings) -> None:
    """Find what registers with the kubelet, by the folders and the registration that this needs.

    1. A device plugin writes to `device-plugins` of the kubelet: it makes its socket there. With a program that is known as one, the
       kubelet's whole folder or its registry of plugins will do.
    2. A CSI node driver registers: a registrar beside it, or `--kubelet-registration-path`. A controller has neither.
    3. A DRA driver writes to `plugins_registry` without being either of these.

    Source: pkg/kubelet/cm/devicemanager, pkg/kubelet/pluginmanager, kubernetes-csi/node-driver-registrar.
    """
    writing = [
        (container, mount) for container, mount in findings.template.mounts() if mount.writes and not findings.only_watches(container)
    ]
    plugins = [each for each in writing if _DEVICE_PLUGINS.search(each[1].host)]
    if not plugins:
        known = {run.container.path for run in findings.runs if "device-plugin" in run.product.kinds}
        plugins = [each for each in writing if each[0].path in known and (_KUBELET.search(each[1].host) or _REGISTRY.search(each[1].host))]
    for container, mount in plugins:
        findings.add("device-plugin", mount.path, f"writes {mount.host}", Provided(resources=tuple(_resources(findings, container))))
    _csi(findings)
    if "csi-node-driver" not in findings:
        _dra(findings, [each for each in writing if _REGISTRY.search(each[1].host)])


def _resources(findings: Findings, container: Container) -> Iterator[str]:
    """The extended resources that a device plugin advertises, as far as its settings, its ConfigMaps and its name tell."""
    stated = {*_stated(container), *_configured(findings, container)}
    yield from stated
    for run in findings.runs_in(container):
        if not (stated and all(each.endswith("*") for each in run.product.resources)):
            yield from run.product.resources
        for setting in run.product.settings:
            value = findings.state(container, setting)
            if value is not None and value.text.lower() in setting.values:
                yield from setting.resources
    if not stated and any(mount.host == "/dev/infiniband" for mount in container.mounts):
        yield "rdma/*"


def _stated(container: Container) -> Iterator[str]:
    """Names in flags and variables: whole ones, or a name beside its prefix or domain."""
    for name, values in (*container.flags.items(), *((name.lower(), (value,)) for name, value in container.env.items())):
        if "resource" not in name or "prefix" in name:
            continue
        for value in values:
            yield from (part for part in value.text.split(",") if _RESOURCE.match(part))
            prefix = _prefix(container)
            if name in ("resource-name", "resource_name", "resourcename") and "/" not in value.text and prefix:
                yield f"{prefix}/{value.text}"
    runs = [*container.images, *(program.name for program in container.programs)]
    if "generic-device-plugin" in runs:
        domain = container.setting("domain")
        for value in container.flags.get("device", ()):
            for name in _NAME.findall(value.text)[:1]:
                yield f"{domain.text if domain else 'squat.ai'}/{name}"


def _prefix(container: Container) -> str:
    for name in ("resource-prefix", "resource-namespace", "resource-domain", "resource-vendor"):
        value = container.setting(name)
        if value is not None:
            return value.text
    return ""


def _configured(findings: Findings, container: Container) -> Iterator[str]:
    """Names in the ConfigMaps that the template names.

    1. `configList` is the RDMA shared device plugin's, with the prefix `rdma` unless stated.
    2. `resourceList` is the SR-IOV one's, with `--resource-prefix`, else `intel.com`.
    3. `rename` and `renameByDefault` are NVIDIA's, for shared GPUs.
    """
    for name in findings.template.configs:
        for text in findings.configs.get(name, {}).values():
            yield from (each for each in RENAME.findall(text) if "/" in each)
            if BY_DEFAULT.search(text):
                yield "nvidia.com/gpu.shared"
            try:
                data = json.loads(text) if text.lstrip().startswith("{") else None
            except (ValueError, RecursionError):
                continue
            if isinstance(data, dict):
                yield from _listed(data.get("configList"), "rdma")
                yield from _listed(data.get("resourceList"), _prefix(container) or "intel.com")


def _listed(entries: object, prefix: str) -> Iterator[str]:
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, dict) and isinstance(entry.get("resourceName"), str):
            stated = entry.get("resourcePrefix")
            yield f"{stated if isinstance(stated, str) and stated else prefix}/{entry['resourceName']}"


def _csi(findings: Findings) -> None:
    registrations = [each for each in findings.template.running if _registers(each) is not None]
    names = tuple(dict.fromkeys(_drivers(findings))) if registrations else ()
    for container in registrations:
        path, words = _registers(container) or ((), "")
        findings.add("csi-node-driver", path, words, Provided(drivers=names))
    if registrations:
        _own_taint(findings, names)


def _registers(container: Container) -> tuple[Path, str] | None:
    """The evidence that a container registers a CSI driver with the kubelet."""
    flag = container.flags.get("kubelet-registration-path")
    if flag:
        return flag[-1].path, "registers a CSI driver (--kubelet-registration-path)"
    for program in container.programs:
        if _REGISTRAR.search(program.name):
            return program.path, f"registers a CSI driver ({program.name})"
    if container.images and _REGISTRAR.search(container.images[-1]):
        return (*container.path, "image"), f"registers a CSI driver (image {container.images[-1]})"
    if not container.images and _REGISTRAR.search(container.name):
        return (*container.path, "name"), f"registers a CSI driver (container {container.name})"
    for mount in container.mounts:
        if mount.writes and _REGISTRY.search(mount.host) and _speaks_csi(container):
            return mount.path, f"registers a CSI driver in {mount.host}"
    return None


def _speaks_csi(container: Container) -> bool:
    """Whether a container is told the socket of a CSI driver."""
    sockets = [*container.flags.get("endpoint", ()), *container.flags.get("csi-address", ())]
    return "CSI_ENDPOINT" in container.env or any("csi" in each.text.lower() for each in sockets)


def _drivers(findings: Findings) -> Iterator[str]:
    """The names of the CSI drivers: stated ones, else that of a known program, else the folder of the socket."""
    stated = [value for each in findings.template.running for value in _driver_names(each)]
    if stated:
        yield from stated
        return
    folders = [folder for each in findings.template.running for folder in _folders(each)]
    if not folders:
        yield from (name for run in findings.runs for name in run.product.drivers)
        folders = [
            match[1]
            for _, mount in findings.template.mounts()
            if (match := _PLUGIN_FOLDER.search(mount.host)) and match[1] != "kubernetes.io"
        ]
    called = {driver.folder: driver.driver for driver in drivers() if driver.folder}
    yield from (called.get(folder, folder) for folder in folders)


def _folders(container: Container) -> Iterator[str]:
    for value in container.flags.get("kubelet-registration-path", ()):
        if match := _SOCKET.search(normal(value.text)):
            yield match[1]


def _driver_names(container: Container) -> Iterator[str]:
    for name in _DRIVER_FLAGS:
        value = container.setting(name)
        if value is not None and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]*", value.text):
            yield value.text


def _own_taint(findings: Findings, names: tuple[str, ...]) -> None:
    """A driver that takes `DRIVER/agent-not-ready` from its node: one that is known to, or that tolerates just this taint."""
    stated = [each.text.lower() for container in findings.template.running if (each := container.setting("remove-not-ready-taint"))]
    if "false" in stated:
        return
    tolerated = {each.text: each.path for each in findings.template.tolerated}
    removes = {driver.driver: driver.taint for driver in drivers() if driver.taint}
    for name in names:
        own = f"{name}/agent-not-ready"
        taint = removes.get(name) or (own if own in tolerated or stated else "")
        if taint:
            path = tolerated.get(taint) or next(_evidence_of_csi(findings))
            findings.add("startup-taint-remover", path, f"the driver {name} removes {taint}", Provided(taints=(taint,)))


def _evidence_of_csi(findings: Findings) -> Iterator[Path]:
    for container in findings.template.running:
        if (found := _registers(container)) is not None:
            yield found[0]


def _dra(findings: Findings, writing: list[tuple[Container, Mount]]) -> None:
    """A DRA driver; beside a device plugin, which may register there too, only where more speaks for it."""
    for container, mount in writing:
        products = [run.product for run in findings.runs_in(container)]
        known = any("dra-driver" in each.kinds for each in products)
        cdi = any(each.writes and each.host.endswith("/cdi") for each in container.mounts)
        if known or cdi or "device-plugin" not in findings:
            stated = tuple(_driver_names(container))
            names = stated or tuple(name for each in products for name in each.drivers)
            findings.add("dra-driver", mount.path, f"registers in {mount.host}", Provided(drivers=names))
