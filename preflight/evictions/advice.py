"""What to do before a drain, or another change that lets pods go: which flag, which budget, which owner, which node."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.change.model import Change
from preflight.evictions.pod_index import Key, Known
from preflight.evictions.replacement_placement import uncordoned
from preflight.messages.lists import listed, names
from preflight.model.budgets import PodDisruptionBudget
from preflight.model.evictions import Evictions
from preflight.scheduling.budgets import health, selects

_SHOWN = 4


def advice(known: Known, change: Change, evictions: Evictions, gone: frozenset[Key]) -> Iterator[str]:
    """Sentences, what kubectl refuses first."""
    missing = dict.fromkeys(flag for node in evictions.nodes for flag in node.missing)
    if missing:
        yield f"add {listed(missing)}, or kubectl evicts nothing there"
    yield from _budgets(known, evictions)
    yield from _rooms(known, change, evictions, gone)
    lost = [each.pod for node in evictions.nodes for each in node.pods if each.leaves and each.lost]
    if lost:
        yield f"save what you need of {_few(lost)}: nothing creates {'it' if len(lost) == 1 else 'them'} again"
    for job in evictions.jobs:
        if job.fails:
            yield f"let Job {job.job} end first, or ignore DisruptionTarget by a podFailurePolicy when it is created"


def _budgets(known: Known, evictions: Evictions) -> Iterator[str]:
    """One sentence for each budget that blocks."""
    by_key = {"/".join(each.key): each for each in known.budgets or ()}
    said: dict[tuple[str, ...], str] = {}
    for node in evictions.nodes:
        for each in node.pods:
            if each.verdict in ("blocked-for-ever", "blocked-now") and each.budgets not in said:
                said[each.budgets] = _budget(known, each.why, [by_key[name] for name in each.budgets])
    yield from dict.fromkeys(filter(None, said.values()))


def _budget(known: Known, why: str, budgets: list[PodDisruptionBudget]) -> str:
    named = [f"PodDisruptionBudget {'/'.join(each.key)}" for each in budgets]
    first = budgets[0]
    if why == "several-budgets":
        return f"delete all but one of {listed(named)}, or narrow a selector"
    if why == "cannot-sync":
        return f"give {named[0]} an integer minAvailable: its pods have an owner without a scale"
    if why in ("none-may-lack", "no-limit"):
        return f"set maxUnavailable of {named[0]} to 1 or more while you drain"
    if why == "none-expected":
        return f"delete {named[0]} while you drain, or give its pods a controller"
    owners = sorted({known.owner(pod) for pod in known.pods if selects(first, pod.metadata.namespace, pod.metadata.labels)} - {""})
    if why == "needs-all":
        made = health(first, known.pods, known.owners)
        if isinstance(first.spec.minAvailable, int) and len(owners) == 1 and first.spec.maxUnavailable is None:
            return f"scale {owners[0]} to {made.desired + 1} or more, or lower minAvailable of {named[0]}"
        return f"lower minAvailable of {named[0]}, or raise its maxUnavailable, while you drain"
    if why == "not-enough-healthy":
        sick = [
            "/".join(pod.key)
            for pod in known.pods
            if not pod.ready and not pod.has_ended and selects(first, pod.metadata.namespace, pod.metadata.labels)
        ]
        return f"get {_few(sick)} Ready, which {named[0]} waits for" if sick else f"see why {named[0]} counts too few healthy pods"
    if why == "shared":
        return f"scale {owners[0]} up, for {named[0]} waits for replacements that fit nowhere" if len(owners) == 1 else ""
    return ""


def _rooms(known: Known, change: Change, evictions: Evictions, gone: frozenset[Key]) -> Iterator[str]:
    """Nodes to uncordon, where some replacement stays Pending."""
    pending = {each.pod for node in evictions.nodes for each in node.pods if each.replacement == "pending"}
    if not pending:
        return
    pods = [pod for pod in known.pods if "/".join(pod.key) in pending]
    free = uncordoned(known, pods, change.after.nodes, change.nodes, gone)
    room = f"uncordon {names(free)}" if free else "make room, or add nodes"
    yield f"{room} for the {'replacement' if len(pending) == 1 else f'{len(pending)} replacements'} of {_few(sorted(pending))}"


def _few(items: list[str]) -> str:
    return listed(items) if len(items) <= _SHOWN else f"{', '.join(items[: _SHOWN - 1])} and {len(items) - _SHOWN + 1} more"
