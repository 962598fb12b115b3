"""A pod template as matching reads it: containers with their words, settings and mounts, whatever the shape of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from preflight.components.container_commands import CommandProgram, LocatedText, parse_command_flags, parse_programs, split_image_name
from preflight.model.core import POD_TEMPLATE_SPEC

FieldPath = tuple[str | int, ...]
_VARIABLE = re.compile(r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")
_MOST = 4096
"""A value that variables make longer than this is cut: it is nobody's path or name."""


class HostMount(NamedTuple):
    """A folder or file of the node in a container.

    1. `host_path` is its path on the node, sub-path included, with `/` between the parts, without a drive and without a slash at its end.
    2. `container_path` is its path in the container; `is_writable` where it is not read-only; `is_propagated` where mounts of the container
       reach the node.
    """

    host_path: str
    container_path: str
    is_writable: bool
    is_propagated: bool
    path: FieldPath


class ParsedContainer(NamedTuple):
    """A container.

    1. `images` are its image's last two parts and its last part, without tag and architecture; () where the image is not stated, or
       only a place-holder. `programs` are the programs that its command names; () where the image's own is run.
    2. `words` are command and arguments, with the variables put in; `flags` what they set, by name without dashes, in lower case.
    3. `keeps_running`: it runs as long as the pod does (a container, or an init container that restarts always).
    """

    path: FieldPath
    name: str
    images: tuple[str, ...]
    programs: tuple[CommandProgram, ...]
    words: tuple[LocatedText, ...]
    flags: Mapping[str, tuple[LocatedText, ...]]
    env: Mapping[str, LocatedText]
    mounts: tuple[HostMount, ...]
    ports: tuple[tuple[str, int], ...]
    host_ports: tuple[int, ...]
    privileged: bool
    keeps_running: bool

    def get_setting(self, name: str) -> LocatedText | None:
        """The value of a flag, or of the environment variable that is named like it; the flag wins, the last of its kind."""
        flag = self.flags.get(name.lower())
        return flag[-1] if flag else self.env.get(name.upper().replace("-", "_"))


class ParsedTemplate(NamedTuple):
    """A pod template: `config_names` are the ConfigMaps that it names, `tolerated_keys` the keys that it tolerates."""

    containers: tuple[ParsedContainer, ...]
    config_names: tuple[str, ...]
    tolerated_keys: tuple[LocatedText, ...]
    host_network: bool

    @property
    def reaches_node(self) -> bool:
        """Whether the pod reaches its node: the network or the folders of the node, a port on it, or privileges."""
        return self.host_network or any(container.mounts or container.host_ports or container.privileged for container in self.containers)

    @property
    def running_containers(self) -> tuple[ParsedContainer, ...]:
        """The containers that run as long as the pod does."""
        return tuple(container for container in self.containers if container.keeps_running)

    def iter_mounts(self) -> Iterator[tuple[ParsedContainer, HostMount]]:
        """Every mount of a folder of the node."""
        for container in self.containers:
            for mount in container.mounts:
                yield container, mount


def read_template(data: object) -> ParsedTemplate:
    """Read the template of a DaemonSet's plain data; what is not of the shape that the API wants is as if it were not there."""
    spec = _as_map(_as_map(_as_map(_as_map(data).get("spec")).get("template")).get("spec"))
    volumes = {str(_as_map(each).get("name")): (index, _as_map(each)) for index, each in enumerate(_as_list(spec.get("volumes")))}
    containers = [
        _read_container(
            _as_map(each),
            (*POD_TEMPLATE_SPEC, field, index),
            volumes,
            keeps_running=field == "containers" or _as_map(each).get("restartPolicy") == "Always",
        )
        for field in ("initContainers", "containers")
        for index, each in enumerate(_as_list(spec.get(field)))
    ]
    configs = [*_iter_mounted_configs(volumes), *(name for container in _iter_containers(spec) for name in _iter_env_configs(container))]
    tolerated = [
        LocatedText(_as_text(_as_map(each).get("key")), (*POD_TEMPLATE_SPEC, "tolerations", index, "key"))
        for index, each in enumerate(_as_list(spec.get("tolerations")))
        if _as_text(_as_map(each).get("key"))
    ]
    return ParsedTemplate(tuple(containers), tuple(dict.fromkeys(filter(None, configs))), tuple(tolerated), spec.get("hostNetwork") is True)


def _read_container(
    data: Mapping[str, Any], path: FieldPath, volumes: Mapping[str, tuple[int, Mapping[str, Any]]], *, keeps_running: bool
) -> ParsedContainer:
    env = _read_env(data, path)
    command = _read_words(data, "command", path, env)
    words = (*command, *_read_words(data, "args", path, env))
    programs = parse_programs(words, has_command=bool(command))
    ports = [_as_map(port) for port in _as_list(data.get("ports"))]
    return ParsedContainer(
        path=path,
        name=_as_text(data.get("name")).lower(),
        images=split_image_name(_as_text(data.get("image"))),
        programs=programs,
        words=words,
        flags=parse_command_flags(words),
        env=env,
        mounts=tuple(_read_mounts(data, volumes)),
        ports=tuple((_as_text(port.get("name")), port["containerPort"]) for port in ports if type(port.get("containerPort")) is int),
        host_ports=tuple(port["hostPort"] for port in ports if type(port.get("hostPort")) is int),
        privileged=_as_map(data.get("securityContext")).get("privileged") is True,
        keeps_running=keeps_running,
    )


def _read_env(data: Mapping[str, Any], path: FieldPath) -> dict[str, LocatedText]:
    found: dict[str, LocatedText] = {}
    for index, each in enumerate(_as_list(data.get("env"))):
        name, value = _as_text(_as_map(each).get("name")), _as_map(each).get("value")
        if name and isinstance(value, str | int | float):
            found[name.upper()] = LocatedText(_expand_variables(_as_text(value), found), (*path, "env", index))
    return found


def _read_words(data: Mapping[str, Any], field: str, path: FieldPath, env: Mapping[str, LocatedText]) -> tuple[LocatedText, ...]:
    return tuple(
        LocatedText(_expand_variables(_as_text(each), env), (*path, field, index))
        for index, each in enumerate(_as_list(data.get(field)))
        if isinstance(each, str | int | float)
    )


def _expand_variables(text: str, env: Mapping[str, LocatedText]) -> str:
    """Put variables in as the kubelet does, once; an unknown one stays as it is written."""
    if "$(" not in text:
        return text
    return _VARIABLE.sub(lambda found: env[found[1].upper()].text[:_MOST] if found[1].upper() in env else found[0], text[: 16 * _MOST])[
        : 16 * _MOST
    ]


def _read_mounts(data: Mapping[str, Any], volumes: Mapping[str, tuple[int, Mapping[str, Any]]]) -> Iterator[HostMount]:
    for entry in _as_list(data.get("volumeMounts")):
        mount = _as_map(entry)
        index, volume = volumes.get(_as_text(mount.get("name")), (0, {}))
        host = _as_text(_as_map(volume.get("hostPath")).get("path"))
        if host:
            below = _as_text(mount.get("subPath")) or _as_text(mount.get("subPathExpr"))
            yield HostMount(
                normalize_path(f"{host}/{below}" if below else host),
                normalize_path(_as_text(mount.get("mountPath"))),
                mount.get("readOnly") is not True,
                mount.get("mountPropagation") == "Bidirectional",
                (*POD_TEMPLATE_SPEC, "volumes", index, "hostPath", "path"),
            )


def normalize_path(path: str) -> str:
    r"""A path with `/` between its parts, without a drive, a doubled or a last slash: `C:\var\lib\` is `/var/lib`; the root is `/`."""
    path = re.sub(r"[\\/]+(\.(?=[\\/]|$)[\\/]*)*", "/", path.strip())
    path = re.sub(r"^[A-Za-z]:(?=/|$)", "", path)
    return path.rstrip("/") or "/"


def _iter_mounted_configs(volumes: Mapping[str, tuple[int, Mapping[str, Any]]]) -> Iterator[str]:
    for _, volume in volumes.values():
        yield _as_text(_as_map(volume.get("configMap")).get("name"))
        for source in _as_list(_as_map(volume.get("projected")).get("sources")):
            yield _as_text(_as_map(_as_map(source).get("configMap")).get("name"))


def _iter_env_configs(container: Mapping[str, Any]) -> Iterator[str]:
    for source in _as_list(container.get("envFrom")):
        yield _as_text(_as_map(_as_map(source).get("configMapRef")).get("name"))
    for source in _as_list(container.get("env")):
        yield _as_text(_as_map(_as_map(_as_map(source).get("valueFrom")).get("configMapKeyRef")).get("name"))


def _iter_containers(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for field in ("initContainers", "containers"):
        for container in _as_list(spec.get(field)):
            yield _as_map(container)


def _as_map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""
