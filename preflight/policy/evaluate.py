"""What a run is held to: a policy, a day, a baseline; and what these make of its hits and findings."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.report import Finding
from preflight.policy.matching import Found, Judged, Thing
from preflight.policy.model import Policy
from preflight.rules.api import Hit, Rule

if TYPE_CHECKING:
    from preflight.policy.baseline import Baseline

ANNOTATION = "preflight/exempt"
CLUE = "preflight:"
"""What stands in every document with a comment of ours."""


class Terms(Struct, frozen=True):
    """What a run is held to.

    1. `exemptions` False: nothing is exempted, by no one, and nothing is said of exemptions.
    2. `today` is the day that exemptions are judged by, None for the day of the run.
    3. `baseline` accepts what it holds. `accept` is the file of a new one and its last day: then all that is found is accepted, and
       `baseline` is left aside.
    """

    policy: Policy = Policy()
    exemptions: bool = True
    today: datetime.date | None = None
    baseline: Baseline | None = None
    accept: tuple[str, str] | None = None


def ruled(policy: Policy, hits: Iterable[tuple[Rule, Hit]], thing: Callable[[Hit], Thing]) -> Iterator[tuple[Rule, Hit]]:
    """The hits with the severity that a policy gives them; those of a rule that is off are left out, a crash never is."""
    for rule, hit in hits:
        if rule.id not in policy.rulings or rule.id == "PF900":
            yield rule, hit
            continue
        severity = policy.severity(rule.id, rule.severity, hit.severity, thing(hit))
        if severity is not None:
            yield rule, replace(hit, severity=severity)


def settled(terms: Terms, found: Sequence[Found], judged: Judged) -> tuple[list[Finding], Baseline | None]:
    """The findings of a run, exempted ones marked, with what there is to say of exemptions; and the new baseline, where one is wanted."""
    findings: list[Finding] = [each.finding for each in found]
    if terms.exemptions and _speaks_of_exemptions(terms, judged):
        from preflight.policy.exemption_matcher import Exempting

        old = None if terms.accept else terms.baseline
        findings = Exempting(terms.policy, judged, terms.today or datetime.date.today(), old).apply(found)
    if terms.accept is None:
        return findings, None
    from preflight.policy.write_baseline import accepted

    return accepted(findings, terms.policy, *terms.accept)


def _speaks_of_exemptions(terms: Terms, judged: Judged) -> bool:
    """Whether anybody exempts anything: else there is nothing to look for."""
    return (
        bool(terms.policy.exemptions or terms.baseline)
        or any(ANNOTATION in each.metadata.annotations for each in judged.objects)
        or any(CLUE in chunk.text for chunk in judged.texts.values())
    )
