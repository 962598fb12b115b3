"""A pod template as matching reads it: containers with their words, settings and mounts, whatever the shape of the data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from preflight.components.container_commands import Program, Text, flags_of, image_names, programs_of
from preflight.model.objects import POD_TEMPLATE_SPEC

Path = tuple[str | int, ...]
_VARIABLE = re.compile(r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)")
_MOST = 4096
"""A value that variables make longer than this is cut: it is nobody's path or name."""


class Mount(NamedTuple):
    """A folder or file of the node in a container.

    1. `host` is its path on the node, sub-path included, with `/` between the parts, without a drive and without a slash at its end.
    2. `inside` is its path in the container; `writes` where it is not read-only; `shared` where mounts of the container reach the node.
    """

    host: str
    inside: str
    writes: bool
    shared: bool
    path: Path


class Container(NamedTuple):
    """A container.

    1. `images` are its image's last two parts and its last part, without tag and architecture; () where the image is not stated, or
       only a place-holder. `programs` are the programs that its command names; () where the image's own is run.
    2. `words` are command and arguments, with the variables put in; `flags` what they set, by name without dashes, in lower case.
    3. `runs`: it runs as long as the pod does (a container, or an init container that restarts always).
    """

    path: Path
    name: str
    images: tuple[str, ...]
    programs: tuple[Program, ...]
    words: tuple[Text, ...]
    flags: Mapping[str, tuple[Text, ...]]
    env: Mapping[str, Text]
    mounts: tuple[Mount, ...]
    ports: tuple[tuple[str, int], ...]
    privileged: bool
    runs: bool

    def setting(self, name: str) -> Text | None:
        """The value of a flag, or of the environment variable that is named like it; the flag wins, the last of its kind."""
        flag = self.flags.get(name.lower())
        return flag[-1] if flag else self.env.get(name.upper().replace("-", "_"))


class Template(NamedTuple):
    """A pod template: `configs` are the ConfigMaps that it names, `tolerated` the keys that it tolerates."""

    containers: tuple[Container, ...]
    configs: tuple[str, ...]
    tolerated: tuple[Text, ...]
    host_network: bool

    @property
    def running(self) -> tuple[Container, ...]:
        """The containers that run as long as the pod does."""
        return tuple(each for each in self.containers if each.runs)

    def mounts(self) -> Iterator[tuple[Container, Mount]]:
        """Every mount of a folder of the node."""
        for container in self.containers:
            for mount in container.mounts:
                yield container, mount


def read(data: object) -> Template:
    """Read the template of a DaemonSet's plain data; what is not of the shape that the API wants is as if it were not there."""
    spec = _map(_map(_map(_map(data).get("spec")).get("template")).get("spec"))
    volumes = {str(_map(each).get("name")): (index, _map(each)) for index, each in enumerate(_list(spec.get("volumes")))}
    containers = [
        _container(
            _map(each),
            (*POD_TEMPLATE_SPEC, field, index),
            volumes,
            runs=field == "containers" or _map(each).get("restartPolicy") == "Always",
        )
        for field in ("initContainers", "containers")
        for index, each in enumerate(_list(spec.get(field)))
    ]
    configs = [*_mounted_configs(volumes), *(name for each in _containers(spec) for name in _env_configs(each))]
    tolerated = [
        Text(_text(_map(each).get("key")), (*POD_TEMPLATE_SPEC, "tolerations", index, "key"))
        for index, each in enumerate(_list(spec.get("tolerations")))
        if _text(_map(each).get("key"))
    ]
    return Template(tuple(containers), tuple(dict.fromkeys(filter(None, configs))), tuple(tolerated), spec.get("hostNetwork") is True)


def _container(data: Mapping[str, Any], path: Path, volumes: Mapping[str, tuple[int, Mapping[str, Any]]], *, runs: bool) -> Container:
    env = _env(data, path)
    command = _words(data, "command", path, env)
    words = (*command, *_words(data, "args", path, env))
    programs = programs_of(words, has_command=bool(command))
    ports = [_map(each) for each in _list(data.get("ports"))]
    return Container(
        path=path,
        name=_text(data.get("name")).lower(),
        images=image_names(_text(data.get("image"))),
        programs=programs,
        words=words,
        flags=flags_of(words),
        env=env,
        mounts=tuple(_mounts(data, volumes)),
        ports=tuple((_text(port.get("name")), port["containerPort"]) for port in ports if type(port.get("containerPort")) is int),
        privileged=_map(data.get("securityContext")).get("privileged") is True,
        runs=runs,
    )


def _env(data: Mapping[str, Any], path: Path) -> dict[str, Text]:
    found: dict[str, Text] = {}
    for index, each in enumerate(_list(data.get("env"))):
        name, value = _text(_map(each).get("name")), _map(each).get("value")
        if name and isinstance(value, str | int | float):
            found[name.upper()] = Text(_expand(_text(value), found), (*path, "env", index))
    return found


def _words(data: Mapping[str, Any], field: str, path: Path, env: Mapping[str, Text]) -> tuple[Text, ...]:
    return tuple(
        Text(_expand(_text(each), env), (*path, field, index))
        for index, each in enumerate(_list(data.get(field)))
        if isinstance(each, str | int | float)
    )


def _expand(text: str, env: Mapping[str, Text]) -> str:
    """Put variables in as the kubelet does, once; an unknown one stays as it is written."""
    if "$(" not in text:
        return text
    return _VARIABLE.sub(lambda found: env[found[1].upper()].text[:_MOST] if found[1].upper() in env else found[0], text[: 16 * _MOST])[
        : 16 * _MOST
    ]


def _mounts(data: Mapping[str, Any], volumes: Mapping[str, tuple[int, Mapping[str, Any]]]) -> Iterator[Mount]:
    for each in _list(data.get("volumeMounts")):
        mount = _map(each)
        index, volume = volumes.get(_text(mount.get("name")), (0, {}))
        host = _text(_map(volume.get("hostPath")).get("path"))
        if host:
            below = _text(mount.get("subPath")) or _text(mount.get("subPathExpr"))
            yield Mount(
                normal(f"{host}/{below}" if below else host),
                normal(_text(mount.get("mountPath"))),
                mount.get("readOnly") is not True,
                mount.get("mountPropagation") == "Bidirectional",
                (*POD_TEMPLATE_SPEC, "volumes", index, "hostPath", "path"),
            )


def normal(path: str) -> str:
    r"""A path with `/` between its parts, without a drive, a doubled or a last slash: `C:\var\lib\` is `/var/lib`; the root is `/`."""
    path = re.sub(r"[\\/]+(\.(?=[\\/]|$)[\\/]*)*", "/", path.strip())
    path = re.sub(r"^[A-Za-z]:(?=/|$)", "", path)
    return path.rstrip("/") or "/"


def _mounted_configs(volumes: Mapping[str, tuple[int, Mapping[str, Any]]]) -> Iterator[str]:
    for _, volume in volumes.values():
        yield _text(_map(volume.get("configMap")).get("name"))
        for source in _list(_map(volume.get("projected")).get("sources")):
            yield _text(_map(_map(source).get("configMap")).get("name"))


def _env_configs(container: Mapping[str, Any]) -> Iterator[str]:
    for each in _list(container.get("envFrom")):
        yield _text(_map(_map(each).get("configMapRef")).get("name"))
    for each in _list(container.get("env")):
        yield _text(_map(_map(_map(each).get("valueFrom")).get("configMapKeyRef")).get("name"))


def _containers(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for field in ("initContainers", "containers"):
        for each in _list(spec.get(field)):
            yield _map(each)


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, str | int | float) else ""
