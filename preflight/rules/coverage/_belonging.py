"""What shows that a DaemonSet belongs on nodes that a taint keeps it out of, and whether these nodes miss it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from preflight.change.node_lifecycle import is_controller_owned, is_removal_taint
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_targeting import names_own_label, targets_nodes
from preflight.dependents.remaining_providers import RemainingProviders
from preflight.model.core import Node, PodSpec, Taint, Toleration
from preflight.model.reasons import CoverageSign, NearMissKind
from preflight.rules.merged_groups import MergedGroups
from preflight.rules.spelling import find_typo
from preflight.scheduling.affinity import match_affinity
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations, find_nearest_toleration

if TYPE_CHECKING:
    from preflight.components import Component

_FLAG_VALUES = frozenset(("", "true", "present", "yes", "on", "1", "enabled", "exists"))
"""Values of a taint that say no more than that it is there: of these a toleration means any."""


def list_signs(impact: Impact, merged_groups: MergedGroups, peer_nodes: Sequence[str]) -> list[CoverageSign]:
    """What shows that the DaemonSet belongs on the nodes of some groups; `peer_nodes` have the same taint and a pod of it.

    A toleration that nearly tolerates the taint counts where workloads break without the DaemonSet: of others, rules on tolerations tell.
    """
    spec = merged_groups.first_group.daemonset.spec.template.spec
    shown = {
        CoverageSign.TARGETS_NODES: targets_nodes(spec),
        CoverageSign.NEARLY_TOLERATES: bool(list_critical(impact, merged_groups)) and _means_taints(spec, merged_groups.taints),
        CoverageSign.RUNS_ON_PEERS: bool(peer_nodes),
        CoverageSign.NODE_CRITICAL: spec.priorityClassName == "system-node-critical",
    }
    return [sign for sign, is_shown in shown.items() if is_shown]


def list_critical(impact: Impact, merged_groups: MergedGroups) -> list[Component]:
    """What the DaemonSet is that workloads break without."""
    return [component for component in impact.component_cache.recognize(merged_groups.first_group.daemonset) if component.kind.critical]


def is_missed(impact: Impact, merged_groups: MergedGroups, signs: Sequence[CoverageSign]) -> bool:
    """Whether these nodes are without something that was surely meant for them, and that workloads break without.

    1. It is of a kind that workloads break without, and no other DaemonSet provides the same there.
    2. Its selector sets these nodes apart by a label of theirs, or a toleration of its own was meant for the taints.
    3. None of the taints passes by itself, or tells that the node goes.
    """
    group = merged_groups.first_group
    if any(_is_passing(impact, taint) for taint in merged_groups.taints):
        return False
    components = list_critical(impact, merged_groups)
    if not components or not (CoverageSign.NEARLY_TOLERATES in signs or _sets_nodes_apart(impact, group)):
        return False
    providers = RemainingProviders(impact)
    nodes = frozenset(merged_groups.nodes)
    return any(not nodes <= providers.find_other_nodes(group.key, component, recreated=True) for component in components)


def _is_passing(impact: Impact, taint: Taint) -> bool:
    """Whether a taint goes by itself: the cluster clears it, something that starts removes it, or the node is about to go."""
    if is_controller_owned(taint) or is_removal_taint(taint):
        return True
    from preflight.components.catalog import is_startup_key

    if is_startup_key(taint.key):
        return True
    return any(taint.key in component.taints for component in _iter_components(impact))


def _iter_components(impact: Impact) -> Iterator[Component]:
    for daemonset in impact.change.after.daemonsets.values():
        yield from impact.component_cache.recognize(daemonset)


def _sets_nodes_apart(impact: Impact, group: CoverageGroup) -> bool:
    """Whether its selector asks for a label that not every node has: it leaves a known node out, or there is none where it should run."""
    spec = group.daemonset.spec.template.spec
    if not names_own_label(spec) or group.is_conditional:
        return False
    after = impact.change.after
    nodes = after.nodes.values()
    return any(match_affinity(spec, node).matches is False for node in nodes) or not any(
        _should_run(spec, node, after.comparison_operators) for node in nodes
    )


def _should_run(spec: PodSpec, node: Node, comparison_operators: bool | None) -> bool:
    return evaluate_placement(spec, add_implicit_tolerations(spec), node, comparison_operators).should_run is not False


def _means_taints(spec: PodSpec, taints: Sequence[Taint]) -> bool:
    """Whether for each of some taints there is a toleration that was meant for it."""
    return bool(taints) and all(_is_meant(find_nearest_toleration(spec.tolerations, taint), taint) for taint in taints)


def _is_meant(nearest: tuple[Toleration, NearMissKind] | None, taint: Taint) -> bool:
    """Whether the toleration that comes nearest to a taint was meant for it.

    1. It has no operator and no value, or its key differs by case.
    2. Its value is a typing error, or it and the taint's say no more than yes: `present` and `true`.
    3. Its value is the taint's, and it has another effect.
    """
    if nearest is None:
        return False
    toleration, kind = nearest
    match kind:
        case NearMissKind.EMPTY_VALUE | NearMissKind.KEY:
            return True
        case NearMissKind.VALUE:
            is_flag = {toleration.value.lower(), taint.value.lower()} <= _FLAG_VALUES
            return is_flag or find_typo(toleration.value, taint.value) is not None
        case NearMissKind.EFFECT:
            return toleration.operator == "Exists" or toleration.value == taint.value
        case _:
            return False
