"""The report on ordinary pods that have to go, in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import format_names, join_names
from preflight.model.eviction_reasons import PodFilter
from preflight.model.evictions import EvictionVerdict
from preflight.scheduling.drain.pod_filters import quote_kubectl

BEFORE_YOU_BEGIN = "Before you begin:"
OTHER_NODES = "other nodes"
ANOTHER_NODE = "another node"
VERDICT_WORDS = {
    EvictionVerdict.BLOCKED_NOW: "blocked for now",
    EvictionVerdict.BLOCKED_FOREVER: "blocked forever",
    EvictionVerdict.REFUSED: "refused by kubectl",
    EvictionVerdict.HELD: "held back",
    EvictionVerdict.WAITS: "waits for a replacement",
    EvictionVerdict.ENDS: "ends with its node",
}
"""What becomes of a pod, where the word in JSON is another."""

ON_NO_NODE = "on no node yet"
BY_DELETION = "deleted by name: PodDisruptionBudgets do not apply"
BY_TAINT = "evicted by the NoExecute taint: PodDisruptionBudgets do not apply"
BY_COLLECTION = "node out of service: pods are deleted by force, PodDisruptionBudgets do not apply"
BY_SHUTDOWN = "graceful shutdown ends all its pods: PodDisruptionBudgets do not apply"
BY_LOSS = "all its pods are lost with the node: PodDisruptionBudgets do not apply"


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


NOT_REACHED = "not reached: kubectl is stuck on another node"
NEVER_ENDS_HERE = "kubectl is stuck here"


def describe_least_time(time: str) -> str:
    """How long a node takes."""
    return f"takes {time} or more"


def describe_times(time: str, whole_time: str) -> str:
    """How long a node takes, at least and at most."""
    del time
    return f"takes up to {whole_time} (termination grace period)"


def count_daemonset_pods(count: int) -> str:
    """How many pods of DaemonSets stay."""
    return format_count(count, "DaemonSet pod")


def describe_staying(parts: Iterable[str], *, is_one: bool) -> str:
    """Which pods stay for what they are."""
    return f"{', '.join(parts)} stay{'s' if is_one else ''}"


EVICTED_UNLESS_COVERED = "evicted unless a PDB covers it"
UNLESS_COVERED = "more unless a PodDisruptionBudget covers them"


def count_unless_covered(count: int) -> str:
    """How many pods go, as far as no budget covers them."""
    if count == 1:
        return "1 pod goes unless a PodDisruptionBudget covers it"
    return f"{count} pods go unless a PodDisruptionBudget covers them"


LOST = "lost for good"
PENDING = "Pending afterwards"
BLOCKED_FOREVER = "blocked forever"
BLOCKED_NOW = "blocked for now"
REFUSED = "refused by kubectl"
NEVER_ENDS = "the drain never ends"
END_UNKNOWN = "unknown whether kubectl ends"
ENDS_WITH_REPLACEMENTS = "ends once replacements are Ready"


def describe_no_return(daemonset: object, node: str, obstacles: str) -> str:
    """A DaemonSet that finds no room on a node."""
    return f"the pod of {daemonset} does not fit on {node} when it is re-created: {obstacles}"


def describe_unknown_fate(subject: str, cause: str) -> str:
    """A Job or JobSet of which it is unknown what becomes of it."""
    return f"{subject}: outcome unknown: {cause}"


def describe_counted_loss(limits: Iterable[str]) -> str:
    """A Job that goes on, and counts it."""
    return f"continues (counts against {' and '.join(limits)})"


GOES_ON = "continues"
OF_ONE_INDEX = "of one index "


def describe_overlap(index: str, time: str) -> str:
    """Two pods that run at once."""
    return f"old and new pod {index}may overlap for {time}"


ALL_JOBS = "all its Jobs"
ONE_JOB = "one of its Jobs"


def describe_restart(is_certain: bool, jobs: str, left: int) -> str:
    """A JobSet that starts Jobs again."""
    return f"{'restarts' if is_certain else 'may restart'} {jobs}; {format_count(left, 'restart')} left after that"


def count_bad_rows(count: int) -> str:
    """How many of the pods that are not shown are blocked or lost."""
    return f", {count} of them blocked or lost"


def describe_awaited_jobs(jobs: Sequence[str]) -> str:
    """Jobs that fail if they lose pods."""
    noun, them = ("Job", "it") if len(jobs) == 1 else ("Jobs", "them")
    return f"wait for {noun} {join_names(jobs)} to end (a podFailurePolicy would spare {them})"


def describe_refusal(refused_by: PodFilter, daemonset: str, pods: Sequence[str]) -> str:
    """What kubectl refuses, in its own words."""
    return f"cannot delete {quote_kubectl(refused_by, daemonset)}: {join_names(pods)}"


def join_details(owner: str, replacement: str, reasons: str) -> str:
    """What stands below a row that is too narrow for its columns."""
    parts = (owner if owner != "-" else "", reasons or (f"replacement: {replacement}" if replacement != "-" else ""))
    return "; ".join(part for part in parts if part)


def count_pods(count: int) -> str:
    """Several pods, in the place of the name of one."""
    return format_count(count, "pod")


def count_owners(count: int, kind: str) -> str:
    """Several owners of one kind, in the place of the name of one."""
    return format_count(count, kind)


def count_nodes(count: int) -> str:
    """Several nodes, in the place of the name of one."""
    return format_count(count, "node")


def name_nodes(count: int, names: str) -> str:
    """Nodes that end alike."""
    return f"{format_count(count, 'node')} ({names})"


def count_moving_pods(count: int, data_count: int) -> str:
    """How many pods simply move, and how many of these lose data of theirs."""
    data = f", {data_count} of them without the data of {'its' if data_count == 1 else 'their'} emptyDir" if data_count else ""
    return f"  {count} pods find another node{data} (--all-rows lists them)"


def count_hidden_nodes(count: int) -> str:
    """How many lines of nodes are not shown."""
    return f"  {count} more nodes (--all-rows lists them)"


def count_hidden_advice(count: int) -> str:
    """How many pieces of advice are not shown."""
    return f"  and {count} more (--all-rows lists them)"


def count_hidden_remarks(count: int) -> str:
    """How many Jobs, JobSets and notes are not shown."""
    return f"  and {count} more (--all-rows lists them)"


def count_hidden_pods(count: int, bad: str) -> str:
    """How many pods are not shown."""
    return f"  {format_count(count, 'more pod')}{bad} (--all-rows shows all)"


UNKNOWN = "unknown"


def count_leaving_pods(count: int, total: int) -> str:
    """How many of the pods of a node that a drain asks for go."""
    if 0 < count < total:
        return f"{count} of {total} pods {'has' if count == 1 else 'have'} to go"
    return f"{format_count(count, 'pod')} {'has' if count == 1 else 'have'} to go" if count else "no pod has to go"


def count_all_leaving_pods(count: int, nodes: int) -> str:
    """How many pods of all nodes go."""
    return f"{format_count(count, 'pod')} of {format_count(nodes, 'node')} {'has' if count == 1 else 'have'} to go"


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
