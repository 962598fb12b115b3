"""A rule of a pod failure policy never applies.

Why it matters
    Only the first rule that matches a failed pod applies. A rule after others that match everything it matches has no effect; if it
    differs from them, its effect is probably expected. A condition with a misspelled name is never set, so its rule matches no pod
    either: the API server accepts any name.
How to fix
    Move the rule before the rules that match more, or remove it; spell `DisruptionTarget` exactly like this.
Example
    `[{action: FailJob, onExitCodes: {operator: NotIn, values: [75]}}, {action: FailIndex, onExitCodes: {operator: In, values: [3]}}]`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.job_templates import FIRST_RULE_COUNTS, describe_misspelled_condition, describe_shadowed_rule
from preflight.model.batch import PodFailurePolicy
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.jobs._templates import JobTemplateItem, iter_job_templates


def check(context: Context) -> Iterator[Hit]:
    """One hit for each rule that never counts, and each misspelt condition. Only in lint, and of what the API server takes."""
    for batch in iter_job_templates(context) if context.is_lint else ():
        policy = batch.spec.podFailurePolicy
        if policy is not None and not batch.has_other_controller and not _is_invalid(batch):
            yield from _find_shadowed_rules(batch, policy)
            yield from _find_misspelled_conditions(batch, policy)


def _is_invalid(batch: JobTemplateItem) -> bool:
    from preflight.scheduling.jobs.validation import validate_job

    here = (*batch.path, "podFailurePolicy")
    return any(refusal.path[: len(here)] == here for refusal in validate_job(batch.spec, batch.path))


def _find_shadowed_rules(batch: JobTemplateItem, policy: PodFailurePolicy) -> Iterator[Hit]:
    from preflight.scheduling.jobs.defaults import fill_condition_statuses
    from preflight.scheduling.jobs.pod_failure_policy import find_shadowing_rules

    rules = fill_condition_statuses(policy).rules
    containers = [container.name for container in (*batch.pod_spec.containers, *batch.pod_spec.initContainers)]
    for place, rule in enumerate(rules):
        earlier = find_shadowing_rules(rules, place, containers)
        if not earlier:
            continue
        actions = {rules[number].action for number in earlier}
        before = [(number, rules[number].action) for number in earlier]
        yield Hit(
            subject=batch.subject,
            location=batch.locate("podFailurePolicy", "rules", place),
            severity=Severity.NOTE if actions == {rule.action} else None,
            message=describe_shadowed_rule(place, rule.action, before),
            label=FIRST_RULE_COUNTS,
            key=(*batch.make_rule_key(place), "shadowed"),
            related_locations=tuple((f"rule {number}", batch.locate("podFailurePolicy", "rules", number)) for number in earlier),
        )


def _find_misspelled_conditions(batch: JobTemplateItem, policy: PodFailurePolicy) -> Iterator[Hit]:
    from preflight.messages.hygiene import describe_typo
    from preflight.rules.spelling import find_typo
    from preflight.scheduling.jobs.pod_failure_policy import DISRUPTION_TARGET

    for place, rule in enumerate(policy.rules):
        for number, condition in enumerate(rule.onPodConditions):
            if typo := find_typo(condition.type, DISRUPTION_TARGET):
                how = describe_typo(typo)
                yield Hit(
                    subject=batch.subject,
                    location=batch.locate("podFailurePolicy", "rules", place, "onPodConditions", number, "type"),
                    message=describe_misspelled_condition(place, rule.action, condition.type, f"{how} from {DISRUPTION_TARGET}"),
                    label=f"write {DISRUPTION_TARGET}",
                    key=(*batch.make_rule_key(place), "condition", condition.type, str(number)),
                )


RULE = Rule(id="PF334", name="dead-failure-rule", severity=Severity.WARNING, check=check, is_per_object=True)
