"""Findings with one cause and one fix are one group; what follows from a loss stands under it."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.core import Taint
from preflight.model.reasons import RecreationEvent, Untolerated
from preflight.model.report import CoverageEffect, Finding, FindingRole, Location, Outcome, Severity, Subject, TolerationSuggestion
from preflight.report.findings import draw_group
from preflight.report.groups import group_findings
from preflight.report.terminal import Ink
from tests.report.reports import finding

KEY = ("taint:dedicated=rdma:NoSchedule",)
TAINT = Taint("dedicated", "rdma", "NoSchedule")
EFFECT = CoverageEffect(Outcome.LOST_ON_RECREATION, (Untolerated((TAINT,)),), event=RecreationEvent.PODS)
FIX = TolerationSuggestion(({"key": "dedicated", "operator": "Exists"},), ("- {key: dedicated, operator: Exists}",))
JOB = Subject("Job", "research", "train")


def _lost(name: str, *nodes: str, **fields: Any) -> Finding:
    values = {"key": KEY, "effect": EFFECT, "suggestion": FIX, "step": 1, **fields}
    return finding("says it", subject=Subject("DaemonSet", "a", name), nodes=nodes or ("n-1", "n-2"), **values)


def _breaks(name: str, *nodes: str, **fields: Any) -> Finding:
    values = {"rule": "PF110", "name": "resource-leaves", "role": FindingRole.CONSEQUENCE, "workloads": (JOB,), "step": 1, **fields}
    return finding(f"breaks with {name}", subject=Subject("DaemonSet", "a", name), nodes=nodes, **values)


def _draw(*findings: Finding, width: int = 0) -> list[list[str]]:
    return [list(draw_group(group, Ink(False), width)) for group in group_findings(findings)]


def test_findings_with_one_cause_and_one_fix_are_one_group() -> None:
    (group,) = group_findings([_lost("x"), _lost("y", "n-3"), _lost("z")])
    assert [str(finding.subject) for finding in group.findings] == ["a/x", "a/y", "a/z"]
    assert group.nodes == ("n-1", "n-2", "n-3")


DIFFERENCES: dict[str, dict[str, Any]] = {
    "another rule": {"rule": "PF101"},
    "another taint": {"key": ("taint:other:NoSchedule",)},
    "another reason": {"effect": CoverageEffect(Outcome.LOST_ON_RECREATION)},
    "another time": {"effect": CoverageEffect(Outcome.LOST_NOW, EFFECT.reasons)},
    "another fix": {"suggestion": None},
    "another severity": {"severity": Severity.WARNING},
    "another step": {"step": 2},
}


@pytest.mark.parametrize("fields", DIFFERENCES.values(), ids=DIFFERENCES)
def test_what_differs_is_a_group_of_its_own(fields: dict[str, Any]) -> None:
    assert len(group_findings([_lost("x"), _lost("y", **fields)])) == 2


def test_the_same_words_do_not_join() -> None:
    assert len(group_findings([_lost("x", key=("taint:a:NoSchedule",)), _lost("y", key=("taint:b:NoSchedule",))])) == 2


def test_a_consequence_stands_under_the_loss_that_it_follows_from() -> None:
    groups = group_findings([_lost("x"), _breaks("x", "n-2"), _lost("y"), _breaks("x", "n-1", rule="PF111")])
    assert [[finding.rule for finding in member.consequences] for member in groups[0].members] == [["PF110", "PF111"], []]
    assert len(groups) == 1
    assert groups[0].workloads == (JOB,)
    assert groups[0].finding_count == 4


@pytest.mark.parametrize(
    "consequence",
    [_breaks("z", "n-1"), _breaks("x", "n-9"), _breaks("x", "n-1", step=2)],
    ids=["another DaemonSet", "another node", "another step"],
)
def test_a_consequence_without_its_loss_stands_alone(consequence: Finding) -> None:
    first, second = group_findings([_lost("x"), consequence])
    assert first.members[0].consequences == ()
    assert second.findings == (consequence,)


def test_a_group_says_what_all_share_then_what_differs_then_the_fix() -> None:
    near = ("note", "its toleration has another value")
    given = (
        _lost("x", location=Location("x.yaml", 3, 1, "spec", "spec:")),
        _breaks("x", "n-1"),
        _lost("y", "n-3", notes=(near, ("then", "logs stop"))),
        _lost("z", location=Location("dump.json", 1, 0, "items[3].spec")),
    )
    assert _draw(*given) == [
        [
            "error[PF102] lost-on-recreation: 3 DaemonSets lose n-1, n-2, n-3 when their pods are re-created: "
            "no toleration for dedicated=rdma:NoSchedule",
            "  a/x on n-1, n-2 (x.yaml:3:1)",
            "    impact: breaks with x (PF110)",
            "  a/y on n-3",
            "    note: its toleration has another value",
            "    impact: logs stop",
            "  a/z on n-1, n-2 (dump.json items[3].spec)",
            "  fix:  - {key: dedicated, operator: Exists}",
        ]
    ]


def test_findings_that_are_not_about_coverage_keep_their_words() -> None:
    (lines,) = _draw(
        *(
            finding(
                f"is odd {at}", Severity.NOTE, "PF213", "lands-anywhere", subject=Subject("DaemonSet", "a", name), notes=(("help", "do"),)
            )
            for at, name in enumerate("xy")
        )
    )
    assert lines == ["note[PF213] lands-anywhere: 2 DaemonSets", "  a/x is odd 0", "  a/y is odd 1", "  help: do"]


def test_a_terminal_folds_the_parts_of_a_group() -> None:
    for lines in _draw(_lost("x" * 40, location=Location("f" * 30)), _breaks("x" * 40, "n-1"), _lost("y", "n-3"), width=60):
        assert all(len(line) <= 60 for line in lines if "fix:" not in line)
