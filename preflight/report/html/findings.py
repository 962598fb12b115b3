"""The findings, joined as in the text: what, where, what follows from it, and the fix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from preflight.model.report import FindingRole, Report
from preflight.report.groups import FindingGroup, group_findings
from preflight.report.html.cards import SEVERITY_SIGNS, CardMaker, FindingCard
from preflight.report.html.classes import PageNodeClasses
from preflight.report.html.escaping import format_grouped_count
from preflight.report.summary import format_hygiene
from preflight.report.verdict import select_answering_findings

_MOST_OPEN = 12
_MOST_FLAT = 40


class RuleCards(NamedTuple):
    """The cards of one rule."""

    sign: str
    rule: str
    name: str
    number_found: str
    cards: list[FindingCard]


class ExplainedRule(NamedTuple):
    """A rule, and what it means: headings and paragraphs, each with whether it is a heading."""

    id: str
    name: str
    explanation: list[tuple[str, bool]]


class FindingsView(NamedTuple):
    """All findings, one below the other or by rule; those that a change did not cause, the exempted ones, and what the rules mean."""

    is_all_exempted: bool
    cards: list[FindingCard]
    rule_cards: list[RuleCards]
    hygiene_summary: str
    hygiene: list[FindingCard]
    exempted_count: int
    exempted: list[FindingCard]
    rules: list[ExplainedRule]


def group_answers(report: Report) -> list[FindingGroup]:
    """The findings that answer what was asked, joined as in the text, the worst first."""
    return sorted(group_findings(select_answering_findings(report)), key=lambda group: group.severity.rank)


def make_findings_view(report: Report, classes: PageNodeClasses) -> FindingsView | None:
    """All findings that the text counts, the worst first, else in the order of the report; the exempted ones folded at the end.

    1. The first 12 cards are open. More than 40 stand under their rules, those with the worst findings first, and only the first rule is
       open.
    2. After them, the rules that have findings are explained, each once.
    3. None without a finding.
    """
    answers = group_answers(report)
    hygiene = [finding for finding in report.findings if finding.exempted is None and finding.role is FindingRole.HYGIENE]
    exempted = [finding for finding in report.findings if finding.exempted is not None and finding.role.is_about_change]
    if not (answers or hygiene or exempted):
        return None
    maker = CardMaker(report, classes)
    is_flat = len(answers) <= _MOST_FLAT
    shown = {finding.rule for finding in (*select_answering_findings(report), *hygiene, *exempted)}
    return FindingsView(
        is_all_exempted=bool(exempted) and not answers,
        cards=maker.make_cards(answers, _MOST_OPEN) if is_flat else [],
        rule_cards=[] if is_flat else _make_rule_cards(answers, maker),
        hygiene_summary=format_hygiene(report),
        hygiene=maker.make_cards(group_findings(hygiene)),
        exempted_count=len(exempted),
        exempted=[card for finding in exempted for card in maker.make_cards(group_findings([finding]))],
        rules=[ExplainedRule(rule.id, rule.name, _split_explanation(rule.explanation)) for rule in report.rules if rule.id in shown],
    )


def _make_rule_cards(groups: Sequence[FindingGroup], maker: CardMaker) -> list[RuleCards]:
    by_rule: dict[tuple[int, str, str], list[FindingGroup]] = {}
    for group in groups:
        by_rule.setdefault((group.severity.rank, group.rule, group.name), []).append(group)
    return [
        RuleCards(
            sign=SEVERITY_SIGNS[own[0].severity],
            rule=rule,
            name=name,
            number_found=format_grouped_count(sum(len(group.members) for group in own), own[0].severity),
            cards=maker.make_cards(own),
        )
        for (_, rule, name), own in sorted(by_rule.items(), key=lambda item: item[0])
    ]


def _split_explanation(explanation: str) -> list[tuple[str, bool]]:
    """Its lines without the breaks that they have for a terminal: what is indented is a paragraph under the heading before it."""
    summary, *lines = explanation.splitlines() or [""]
    blocks = [(summary, False)]
    for line in lines:
        if line.startswith(" ") and len(blocks) > 1 and not blocks[-1][1]:
            blocks[-1] = (f"{blocks[-1][0]} {line.strip()}", False)
        elif line.strip():
            blocks.append((line.strip(), not line.startswith(" ")))
    return blocks
