"""Every case of the rules, through the whole program."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from preflight.rules import select_rules
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.select_rules import common_rules
from tests.rules import casefile
from tests.rules.casefile import Case

LABELS = {"help", "note", "impact", "fix", "check"}
"""The labels of lines under a finding."""
CASES = [(path, case) for path in casefile.files() for case in casefile.read(path)]


@pytest.mark.parametrize(("path", "case"), [pytest.param(path, case, id=f"{path.stem}: {case['name']}") for path, case in CASES])
def test_case(path: Path, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if "crash" in case:
        plant(case["crash"], monkeypatch)
    result = casefile.run(case)
    assert result.out, result.err
    report = json.loads(result.out)
    check_form(report)
    expected = casefile.expected(case)
    assert casefile.found(report, casefile.rule_ids(path), expected) == expected
    if "outcomes" in case:
        assert casefile.outcomes(report) == case["outcomes"]
    if "exit" in case:
        assert (result.code, report["exit"]) == (case["exit"], case["exit"]), result.err


def check_form(report: dict[str, Any]) -> None:
    """One line that begins in lower case, and no label but the five."""
    for finding in report["findings"]:
        message = finding["message"]
        assert message[:1].islower() or not message[:1].isalpha(), message
        assert "\n" not in message, message
        assert {note["heading"] for note in finding["notes"]} <= LABELS, finding["notes"]


def plant(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a rule crash."""

    def crash(_: Context) -> Iterator[Hit]:
        raise KeyError("rdma-1")

    rules = tuple(
        Rule(rule.id, rule.name, rule.severity, crash, module=rule.module) if rule.name == name else rule for rule in common_rules()
    )
    monkeypatch.setattr("preflight.engine.rule_runner.select_rules", lambda _: rules)
    assert select_rules.common_rules() != rules


def test_no_two_cases_of_a_file_have_one_name() -> None:
    names = [(path.stem, case["name"]) for path, case in CASES]
    assert len(names) == len(set(names))


def test_every_case_has_the_keys_of_one_and_no_other() -> None:
    for path, case in CASES:
        assert set(case) <= casefile.KEYS, case["name"]
        assert {"name", "findings"} <= set(case), case["name"]
        assert len({"run", "plan"} & set(case)) == 1, case["name"]
        for finding in case["findings"]:
            assert set(finding) <= casefile.FINDING_KEYS, case["name"]
            assert ("rule" in finding) == (path.stem == casefile.STORIES), case["name"]


def test_what_has_nothing_to_report_comes_first() -> None:
    for path in casefile.files():
        if path.stem != casefile.STORIES:
            silent = [not case["findings"] for case in casefile.read(path)]
            assert silent == sorted(silent, reverse=True), path.name
