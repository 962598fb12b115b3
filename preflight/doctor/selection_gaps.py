"""DaemonSets that only their nodeSelector or affinity keeps off nodes which need them today."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from preflight.components import Component
from preflight.coverage.empty_selection import explain_empty_selection, selects_no_node
from preflight.coverage.model import CoverageGroup
from preflight.coverage.node_targeting import collect_asked_labels
from preflight.coverage.reasons import list_unselected
from preflight.dependents.remaining_providers import can_replace_component
from preflight.doctor.belonging import BelongingEvidence, BelongingSign, SignKind, list_demand_signs
from preflight.doctor.coverage_gaps import CoverageGap, CoverageReason, GapKind
from preflight.doctor.label_backups import BackedUpLabel, find_backed_up_label
from preflight.model.annotations import is_backup_annotation
from preflight.model.apps import DaemonSet
from preflight.model.core import Node
from preflight.model.meta import ObjectKey
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations


def find_selection_gaps(evidence: BelongingEvidence) -> Iterator[CoverageGap]:
    """Every such gap.

    1. A DaemonSet that selects no node and has no pod, while pods wait for what it provides, and no other provides the same.
    2. The pod network that leaves out a node which is not Ready for want of a network, where no other selects it.
    3. A DaemonSet whose label was moved to an annotation of a node that is Ready: with the label it would run there.
    4. Its pods need not be listed: the controller deletes those on nodes that it does not select.
    """
    groups: dict[ObjectKey, list[CoverageGroup]] = {}
    for group in evidence.impact.groups:
        if group.placement_after is not None:
            groups.setdefault(group.key, []).append(group)
    for key, own in groups.items():
        daemonset = own[0].daemonset
        if selects_no_node(own) and (key.namespace, key.name) not in evidence.pod_health:
            yield from _iter_unused_provider_gaps(evidence, groups, daemonset, own)
        yield from _iter_backup_gaps(evidence, daemonset, own)
    yield from _iter_network_gaps(evidence, groups)


def _iter_unused_provider_gaps(
    evidence: BelongingEvidence, groups: dict[ObjectKey, list[CoverageGroup]], daemonset: DaemonSet, own: Sequence[CoverageGroup]
) -> Iterator[CoverageGap]:
    others = [others[0].daemonset for key, others in groups.items() if key != own[0].key and not selects_no_node(others)]
    components = evidence.providers.recognize(daemonset)
    if any(_is_provided(evidence, component, others) for component in components):
        return
    signs = list_demand_signs(evidence, daemonset, frozenset(), has_device=True)
    if signs:
        yield CoverageGap(
            daemonset,
            GapKind.NOT_SELECTED,
            (),
            explain_empty_selection(own, evidence.index.existing_nodes.values()),
            signs=tuple(signs),
            component=evidence.providers.get_worst_component(daemonset),
        )


def _is_provided(evidence: BelongingEvidence, component: Component, others: Sequence[DaemonSet]) -> bool:
    return any(can_replace_component(other, component) for daemonset in others for other in evidence.providers.recognize(daemonset))


def _iter_network_gaps(evidence: BelongingEvidence, groups: dict[ObjectKey, list[CoverageGroup]]) -> Iterator[CoverageGap]:
    networks = [own for own in groups.values() if evidence.providers.is_pod_network(own[0].daemonset)]
    for name in sorted(evidence.index.nodes_without_network):
        here = [group for own in networks for group in own if name in group.nodes and group.placement_after is not None]
        if all(group.placement_after is not None and group.placement_after.is_selected is False for group in here):
            for group in here:
                assert group.placement_after is not None
                yield CoverageGap(
                    group.daemonset,
                    GapKind.NOT_SELECTED,
                    (name,),
                    CoverageReason(list_unselected(group.placement_after)),
                    signs=(BelongingSign(SignKind.NETWORK_MISSING),),
                    component=evidence.providers.get_worst_component(group.daemonset),
                )


def _iter_backup_gaps(evidence: BelongingEvidence, daemonset: DaemonSet, groups: Sequence[CoverageGroup]) -> Iterator[CoverageGap]:
    index = evidence.index
    labels = collect_asked_labels(daemonset.spec.template.spec)
    keys = [key for key in index.nodes_by_annotation if key in labels or (labels and is_backup_annotation(key))]
    annotated = frozenset().union(*(index.nodes_by_annotation[key] for key in keys)) - index.not_ready_nodes
    for group in groups if annotated else ():
        if group.placement_after is None or group.placement_after.is_selected is not False:
            continue
        for name in sorted(group.nodes & annotated):
            annotations = index.get_node_state(name).metadata.annotations
            found = [backup for label in sorted(labels) if (backup := find_backed_up_label(annotations, label))]
            if found and _would_run(evidence, daemonset, index.cluster.nodes[name], found):
                yield CoverageGap(
                    daemonset,
                    GapKind.NOT_SELECTED,
                    (name,),
                    CoverageReason(list_unselected(group.placement_after)),
                    signs=(BelongingSign(SignKind.LABEL_BACKED_UP, tuple(dict.fromkeys(backup.annotation for backup in found))),),
                    component=evidence.providers.get_worst_component(daemonset),
                )


def _would_run(evidence: BelongingEvidence, daemonset: DaemonSet, node: Node, backups: Sequence[BackedUpLabel]) -> bool:
    """Whether a DaemonSet would run on a node that has its labels again."""
    restored = {**node.metadata.labels, **{backup.key: backup.value for backup in backups}}
    spec = daemonset.spec.template.spec
    with_labels = replace(node, metadata=replace(node.metadata, labels=restored))
    operators = evidence.index.cluster.comparison_operators
    return evaluate_placement(spec, add_implicit_tolerations(spec), with_labels, operators).should_run is True
