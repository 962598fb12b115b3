"""A DaemonSet removes node labels while its pods restart.

Why it matters
    Some labels exist only as long as the pod that sets them: each restart removes the labels and sets them again. DaemonSets that select on
    these labels lose their pod at once and get it back later, one node after the other. Other running pods that select on the labels stay,
    but no new one can start in the meantime. An update, a deleted pod, a node that shuts down, a taint that evicts again and again: all of
    them restart the pods.
How to fix
    Do it at a time when this is acceptable, or use a version of the labeler that keeps its labels when its pods restart.
Example
    `preflight rollout restart ds/nfd-worker`, with node feature discovery before 0.16.3 and a GPU device plugin that selects on its labels.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from preflight.change.model import PodEnding
from preflight.coverage.model import Impact
from preflight.coverage.outcome import PodAfter
from preflight.messages.coverage import describe_label_version, describe_labels_restart
from preflight.model.apps import DaemonSet
from preflight.model.core import PodSpec
from preflight.model.meta import ObjectKey
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.scheduling.affinity import collect_label_keys, get_label

if TYPE_CHECKING:
    from preflight.components import Component

_VERSION_PATTERN = re.compile(r":v?(\d+(?:\.\d+){1,3})\b")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each labeller whose pods the change replaces, where others select on its labels on the same nodes."""
    impact = context.impact
    assert impact is not None
    for key, nodes in sorted(_collect_restarts(impact).items()):
        daemonset = impact.change.after.daemonsets[key]
        for component in impact.component_cache.recognize(daemonset):
            if component.labels and component.outlive and not _do_labels_outlive_pods(daemonset, component):
                yield from _make_hits(impact, key, nodes, component)


def _collect_restarts(impact: Impact) -> dict[ObjectKey, set[str]]:
    """The nodes where a pod of a DaemonSet is replaced; not those that are replaced themselves, with all that is on them."""
    replaced: dict[ObjectKey, set[str]] = {}
    gone = impact.change.recreation_nodes if impact.change.pod_ending is PodEnding.GONE else frozenset()
    for group in impact.groups:
        if group.forecast.had_pod and group.forecast.pod_after is PodAfter.NEW and group.key in impact.change.after.daemonsets:
            replaced.setdefault(group.key, set()).update(group.nodes - gone)
    return replaced


def _do_labels_outlive_pods(daemonset: DaemonSet, component: Component) -> bool:
    """Whether the version that an image names is one whose labels outlive the pods; an unknown version is not."""
    versions = _find_versions(daemonset)
    return bool(versions) and min(versions) >= _parse_version(component.outlive)


def _find_versions(daemonset: DaemonSet) -> list[tuple[int, ...]]:
    """The versions that its images name."""
    images = (container.image for container in daemonset.spec.template.spec.containers)
    return [_parse_version(match[1]) for image in images if (match := _VERSION_PATTERN.search(image))]


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _make_hits(impact: Impact, key: ObjectKey, replaced: Collection[str], component: Component) -> Iterator[Hit]:
    from preflight.dependents.requirements import list_consumers  # most runs ask nothing of it

    daemonset = impact.change.after.daemonsets[key]
    affected: dict[ObjectKey, frozenset[str]] = {}
    for other, consumer in impact.change.after.daemonsets.items():
        if other != key and (nodes := _select_labelled(impact, component, consumer.spec.template.spec, replaced)):
            affected[other] = nodes
    waiting: dict[Subject, frozenset[str]] = {}
    for workload in list_consumers(impact.change.after):
        if not workload.is_daemon and (nodes := _select_labelled(impact, component, workload.spec, replaced)):
            waiting[workload.subject] = nodes
    if affected or waiting:
        every = tuple(sorted(frozenset().union(*affected.values(), *waiting.values())))
        yield Hit(
            subject=make_subject_of(daemonset),
            nodes=every,
            location=ManifestLocation(daemonset.origin),
            message=describe_labels_restart(every, tuple(affected), tuple(waiting)),
            notes=(("note", _describe_version(daemonset, component)),),
            key=(component.kind.id, *component.labels),
            workloads=tuple(waiting),
        )


def _select_labelled(impact: Impact, component: Component, spec: PodSpec, replaced: Collection[str]) -> frozenset[str]:
    """Those of some nodes that have a label of a labeller that a pod asks for."""
    labels = [label for label in collect_label_keys(spec)[0] if component.sets_label(label)]
    nodes = impact.change.after.nodes
    return frozenset(name for name in replaced if any(get_label(nodes[name], label) for label in labels)) if labels else frozenset()


def _describe_version(daemonset: DaemonSet, component: Component) -> str:
    """Whether its labels go with its pods: what the version of its image says, else what is known of all versions."""
    versions = _find_versions(daemonset)
    return describe_label_version(".".join(map(str, min(versions))), component.outlive) if versions else component.note


RULE = Rule(id="PF118", name="labels-restart", severity=Severity.WARNING, needs_nodes=True, check=check, is_consequence=True)
