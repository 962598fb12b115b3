"""A rule on exit codes comes before the rule that ignores disruptions, and matches the pods that disruptions end.

Why it matters
    Only the first rule that matches a failed pod applies. An evicted pod has the condition DisruptionTarget, and it also has an exit code:
    143 if SIGTERM ended it, 137 if it was killed at the end of its grace period. An earlier rule that lists one of these codes, or all
    codes except some, counts the eviction or ends the Job, and the rule that should ignore the eviction is never evaluated.
How to fix
    Put the rule that ignores DisruptionTarget first.
Example
    `[{action: FailJob, onExitCodes: {operator: NotIn, values: [75]}}, {action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.job_templates import FIRST_RULE_COUNTS, IGNORING_RULE, PUT_IGNORING_RULE_FIRST, describe_exit_code_rule
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.jobs._templates import JobTemplateItem, iter_job_templates

_DISRUPTION_EXIT_CODES = (143, 137)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each rule that takes disrupted pods from a later rule that ignores them. Only in lint."""
    from preflight.scheduling.jobs.pod_failure_policy import IGNORE

    for batch in iter_job_templates(context):
        policy = batch.spec.podFailurePolicy
        if policy is None or batch.has_other_controller or (ignoring := _find_ignore_rule(batch)) is None:
            continue
        for place, codes in _find_shadowing_rules(batch).items():
            action = policy.rules[place].action
            if place < ignoring and action != IGNORE:
                yield Hit(
                    subject=batch.subject,
                    location=batch.locate("podFailurePolicy", "rules", place),
                    message=describe_exit_code_rule(batch.replicated_job, ignoring, place, action, codes),
                    label=FIRST_RULE_COUNTS,
                    key=batch.make_rule_key(place),
                    notes=(("help", PUT_IGNORING_RULE_FIRST),),
                    related_locations=((IGNORING_RULE, batch.locate("podFailurePolicy", "rules", ignoring)),),
                )


def _find_ignore_rule(batch: JobTemplateItem) -> int | None:
    """The place of the first rule that ignores disruptions."""
    from preflight.scheduling.jobs.pod_failure_policy import DISRUPTION_TARGET, IGNORE

    rules = batch.spec.podFailurePolicy.rules if batch.spec.podFailurePolicy else ()
    for place, rule in enumerate(rules):
        conditions = (
            condition for condition in rule.onPodConditions if condition.type == DISRUPTION_TARGET and condition.status in ("", "True")
        )
        if rule.action == IGNORE and rule.onExitCodes is None and any(conditions):
            return place
    return None


def _find_shadowing_rules(batch: JobTemplateItem) -> dict[int, list[int]]:
    """The rules that match a pod which a disruption ended, each with the exit codes by which it does."""
    from preflight.scheduling.jobs.pod_failure_policy import make_disruption_failure, match_failure_policy

    found: dict[int, list[int]] = {}
    for code in _DISRUPTION_EXIT_CODES:
        rule = match_failure_policy(batch.spec.podFailurePolicy, make_disruption_failure(batch.disrupted_containers, code)).rule_index
        if rule is not None:
            found.setdefault(rule, []).append(code)
    return dict(sorted(found.items()))


RULE = Rule(id="PF333", name="exit-code-first", severity=Severity.WARNING, check=check, is_per_object=True)
