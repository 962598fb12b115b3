"""A new baseline: all that was found, accepted."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from preflight.model.report import Finding
from preflight.policy import baseline as baselines
from preflight.policy.baseline import Baseline
from preflight.policy.model import Policy
from preflight.policy.validate import is_exemptible


def accept_findings(findings: Sequence[Finding], policy: Policy, file: str, until: str) -> tuple[list[Finding], Baseline]:
    """The findings, marked, and the baseline that accepts them: all but the exempted ones, those of mandatory rules, and crashes."""
    open_ = [
        finding for finding in findings if finding.exempted is None and is_exemptible(finding.rule) and finding.rule not in policy.mandatory
    ]
    taken = {id(finding) for finding in open_}
    marked = [replace(finding, exempted=f"baseline {file}") if id(finding) in taken else finding for finding in findings]
    return marked, baselines.make_baseline(open_, file, until)
