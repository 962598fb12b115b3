"""A cluster of any size, and how much of it a command asks for: `python -m tests.load.live.busy_cluster --nodes 5000`."""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.builders import Object, make_budget, make_node, make_object
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, Asked, serving

LINES = (
    "drain n00007 --ignore-daemonsets --delete-emptydir-data",
    "taint nodes n00007 leave=now:NoExecute",
    "taint nodes n00007 team=x:PreferNoSchedule",
    "taint nodes -l group=a team=x:PreferNoSchedule",
    "drain -l rack=r7 --ignore-daemonsets --delete-emptydir-data",
    "set image -n system ds/agent-0 main=example.com/agent:2",
)

_DAEMONSETS = 3
_NODE_PADDING, _POD_PADDING = 10_000, 6_000
"""Bytes that real objects have of images and managed fields, about."""

_APP_PODS = 7
"""Pods of applications on two nodes."""


class MeasuredServer(ApiServer):
    """Counts what it sends of lists."""

    sent = 0

    def answer(self, asked: Asked) -> tuple[int, bytes]:
        """The status and the body."""
        code, body = super().answer(asked)
        self.sent += len(body)
        return code, body


def build_cluster(nodes: int) -> Iterator[Object]:
    """Nodes in 20 racks, a fifth of them in the group `a`; DaemonSets on all, the last on three nodes; an application for 20 nodes.

    Half of the applications have a budget, a third select a rack, all have room. There are 6.5 pods a node.
    """
    names = [f"n{number:05}" for number in range(nodes)]
    for number, name in enumerate(names):
        room = {"cpu": "32", "memory": "128Gi", "pods": "110"}
        labels = {"kubernetes.io/hostname": name, "rack": f"r{number % 20}", "group": "abcde"[number % 5]}
        labels |= {"few": "yes"} if number < 3 else {}
        yield _pad(make_node(name, labels=labels, allocatable=room, ready="True"), _NODE_PADDING)
    for number in range(_DAEMONSETS):
        chosen = names if number else names[:3]
        selector = {} if number else {"nodeSelector": {"few": "yes"}}
        yield _make_daemonset(f"agent-{number}", len(chosen), selector)
        for name in chosen:
            labels = {"app": f"agent-{number}", "pod-template-generation": "1"}
            tolerations = [{"operator": "Exists"}]
            yield _make_pod(f"agent-{number}-{name}", "system", name, labels, "DaemonSet", f"agent-{number}", {"tolerations": tolerations})
    apps = max(nodes // 20, 2)
    replicas: dict[int, int] = {}
    for number in range(nodes * _APP_PODS // 2):
        app, node = number % apps, number * 2 // _APP_PODS
        replicas[app] = replicas.get(app, 0) + 1
        labels = {"app": f"web-{app}", "pod-template-hash": "5d4c"}
        yield _make_pod(
            f"web-{app}-5d4c-{number}", f"team-{app % 40}", names[node], labels, "ReplicaSet", f"web-{app}-5d4c", _make_app_spec(app)
        )
    for app, count in replicas.items():
        yield from _make_app(app, count)


def _make_app(app: int, replicas: int) -> Iterator[Object]:
    labels, namespace = {"app": f"web-{app}"}, f"team-{app % 40}"
    template = {"metadata": {"labels": labels}, "spec": _make_app_spec(app)}
    selector = {"matchLabels": labels}
    spec = {"replicas": replicas, "selector": selector, "template": template}
    yield _pad(make_object("Deployment", f"web-{app}", namespace, metadata={"uid": f"uid-web-{app}"}, spec=spec), 2_000)
    if app % 2:
        yield make_budget(f"web-{app}", namespace, app=f"web-{app}", maxUnavailable="10%")


def _make_app_spec(app: int) -> Object:
    containers = [{"name": "main", "image": "example.com/web:1", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]
    return {"containers": containers, **({} if app % 3 else {"nodeSelector": {"rack": f"r{app % 20}"}})}


def _make_daemonset(name: str, pods: int, selector: Object) -> Object:
    labels = {"app": name}
    spec = {"containers": [{"name": "main", "image": "example.com/agent:1"}], "tolerations": [{"operator": "Exists"}], **selector}
    metadata = {"uid": f"uid-{name}", "generation": 1, "annotations": {"deprecated.daemonset.template.generation": "1"}}
    status = {"currentNumberScheduled": pods, "desiredNumberScheduled": pods, "updatedNumberScheduled": pods, "observedGeneration": 1}
    template = {"metadata": {"labels": labels}, "spec": spec}
    return make_object(
        "DaemonSet", name, "system", metadata=metadata, spec={"selector": {"matchLabels": labels}, "template": template}, status=status
    )


def _make_pod(name: str, namespace: str, node: str, labels: Object, kind: str, owner: str, spec: Object) -> Object:
    reference = {"apiVersion": "apps/v1", "kind": kind, "name": owner, "uid": f"uid-{owner}", "controller": True}
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
    made = make_object(
        "Pod",
        name,
        namespace,
        metadata={"labels": labels, "ownerReferences": [reference]},
        spec={"containers": [{"name": "main"}], **spec, "nodeName": node},
        status=status,
    )
    return _pad(made, _POD_PADDING)


def _pad(item: Object, size: int) -> Object:
    item["metadata"]["managedFields"] = [{"manager": "x" * size}]
    return item


def measure(server: MeasuredServer, line: str, folder: Path) -> tuple[int, int, int]:
    """The exit code of a command, and how many requests and bytes it asks for."""
    server.sent, server.asked = 0, []
    with serving(server, folder) as config:
        result = program(*shlex.split(line), "--kubeconfig", str(config), "-o", "json")
    return result.code, len(server.asked), server.sent


def measure_all(server: ApiServer) -> int:
    """The bytes of all nodes and pods in one list each."""
    lists = (Asked("GET", f"/api/v1/{plural}", {}) for plural in ("nodes", "pods"))
    return sum(len(server.answer(asked)[1]) for asked in lists)


def main() -> int:
    """Build the cluster, and print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5_000)
    objects: list[Any] = list(build_cluster(parser.parse_args().nodes))
    server = MeasuredServer(objects)
    everything = measure_all(server)
    pods = sum(item["kind"] == "Pod" for item in objects)
    print(f"{len(objects)} objects, {pods} pods; all nodes and pods: {everything / 1e6:.1f} MB")
    with tempfile.TemporaryDirectory() as folder:
        for line in LINES:
            code, requests, sent = measure(server, line, Path(folder))
            print(f"{sent / everything:7.2%}  {sent / 1e6:6.1f} MB  {requests:5} requests  exit {code}  {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
