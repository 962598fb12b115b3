"""A Job's spec as the API server completes it."""

from __future__ import annotations

from msgspec.structs import replace

from preflight.model.batch import JobSpec, OnPodCondition, PodFailurePolicy

INDEXED, NON_INDEXED = "Indexed", "NonIndexed"
FAILED, TERMINATING_OR_FAILED = "Failed", "TerminatingOrFailed"
NO_LIMIT = 2**31 - 1
"""The backoffLimit of a Job that has only one per index."""


def apply_job_defaults(spec: JobSpec) -> JobSpec:
    """The spec of a Job with every default that is read here.

    1. Without `completions` and `parallelism` both are 1; without `parallelism` alone that is 1. `completions` alone may stay absent: then
       one success is enough.
    2. `backoffLimit` is 6, and NO_LIMIT with `backoffLimitPerIndex`.
    3. `podReplacementPolicy` is TerminatingOrFailed, and Failed with a `podFailurePolicy`.
    4. A condition without a status means True. `completionMode` is NonIndexed.

    Source: `pkg/apis/batch/v1/defaults.go`, SetDefaults_Job.
    """
    completions, parallelism, limit = spec.completions, spec.parallelism, spec.backoffLimit
    if completions is None and parallelism is None:
        completions = 1
    if limit is None:
        limit = 6 if spec.backoffLimitPerIndex is None else NO_LIMIT
    return replace(
        spec,
        completionMode=spec.completionMode or NON_INDEXED,
        completions=completions,
        parallelism=1 if parallelism is None else parallelism,
        backoffLimit=limit,
        podReplacementPolicy=spec.podReplacementPolicy or (FAILED if spec.podFailurePolicy else TERMINATING_OR_FAILED),
        podFailurePolicy=fill_condition_statuses(spec.podFailurePolicy) if spec.podFailurePolicy else None,
    )


def apply_job_set_defaults(spec: JobSpec) -> JobSpec:
    """The spec of a replicated Job as the JobSet's webhook completes it: Indexed, and restartPolicy OnFailure, where neither is stated.

    Source: JobSet `pkg/webhooks/jobset_webhook.go`, Default.
    """
    template = spec.template
    if not template.spec.restartPolicy:
        template = replace(template, spec=replace(template.spec, restartPolicy="OnFailure"))
    return replace(spec, completionMode=spec.completionMode or INDEXED, template=template)


def fill_condition_statuses(policy: PodFailurePolicy) -> PodFailurePolicy:
    """The policy with the status True for each condition that has none."""
    rules = (
        replace(
            rule,
            onPodConditions=tuple(OnPodCondition(condition.type, condition.status or "True") for condition in rule.onPodConditions),
        )
        for rule in policy.rules
    )
    return PodFailurePolicy(tuple(rules))


def count_max_parallel(spec: JobSpec) -> int:
    """How many pods of a Job run side by side at most; `spec` with its defaults."""
    parallelism = spec.parallelism or 0
    return parallelism if spec.completions is None else min(parallelism, spec.completions)
