"""DaemonSets as small as can be, from a few words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from preflight.model.apps import DaemonSet
from preflight.model.meta import Metadata

READ_ONLY, SHARED = "read-only", "shared"


def container(image: str = "", *command: str, args: Sequence[str] = (), name: str = "c", **more: Any) -> dict[str, Any]:
    """A container; `mounts` are paths on the node, each with its path inside, or with READ_ONLY or SHARED behind that; `env` is a map."""
    data: dict[str, Any] = {"name": name, "image": image, "command": list(command), "args": list(args)}
    data["mounts"] = more.pop("mounts", {})
    data["env"] = [{"name": key, "value": value} for key, value in more.pop("env", {}).items()]
    data["ports"] = [{"name": key, "containerPort": value} for key, value in more.pop("ports", {}).items()]
    if more.pop("privileged", False):
        data["securityContext"] = {"privileged": True}
    assert not more, more
    return {key: value for key, value in data.items() if value}


def daemonset(
    *containers: Mapping[str, Any],
    init: Sequence[Mapping[str, Any]] = (),
    configs: Sequence[str] = (),
    tolerates: Sequence[str] = (),
    host_network: bool = False,
    name: str = "a-name-that-says-nothing",
    namespace: str = "here",
) -> DaemonSet:
    """A DaemonSet of these containers; `configs` are ConfigMaps that it mounts, `tolerates` keys of taints."""
    volumes: dict[str, dict[str, Any]] = {config: {"configMap": {"name": config}} for config in configs}

    def finished(given: Mapping[str, Any]) -> dict[str, Any]:
        data = dict(given)
        mounts = []
        for host, inside in data.pop("mounts", {}).items():
            where, *how = (inside,) if isinstance(inside, str) else inside
            volumes[host] = {"hostPath": {"path": host}}
            mount: dict[str, Any] = {"name": host, "mountPath": where}
            if READ_ONLY in how:
                mount["readOnly"] = True
            if SHARED in how:
                mount["mountPropagation"] = "Bidirectional"
            mounts.append(mount)
        return {**data, "volumeMounts": mounts} if mounts else data

    spec: dict[str, Any] = {"containers": [finished(each) for each in containers], "initContainers": [finished(each) for each in init]}
    spec["volumes"] = [{"name": each, **volume} for each, volume in volumes.items()]
    spec["tolerations"] = [{"key": tolerate, "operator": "Exists"} for tolerate in tolerates]
    if host_network:
        spec["hostNetwork"] = True
    data = {"metadata": {"name": name, "namespace": namespace}, "spec": {"template": {"spec": spec}}}
    return DaemonSet(metadata=Metadata(name=name, namespace=namespace), data=data)
