"""Texts about how Jobs and JobSets react to the loss of pods."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import join_and, join_limited, join_node_names
from preflight.model.evictions import JobOutcome, JobSetOutcome
from preflight.model.job_reasons import (
    JobFact,
    JobReason,
    JobSetReason,
    JobSetRestarts,
    JobUnknown,
    JobUnknownKind,
    LeaderLabelMissing,
    LeaderMoves,
    QueueNotChecked,
    SkipCause,
    SkipReason,
    TooFewDomains,
)

_SKIP_TEXTS = {
    SkipCause.MANAGED_BY_OTHER: "it is managed by {}",
    SkipCause.COMPLETE: "it is complete",
    SkipCause.FAILED: "it has failed",
    SkipCause.SUCCEEDED: "it has succeeded, and its pods are being deleted",
    SkipCause.FAILING: "it is failing, and its pods are being deleted",
    SkipCause.DELETED: "it is being deleted",
    SkipCause.SUSPENDED: "it is suspended",
}
_UNKNOWN_TEXTS = {
    JobUnknownKind.JOB: "Job {} is not in the input",
    JobUnknownKind.JOB_SET: "JobSet {} is not in the input",
    JobUnknownKind.NAMESPACE_PODS: "not all pods of namespace {} are in the input",
    JobUnknownKind.JOB_OUTCOME: "the outcome of Job {} is unknown",
    JobUnknownKind.FAILURE_MESSAGE: "its rule depends on the message of the failure",
    JobUnknownKind.ACTION: "its rule has the unknown action {}",
}
_FACT_TEXTS = {
    JobFact.BACK_OFF_UNKNOWN: "it already has failures, so the back-off may be longer",
    JobFact.IGNORE_RULE_BYPASSED: (
        "a rule that ignores DisruptionTarget does not help: --disable-eviction deletes pods without setting that condition"
    ),
    JobFact.FOLLOWERS_WAIT: "its followers are refused until then: find out why the leader is not scheduled, not why they are refused",
}


def describe_unknown(unknown: JobUnknown | SkipReason | None) -> str:
    """Why the outcome of a Job or JobSet is unknown; "" for a known one."""
    if unknown is None:
        return ""
    return _UNKNOWN_TEXTS[unknown.kind].format(unknown.name) if isinstance(unknown, JobUnknown) else describe_job_reason(unknown)


def describe_job_reason(reason: JobReason | JobSetReason) -> str:
    """A remark on the outcome of a Job or JobSet."""
    match reason:
        case SkipReason():
            return _SKIP_TEXTS[reason.cause].format(reason.manager)
        case JobFact():
            return _FACT_TEXTS[reason]
        case QueueNotChecked():
            return f"the reaction of its queue is not checked ({reason.label})"
        case LeaderMoves(topology=topology, domain=domain):
            where = f"the domain {topology}={domain}" if domain else f"a domain of {topology} that no other Job has"
            return f"the leader pod of Job {reason.job} is lost, and its replacement has to be scheduled in {where}"
        case LeaderLabelMissing():
            return f"the node of the leader has no label {reason.topology}: new followers are refused"
        case TooFewDomains(available=available):
            domains = f": {join_and(available)}" if available else ""
            has = "has" if len(available) == 1 else "have"
            needed = format_count(reason.needed, "domain")
            return f"its Jobs need {needed} of {reason.topology}, but only {len(available)} {has} schedulable nodes{domains}"


# Findings: each text follows the name of the subject.


def describe_failing_job(outcome: JobOutcome, nodes: Sequence[str]) -> str:
    """That a Job fails, or may, when nodes lose its pods."""
    limit = f" ({' and '.join(outcome.limit)})" if outcome.limit else ""
    return f"{'fails' if outcome.certain else 'may fail'} {_describe_loss(outcome, nodes)}: {outcome.fails}{limit}"


def describe_overlap(outcome: JobOutcome, nodes: Sequence[str]) -> str:
    """That two pods of one index run at the same time when nodes lose pods of the Job."""
    return f"runs two pods of the same index for up to {outcome.overlap:g} s {_describe_loss(outcome, nodes)}"


def _describe_loss(outcome: JobOutcome, nodes: Sequence[str]) -> str:
    verb = "loses" if len(nodes) == 1 else "lose"
    return f"when {join_node_names(nodes)} {verb} {join_limited(outcome.pods, 'pods')}"


def describe_job_set_outcome(outcome: JobSetOutcome) -> str:
    """That a JobSet fails, restarts Jobs or loses a leader."""
    if outcome.fails:
        return f"fails: {outcome.fails}" if outcome.certain else f"may fail: {outcome.fails}"
    if outcome.restarts is JobSetRestarts.NONE:
        return "loses the leader pod of an exclusive placement"
    restarts = "restarts" if outcome.certain else "may restart"
    which = "all its Jobs, including those that lost no pod" if outcome.restarts is JobSetRestarts.ALL else "one of its Jobs"
    return f"{restarts} {which}; {format_count(outcome.left, 'restart')} left after that"
