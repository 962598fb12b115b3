"""A rule on exit codes stands before the one that ignores disruptions, and takes the pods that they end.

Why it matters
    The first rule that matches a failed pod counts. An evicted pod has the condition DisruptionTarget, and it has an exit code too: 143
    where SIGTERM ended it, 137 where it was killed at the end of its grace period. A rule that lists one of them, or all codes but
    some, and stands first, counts the eviction or ends the Job, and the rule that was to ignore it is never asked.
How to fix
    Put the rule that ignores DisruptionTarget first.
Example
    `[{action: FailJob, onExitCodes: {operator: NotIn, values: [75]}}, {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import listed
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.jobs._templates import Batch, batches

_CODES = (143, 137)
_WORDS = {"FailJob": "fails", "FailIndex": "gives an index up", "Count": "counts a failure"}


def check(context: Context) -> Iterator[Hit]:
    """One hit for each rule that takes disrupted pods from a later rule that ignores them. Only in lint."""
    for batch in batches(context):
        policy = batch.spec.podFailurePolicy
        if policy is None or batch.is_left_alone or (ignoring := _ignoring(batch)) is None:
            continue
        for place, codes in _taken(batch).items():
            action = policy.rules[place].action
            if place < ignoring and action in _WORDS:
                yield Hit(
                    subject=batch.subject,
                    place=batch.place("podFailurePolicy", "rules", place),
                    message=f"{_WORDS[action]} when a pod{batch.whose} is evicted, though rule {ignoring} ignores that: "
                    f"rule {place} ({action}) takes exit code{'s' * (len(codes) > 1)} {listed(codes)} first",
                    label="the first rule that matches counts",
                    notes=(("help", "put the rule that ignores DisruptionTarget first"),),
                    related=(("the rule that ignores it", batch.place("podFailurePolicy", "rules", ignoring)),),
                )


def _ignoring(batch: Batch) -> int | None:
    """The place of the first rule that ignores disruptions."""
    from preflight.scheduling.jobs.pod_failure_policy import DISRUPTION_TARGET, IGNORE

    rules = batch.spec.podFailurePolicy.rules if batch.spec.podFailurePolicy else ()
    for place, rule in enumerate(rules):
        conditions = (each for each in rule.onPodConditions if each.type == DISRUPTION_TARGET and each.status in ("", "True"))
        if rule.action == IGNORE and rule.onExitCodes is None and any(conditions):
            return place
    return None


def _taken(batch: Batch) -> dict[int, list[int]]:
    """The rules that match a pod which a disruption ended, each with the exit codes by which it does."""
    from preflight.scheduling.jobs.pod_failure_policy import disrupted, judge

    found: dict[int, list[int]] = {}
    for code in _CODES:
        rule = judge(batch.spec.podFailurePolicy, disrupted(batch.ran, code)).rule
        if rule is not None:
            found.setdefault(rule, []).append(code)
    return dict(sorted(found.items()))


RULE = Rule(id="PF333", name="exit-code-first", severity=Severity.WARNING, check=check, by_itself=True)
