"""The update of a DaemonSet removes node labels while its pods restart.

Why it matters
    Some labels exist only as long as the pod that sets them: each restart removes the labels and sets them again. DaemonSets that select on
    these labels lose their pod at once and get it back later, one node after the other. Other running pods that select on the labels stay,
    but no new one can start in the meantime.
How to fix
    Update the labeler at a time when this is acceptable, or use a version of it that keeps its labels when its pods restart.
Example
    `preflight rollout restart ds/nfd-worker`, with node feature discovery before 0.16.3 and a GPU device plugin that selects on its labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.coverage.model import Impact
from preflight.coverage.outcome import PodAfter
from preflight.messages.coverage import describe_labels_restart
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.scheduling.affinity import collect_label_keys, get_label

if TYPE_CHECKING:
    from preflight.components import Component

_VERSION_PATTERN = re.compile(r":v?(\d+(?:\.\d+){1,3})\b")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each labeller whose pods the change replaces, where others select on its labels on the same nodes."""
    impact = context.impact
    assert impact is not None
    for key in sorted(impact.change.updated_daemonsets & set(impact.change.after.daemonsets)):
        daemonset = impact.change.after.daemonsets[key]
        for component in impact.component_cache.recognize(daemonset):
            if component.labels and component.outlive and not _do_labels_outlive_pods(daemonset, component):
                yield from _make_hits(impact, key, daemonset, component)


def _do_labels_outlive_pods(daemonset: DaemonSet, component: Component) -> bool:
    """Whether the version that an image names is one whose labels outlive the pods; an unknown version is not."""
    wanted = _parse_version(component.outlive)
    found = [match for container in daemonset.spec.template.spec.containers if (match := _VERSION_PATTERN.search(container.image))]
    return bool(found) and all(_parse_version(match[1]) >= wanted for match in found)


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _make_hits(impact: Impact, key: ObjectKey, daemonset: DaemonSet, component: Component) -> Iterator[Hit]:
    replaced = {
        name
        for group in impact.groups
        if group.key == key and group.forecast.had_pod and group.forecast.pod_after is PodAfter.NEW
        for name in group.node_names
    }
    affected: dict[ObjectKey, tuple[str, ...]] = {}
    for other, consumer in impact.change.after.daemonsets.items():
        labels = sorted(name for name in collect_label_keys(consumer.spec.template.spec)[0] if component.sets_label(name))
        if other != key and labels:
            nodes = tuple(sorted(name for name in replaced if any(get_label(impact.change.after.nodes[name], label) for label in labels)))
            if nodes:
                affected[other] = nodes
    if affected:
        nodes = tuple(sorted(frozenset().union(*affected.values())))
        yield Hit(
            subject=make_subject_of(daemonset),
            nodes=nodes,
            location=ManifestLocation(daemonset.origin),
            message=describe_labels_restart(nodes, tuple(affected)),
            notes=(("note", component.note),) if component.note else (),
            key=(component.kind.id, *component.labels),
        )


RULE = Rule(id="PF118", name="labels-restart", severity=Severity.WARNING, needs_nodes=True, check=check, is_consequence=True)
