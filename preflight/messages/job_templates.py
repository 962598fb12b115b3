"""Texts about faults in the template of a Job or JobSet."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.lists import join_and
from preflight.model.job_reasons import JobLimit, TeamSign, TeamSignKind

FIRST_RULE_COUNTS = "the first matching rule applies"
PUT_IGNORING_RULE_FIRST = "put the rule that ignores DisruptionTarget first"
IGNORING_RULE = "the rule that ignores it"
DEFAULT_REPLACEMENT_POLICY = "TerminatingOrFailed is the default"
NEEDS_RESTART_NEVER = "a podFailurePolicy needs restartPolicy: Never"
_ACTION_TEXTS = {"FailJob": "fails", "FailIndex": "fails an index", "Count": "counts a failure"}


def describe_shadowed_rule(place: int, action: str, earlier: Sequence[tuple[int, str]]) -> str:
    """That earlier rules of a failure policy match all that a rule matches; `earlier` are their places and actions."""
    before = f"rule{'s' * (len(earlier) > 1)} {join_and(f'{number} ({name})' for number, name in earlier)}"
    match = "match" if len(earlier) > 1 else "matches"
    return f"has a rule that never applies: {before} already {match} everything that rule {place} ({action}) matches"


def describe_misspelled_condition(place: int, action: str, condition: str, difference: str) -> str:
    """That a rule requires a condition whose name is misspelled."""
    return f"has a rule that never applies: rule {place} ({action}) requires condition {condition}, which no component sets: {difference}"


def describe_duplicate_index(replicated_job: str, seconds: int) -> str:
    """That a Job replaces a pod before it has ended."""
    when = f"for up to {seconds} s when a pod is evicted or deleted"
    return f"runs two pods of the same index{_format_owner(replicated_job)} {when}: the replacement is created before the old pod ends"


def describe_team_sign(sign: TeamSign) -> tuple[str, ...]:
    """The evidence that the pods of a Job work together; () if its manifest shows it at a glance."""
    match sign.kind:
        case TeamSignKind.VARIABLE:
            return (f"its pods work together: {sign.name} is set",)
        case TeamSignKind.LAUNCHER_OF_PEERS:
            return (f"its pods work together: {sign.name} is configured for several machines",)
        case TeamSignKind.LAUNCHER:
            return (f"its pods may work together: {sign.name} starts them",)
        case TeamSignKind.IMAGE:
            return (f"its pods may work together: {sign.name} is an image for distributed training",)
    return ()


def describe_exit_code_rule(replicated_job: str, ignoring: int, place: int, action: str, codes: Sequence[int]) -> str:
    """That a rule on exit codes matches a pod before the rule that ignores disruptions."""
    first = f"rule {place} ({action}) matches exit code{'s' * (len(codes) > 1)} {join_and(codes)} first"
    pod = f"a pod{_format_owner(replicated_job)}"
    return f"{_ACTION_TEXTS[action]} when {pod} is evicted, although rule {ignoring} ignores evictions: {first}"


def describe_zero_limit(replicated_job: str, limit: JobLimit) -> str:
    """That one evicted pod makes a Job, or one of its indexes, fail."""
    fails = "fails" if limit is JobLimit.BACKOFF_LIMIT else "fails an index, and so ends Failed,"
    return f"{fails} when one pod{_format_owner(replicated_job)} is evicted: {limit} is 0, and no rule ignores DisruptionTarget"


def describe_refused_job(reason: str, *, is_of_jobs: bool) -> str:
    """That the API server refuses an object, or the Jobs that it creates; `reason` is the message of the server."""
    return f"{'has its Jobs' if is_of_jobs else 'is'} refused by the API server: {reason}"


def _format_owner(replicated_job: str) -> str:
    """` of its replicated Job workers`, "" for a plain Job."""
    return f" of its replicated Job {replicated_job}" if replicated_job else ""
