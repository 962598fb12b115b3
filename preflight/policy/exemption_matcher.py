"""Findings and exemptions: which findings are accepted, by whom, and which exemptions are of no use."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from preflight.model.report import Finding, Location, Subject
from preflight.policy.baseline import Baseline
from preflight.policy.exemptions import Exemptions, Use, thing_of
from preflight.policy.matching import Found, Judged, Thing, fits
from preflight.policy.model import Policy
from preflight.policy.validate import ABOUT_EXEMPTIONS, rule_named
from preflight.rules.run.unused_exemption import OF_A_BASELINE

NEVER = ("PF900", *ABOUT_EXEMPTIONS)
"""What nothing exempts, whatever a policy says: a crash, and what is said of exemptions."""


class Exempting:
    """One run's findings against its exemptions and its baseline.

    1. An exemption in a manifest goes before one of the policy, and that before the baseline.
    2. One that has expired exempts nothing; the day itself still counts. Of a mandatory rule nothing is exempted.
    3. Unused are only exemptions of rules that judge each object by itself, and are not off: others may wait for a change, or for other
       objects. Those of the policy are unused only where folders were judged that hold what they are for, or the policy itself.
    """

    def __init__(self, policy: Policy, judged: Judged, today: datetime.date, baseline: Baseline | None = None) -> None:
        self.policy, self.judged, self.today, self.baseline = policy, judged, today, baseline
        self.exemptions = Exemptions(policy, judged, today)

    def apply(self, found: Iterable[Found]) -> list[Finding]:
        """The findings, exempted ones marked with their reason, and what there is to say of the exemptions themselves."""
        findings = [self._marked(each) for each in found]
        if self.judged.lint:
            self._find_unused()
        return findings + self.exemptions.said

    def _marked(self, each: Found) -> Finding:
        finding = each.finding
        if finding.rule in NEVER or finding.rule in self.policy.mandatory:
            return finding
        use = self.exemptions.of(each)
        if use is not None:
            use.used += 1
            return replace(finding, exempted=use.reason)
        if self.baseline is not None and not self.baseline.has_expired(self.today) and self.baseline.takes(finding):
            return replace(finding, exempted=f"baseline {self.baseline.file}")
        return finding

    def _find_unused(self) -> None:
        for use in self.exemptions.in_manifests():
            self._say_unused(use)
        whole = _is_below(self.policy.folder, self.judged.paths)
        things = [thing_of(each) for each in self.judged.objects]
        for exemption, said, use in self.exemptions.of_policy:
            if whole or (self._named_folders and any(fits(exemption.match, thing, said.layer.folder) for thing in things)):
                self._say_unused(use)
        if self.baseline is not None:
            self._say_of_baseline(self.baseline, things)

    @property
    def _named_folders(self) -> bool:
        """Whether all that was named are folders: of a few files nobody can tell what an exemption is for."""
        return bool(self.judged.paths) and all(os.path.isdir(path) for path in self.judged.paths)  # noqa: PTH112

    def _say_unused(self, use: Use) -> None:
        rule = use.rule
        if use.used or use.has_expired(self.today):
            return
        if rule.id in NEVER or rule.id in self.policy.mandatory:
            said = self.policy.mandatory.get(rule.id)
            why = f"it is mandatory ({said.where})" if said else "nothing exempts it"
        elif rule.by_itself and self.policy.said_of(rule.id, use.thing) != "off":
            why = use.reason
        else:
            return
        self.exemptions.say("PF990", use.thing, f"has an exemption of {rule.id} {rule.name} that exempts nothing: {why}", use.location())

    def _say_of_baseline(self, baseline: Baseline, things: Sequence[Thing]) -> None:
        about = Thing(Subject("Baseline", "", baseline.file), baseline.file)
        if baseline.has_expired(self.today):
            message = f"expired on {baseline.expires}: its {baseline.number} findings count again"
            self.exemptions.say("PF991", about, message, Location(baseline.file, 1))
            return
        if not self._named_folders:
            return
        seen = {f"{thing.subject.kind} {thing.subject}" for thing in things}
        for entry, line in baseline.left():
            rule = rule_named(entry.rule)
            if rule is not None and (not rule.needs_nodes or self.judged.has_nodes) and entry.subject in seen:
                message = f"has an entry that accepts nothing any more: {entry.rule} {entry.subject} {entry.message}"
                self.exemptions.say("PF990", about, message, Location(baseline.file, line), OF_A_BASELINE)


def _is_below(folder: str, paths: Iterable[str]) -> bool:
    """Whether a folder is one of some paths, or below one."""
    return bool(folder) and any(f"{folder}/".startswith(f"{os.path.abspath(path).rstrip('/')}/") for path in paths)  # noqa: PTH100
