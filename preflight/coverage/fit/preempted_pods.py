"""Whether nodes take the new pods of a DaemonSet, and which pods of other DaemonSets may have to go for them."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence

from msgspec.structs import replace

from preflight.change.model import Change
from preflight.coverage.fit.created_pods import can_preempt
from preflight.coverage.fit.node_contents import NodeContents
from preflight.coverage.fit.residents import NewPods, Residents
from preflight.model.fit_reasons import FitVerdict, PodFit
from preflight.model.meta import ObjectKey
from preflight.model.uncertainty import Uncertainty
from preflight.scheduling.fit import FitResult, fit_pod
from preflight.scheduling.occupancy import NodeOccupancy, PodUsage, assemble_occupancy
from preflight.scheduling.scheduler_behavior import find_scheduler_behavior

_REPORTED_RESOURCES = frozenset(("cpu", "memory", "ephemeral-storage", "pods"))


def fit_new_pods(
    change: Change,
    contents: NodeContents,
    found: NewPods,
    usages: Mapping[str, Sequence[PodUsage]],
    uncertainties: tuple[Uncertainty, ...] = (),
) -> FitResult:
    """The scheduler's answer for the new pods of a DaemonSet on some nodes, with what else is there."""
    guards = contents.select_anti_affinities(found.key, frozenset(usages))
    occupancy = assemble_occupancy((change.after.nodes[name] for name in usages), usages, guards, uncertainties)
    occupancy = replace(occupancy, nodes={name: _mark_absent_resources(room) for name, room in occupancy.nodes.items()})
    return fit_pod(
        found.pod.spec,
        occupancy,
        labels=found.pod.labels,
        namespace=found.pod.namespace,
        is_admitted=found.pod.is_admitted,
        comparison_operators=change.after.comparison_operators,
        behavior=find_scheduler_behavior(change.after.versions),
    )


def _mark_absent_resources(room: NodeOccupancy) -> NodeOccupancy:
    """A node with what every kubelet reports and the input leaves out as amounts that cannot be read: they need not be 0."""
    absent = _REPORTED_RESOURCES.difference(room.allocatable or _REPORTED_RESOURCES)
    return replace(room, unreadable_resources=room.unreadable_resources | absent) if absent else room


def add_preempted_pods(
    change: Change,
    contents: NodeContents,
    residents: Residents,
    new: Mapping[ObjectKey, NewPods],
    fits: MutableMapping[ObjectKey, dict[str, PodFit]],
) -> None:
    """Add to the fits those of pods of DaemonSets that stay, and that the scheduler may evict for a new one of higher priority.

    1. It evicts as few as it needs, the least important ones: one is safe where those that are less important are enough.
    2. Of new pods that do not all fit, the ones that are bound last may be those that evict.
    3. So may one that finds the room of pods that the change ends: it is created at once, and they have not ended yet.
    """
    for found, name in [(found, name) for key, found in new.items() for name in fits[key]]:
        others = ((key, usages) for key, usages in residents.list_staying_daemonsets(name) if key != found.key)
        weaker = {key: usages for key, usages in others if _is_weaker(usages, found) and name not in fits.get(key, {})}
        if not weaker:
            continue
        rivals = [usage for _, usage in residents.list_rivals(name, found)]
        rooms = []
        if _may_evict(contents, found, name, fits[found.key][name]):
            rooms.append((residents.list_staying(name, found.key), rivals))
        if _meets_ending_pods(change, contents, found, name, fits[found.key][name]):
            rooms.append((contents.list_before(name, found.key), []))
        for key, usages in weaker.items():
            weakest = min(usages, key=lambda usage: usage.priority)
            beside = ([*_list_important(there, weakest), *new_pods] for there, new_pods in rooms)
            if any(fit_new_pods(change, contents, found, {name: pods}).nodes[0].fits is False for pods in beside):
                fits.setdefault(key, {})[name] = PodFit(FitVerdict.DOUBTFUL, preemptors=(found.key,))


def _is_weaker(usages: Sequence[PodUsage], found: NewPods) -> bool:
    """Whether one of some pods is of lower priority than a new one."""
    own = found.pod.spec.priority
    return own is not None and any(usage.priority < own for usage in usages)


def _list_important(usages: Sequence[PodUsage], weakest: PodUsage) -> list[PodUsage]:
    """The pods that the scheduler does not evict before one of them."""
    return [usage for usage in usages if not usage.is_less_important(weakest)]


def _may_evict(contents: NodeContents, found: NewPods, name: str, fit: PodFit) -> bool:
    """Whether the scheduler may evict pods of a node for a new one, once those that the change ends are gone."""
    if fit.verdict is FitVerdict.PREEMPTS:
        return True
    return fit.verdict is FitVerdict.DOUBTFUL and bool(fit.rivals) and can_preempt(found.pod) and name not in contents.silent_nodes


def _meets_ending_pods(change: Change, contents: NodeContents, found: NewPods, name: str, fit: PodFit) -> bool:
    """Whether a new pod may be created while pods of others hold its room that the change ends."""
    if fit.verdict is FitVerdict.UNFIT or not can_preempt(found.pod) or name in contents.silent_nodes | change.recreation_nodes:
        return False
    return fit_new_pods(change, contents, found, {name: contents.list_before(name, found.key)}).nodes[0].fits is False
