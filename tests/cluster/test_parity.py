"""Command lines, well-formed and broken: accepted or refused by kubectl and by preflight alike, and with the same outcome."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from preflight.change.apply_command import perform_command
from preflight.kubectl.parser import parse_command
from tests.change.changes import daemonset
from tests.cluster.bed import Bed
from tests.cluster.parity import NODES, Ground, state_of, taints_of, words
from tests.coverage.impacts import node, world

pytestmark = pytest.mark.cluster

HERE = Path(__file__).parent
RECORDED: list[dict[str, Any]] = json.loads((HERE.parent / "kubectl/recorded-lines.json").read_text())
LINES = [line for line in (HERE / "lines.txt").read_text().splitlines() if line and not line.startswith("#")]
CORDON = "node.kubernetes.io/unschedulable:NoSchedule"


@pytest.fixture(scope="module")
def ground(plain: Bed, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ground]:
    plain.clear()
    before = Path.cwd()
    folder = tmp_path_factory.mktemp("ground")
    os.chdir(folder)
    yield Ground(plain, folder)
    os.chdir(before)


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["command"])
def test_a_recorded_line(ground: Ground, case: dict[str, Any]) -> None:
    before = case.get("before", {"taints": [], "labels": {"pool": "a"}, "unschedulable": False})
    answers = ground.run(case["command"], before)
    assert answers.kubectl.code == case["exit"]
    assert (answers.preflight.code == 2) == bool(case["exit"]), answers.preflight.err
    if case["exit"]:
        assert says(words(answers.kubectl.err), case["says"])
        assert case["command"].startswith("tain ") or says(words(answers.preflight.err), case["says"])  # click refuses a verb
    elif "before" in case:
        assert answers.after is not None
        assert state_of(answers.after) == case.get("after", before)


def says(text: str, wanted: str) -> bool:
    """Whether a text begins with the wanted words; several lines may stand in any order, as kubectl prints what it finds of a map."""
    return text.startswith(wanted) or sorted(text.splitlines()) == sorted(wanted.splitlines())


@pytest.mark.parametrize("line", LINES)
def test_a_line(ground: Ground, line: str) -> None:
    answers = ground.run(line)
    assert (answers.preflight.code == 2) == bool(answers.kubectl.code), f"{answers.kubectl}\n{answers.preflight}"
    verb = line.split()[0]
    if answers.kubectl.code:
        said = words(answers.preflight.err)
        if verb in ("taint", "label") and not said.startswith("preflight checks"):
            assert says(said, words(answers.kubectl.err))
    elif (verb in ("taint", "label", "cordon", "uncordon") or line.startswith("patch no")) and "--dry-run" not in line:
        taints, labels, cordoned = foretold(line)
        assert answers.after is not None
        assert labels == answers.after["metadata"].get("labels", {})
        assert cordoned == answers.after["spec"].get("unschedulable", False) or verb == "taint"
        assert taints == taints_of(answers.after) + [CORDON] * (cordoned and verb != "taint")


@pytest.mark.parametrize(
    ("line", "exits", "says", "code"),
    [
        pytest.param("taint nodes n1 a=b:NoSchedule -o name", 0, 'unknown output format "name"', 2, id="an output that is kubectl's"),
        pytest.param("set image ds/d1 c=c:2 -o yaml", 0, 'unknown output format "yaml"', 2, id="another"),
        pytest.param("delete ds d1 --output=name", 0, 'unknown output format "name"', 2, id="another in one word"),
        pytest.param("label pods p a=b", 0, "preflight checks labels of nodes, not of pods", 2, id="labels of pods"),
        pytest.param("rollout restart deploy", 0, "preflight checks restarts of daemonsets, not of deployments", 2, id="other restarts"),
        pytest.param("delete svc kubernetes --dry-run=server", 0, "preflight checks deletions of nodes", 2, id="a deletion of others"),
        pytest.param(
            "drain n9", 1, "n9 is not among the 2 nodes in the input: treated as a partly known node", 3, id="a node that is not given"
        ),
        pytest.param("patch ds d1 --patch-file nosuch.yaml", 1, "unable to read patch file: nosuch.yaml", 3, id="a file that is not there"),
        pytest.param("delete ds d1 d1", 1, "delete default/d1 and their pods", 0, id="a name given twice: deleted, then missed"),
    ],
)
def test_a_line_that_is_meant_to_differ(ground: Ground, line: str, exits: int, says: str, code: int) -> None:
    answers = ground.run(line)
    assert answers.kubectl.code == exits, answers.kubectl
    assert says in answers.preflight.out + answers.preflight.err
    assert answers.preflight.code == code


def foretold(line: str) -> tuple[list[str], dict[str, str], bool]:
    """The taints, labels and cordon that preflight sees on n1 after a line."""
    nodes = [node(name, labels=each["metadata"]["labels"]) for name, each in NODES.items()]
    nodes[0] = node("n1", pool="a")
    after = perform_command(parse_command(shlex.split(line)), world(nodes, [daemonset("d1", init=True)]), lambda _: []).after.nodes["n1"]
    taints = [str(taint) for taint in after.spec.taints]
    return taints, dict(after.metadata.labels), CORDON in taints
