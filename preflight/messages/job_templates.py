"""What is wrong with the template of a Job or JobSet, in words."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.lists import join_and
from preflight.model.job_reasons import JobLimit, TeamSign, TeamSignKind

FIRST_RULE_COUNTS = "the first rule that matches counts"
PUT_IGNORING_RULE_FIRST = "put the rule that ignores DisruptionTarget first"
IGNORING_RULE = "the rule that ignores it"
DEFAULT_REPLACEMENT_POLICY = "TerminatingOrFailed is the default"
NEEDS_RESTART_NEVER = "a podFailurePolicy needs restartPolicy: Never"
_ACTION_TEXTS = {"FailJob": "fails", "FailIndex": "gives an index up", "Count": "counts a failure"}


def describe_shadowed_rule(place: int, action: str, earlier: Sequence[tuple[int, str]]) -> str:
    """That rules before a rule of a failure policy match all that it matches; `earlier` are their places and actions."""
    before = f"rule{'s' * (len(earlier) > 1)} {join_and(f'{number} ({name})' for number, name in earlier)}"
    return f"has a rule that never counts: all that rule {place} ({action}) matches, {before} matched before"


def describe_misspelled_condition(place: int, action: str, condition: str, difference: str) -> str:
    """That a rule asks for a condition whose name is misspelled."""
    return f"has a rule that never counts: rule {place} ({action}) asks for the condition {condition}, which nobody sets: {difference}"


def describe_duplicate_index(replicated_job: str, seconds: int) -> str:
    """That a Job replaces a pod before it has ended."""
    when = f"for up to {seconds} s when a pod is evicted or deleted"
    return f"runs two pods of one index{_format_owner(replicated_job)} {when}: it replaces a pod before that has ended"


def describe_team_sign(sign: TeamSign) -> tuple[str, ...]:
    """What shows that the pods of a Job work together; () for what its manifest shows at a glance."""
    match sign.kind:
        case TeamSignKind.VARIABLE:
            return (f"its pods work together: {sign.name} is set",)
        case TeamSignKind.LAUNCHER_OF_PEERS:
            return (f"its pods work together: {sign.name} is told of other machines",)
        case TeamSignKind.LAUNCHER:
            return (f"its pods may work together: {sign.name} starts them",)
        case TeamSignKind.IMAGE:
            return (f"its pods may work together: {sign.name} is an image for distributed training",)
    return ()


def describe_exit_code_rule(replicated_job: str, ignoring: int, place: int, action: str, codes: Sequence[int]) -> str:
    """That a rule on exit codes matches a pod before the rule that ignores disruptions."""
    first = f"rule {place} ({action}) takes exit code{'s' * (len(codes) > 1)} {join_and(codes)} first"
    pod = f"a pod{_format_owner(replicated_job)}"
    return f"{_ACTION_TEXTS[action]} when {pod} is evicted, though rule {ignoring} ignores that: {first}"


def describe_zero_limit(replicated_job: str, limit: JobLimit) -> str:
    """That one evicted pod makes a Job, or an index of it, fail."""
    fails = "fails" if limit is JobLimit.BACKOFF_LIMIT else "gives an index up, and so ends Failed,"
    return f"{fails} when one pod{_format_owner(replicated_job)} is evicted: {limit} is 0, and no rule ignores DisruptionTarget"


def describe_refused_job(reason: str, *, is_of_jobs: bool) -> str:
    """That the API server refuses an object, or the Jobs that it creates, in the server's own words."""
    return f"{'has its Jobs' if is_of_jobs else 'is'} refused by the API server: {reason}"


def _format_owner(replicated_job: str) -> str:
    """` of its replicated Job workers`, "" where there is only one Job."""
    return f" of its replicated Job {replicated_job}" if replicated_job else ""
