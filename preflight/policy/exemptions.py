"""The exemptions of a run: read from manifests and from the policy, each with where it stands and whether it was of use."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator

from preflight import documents
from preflight.model.objects import Node, Origin
from preflight.model.report import Finding, Location, Severity, Subject
from preflight.policy.config import Exemption
from preflight.policy.evaluate import ANNOTATION
from preflight.policy.inline_exemptions import Stated, in_annotation, in_comments
from preflight.policy.matching import Bearer, Found, Judged, Thing, fits
from preflight.policy.model import Policy, Said
from preflight.policy.schema_errors import nearest, shown
from preflight.policy.validate import day, rule_named
from preflight.rules.api import Rule, subject_of
from preflight.rules.registry import all_rules


class Use:
    """An exemption, and how often it was of use."""

    def __init__(self, rule: Rule, reason: str, until: str, thing: Thing, location: Callable[[], Location]) -> None:
        """`thing` is the object that it stands in, or the policy; `location` where it stands, looked up when somebody asks."""
        self.rule, self.reason, self.until, self.thing, self.location = rule, reason, until, thing, location
        self.used = 0

    def has_expired(self, today: datetime.date) -> bool:
        """Whether its last day is over."""
        until = day(self.until)
        return until is not None and until < today


class Exemptions:
    """What manifests and the policy exempt. One in a manifest goes before one of the policy, an annotation before a comment."""

    def __init__(self, policy: Policy, judged: Judged, today: datetime.date) -> None:
        self.policy, self.judged, self.today = policy, judged, today
        self.said: list[Finding] = []
        self.by_object: dict[Origin, list[Use]] = {}
        self.by_document: dict[tuple[str, int], list[tuple[Stated, Use]]] = {}
        self.of_policy: list[tuple[Exemption, Said, Use]] = []
        self._read_manifests()
        self._read_policy()

    def of(self, each: Found) -> Use | None:
        """The exemption that is for a finding, and counts today."""
        return next((use for use in self._of(each) if use.rule.id == each.finding.rule and not use.has_expired(self.today)), None)

    def _of(self, each: Found) -> Iterator[Use]:
        line = each.finding.location.line if each.finding.location else 0
        yield from self.by_object.get(each.origin, ())
        for stated, use in self.by_document.get((each.origin.file, each.origin.document), ()):
            if stated.covers(line):
                yield use
        for exemption, said, use in self.of_policy:
            if fits(exemption.match, each.thing, said.layer.folder):
                yield use

    def in_manifests(self) -> Iterator[Use]:
        """Those of manifests."""
        for uses in self.by_object.values():
            yield from uses
        for pairs in self.by_document.values():
            yield from (use for _, use in pairs)

    def say(self, rule: str, thing: Thing, message: str, location: Location, given: Severity | None = None) -> None:
        """Say something of an exemption, as severely as the policy says."""
        found = rule_named(rule)
        assert found is not None
        severity = self.policy.severity(rule, found.severity, given, thing)
        if severity is not None:
            self.said.append(Finding(found.id, found.name, severity, thing.subject, message, location=location))

    def _read_manifests(self) -> None:
        things: dict[tuple[str, int], Thing] = {}
        for each in self.judged.objects:
            thing = thing_of(each)
            things.setdefault((each.origin.file, each.origin.document), thing)
            text = each.metadata.annotations.get(ANNOTATION)
            if text is not None:
                location = self._annotation(each.origin)
                for stated in in_annotation(text):
                    use = self._taken(stated, thing, location, "annotation")
                    if use is not None:
                        self.by_object.setdefault(each.origin, []).append(use)
        for key, thing in things.items():
            chunk = self.judged.texts.get(key)
            for stated in in_comments(chunk) if chunk is not None else ():
                use = self._taken(stated, thing, _comment(key[0], stated), "comment")
                if use is not None:
                    self.by_document.setdefault(key, []).append((stated, use))

    def _annotation(self, origin: Origin) -> Callable[[], Location]:
        chunk = self.judged.texts.get((origin.file, origin.document))

        def located() -> Location:
            if chunk is None:
                return Location(origin.file, origin.line)
            place = documents.locate(chunk, [(*origin.path, "metadata", "annotations", ANNOTATION)])[0]
            return Location(origin.file, place.line, place.column, source=documents.source_line(chunk, place.line))

        return located

    def _taken(self, stated: Stated, thing: Thing, location: Callable[[], Location], where: str) -> Use | None:
        """An exemption of a manifest; None, and a finding, where it does not count."""
        rule = rule_named(stated.rule)
        if why := self._why_not(rule, stated):
            self.say("PF992", thing, f"has an exemption ({where}) that does not count: {why}", location())
            return None
        assert rule is not None
        use = Use(rule, stated.reason, stated.until, thing, location)
        if use.has_expired(self.today):
            self._expired(use, f"has an exemption ({where})")
        return use

    def _why_not(self, rule: Rule | None, stated: Stated) -> str:
        if rule is None:
            known = [name for each in all_rules() for name in (each.id, each.name)]
            return f"no rule {shown(stated.rule)}{nearest(stated.rule, known)}" if stated.rule else "it names no rule"
        if not stated.reason:
            return "it gives no reason"
        if stated.until and day(stated.until) is None:
            return f"{shown(stated.until)} is no day: write it as 2027-01-31"
        return self._endless if not stated.until and self.policy.requires_expires else ""

    @property
    def _endless(self) -> str:
        said = self.policy.requires_expires_said
        return f"it does not say until when, and {said.layer.file if said else 'the policy'} asks for that"

    def _read_policy(self) -> None:
        for exemption, said in self.policy.exemptions:
            rule = rule_named(exemption.rule)
            assert rule is not None
            thing = Thing(Subject("Policy", "", said.layer.file), said.layer.file)
            use = Use(rule, exemption.reason, exemption.expires, thing, _in_policy(said))
            if not exemption.expires and self.policy.requires_expires:
                if self.judged.lint:
                    self.say("PF992", thing, f"has an exemption that does not count: {self._endless}", use.location())
                continue
            if self.judged.lint and use.has_expired(self.today):
                self._expired(use, "has an exemption")
            self.of_policy.append((exemption, said, use))

    def _expired(self, use: Use, what: str) -> None:
        self.say("PF991", use.thing, f"{what} of {use.rule.id} that expired on {use.until}: {use.reason}", use.location())


def thing_of(each: Bearer) -> Thing:
    """An object as a match reads it."""
    subject = Subject("Node", "", each.name) if isinstance(each, Node) else subject_of(each)
    return Thing(subject, each.origin.file, each.metadata.labels)


def _comment(file: str, stated: Stated) -> Callable[[], Location]:
    return lambda: Location(file, stated.line, stated.column, source=stated.source)


def _in_policy(said: Said) -> Callable[[], Location]:
    return lambda: Location(said.layer.file, *said.layer.place(said.path))
