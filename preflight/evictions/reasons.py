"""Why a pod goes, waits or is held, in sentences that a tired person can act on."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import listed
from preflight.scheduling.drain import PodDrain, Verdict, Why
from preflight.scheduling.taint_eviction import TaintEviction

_FOREVER = {
    Why.CANNOT_SYNC: "cannot be counted by the disruption controller, so it allows nothing",
    Why.NONE_EXPECTED: "expects no pod: what it selects is bare, or wanted 0 times, so it allows nothing",
    Why.NO_LIMIT: "states neither minAvailable nor maxUnavailable, so it allows nothing",
    Why.NONE_MAY_LACK: "has maxUnavailable 0: no pod of it may ever be evicted",
}
_NOW = {
    Why.SHARED: "allows no more at once, and other pods of this drain took what it allowed",
    Why.NOT_SYNCED: "was changed, and the disruption controller has not looked since",
    Why.STALE_STATUS: "allows nothing by its status, which is stale",
    Why.FORBIDDEN: "has a status that the API server takes for broken",
}


def kubectl_words(each: PodDrain, *, waits: bool) -> Iterator[str]:
    """Why kubectl does to a pod what it does; nothing where it simply goes."""
    budgets = [f"PodDisruptionBudget {'/'.join(key)}" for key in each.budgets]
    if each.why is Why.SEVERAL_BUDGETS:
        yield f"{listed(budgets)} select it, and the eviction API refuses a pod with more than one (500)"
    elif each.why is Why.NEEDS_ALL and budgets:
        yield f"{budgets[0]} {_needs(each)}, and there can be no more: it never lets one go"
    elif each.why in _FOREVER and budgets:
        yield f"{budgets[0]} {_FOREVER[each.why]}"
    elif each.why is Why.NOT_ENOUGH_HEALTHY and budgets:
        yield f"{budgets[0]} {_needs(each)}"
    elif each.why in _NOW and budgets:
        yield f"{budgets[0]} {_NOW[each.why]}" + (": it goes once a replacement is Ready" if waits else "")
    elif each.verdict is Verdict.UNKNOWN or each.verdict is Verdict.REFUSED:
        yield each.words
    elif each.verdict is Verdict.HELD:
        yield "kubectl refuses the node for another pod"
    elif each.why is Why.BYPASSED and budgets:
        yield f"{listed(budgets)} {'is' if len(budgets) == 1 else 'are'} not asked (--disable-eviction)"
    elif each.why is Why.UNHEALTHY_FREE:
        yield "it is not Ready, and its budget lets such a pod go"
    if each.peers:
        yield f"{each.peers} pods share its budget, and which of them go first is chance"
    if each.hangs:
        yield f"it stays in Terminating: {each.hangs}"
    if each.may_return and each.at is not None:
        yield "it tolerates a cordon: its replacement may land on the same node"


def _needs(each: PodDrain) -> str:
    """`needs 2 healthy pods and has 2 currently`, as the API server says it."""
    found = each.cause.partition(" needs ")[2]
    return f"needs {found}" if found else "has too few healthy pods"


def taint_words(each: TaintEviction) -> Iterator[str]:
    """Why taint eviction deletes a pod, and that no budget helps."""
    if each.after is None:
        yield "whether it tolerates the taint depends on Lt or Gt, and the gate of these is not known (--feature-gates)"
        return
    if each.untolerated:
        yield f"does not tolerate {listed(each.untolerated)}"
    elif each.bounded:
        yield f"tolerates {listed(each.bounded)} for {int(each.after)} s only"
    if each.budgets:
        yield f"PodDisruptionBudget {listed('/'.join(key) for key in each.budgets)} does not protect it: taint eviction asks no budget"
    if each.may_return:
        yield "its replacement may land here again, and be deleted again"
