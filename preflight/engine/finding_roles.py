"""What a finding is to its run: an answer, a consequence, or something that a change does not touch."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.coverage.model import Impact
from preflight.model.report import FindingRole, Severity, Subject
from preflight.rules.api import Hit, Rule, make_subject_of
from preflight.rules.select_rules import is_hygiene


def collect_touched_subjects(impacts: Iterable[Impact]) -> frozenset[Subject]:
    """The DaemonSets that a change touches: it names or alters them, or they gain or lose something by it."""
    touched: set[Subject] = set()
    for impact in impacts:
        daemonsets = {**impact.change.before.daemonsets, **impact.change.after.daemonsets}
        touched.update(make_subject_of(daemonsets[key]) for key in impact.fully_judged if key in daemonsets)
        touched.update(make_subject_of(group.daemonset) for group in impact.groups if group.outcome_before is not group.outcome)
    return frozenset(touched)


def find_role(rule: Rule, hit: Hit, touched: frozenset[Subject] | None) -> FindingRole:
    """The role of what a rule says; `touched` is None where no change was asked for.

    An error of hygiene is an answer: the API server refuses such an object, or the policy forbids it.
    """
    if rule.is_consequence:
        return FindingRole.CONSEQUENCE
    if touched is None or not is_hygiene(rule) or (hit.severity or rule.severity) is Severity.ERROR:
        return FindingRole.ANSWER
    return FindingRole.HYGIENE if hit.subject in touched else FindingRole.BACKGROUND
