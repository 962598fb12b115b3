"""The chain of one ordinary pod that has to go: from the change to what people see."""

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
    EvictionVerdict.EVICTED: "the API server lets it go",
    EvictionVerdict.DELETED: "it is deleted, and nobody is asked",
    EvictionVerdict.ENDS: "it ends with its node",
    EvictionVerdict.WAITS: "the API server refuses it at first, and lets it go once a replacement is Ready",
    EvictionVerdict.BLOCKED_NOW: "the API server refuses it (429), as things are today; kubectl asks again every 5 s",
    EvictionVerdict.BLOCKED_FOREVER: "the API server refuses it, and nothing that happens by itself changes that",
    EvictionVerdict.REFUSED: "kubectl refuses it, and evicts nothing from this node; the node stays cordoned",
    EvictionVerdict.HELD: "kubectl refuses another pod of the node, and evicts nothing from it; the node stays cordoned",
    EvictionVerdict.STAYS: "it stays",
    EvictionVerdict.UNKNOWN: "nobody can tell whether it goes",
}
_PLACEMENT_TEXTS = {
    ReplacementOutcome.PENDING: "no node takes its replacement: it stays Pending",
    ReplacementOutcome.NONE: "nothing takes its place",
    ReplacementOutcome.UNKNOWN: "a replacement is created; whether a node takes it cannot be told",
}


def explain_eviction(evictions: EvictionReport, command: str, pod: str) -> Iterator[EvictionLink]:
    """The links of the chain of a pod, `namespace/name`, in the order in which things happen; nothing where no such pod was judged.

    At its end stand the kubectl lines that show it.
    """
    for node in evictions.nodes:
        for eviction in node.pods:
            if eviction.pod == pod:
                yield from _iter_links(evictions, command, node, eviction)
        if pod in node.static:
            yield "change", command
            yield "kubelet", f"{pod} is a static pod of {node.node}: the kubelet keeps it, whatever the API server is told"


def _iter_links(evictions: EvictionReport, command: str, node: NodeEvictions, eviction: Eviction) -> Iterator[EvictionLink]:
    yield "change", command
    yield "pod", f"{eviction.pod} runs on {node.node}, and {f'{eviction.owner} controls it' if eviction.owner else 'nothing controls it'}"
    if not node.reached:
        yield "before", f"kubectl waits for ever at a node before {node.node}: this is for the day when it gets here"
    for budget in eviction.budgets:
        yield "budget", f"{format_budget(budget)} selects it"
    yield "verdict", _VERDICT_TEXTS[eviction.verdict]
    for reason in eviction.reasons:
        yield "because", describe_reason(reason)
    if eviction.is_leaving and eviction.after is not None:
        yield "time", f"it is let go after {eviction.after:g} s at the earliest, and has {eviction.grace} s to end"
    if eviction.localData and eviction.is_leaving:
        yield "breaks", "the data of its emptyDir goes with it"
    if eviction.replacement is ReplacementOutcome.FITS:
        yield "then", f"its replacement fits on {join_node_names(eviction.where)}"
    elif eviction.replacement in _PLACEMENT_TEXTS:
        yield "then", _PLACEMENT_TEXTS[eviction.replacement]
    for job in evictions.jobs:
        if eviction.pod in job.pods:
            yield "Job", describe_unknown(job.unknown) or (f"Job {job.job} fails: {job.fails}" if job.fails else f"Job {job.job} goes on")
            if job.overlap:
                yield "Job", f"for up to {job.overlap:g} s its old pod and the new one run at once"
            if job.limit:
                yield "Job", f"it counts against {join_and(job.limit)}"
    namespace, _, name = eviction.pod.partition("/")
    space = f"-n {shlex.quote(namespace)} " if namespace else ""
    yield "shows it", f"kubectl {space}get pod {shlex.quote(name)} -o wide"
    for budget in eviction.budgets:
        yield "shows it", f"kubectl {space}get poddisruptionbudget {shlex.quote(budget.partition('/')[2])}"
