"""The exemptions of a run: read from manifests and from the policy, each with where it stands and whether it was of use."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Callable, Iterator

from preflight import documents
from preflight.messages import policy as messages
from preflight.model.annotations import EXEMPTION_ANNOTATION
from preflight.model.core import Node
from preflight.model.meta import Origin
from preflight.model.report import Finding, Location, Severity, Subject
from preflight.policy.config import Exemption
from preflight.policy.inline_exemptions import InlineExemption, parse_annotation, parse_comments
from preflight.policy.matching import ExemptibleObject, ExemptionScope, LocatedFinding, MatchTarget, matches_target
from preflight.policy.model import Policy, PolicySource
from preflight.policy.validate import find_rule, list_rule_names, parse_day
from preflight.rules.api import Rule, make_subject_of
from preflight.rules.run import expired_exemption, invalid_exemption


class ExemptionUse:
    """An exemption, and how often it was of use."""

    def __init__(self, rule: Rule, reason: str, until: str, target: MatchTarget, locate: Callable[[], Location]) -> None:
        """`target` is the object that it stands in, or the policy; `locate` where it stands, looked up when somebody asks."""
        self.rule, self.reason, self.until, self.target, self.locate = rule, reason, until, target, locate
        self.use_count = 0

    def has_expired(self, today: datetime.date) -> bool:
        """Whether its last day is over."""
        until = parse_day(self.until)
        return until is not None and until < today


class Exemptions:
    """What manifests and the policy exempt. One in a manifest goes before one of the policy, an annotation before a comment."""

    def __init__(self, policy: Policy, scope: ExemptionScope, today: datetime.date) -> None:
        self.policy, self.scope, self.today = policy, scope, today
        self.findings: list[Finding] = []
        self._key_counts: Counter[tuple[str, Subject, str, tuple[str, ...]]] = Counter()
        self.uses_by_object: dict[Origin, list[ExemptionUse]] = {}
        self.uses_by_document: dict[tuple[str, int], list[tuple[InlineExemption, ExemptionUse]]] = {}
        self.policy_uses: list[tuple[Exemption, PolicySource, ExemptionUse]] = []
        self._read_manifests()
        self._read_policy()

    def find_use(self, located: LocatedFinding) -> ExemptionUse | None:
        """The exemption that is for a finding, and counts today."""
        return next(
            (use for use in self._iter_matching_uses(located) if use.rule.id == located.finding.rule and not use.has_expired(self.today)),
            None,
        )

    def _iter_matching_uses(self, located: LocatedFinding) -> Iterator[ExemptionUse]:
        line = located.finding.location.line if located.finding.location else 0
        yield from self.uses_by_object.get(located.origin, ())
        for stated, use in self.uses_by_document.get((located.origin.file, located.origin.document), ()):
            if stated.covers(line):
                yield use
        for exemption, said, use in self.policy_uses:
            if matches_target(exemption.match, located.target, said.layer.folder):
                yield use

    def iter_manifest_uses(self) -> Iterator[ExemptionUse]:
        """Those of manifests."""
        for uses in self.uses_by_object.values():
            yield from uses
        for pairs in self.uses_by_document.values():
            yield from (use for _, use in pairs)

    def add_finding(
        self,
        rule: Rule,
        target: MatchTarget,
        key: tuple[str, ...],
        message: str,
        location: Location,
        hit_severity: Severity | None = None,
    ) -> None:
        """Add a finding about an exemption, as severe as the policy says; one that repeats a key gets a number behind it."""
        severity = self.policy.resolve_severity(rule.id, rule.severity, hit_severity, target)
        if severity is None:
            return
        counted = (rule.id, target.subject, target.file, key)
        self._key_counts[counted] += 1
        if self._key_counts[counted] > 1:
            key = (*key, str(self._key_counts[counted]))
        self.findings.append(Finding(rule.id, rule.name, severity, target.subject, message, location=location, key=key))

    def _read_manifests(self) -> None:
        things: dict[tuple[str, int], MatchTarget] = {}
        for exemptible in self.scope.objects:
            thing = make_match_target(exemptible)
            things.setdefault((exemptible.origin.file, exemptible.origin.document), thing)
            text = exemptible.metadata.annotations.get(EXEMPTION_ANNOTATION)
            if text is not None:
                location = self._make_annotation_locator(exemptible.origin)
                for stated in parse_annotation(text):
                    use = self._accept_inline(stated, thing, location, "annotation")
                    if use is not None:
                        self.uses_by_object.setdefault(exemptible.origin, []).append(use)
        for key, thing in things.items():
            chunk = self.scope.chunks.get(key)
            for stated in parse_comments(chunk) if chunk is not None else ():
                use = self._accept_inline(stated, thing, _make_comment_locator(key[0], stated), "comment")
                if use is not None:
                    self.uses_by_document.setdefault(key, []).append((stated, use))

    def _make_annotation_locator(self, origin: Origin) -> Callable[[], Location]:
        chunk = self.scope.chunks.get((origin.file, origin.document))

        def located() -> Location:
            if chunk is None:
                return Location(origin.file, origin.line)
            place = documents.locate_paths(chunk, [(*origin.path, "metadata", "annotations", EXEMPTION_ANNOTATION)])[0]
            return Location(origin.file, place.line, place.column, source=documents.get_source_line(chunk, place.line))

        return located

    def _accept_inline(
        self, exemption: InlineExemption, target: MatchTarget, locate: Callable[[], Location], where: str
    ) -> ExemptionUse | None:
        """An exemption of a manifest; None, and a finding, where it does not count."""
        rule = find_rule(exemption.rule)
        if why := self._explain_rejection(rule, exemption):
            self.add_finding(
                invalid_exemption.RULE, target, (where, exemption.rule), messages.describe_invalid_exemption(why, where), locate()
            )
            return None
        assert rule is not None
        use = ExemptionUse(rule, exemption.reason, exemption.until, target, locate)
        if use.has_expired(self.today):
            self._add_expired_finding(use, (where, rule.id), where)
        return use

    def _explain_rejection(self, rule: Rule | None, exemption: InlineExemption) -> str:
        if rule is None:
            named = exemption.rule
            return messages.describe_unknown_name("rule", named, list_rule_names()) if named else messages.EXEMPTION_WITHOUT_RULE
        if not exemption.reason:
            return messages.EXEMPTION_WITHOUT_REASON
        if exemption.until and parse_day(exemption.until) is None:
            return messages.describe_invalid_day(exemption.until)
        return self._missing_expiry_reason if not exemption.until and self.policy.requires_expires else ""

    @property
    def _missing_expiry_reason(self) -> str:
        said = self.policy.requires_expires_source
        return messages.describe_missing_expiry(said.layer.file if said else "")

    def _read_policy(self) -> None:
        for exemption, said in self.policy.exemptions:
            rule = find_rule(exemption.rule)
            assert rule is not None
            thing = MatchTarget(Subject("Policy", "", said.layer.file), said.layer.file)
            use = ExemptionUse(rule, exemption.reason, exemption.expires, thing, _make_policy_locator(said))
            if not exemption.expires and self.policy.requires_expires:
                if self.scope.is_lint:
                    message = messages.describe_invalid_exemption(self._missing_expiry_reason)
                    self.add_finding(invalid_exemption.RULE, thing, (rule.id,), message, use.locate())
                continue
            if self.scope.is_lint and use.has_expired(self.today):
                self._add_expired_finding(use, (rule.id,))
            self.policy_uses.append((exemption, said, use))

    def _add_expired_finding(self, use: ExemptionUse, key: tuple[str, ...], where: str = "") -> None:
        message = messages.describe_expired_exemption(use.rule.id, use.until, use.reason, where)
        self.add_finding(expired_exemption.RULE, use.target, key, message, use.locate())


def make_match_target(exemptible: ExemptibleObject) -> MatchTarget:
    """An object as a match reads it."""
    subject = Subject("Node", "", exemptible.name) if isinstance(exemptible, Node) else make_subject_of(exemptible)
    return MatchTarget(subject, exemptible.origin.file, exemptible.metadata.labels)


def _make_comment_locator(file: str, exemption: InlineExemption) -> Callable[[], Location]:
    return lambda: Location(file, exemption.line, exemption.column, source=exemption.source)


def _make_policy_locator(source: PolicySource) -> Callable[[], Location]:
    return lambda: Location(source.layer.file, *source.layer.locate(source.path))
