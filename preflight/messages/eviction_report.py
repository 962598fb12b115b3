"""The report on ordinary pods that have to go, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import format_names

ON_NO_NODE = "on no node yet"
BY_DELETION = "deleted by name, and no budget is asked"
BY_TAINT = "NoExecute: taint eviction, which no budget holds up"
BY_COLLECTION = "out of service: pod garbage collection, which asks no kubelet and no budget"
BY_SHUTDOWN = "graceful shutdown: all its pods end, and no budget is asked"
BY_LOSS = "the node is gone: all its pods are, and no budget is asked"


def describe_lost_pod(verdict: str) -> str:
    """A pod that is lost for good."""
    return f"{verdict}, lost for good"


def describe_delay(seconds: float) -> str:
    """When taint eviction deletes a pod."""
    return f"deleted after {seconds:g} s"


DELETED_NOW = "deleted now"


def count_waiting(count: int) -> str:
    """How many pods wait for replacements."""
    return f"{count} of them {'waits' if count == 1 else 'wait'} for replacements"


NOT_REACHED = "kubectl never gets here"
NEVER_ENDS_HERE = "kubectl waits for ever"


def describe_least_time(time: str) -> str:
    """How long a node takes."""
    return f"takes {time} at least"


def describe_times(time: str, whole_time: str) -> str:
    """How long a node takes, at least and at most."""
    return f"takes {time} at least, {whole_time} with the whole grace periods"


def count_daemonset_pods(count: int) -> str:
    """How many pods of DaemonSets stay."""
    return f"{format_count(count, 'pod')} of DaemonSets"


def describe_staying(parts: Iterable[str]) -> str:
    """Which pods are not asked to go."""
    return f"not asked to go: {', '.join(parts)}"


EVICTED_UNLESS_COVERED = "evicted unless a PDB covers it"
UNLESS_COVERED = "more unless a PodDisruptionBudget covers them"


def count_unless_covered(count: int) -> str:
    """How many pods go, as far as no budget covers them."""
    if count == 1:
        return "1 pod goes unless a PodDisruptionBudget covers it"
    return f"{count} pods go unless a PodDisruptionBudget covers them"


LOST = "lost for good"
PENDING = "Pending afterwards"
BLOCKED_FOREVER = "blocked for ever"
BLOCKED_NOW = "blocked for now"
REFUSED = "refused by kubectl"
NEVER_ENDS = "kubectl never ends"
END_UNKNOWN = "unknown when kubectl ends"
ENDS_WITH_REPLACEMENTS = "kubectl ends once replacements are Ready"


def describe_no_return(daemonset: object, node: str, obstacles: str) -> str:
    """A DaemonSet that finds no room on a node."""
    return f"{daemonset} finds no room on {node} when it comes back: {obstacles}"


def describe_unknown_fate(subject: str, cause: str) -> str:
    """A Job or JobSet of which nobody knows what becomes of it."""
    return f"{subject}: nobody can tell what becomes of it: {cause}"


def describe_counted_loss(limits: Iterable[str]) -> str:
    """A Job that goes on, and counts it."""
    return f"goes on, and counts it against {' and '.join(limits)}"


GOES_ON = "goes on"
OF_ONE_INDEX = "of one index "


def describe_overlap(index: str, time: str) -> str:
    """Two pods that run at once."""
    return f"two pods {index}run at once for up to {time}"


ALL_JOBS = "all its Jobs"
ONE_JOB = "one of its Jobs"


def describe_restart(is_certain: bool, jobs: str, left: int) -> str:
    """A JobSet that starts Jobs again."""
    return f"{'starts' if is_certain else 'may start'} {jobs} anew; {format_count(left, 'restart')} left then"


def count_bad_rows(count: int) -> str:
    """How many of the pods that are not shown are blocked or lost."""
    return f", {count} of them blocked or lost"


def count_hidden_pods(count: int, bad: str) -> str:
    """How many pods are not shown."""
    return f"  {format_count(count, 'more pod')}{bad} (--all-rows shows all)"


UNKNOWN = "unknown"


def count_leaving_pods(count: int) -> str:
    """How many pods of a node go."""
    return f"{format_count(count, 'pod')} {'goes' if count == 1 else 'go'}" if count else "no pod goes"


def count_all_leaving_pods(count: int, nodes: int) -> str:
    """How many pods of all nodes go."""
    return f"{format_count(count, 'pod')} of {format_count(nodes, 'node')} {'goes' if count == 1 else 'go'}"


def describe_static_pods(names: Sequence[str]) -> str:
    """The static pods of a node, which stay."""
    return f"{format_count(len(names), 'static pod')} ({format_names(names)})"


def count_other_pods(count: int) -> str:
    """How many other pods stay."""
    return format_count(count, "other pod")


def describe_lost_pods(job: object, count: int) -> str:
    """How many pods a Job loses."""
    return f"{job} loses {format_count(count, 'pod')}"


def describe_failure(cause: object, *, is_certain: bool) -> str:
    """That a Job or JobSet fails, or may."""
    return f"fails: {cause}" if is_certain else f"may fail: {cause}"


def describe_effect(loss: str, effect: str) -> str:
    """What a Job loses, and what it does then."""
    return f"{loss}, and {effect}"
