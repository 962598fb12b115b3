"""A folder with a DaemonSet, nodes and pods, and `preflight fix` in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.builders import Object, make_owner, make_pod, write_list
from tests.cli.program import Result, program

TAINT = "taint nodes -l pool=rdma dedicated=rdma:NoSchedule"

NODES = """\
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {pool: rdma}}
spec: {taints: [%s]}
---
apiVersion: v1
kind: Node
metadata: {name: n2, labels: {pool: cpu}}
"""

AGENT = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: agent
  namespace: ops
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
"""
CONTAINERS = "      containers: [{name: agent, image: 'agent:1'}]\n"


def world(tolerations: str = "", taint: str = "", name: str = "agent.yaml") -> None:
    """A DaemonSet in `m`, and nodes beside it, the first of them with a taint."""
    Path("m").mkdir(exist_ok=True)
    Path("m", name).write_text(AGENT + tolerations + CONTAINERS, encoding="utf-8")
    Path("nodes.yaml").write_text(NODES % taint, encoding="utf-8")


def fix(*argv: str, **more: Any) -> Result:
    return program("fix", "m", "--from", "nodes.yaml", *argv, **more)


def pod(node: str) -> Object:
    return make_pod(f"agent-{node}", "ops", node=node, owner=make_owner("DaemonSet", "agent"))


def pods(*nodes: str) -> None:
    Path("pods.json").write_text(write_list(pod(node) for node in nodes), encoding="utf-8")


def left(*argv: str, **more: Any) -> tuple[int, list[str]]:
    """The exit code, and what is said of each finding that is left."""
    result = fix(*argv, **more)
    lines = result.err.splitlines()
    return result.code, [line.strip() for line in lines[lines.index("not fixed:") + 1 :]] if "not fixed:" in lines else []
