"""What a change does to ordinary pods: who goes, what blocks it, where replacements fit, what becomes of Jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.evictions import jobs as job_effects
from preflight.evictions.advice import advice
from preflight.evictions.evicted_pods import Leaving, going, leaving
from preflight.evictions.pod_index import Key, Known
from preflight.evictions.replacement_placement import Place, places, returning
from preflight.messages.lists import listed
from preflight.model.budgets import PodDisruptionBudget
from preflight.model.evictions import Eviction, Evictions, JobFate, NodeEvictions, Returning
from preflight.model.pod_scheduling import ScheduledPod
from preflight.model.world import World
from preflight.scheduling.budgets import guarding

_BETWEEN = 1
"""Seconds between two looks of kubectl at a pod that takes its time; where none does, the next node comes at once."""

_ENDINGS = ("shutdown", "gone")


class Evicted(NamedTuple):
    """What a change does to ordinary pods, and the world once that is over."""

    evictions: Evictions
    after: World


def evict(change: Change) -> Evicted | None:
    """What a change does to ordinary pods; None where it lets none go, or pods were not read.

    1. Replacements that find a node are taken to be Ready soon: a pod that waits for one goes. What fits nowhere for certain does not come
       back, and a budget that waits for it blocks.
    2. The world after: pods that went are on no node. Those that are replaced count as Ready still, somewhere; the others are gone.
    """
    if not change.after.pods_read:
        return None
    known = Known(change.before)
    found = leaving(change, known, frozenset())
    if found is None:
        return None
    excluded = change.reborn if found.way in _ENDINGS else frozenset()
    placed = places(known, [each.pod for each in found.left], change.after.nodes, excluded)
    pending = frozenset(key for key, place in placed.items() if place.answer == "pending")
    if pending and any(each.verdict == "waits" for node in found.nodes for each in node.pods):
        found = leaving(change, known, pending) or found
    disruption = job_effects.disruption_of(found.way, deletes=change.eviction is not None and change.eviction.disable_eviction)
    forecasts = job_effects.forecasts(known, found.left, disruption)
    jobs = job_effects.job_fates(known, found.left, forecasts, disruption)
    gone = frozenset(going(found))
    nodes = tuple(_told(known, change, found, node, placed, jobs, gone) for node in found.nodes)
    evictions = Evictions(
        way=found.way,
        nodes=nodes,
        jobs=jobs,
        jobSets=job_effects.job_set_fates(known, found.left, forecasts, change.after.nodes),
        ends=found.ends,
        least=_sum((node.least for node in nodes), 0) if found.way == "drain" else None,
        withGrace=_sum((node.withGrace for node in nodes), _BETWEEN) if found.way == "drain" else None,
        notes=tuple(_notes(known, change, found)),
    )
    evictions = replace(evictions, first=tuple(advice(known, change, evictions, gone)))
    return Evicted(evictions, _after(change, evictions, gone))


def _told(
    known: Known,
    change: Change,
    found: Leaving,
    node: NodeEvictions,
    placed: Mapping[Key, Place],
    jobs: tuple[JobFate, ...],
    gone: frozenset[Key],
) -> NodeEvictions:
    """A node with what becomes of those that go from it."""
    failing = {f"Job {each.job}": each.fails for each in jobs if each.fails and each.certain}
    pods = tuple(_placed(known, each, placed, failing, found.way, gone) for each in node.pods)
    back: tuple[Returning, ...] = ()
    place = change.after.nodes.get(node.node)
    if found.way == "drain" and place is not None and not place.partial and not node.refusals:
        back = returning(known, place, gone)
    return replace(node, pods=pods, returning=back)


def _placed(
    known: Known, each: Eviction, placed: Mapping[Key, Place], failing: Mapping[str, str], way: str, gone: frozenset[Key]
) -> Eviction:
    if not each.leaves:
        return each
    namespace, _, name = each.pod.partition("/")
    place = placed.get((namespace, name))
    if each.lost:
        return replace(each, replacement="none", reasons=(*each.reasons, "nothing creates it again"))
    if each.owner in failing:
        return replace(each, replacement="none", reasons=(*each.reasons, f"its Job fails: {failing[each.owner]}"))
    if place is None:
        return each
    peers = [pod for pod in known.of_owner.get(each.owner, ()) if pod.ready and not pod.metadata.deletionTimestamp]
    last = bool(peers) and known.is_listed(namespace) and all(pod.key in gone for pod in peers) and not each.owner.startswith("Job ")
    reasons = [*each.reasons]
    if place.answer == "pending" and way in _ENDINGS:
        reasons.append("no other node takes its replacement: it waits until the node is back")
    elif place.answer == "unknown":
        reasons.append(f"not known where its replacement goes: {'; '.join(place.reasons)}")
    else:
        reasons += place.reasons
    if last:
        number = len(peers)
        reasons.append(
            f"{each.owner} has no Ready pod until a replacement is: {'its only one goes' if number == 1 else f'all {number} go'}"
        )
    return replace(each, replacement=place.answer, where=place.where, reasons=tuple(reasons), last=last)


def _sum(seconds: Iterator[float | None], between: float) -> float | None:
    every = list(seconds)
    known = [each for each in every if each is not None]
    return sum(known) + between * (len(known) - 1) if known and len(known) == len(every) else None


def _notes(known: Known, change: Change, found: Leaving) -> Iterator[str]:
    """What the answer rests on, and what of it is not known."""
    world = known.world
    if not known.all_pods and known.listed:
        yield f"only the pods of {listed(sorted(known.listed))} were given: those of other namespaces are not judged"
    unread = len(world.pods) - len(world.running or ())
    if unread > 0 and not world.displaced:
        yield f"{unread} {'pod is' if unread == 1 else 'pods are'} not understood, and not judged"
    if found.way == "drain" and known.budgets is None and any(each.why == "not-known" for node in found.nodes for each in node.pods):
        yield _why_not_known(known)
    if any(each.verdict == "waits" for node in found.nodes for each in node.pods):
        yield "assumed: replacements that find a node become Ready; until then kubectl asks again every 5 s"
    if world.displaced:
        yield "assumed: what went in the steps before is Ready again, on nodes that nobody knows"
    if change.eviction is not None and change.eviction.disable_eviction:
        yield "--disable-eviction deletes pods: no budget is asked"


def _why_not_known(known: Known) -> str:
    """Why nobody knows what the API server answers, and what to do about it."""
    unknown = "so nobody knows what the API server answers"
    if known.unplaced:
        return f"PodDisruptionBudget -/{known.unplaced[0].metadata.name} states no namespace, {unknown}"
    if why := known.world.missing.get("PodDisruptionBudget"):
        return f"not all PodDisruptionBudgets could be had, {unknown}: {why}"
    return (
        f"no PodDisruptionBudget was given, {unknown}: add the output of `kubectl get pdb -A -o json`, or, where there is none, of "
        "`kubectl get --raw /apis/policy/v1/poddisruptionbudgets`"
    )


def _after(change: Change, evictions: Evictions, gone: frozenset[Key]) -> World:
    world = change.after
    assert world.running is not None
    if not gone:
        return world
    back = {each.pod for node in evictions.nodes for each in node.pods if each.replacement in ("fits", "unknown", "")}
    running: dict[Key, ScheduledPod] = {}
    unhealthy: list[ScheduledPod] = []
    for key, pod in world.running.items():
        if key not in gone:
            running[key] = pod
        elif "/".join(key) in back and pod.controller is not None:
            running[key] = replace(pod, spec=replace(pod.spec, nodeName=""))
        else:
            unhealthy.append(pod)
    stale = {budget.key for pod in unhealthy for budget in guarding(pod, world.budgets)}
    budgets = tuple(_recounted(each) if each.key in stale else each for each in world.budgets)
    return replace(world, running=running, budgets=budgets, displaced=True)


def _recounted(budget: PodDisruptionBudget) -> PodDisruptionBudget:
    """The budget without its status: it is then counted from the pods that are left."""
    return replace(budget, status=None)


__all__ = ["Evicted", "evict"]
