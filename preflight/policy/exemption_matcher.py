"""Findings and exemptions: which findings are accepted, by whom, and which exemptions are of no use."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from preflight.messages import policy as messages
from preflight.model.report import Finding, Location, Subject
from preflight.policy.baseline import Baseline
from preflight.policy.exemptions import Exemptions, ExemptionUse, make_match_target
from preflight.policy.matching import ExemptionScope, LocatedFinding, MatchTarget, matches_target
from preflight.policy.model import Policy
from preflight.policy.validate import find_rule, is_exemptible
from preflight.rules.run import expired_exemption, unused_exemption
from preflight.rules.run.unused_exemption import BASELINE_SEVERITY


class ExemptionMatcher:
    """One run's findings against its exemptions and its baseline.

    1. An exemption in a manifest goes before one of the policy, and that before the baseline.
    2. One that has expired exempts nothing; the day itself still counts. Of a mandatory rule nothing is exempted.
    3. Unused are only exemptions of rules that judge each object by itself, and are not off: others may wait for a change, or for other
       objects. Those of the policy are unused only where folders were judged that hold what they are for, or the policy itself.
    """

    def __init__(self, policy: Policy, scope: ExemptionScope, today: datetime.date, baseline: Baseline | None = None) -> None:
        self.policy, self.scope, self.today, self.baseline = policy, scope, today, baseline
        self.exemptions = Exemptions(policy, scope, today)

    def apply(self, located_findings: Iterable[LocatedFinding]) -> list[Finding]:
        """The findings, exempted ones marked with their reason, and what there is to say of the exemptions themselves."""
        findings = [self._mark_finding(located_finding) for located_finding in located_findings]
        if self.scope.is_lint:
            self._find_unused()
        return findings + self.exemptions.findings

    def _mark_finding(self, located: LocatedFinding) -> Finding:
        finding = located.finding
        if not is_exemptible(finding.rule) or finding.rule in self.policy.mandatory:
            return finding
        use = self.exemptions.find_use(located)
        if use is not None:
            use.use_count += 1
            return replace(finding, exempted=use.reason)
        if self.baseline is not None and not self.baseline.has_expired(self.today) and self.baseline.accept_finding(finding):
            return replace(finding, exempted=f"baseline {self.baseline.file}")
        return finding

    def _find_unused(self) -> None:
        for use in self.exemptions.iter_manifest_uses():
            self._report_unused(use)
        whole = _is_below(self.policy.folder, self.scope.paths)
        things = [make_match_target(exemptible) for exemptible in self.scope.objects]
        for exemption, said, use in self.exemptions.policy_uses:
            if whole or (self._has_only_folders and any(matches_target(exemption.match, thing, said.layer.folder) for thing in things)):
                self._report_unused(use)
        if self.baseline is not None:
            self._report_baseline_use(self.baseline, things)

    @property
    def _has_only_folders(self) -> bool:
        """Whether all that was named are folders: of a few files nobody can tell what an exemption is for."""
        return bool(self.scope.paths) and all(os.path.isdir(path) for path in self.scope.paths)  # noqa: PTH112

    def _report_unused(self, use: ExemptionUse) -> None:
        rule = use.rule
        if use.use_count or use.has_expired(self.today):
            return
        if not rule.is_exemptible or rule.id in self.policy.mandatory:
            said = self.policy.mandatory.get(rule.id)
            why = messages.describe_useless_exemption(said.location if said else "")
        elif rule.is_per_object and self.policy.find_severity(rule.id, use.target) != "off":
            why = use.reason
        else:
            return
        message = messages.describe_unused_exemption(rule.id, rule.name, why)
        self.exemptions.add_finding(unused_exemption.RULE, use.target, (rule.id,), message, use.locate())

    def _report_baseline_use(self, baseline: Baseline, targets: Sequence[MatchTarget]) -> None:
        about = MatchTarget(Subject("Baseline", "", baseline.file), baseline.file)
        if baseline.has_expired(self.today):
            message = messages.describe_expired_baseline(baseline.expires, baseline.finding_count)
            self.exemptions.add_finding(expired_exemption.RULE, about, (), message, Location(baseline.file, 1))
            return
        if not self._has_only_folders:
            return
        seen = {f"{thing.subject.kind} {thing.subject}" for thing in targets}
        for entry, line in baseline.list_unused_entries():
            rule = find_rule(entry.rule)
            if rule is not None and (not rule.needs_nodes or self.scope.has_nodes) and entry.subject in seen:
                message = messages.describe_unused_entry(entry.rule, entry.subject, entry.key)
                key = (entry.rule, entry.subject, *entry.key)
                location = Location(baseline.file, line)
                self.exemptions.add_finding(unused_exemption.RULE, about, key, message, location, BASELINE_SEVERITY)


def _is_below(folder: str, paths: Iterable[str]) -> bool:
    """Whether a folder is one of some paths, or below one."""
    return bool(folder) and any(f"{folder}/".startswith(f"{os.path.abspath(path).rstrip('/')}/") for path in paths)  # noqa: PTH100
