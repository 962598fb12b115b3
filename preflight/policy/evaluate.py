"""What a run is held to: a policy, a day, a baseline; and what these make of its hits and findings."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.annotations import EXEMPTION_ANNOTATION
from preflight.model.report import Finding
from preflight.policy.constants import COMMENT_MARKER
from preflight.policy.matching import ExemptionScope, LocatedFinding, MatchTarget
from preflight.policy.model import Policy
from preflight.rules.api import Hit, Rule

if TYPE_CHECKING:
    from preflight.policy.baseline import Baseline


class PolicyOptions(Struct, frozen=True):
    """What a run is held to.

    1. `allows_exemptions` False: nothing is exempted, by no one, and nothing is said of exemptions.
    2. `today` is the day that exemptions are judged by, None for the day of the run.
    3. `baseline` accepts what it holds. `new_baseline` is the file of a new one and its last day: then all that is found is accepted, and
       `baseline` is left aside.
    """

    policy: Policy = Policy()
    allows_exemptions: bool = True
    today: datetime.date | None = None
    baseline: Baseline | None = None
    new_baseline: tuple[str, str] | None = None


def apply_rule_severities(
    policy: Policy, hits: Iterable[tuple[Rule, Hit]], make_target: Callable[[Hit], MatchTarget]
) -> Iterator[tuple[Rule, Hit]]:
    """The hits with the severity that a policy gives them; those of a rule that is off are left out, a crash never is."""
    for rule, hit in hits:
        if rule.id not in policy.rule_settings or rule.is_crash:
            yield rule, hit
            continue
        severity = policy.resolve_severity(rule.id, rule.severity, hit.severity, make_target(hit))
        if severity is not None:
            yield rule, replace(hit, severity=severity)


def settle_findings(
    policy_options: PolicyOptions, located_findings: Sequence[LocatedFinding], scope: ExemptionScope
) -> tuple[list[Finding], Baseline | None]:
    """The findings of a run, exempted ones marked, with what there is to say of exemptions; and the new baseline, where one is wanted."""
    findings: list[Finding] = [located_finding.finding for located_finding in located_findings]
    if policy_options.allows_exemptions and _has_exemptions(policy_options, scope):
        from preflight.policy.exemption_matcher import ExemptionMatcher

        old = None if policy_options.new_baseline else policy_options.baseline
        findings = ExemptionMatcher(policy_options.policy, scope, policy_options.today or datetime.date.today(), old).apply(
            located_findings
        )
    if policy_options.new_baseline is None:
        return findings, None
    from preflight.policy.write_baseline import accept_findings

    return accept_findings(findings, policy_options.policy, *policy_options.new_baseline)


def _has_exemptions(policy_options: PolicyOptions, scope: ExemptionScope) -> bool:
    """Whether anybody exempts anything: else there is nothing to look for."""
    return (
        bool(policy_options.policy.exemptions or policy_options.baseline)
        or any(EXEMPTION_ANNOTATION in exemptible.metadata.annotations for exemptible in scope.objects)
        or any(COMMENT_MARKER in chunk.text for chunk in scope.chunks.values())
    )
