"""A change says what the change does: hygiene that was so before counts for nothing."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from preflight import Files, Session, analyze
from preflight.engine.finding_roles import collect_touched_subjects, find_role
from preflight.model.meta import Origin
from preflight.model.report import FindingRole, Severity, Subject
from preflight.rules.api import Hit, ManifestLocation, Rule
from preflight.rules.select_rules import load_rules
from tests.builders import make_daemonset, make_node, write_manifest
from tests.cli.program import program
from tests.paths import ROOT

TAINT = ["taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "world.yaml", "--no-policy"]
EVERYTHING = {"operator": "Exists"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _write(*tolerations: Mapping[str, str]) -> None:
    """A DaemonSet that tolerates everything, which is a warning of hygiene."""
    daemonset = make_daemonset("agent", "a", EVERYTHING, *tolerations)
    Path("world.yaml").write_text(write_manifest(make_node("n1"), daemonset), encoding="utf-8")


def _roles(*line: str) -> dict[str, str]:
    return {finding["rule"]: finding["role"] for finding in json.loads(program(*line, "-o", "json").out)["findings"]}


def test_of_what_a_change_does_not_touch_the_text_says_nothing() -> None:
    _write()
    result = program(*TAINT, "--fail-on", "warning")
    assert result.code == 0
    assert "PF201" not in result.out
    assert result.out.splitlines()[1] == "no DaemonSet loses a node"
    assert _roles(*TAINT) == {"PF201": "background"}


def test_of_what_it_touches_it_is_hygiene() -> None:
    rule, driver = next(rule for rule in load_rules("hygiene") if rule.id == "PF214"), Subject("DaemonSet", "a", "driver")
    hit = Hit(driver, "x", ManifestLocation(Origin("a.yaml")))
    assert find_role(rule, hit, frozenset((driver,))) is FindingRole.HYGIENE
    assert find_role(rule, hit, frozenset()) is FindingRole.BACKGROUND
    assert find_role(rule, hit, None) is FindingRole.ANSWER
    assert find_role(rule, replace(hit, severity=Severity.ERROR), frozenset()) is FindingRole.ANSWER


@pytest.mark.parametrize("rule", load_rules("hygiene"), ids=lambda rule: rule.id)
def test_what_concerns_the_change_is_an_answer(rule: Rule) -> None:
    hit = Hit(Subject("DaemonSet", "a", "b"), "x", ManifestLocation(Origin("a.yaml")), severity=Severity.WARNING)
    assert (find_role(rule, hit, frozenset()) is FindingRole.ANSWER) is (rule.id in ("PF218", "PF219", "PF220"))


def test_a_change_touches_what_it_names_and_what_it_costs() -> None:
    _write()
    impacts = analyze(Session(Files(("world.yaml",))), ["set image ds/agent c=x:2 -n a"]).impacts
    assert collect_touched_subjects(impacts) == {Subject("DaemonSet", "a", "agent")}
    assert collect_touched_subjects(analyze(Session(Files(("world.yaml",))), ["taint nodes n1 a=b:NoSchedule"]).impacts) == frozenset()


def test_what_the_api_server_refuses_stays_an_answer() -> None:
    _write({"key": "dedicated", "operator": "Exists", "value": "rdma"})
    assert _roles(*TAINT)["PF205"] == "answer"
    assert program(*TAINT).code == 1


def test_in_lint_hygiene_is_the_answer() -> None:
    _write()
    line = ["lint", "world.yaml", "--no-policy"]
    assert _roles(*line)["PF201"] == "answer"
    assert program(*line, "--fail-on", "warning").code == 1


def test_a_consequence_is_one() -> None:
    cluster = ROOT / "examples" / "rdma-incident" / "cluster"
    roles = _roles("taint", "nodes", "rdma-1", "dedicated=rdma:NoSchedule", "--from", str(cluster), "--no-policy")
    assert roles == {"PF102": "answer", "PF110": "consequence", "PF111": "consequence", "PF201": "background"}


@pytest.mark.parametrize(("line", "is_said"), [(TAINT, False), (["drain", "n1", "--ignore-daemonsets", "--from", "world.yaml"], True)])
def test_budgets_are_missed_where_they_matter(line: list[str], is_said: bool) -> None:
    _write()
    assert ("PodDisruptionBudgets" in program(*line).out) is is_said
