"""A new baseline: all that was found, accepted."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from preflight.model.report import Finding
from preflight.policy import baseline as baselines
from preflight.policy.baseline import Baseline
from preflight.policy.exemption_matcher import NEVER
from preflight.policy.model import Policy


def accepted(findings: Sequence[Finding], policy: Policy, file: str, until: str) -> tuple[list[Finding], Baseline]:
    """The findings, marked, and the baseline that accepts them: all but the exempted ones, those of mandatory rules, and crashes."""
    open_ = [each for each in findings if each.exempted is None and each.rule not in NEVER and each.rule not in policy.mandatory]
    taken = {id(each) for each in open_}
    marked = [replace(each, exempted=f"baseline {file}") if id(each) in taken else each for each in findings]
    return marked, baselines.of(open_, file, until)
