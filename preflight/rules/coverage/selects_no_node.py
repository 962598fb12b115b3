"""A device plugin, a driver or a pod network selects none of the nodes.

Why it matters
    DESIRED is 0 and nothing is Pending, so it looks healthy, but no node gets what it provides. Often the label is set by another
    component, or by hand, and was forgotten. A note, because nodes with the label may still be to come.
How to fix
    Set the label that it selects on, or correct the selector. If there are no nodes for it, nothing has to be done.
Example
    A device plugin with the nodeSelector `gpu: "on"`, and no node with the label `gpu`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.coverage.empty_selection import explain_empty_selection, selects_no_node
from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.node_targeting import names_own_label
from preflight.dependents.remaining_providers import can_replace_component
from preflight.messages.empty_selection import describe_unused_provider
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.meta import ObjectKey
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of

_KINDS = frozenset(("cni", "csi-node-driver", "device-plugin", "dra-driver"))


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such DaemonSet. Only in lint.

    Not where another one provides the same, nor where a DaemonSet sets the labels: it knows which nodes deserve them.
    """
    impact = context.impact
    assert impact is not None
    if not context.is_lint:
        return
    groups: dict[ObjectKey, list[CoverageGroup]] = {}
    for group in impact.groups:
        groups.setdefault(group.key, []).append(group)
    selecting = [key for key, own in groups.items() if not selects_no_node(own)]
    nodes = impact.change.after.nodes
    for key, own in groups.items():
        daemonset = own[0].daemonset
        kind = next((component.kind for component in impact.component_cache.recognize(daemonset) if component.kind.id in _KINDS), None)
        if kind is None or key in selecting or not names_own_label(daemonset.spec.template.spec):
            continue
        selection = explain_empty_selection(own, nodes.values())
        if not _is_provided(impact, own, [groups[other] for other in selecting]) and not _awaits_labels(impact, selection.absent_labels):
            yield Hit(
                subject=make_subject_of(daemonset),
                location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "nodeSelector")),
                message=describe_unused_provider(selection, len(nodes)),
                notes=(("impact", kind.symptom),),
            )


def _awaits_labels(impact: Impact, labels: Sequence[str]) -> bool:
    daemonsets = impact.change.after.daemonsets.values()
    producers = [component for daemonset in daemonsets for component in impact.component_cache.recognize(daemonset)]
    return bool(labels) and all(any(producer.sets_label(label) for producer in producers) for label in labels)


def _is_provided(impact: Impact, own: Sequence[CoverageGroup], others: Sequence[Sequence[CoverageGroup]]) -> bool:
    mine = impact.component_cache.recognize(own[0].daemonset)
    theirs = [component for other in others for component in impact.component_cache.recognize(other[0].daemonset)]
    return any(can_replace_component(other, component) for other in theirs for component in mine)


RULE = Rule(id="PF423", name="selects-no-node", severity=Severity.NOTE, needs_nodes=True, check=check)
