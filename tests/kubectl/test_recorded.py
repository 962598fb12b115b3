"""Command lines that a real kubectl ran: accepted or refused alike, in the same words, with the same taints and labels afterwards.

`kubectl-grammar.json` is a recording of others; `recorded-lines.json` was made by running each line with kubectl 1.37.2 against a
kube-apiserver 1.37.2 that held the nodes n1 (as `before` says) and n2 (`pool=b`) and the DaemonSet default/d1.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from preflight.change.apply_command import perform_command
from preflight.errors import UsageError
from preflight.kubectl.parser import parse_command
from preflight.model.core import Node, Taint
from preflight.model.world import ClusterState
from tests.change.changes import daemonset, node, world

HERE = Path(__file__).parent
VECTORS: list[dict[str, Any]] = json.loads((HERE.parent / "data/vectors/kubectl-grammar.json").read_text())
LINES: list[dict[str, Any]] = json.loads((HERE / "recorded-lines.json").read_text())
CORDON = Taint("node.kubernetes.io/unschedulable", "", "NoSchedule")


def answer(line: str, on: ClusterState) -> tuple[str, Node | None]:
    """What preflight says of a line, "" where it is accepted, and the first node afterwards."""
    try:
        change = perform_command(parse_command(shlex.split(line)), on, lambda _: [])
    except UsageError as error:
        return str(error), None
    return "", next(iter(change.after.nodes.values()), None)


@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["command"])
def test_vector(case: dict[str, Any]) -> None:
    on = world(node("n00", *case.get("taintsBefore", ()), labels=case.get("labelsBefore", {})))
    says, after = answer(case["command"], on)
    if case["exit"]:
        assert f"error: {says.partition(': did you mean ')[0]}" == case["says"].partition("\nSee ")[0]
        return
    assert says == ""
    assert after is not None
    if "--dry-run" in case["command"]:
        return
    if "taintsAfter" in case:
        assert [str(taint) for taint in after.spec.taints] == case["taintsAfter"]
    else:
        assert dict(after.metadata.labels) == case["labelsAfter"]


@pytest.mark.parametrize("case", LINES, ids=lambda case: case["command"])
def test_recorded_line(case: dict[str, Any]) -> None:
    before = case.get("before", {"taints": [], "labels": {"pool": "a"}, "unschedulable": False})
    n1 = node("n1", *before["taints"], *([str(CORDON)] if before["unschedulable"] else []), labels=before["labels"])
    says, after = answer(case["command"], world(n1, node("n2", pool="b"), daemonset("d1", init=True)))
    if case["exit"]:
        assert says.startswith(case["says"])
        return
    assert says == ""
    assert after is not None
    wanted = case.get("after", before)
    assert [str(taint) for taint in after.spec.taints if taint != CORDON] == wanted["taints"]
    assert (CORDON in after.spec.taints) is wanted["unschedulable"]
    assert dict(after.metadata.labels) == wanted["labels"]
