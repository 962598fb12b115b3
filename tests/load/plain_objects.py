"""Small objects as plain data, and reading them from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from preflight.load import LoadResult, load_world
from preflight.messages.load import describe_ambiguity
from tests.builders import Object, make_object, make_pod, make_workload


def node(name: str = "n1", **spec: Any) -> Object:
    return make_object("Node", name, spec=spec)


def daemonset(name: str = "ds", namespace: str | None = "kube-system", **pod_spec: Any) -> Object:
    return workload("DaemonSet", name, namespace, **pod_spec)


def workload(kind: str, name: str = "w", namespace: str | None = "default", **pod_spec: Any) -> Object:
    return make_workload(kind, name, namespace, **{"containers": _CONTAINERS, **pod_spec})


def pod(name: str = "p", namespace: str = "default", node: str = "", phase: str = "") -> Object:
    return make_pod(name, namespace, node=node, phase=phase, containers=_CONTAINERS)


_CONTAINERS: list[Object] = [{"name": "main", "image": "registry.example.com/main:1"}]


def write(folder: Path, **texts: str | bytes | Object) -> None:
    """Files of a folder: `a__b_yaml` is a/b.yaml; data is written as JSON."""
    for name, text in texts.items():
        *folders, stem = name.split("__")
        path = folder.joinpath(*folders, ".".join(stem.rsplit("_", 1)))
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(text, dict):
            text = json.dumps(text)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def loaded(*texts: str | Object, one_cluster: bool = True, folder: Path) -> LoadResult:
    """What is read of texts, each in a file of its own: 0.yaml, 1.yaml; the current folder is theirs."""
    names = []
    for index, text in enumerate(texts):
        names.append(f"{index}.yaml")
        write(folder, **{f"{index}_yaml": text})
    return load_world(names, one_cluster=one_cluster)


def skipped(result: LoadResult) -> list[str]:
    return [f"{check.what}: {check.why}" for check in result.skipped]


def problems(result: LoadResult) -> list[str]:
    shown = []
    for problem in result.problems:
        where = problem.location
        assert where is not None
        shown.append(f"{where.file}:{where.line}:{where.column}: {problem.message}")
    return shown


def ambiguous(result: LoadResult) -> tuple[str, ...]:
    """The sentences about what is given twice with other content."""
    return tuple(describe_ambiguity(ambiguity) for ambiguity in result.world.ambiguities)
