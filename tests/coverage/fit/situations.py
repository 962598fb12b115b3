"""Clusters whose nodes are nearly full, and what commands do to their DaemonSets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from preflight import Files, Session, analyze
from tests.builders import Object, list_daemonset_pod, make_container, make_daemonset, make_node, make_owner, make_pod, write_list

ROLLING_ONE = {"updateStrategy": {"rollingUpdate": {"maxUnavailable": 1}}}
ELSEWHERE = make_pod("quiet", "elsewhere", node="other")
"""A pod of another namespace, so that a list is one of all namespaces."""


def node(name: str = "n1", *taints: str, cpu: str = "2", pods: str = "110", labels: Mapping[str, str] | None = None, **more: str) -> Object:
    """A node that is Ready; `more` are further resources, with `__` for a slash and `_` for a dot."""
    named = {key.replace("__", "/").replace("_", "."): value for key, value in more.items()}
    return make_node(
        name, *taints, labels=labels, allocatable={"cpu": cpu, "memory": "8Gi", "ephemeral-storage": "9Gi", "pods": pods, **named}
    )


def container(port: int | Mapping[str, Any] | None = None, **requests: str) -> Object:
    """A container with a port of the host and requests."""
    named = {key.replace("__", "/").replace("_", "."): value for key, value in requests.items()}
    ports = [{"containerPort": port, "hostPort": port} if isinstance(port, int) else dict(port)] if port else []
    return make_container(ports=ports, resources={"requests": named})


def daemonset(name: str = "agent", *tolerations: Mapping[str, Any], port: Any = None, fields: Any = None, **requests: Any) -> Object:
    """A DaemonSet in namespace ops with one container; keys that are no resources are fields of the pod's spec."""
    spec = {key: requests.pop(key) for key in [*requests] if key not in ("cpu", "memory") and "__" not in key}
    spec = {"containers": [container(port, **requests)], **spec}
    return make_daemonset(name, "ops", *tolerations, fields=fields, metadata={"uid": f"u-{name}"}, **spec)


def running(owner: Object, *nodes: str, **more: Any) -> list[Object]:
    """The pods of a DaemonSet on some nodes."""
    spec = {key: value for key, value in owner["spec"]["template"]["spec"].items() if key not in ("tolerations", *more)}
    return [list_daemonset_pod(owner, on, ready="True", **spec, **more) for on in nodes]


def web(name: str = "web", on: str = "n1", cpu: str = "1", port: Any = None, namespace: str = "shop", **more: Any) -> Object:
    """An ordinary pod of a ReplicaSet."""
    owner = make_owner("ReplicaSet", "web")
    return make_pod(name, namespace, node=on, owner=owner, ready="True", **{"containers": [container(port, cpu=cpu)], **more})


class Answer(NamedTuple):
    """What the program says of the last step: the exit code, nodes by DaemonSet and outcome, pods before and after, and findings."""

    exit: int
    outcomes: dict[str, dict[str, str]]
    counts: dict[str, tuple[int, int, int]]
    findings: dict[str, str]

    def find(self, rule: str) -> str:
        """The severity and the message of the finding of a rule, "" without one."""
        return self.findings.get(rule, "")


def ask(folder: Path, cluster: Sequence[Object], *commands: str, **files: Object | Sequence[Object]) -> Answer:
    """What commands do to a cluster whose pods are all listed; `files` are the manifests that they apply, by names without `.json`."""
    return ask_part(folder, [*cluster, ELSEWHERE], *commands, **files)


def ask_part(folder: Path, listed: Sequence[Object], *commands: str, **files: Object | Sequence[Object]) -> Answer:
    """The same of a cluster of which only this is listed."""
    (folder / "world.json").write_text(write_list(listed))
    for name, content in files.items():
        objects = [content] if isinstance(content, dict) else content
        (folder / f"{name}.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}))
    lines = [command.replace(".json", "").replace("-f ", f"-f {folder}/") for command in commands]
    lines = [f"{line}.json" if " -f " in line else line for line in lines]
    report = analyze(Session(Files((str(folder / "world.json"),))), lines).report
    outcomes: dict[str, dict[str, str]] = {}
    counts: dict[str, tuple[int, int, int]] = {}
    for row in report.steps[-1].coverage:
        outcomes.setdefault(row.daemonset, {}).update(dict.fromkeys(row.nodes, row.outcome.value))
        before, now, again = counts.get(row.daemonset, (0, 0, 0))
        counts[row.daemonset] = (before + row.before, now + row.now, again + row.recreated)
    last = len(report.steps)
    findings = {found.rule: f"{found.severity.value}: {found.subject} {found.message}" for found in report.findings if found.step == last}
    return Answer(report.exit, outcomes, counts, findings)
