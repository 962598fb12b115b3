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

    It evicts as few as it needs, the least important ones: one is safe where those of lower priority than its own are enough. Of new pods
    that do not all fit, the ones that are bound last may be those that evict.
    """
    preempting = [(found, name) for key, found in new.items() for name, fit in fits[key].items() if _may_evict(contents, found, name, fit)]
    for found, name in preempting:
        own, staying = found.pod.spec.priority, residents.list_staying(name, found.key)
        for key, usages in residents.list_staying_daemonsets(name):
            priority = min(usage.priority for usage in usages)
            if key == found.key or own is None or priority >= own or name in fits.get(key, {}):
                continue
            above = [usage for usage in staying if usage.priority >= priority]
            beside = [*above, *(usage for _, usage in residents.list_rivals(name, found))]
            if fit_new_pods(change, contents, found, {name: beside}).nodes[0].fits is False:
                fits.setdefault(key, {})[name] = PodFit(FitVerdict.DOUBTFUL, preemptors=(found.key,))


def _may_evict(contents: NodeContents, found: NewPods, name: str, fit: PodFit) -> bool:
    """Whether the scheduler may evict pods of a node for a new one."""
    if fit.verdict is FitVerdict.PREEMPTS:
        return True
    return fit.verdict is FitVerdict.DOUBTFUL and bool(fit.rivals) and can_preempt(found.pod) and name not in contents.silent_nodes
