"""Findings and exemptions: which findings are accepted, by whom, and which exemptions do not count any more."""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Sequence
from itertools import chain

from msgspec.structs import replace

from preflight.model.objects import Node, Origin, Workload
from preflight.model.report import Finding, Location, Severity, Subject
from preflight.policy.baseline import Baseline
from preflight.policy.checking import ABOUT_EXEMPTIONS, day, rule_named
from preflight.policy.comments import Stated, in_annotation, in_comments
from preflight.policy.effective import Policy, Said
from preflight.policy.faults import nearest, shown
from preflight.policy.matching import Found, Judged, Thing, fits
from preflight.policy.terms import ANNOTATION
from preflight.policy.written import Exemption
from preflight.rules._framework import Rule, all_rules, subject_of
from preflight.rules.unused_exemption import OF_A_BASELINE

NEVER = ("PF900", *ABOUT_EXEMPTIONS)
"""What nothing exempts, whatever a policy says: a crash, and what is said of exemptions."""


class _Use:
    """An exemption, and whether it exempted something."""

    def __init__(self, rule: Rule, reason: str, until: str, subject: Subject, location: Location | None) -> None:
        self.rule, self.reason, self.until = rule, reason, until
        self.subject, self.location = subject, location
        self.used = 0


class Exempting:
    """The exemptions of one run.

    1. An exemption in a manifest goes before one of the policy, and that before the baseline.
    2. One that has expired exempts nothing; the day itself still counts. Of a mandatory rule nothing is exempted.
    """

    def __init__(self, policy: Policy, judged: Judged, today: datetime.date, baseline: Baseline | None = None) -> None:
        self.policy, self.judged, self.today, self.baseline = policy, judged, today, baseline
        self.said: list[Finding] = []
        self._by_document: dict[tuple[str, int], list[tuple[Stated, _Use]]] = {}
        self._by_object: dict[Origin, list[_Use]] = {}
        self._policy: list[tuple[Exemption, Said, _Use]] = []
        self._read_manifests()
        self._read_policy()

    def apply(self, found: Iterable[Found]) -> list[Finding]:
        """The findings, exempted ones marked with their reason, and what there is to say of the exemptions themselves."""
        findings = [self._marked(each) for each in found]
        if self.judged.lint:
            self._find_unused()
        return findings + self.said

    def _marked(self, each: Found) -> Finding:
        finding = each.finding
        if finding.rule in NEVER or finding.rule in self.policy.mandatory:
            return finding
        use = self._in_manifest(each) or self._in_policy(each)
        if use is not None:
            use.used += 1
            return replace(finding, exempted=use.reason)
        if self.baseline is not None and not self.baseline.has_expired(self.today) and self.baseline.takes(finding):
            return replace(finding, exempted=f"baseline {self.baseline.file}")
        return finding

    def _in_manifest(self, each: Found) -> _Use | None:
        rule = each.finding.rule
        for use in self._by_object.get(each.origin, ()):
            if use.rule.id == rule and not self._has_expired(use):
                return use
        line = each.finding.location.line if each.finding.location else 0
        for stated, use in self._by_document.get((each.origin.file, each.origin.document), ()):
            if use.rule.id == rule and stated.covers(line) and not self._has_expired(use):
                return use
        return None

    def _in_policy(self, each: Found) -> _Use | None:
        for exemption, said, use in self._policy:
            if use.rule.id == each.finding.rule and not self._has_expired(use) and fits(exemption.match, each.thing, said.layer.folder):
                return use
        return None

    def _has_expired(self, use: _Use) -> bool:
        until = day(use.until)
        return until is not None and until < self.today

    # Reading.

    def _read_manifests(self) -> None:
        documents: dict[tuple[str, int], Subject] = {}
        for each in self.judged.objects:
            subject = Subject("Node", "", each.name) if isinstance(each, Node) else subject_of(each)
            documents.setdefault((each.origin.file, each.origin.document), subject)
            text = each.metadata.annotations.get(ANNOTATION)
            if text is not None:
                place = (each.origin, ("metadata", "annotations", ANNOTATION))
                for stated in in_annotation(text):
                    use = self._use(stated, subject, self._location(*place), "annotation")
                    if use is not None:
                        self._by_object.setdefault(each.origin, []).append(use)
        for key, subject in documents.items():
            chunk = self.judged.texts.get(key)
            for stated in in_comments(chunk) if chunk is not None else ():
                use = self._use(stated, subject, Location(key[0], stated.line, stated.column, source=stated.source), "comment")
                if use is not None:
                    self._by_document.setdefault(key, []).append((stated, use))

    def _location(self, origin: Origin, path: tuple[str | int, ...]) -> Location:
        from preflight import documents

        chunk = self.judged.texts.get((origin.file, origin.document))
        if chunk is None:
            return Location(origin.file, origin.line)
        place = documents.locate(chunk, [(*origin.path, *path)])[0]
        return Location(origin.file, place.line, place.column, source=documents.source_line(chunk, place.line))

    def _use(self, stated: Stated, subject: Subject, location: Location, where: str) -> _Use | None:
        """An exemption of a manifest; None, and a finding, where it does not count."""
        rule = rule_named(stated.rule)
        why = ""
        if rule is None:
            known = [name for each in all_rules() for name in (each.id, each.name)]
            why = f"no rule {shown(stated.rule)}{nearest(stated.rule, known)}" if stated.rule else "it names no rule"
        elif not stated.reason:
            why = "it gives no reason"
        elif stated.until and day(stated.until) is None:
            why = f"{shown(stated.until)} is no day: write it as 2027-01-31"
        elif not stated.until and self.policy.requires_expires:
            why = f"it does not say until when, and {self._expires_said} asks for that"
        if why or rule is None:
            self._say("PF992", subject, f"has an exemption ({where}) that does not count: {why}", location)
            return None
        use = _Use(rule, stated.reason, stated.until, subject, location)
        self._note_state(use, f"has an exemption ({where})")
        return use

    def _read_policy(self) -> None:
        for exemption, said in self.policy.exemptions:
            rule = rule_named(exemption.rule)
            assert rule is not None
            line, column = said.layer.place(said.path)
            location = Location(said.layer.file, line, column)
            use = _Use(rule, exemption.reason, exemption.expires, Subject("Policy", "", said.layer.file), location)
            if not exemption.expires and self.policy.requires_expires:
                if self.judged.lint:
                    why = f"it does not say until when, and {self._expires_said} asks for that"
                    self._say("PF992", use.subject, f"has an exemption that does not count: {why}", location)
                continue
            if self.judged.lint:
                self._note_state(use, "has an exemption")
            self._policy.append((exemption, said, use))

    @property
    def _expires_said(self) -> str:
        said = self.policy.requires_expires_said
        return said.layer.file if said else "the policy"

    # What there is to say.

    def _note_state(self, use: _Use, what: str) -> None:
        if self._has_expired(use):
            self._say("PF991", use.subject, f"{what} of {use.rule.id} that expired on {use.until}: {use.reason}", use.location)

    def _find_unused(self) -> None:
        for use in (*chain(*self._by_object.values()), *(use for _, use in chain(*self._by_document.values()))):
            self._say_unused(use)
        whole = _is_below(self.policy.folder, self.judged.paths)
        things = [thing_of(each) for each in self.judged.objects]
        for exemption, said, use in self._policy:
            if whole or (self._named_folders and any(fits(exemption.match, thing, said.layer.folder) for thing in things)):
                self._say_unused(use)
        if self.baseline is not None:
            self._say_of_baseline(self.baseline, things)

    @property
    def _named_folders(self) -> bool:
        """Whether all that was named are folders: of a few files nobody can tell what an exemption is for."""
        return bool(self.judged.paths) and all(os.path.isdir(path) for path in self.judged.paths)  # noqa: PTH112

    def _say_unused(self, use: _Use) -> None:
        if use.used or self._has_expired(use):
            return
        rule = use.rule
        if rule.id in NEVER or rule.id in self.policy.mandatory:
            said = self.policy.mandatory.get(rule.id)
            why = f"it is mandatory ({said.where})" if said else "nothing exempts it"
            self._say("PF990", use.subject, f"has an exemption of {rule.id} {rule.name} that exempts nothing: {why}", use.location)
        elif self._could_speak(rule):
            self._say("PF990", use.subject, f"has an exemption of {rule.id} {rule.name} that exempts nothing: {use.reason}", use.location)

    def _could_speak(self, rule: Rule) -> bool:
        """Whether a run like this one would have a finding of the rule: what reads coverage may wait for a change or for other nodes."""
        return not rule.needs_nodes

    def _say_of_baseline(self, baseline: Baseline, things: Sequence[Thing]) -> None:
        subject = Subject("Baseline", "", baseline.file)
        if baseline.has_expired(self.today):
            message = f"expired on {baseline.expires}: its {baseline.number} findings count again"
            self._say("PF991", subject, message, Location(baseline.file, 1))
            return
        if not self._named_folders:
            return
        seen = {f"{thing.subject.kind} {thing.subject}" for thing in things}
        for entry, line in baseline.left():
            rule = rule_named(entry.rule)
            if rule is not None and (not rule.needs_nodes or self.judged.has_nodes) and entry.subject in seen:
                message = f"has an entry that accepts nothing any more: {entry.rule} {entry.subject} {entry.message}"
                self._say("PF990", subject, message, Location(baseline.file, line), OF_A_BASELINE)

    def _say(self, rule: str, subject: Subject, message: str, location: Location | None, given: Severity | None = None) -> None:
        found = rule_named(rule)
        assert found is not None
        thing = Thing(subject, location.file if location else "")
        severity = self.policy.severity(rule, found.severity, given, thing)
        if severity is not None:
            self.said.append(Finding(found.id, found.name, severity, subject, message, location=location))


def thing_of(each: Workload | Node) -> Thing:
    """An object as a match reads it."""
    subject = Subject("Node", "", each.name) if isinstance(each, Node) else subject_of(each)
    return Thing(subject, each.origin.file, each.metadata.labels)


def _is_below(folder: str, paths: Iterable[str]) -> bool:
    """Whether a folder is one of some paths, or below one."""
    return bool(folder) and any(f"{folder}/".startswith(f"{os.path.abspath(path).rstrip('/')}/") for path in paths)  # noqa: PTH100
