"""From what rules may look at to what they say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec import Struct
from msgspec.structs import replace

from preflight.coverage.model import Impact
from preflight.engine.session import LoadedInputs
from preflight.messages.run import describe_crash
from preflight.model.meta import ObjectKey, Origin
from preflight.model.report import Subject
from preflight.policy.evaluate import apply_rule_severities
from preflight.policy.matching import MatchTarget
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, keep_worst_hits
from preflight.rules.new_findings import RuleHit
from preflight.rules.select_rules import common_rules, select_rules


class RuleResults(Struct, frozen=True):
    """What rules say.

    1. `hits` are in the order of the rules. `crashes` are the errors of rules that crashed: the others go on.
    2. `ranks` tells how much the loss of each DaemonSet matters that something is said of, 0 is the worst.
    3. `has_dependents`: something depends on what is lost.
    """

    hits: tuple[RuleHit, ...] = ()
    crashes: tuple[Exception, ...] = ()
    ranks: Mapping[Subject, int] = {}
    has_dependents: bool = False

    def add(self, later: RuleResults) -> RuleResults:
        """These results, then those of a later step; what a crash left out is not asked of the later ones."""
        return RuleResults(
            (*self.hits, *later.hits),
            (*self.crashes, *later.crashes),
            {**later.ranks, **self.ranks},
            self.has_dependents or (later.has_dependents and not self.crashes),
        )


def run_rules(inputs: LoadedInputs, context: Context, step: int) -> RuleResults:
    """What the rules say of one step, with the severities of the policy.

    Of an object that was given only as surroundings they say nothing, unless a rule crashed.
    """
    declared = inputs.convention.declared_taints if context.is_lint else ()
    context = replace(context, convention=inputs.convention, taints=tuple(dict.fromkeys((*context.taints, *declared))))
    hits, crashes = check_rules(select_rules(context), context)
    ranks: Mapping[Subject, int] = {}
    has_dependents = False
    if context.impact is not None:
        ranks = _rank_subjects(context.impact, [hit for _, hit in hits])
        has_dependents = not crashes and any(consequence.has_dependents for consequence in context.get_consequences())
    policy = inputs.session.policy.policy
    if policy.rule_settings:
        hits = list(apply_rule_severities(policy, hits, lambda hit: make_match_target(inputs, hit)))
    linted = inputs.loaded.checked_files if context.is_lint else None
    kept = (
        (rule, hit, step) for rule, hit in keep_worst_hits(hits) if linted is None or hit.location.origin.file in linted or rule.is_crash
    )
    return RuleResults(tuple(kept), tuple(crashes), ranks, has_dependents)


def check_rules(rules: Iterable[Rule], context: Context) -> tuple[list[tuple[Rule, Hit]], list[Exception]]:
    """What rules say, and the errors of those that crashed; one that needs an impact is not asked where there is none."""
    hits: list[tuple[Rule, Hit]] = []
    crashes: list[Exception] = []
    for rule in rules:
        if rule.needs_nodes and context.impact is None:
            continue
        try:
            hits += [(rule, hit) for hit in rule.check(context)]
        except Exception as error:
            crashes.append(error)
            hits.append(_make_crash_hit(rule, error))
    return hits, crashes


def make_match_target(inputs: LoadedInputs, hit: Hit) -> MatchTarget:
    """What a policy matches of the object that a hit is about."""
    found = inputs.objects.get(hit.location.origin)
    return MatchTarget(hit.subject, hit.location.origin.file, found.metadata.labels if found else {})


def _make_crash_hit(rule: Rule, error: Exception) -> tuple[Rule, Hit]:
    """The finding on a rule that crashed."""
    crashed = next(candidate for candidate in common_rules() if candidate.is_crash)
    return crashed, Hit(Subject("Rule", "", rule.id), describe_crash(error), ManifestLocation(Origin("<none>")))


def _rank_subjects(impact: Impact, hits: Iterable[Hit]) -> dict[Subject, int]:
    """How much the loss of each DaemonSet matters that something is said of."""
    ranks: dict[Subject, int] = {}
    for hit in hits:
        subject = hit.subject
        if subject.kind == "DaemonSet" and subject not in ranks:
            key = ObjectKey(subject.namespace, subject.name, "" if subject.namespace else hit.location.origin.file)
            daemonset = impact.change.after.daemonsets.get(key) or impact.change.before.daemonsets.get(key)
            if daemonset is not None:
                ranks[subject] = impact.component_cache.get_rank(daemonset)
    return ranks
