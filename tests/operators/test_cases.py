"""Which DaemonSets the custom resource of each known operator declares, and which a taint takes from a node: judged by hand."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.operators.facts import load_operators
from tests.cli.program import program

CASES = Path(__file__).with_name("cases")
FACTS = Path(__file__).parents[2] / "preflight" / "operators" / "facts"


def _load() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(CASES.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text()):
            yield f"{path.stem}: {case['name']}", case


@pytest.mark.parametrize(("name", "case"), [pytest.param(name, case, id=name) for name, case in _load()])
def test_what_a_taint_takes_from_a_node(name: str, case: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "resource.yaml").write_text(case["resource"])
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": case.get("labels", {})}}
    (tmp_path / "node.yaml").write_text(json.dumps(node))

    result = program("taint", "nodes", "n1", case["taint"], "--from", str(tmp_path), "-o", "json", "--no-policy")

    rows = json.loads(result.out)["coverage"]
    outcomes: dict[str, list[str]] = {}
    for row in rows:
        outcomes.setdefault(row["outcome"], []).append(row["daemonset"])
    assert {outcome: sorted(names) for outcome, names in outcomes.items()} == {
        outcome: sorted(names) for outcome, names in case["outcomes"].items()
    }, name
    reasons = {row["daemonset"]: row["reasons"] for row in rows}
    for daemonset, why in case.get("why", {}).items():
        assert any(why in reason for reason in reasons[daemonset]), reasons[daemonset]


def test_each_operator_has_a_case() -> None:
    assert {path.stem for path in FACTS.glob("*.json")} == {path.stem for path in CASES.glob("*.yaml")}
    assert len(load_operators()) >= 12
