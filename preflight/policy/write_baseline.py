"""A new baseline: all that was found, accepted."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from preflight.model.report import Finding
from preflight.policy import baseline as baselines
from preflight.policy.baseline import Baseline
from preflight.policy.exemption_matcher import NEVER_EXEMPTED
from preflight.policy.model import Policy


def accept_findings(findings: Sequence[Finding], policy: Policy, file: str, until: str) -> tuple[list[Finding], Baseline]:
    """The findings, marked, and the baseline that accepts them: all but the exempted ones, those of mandatory rules, and crashes."""
    open_ = [
        finding
        for finding in findings
        if finding.exempted is None and finding.rule not in NEVER_EXEMPTED and finding.rule not in policy.mandatory
    ]
    taken = {id(each) for each in open_}
    marked = [replace(each, exempted=f"baseline {file}") if id(each) in taken else each for each in findings]
    return marked, baselines.make_baseline(open_, file, until)
