"""The chain that explains one ordinary pod that a change removes: from the change to what people see."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from preflight.messages.budgets import format_budget
from preflight.messages.evictions import describe_reason
from preflight.messages.jobs import describe_unknown
from preflight.messages.lists import join_and, join_node_names
from preflight.model.evictions import Eviction, EvictionReport, EvictionVerdict, NodeEvictions, ReplacementOutcome

EvictionLink = tuple[str, str]

_VERDICT_TEXTS = {
    EvictionVerdict.EVICTED: "the API server allows the eviction",
    EvictionVerdict.DELETED: "it is deleted without an eviction request, so no PodDisruptionBudget is checked",
    EvictionVerdict.ENDS: "it ends with its node",
    EvictionVerdict.WAITS: "the API server refuses the eviction at first, and allows it once a replacement is Ready",
    EvictionVerdict.BLOCKED_NOW: "the API server currently refuses the eviction (429); kubectl retries every 5 s",
    EvictionVerdict.BLOCKED_FOREVER: "the API server refuses the eviction, and this does not change without intervention",
    EvictionVerdict.REFUSED: "kubectl refuses the pod and evicts nothing from this node; the node stays cordoned",
    EvictionVerdict.HELD: "kubectl refuses another pod of the node and evicts nothing from it; the node stays cordoned",
    EvictionVerdict.STAYS: "it stays",
    EvictionVerdict.UNKNOWN: "unknown whether it leaves",
}
_PLACEMENT_TEXTS = {
    ReplacementOutcome.PENDING: "its replacement fits on no node: it stays Pending",
    ReplacementOutcome.NONE: "nothing replaces it",
    ReplacementOutcome.UNKNOWN: "a replacement is created; unknown whether it fits on a node",
}


def explain_eviction(evictions: EvictionReport, command: str, pod: str) -> Iterator[EvictionLink]:
    """The links of the chain of a pod, `namespace/name`, in the order of events; nothing if no such pod was checked.

    The last links are the kubectl commands that show it.
    """
    for node in evictions.nodes:
        for eviction in node.pods:
            if eviction.pod == pod:
                yield from _iter_links(evictions, command, node, eviction)
        if pod in node.static:
            yield "change", command
            yield "kubelet", f"{pod} is a static pod of {node.node}: the kubelet keeps it, regardless of requests to the API server"


def _iter_links(evictions: EvictionReport, command: str, node: NodeEvictions, eviction: Eviction) -> Iterator[EvictionLink]:
    yield "change", command
    yield "pod", f"{eviction.pod} runs on {node.node}; {f'{eviction.owner} controls it' if eviction.owner else 'nothing controls it'}"
    if not node.reached:
        yield "before", f"kubectl is stuck on an earlier node and does not reach {node.node}: the rest applies only if it gets here"
    for budget in eviction.budgets:
        yield "budget", f"{format_budget(budget)} covers it"
    yield "verdict", _VERDICT_TEXTS[eviction.verdict]
    for reason in eviction.reasons:
        yield "cause", describe_reason(reason)
    if eviction.is_leaving and eviction.after is not None:
        yield "time", f"its termination starts after {eviction.after:g} s at the earliest, with a grace period of {eviction.grace} s"
    if eviction.localData and eviction.is_leaving:
        yield "impact", "its emptyDir data is lost"
    if eviction.replacement is ReplacementOutcome.FITS:
        yield "replacement", f"its replacement fits on {join_node_names(eviction.where)}"
    elif eviction.replacement in _PLACEMENT_TEXTS:
        yield "replacement", _PLACEMENT_TEXTS[eviction.replacement]
    for job in evictions.jobs:
        if eviction.pod in job.pods:
            yield "Job", describe_unknown(job.unknown) or (f"Job {job.job} fails: {job.fails}" if job.fails else f"Job {job.job} continues")
            if job.overlap:
                yield "Job", f"its old pod and the new one run at the same time for up to {job.overlap:g} s"
            if job.limit:
                yield "Job", f"it counts against {join_and(job.limit)}"
    namespace, _, name = eviction.pod.partition("/")
    space = f"-n {shlex.quote(namespace)} " if namespace else ""
    yield "check", f"kubectl {space}get pod {shlex.quote(name)} -o wide"
    for budget in eviction.budgets:
        yield "check", f"kubectl {space}get poddisruptionbudget {shlex.quote(budget.partition('/')[2])}"
