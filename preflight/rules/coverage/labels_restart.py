"""The update of a DaemonSet takes node labels away for as long as its pods restart.

Why it matters
    The labels of some labellers belong to the pod that sets them: each restart removes them and brings them back. The DaemonSets that
    select on them lose their pod at once and get it back later, on one node after the other; other pods that select on them, and run,
    are left alone, but none can start meanwhile.
How to fix
    Update the labeller when that is welcome, or take a version of it whose labels outlive its pods.
Example
    `preflight rollout restart ds/nfd-worker`, with node feature discovery before 0.16.3 and a GPU device plugin that selects on its labels.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from preflight.coverage.model import Impact
from preflight.coverage.outcome import PodAfter
from preflight.messages.lists import listed, names
from preflight.model.objects import DaemonSet, ObjectKey
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.scheduling.affinity import label, mentioned_labels

if TYPE_CHECKING:
    from preflight.components import Component

_VERSION = re.compile(r":v?(\d+(?:\.\d+){1,3})\b")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each labeller whose pods the change replaces, where others select on its labels on the same nodes."""
    impact = context.impact
    assert impact is not None
    for key in sorted(impact.change.updated & set(impact.change.after.daemonsets)):
        daemonset = impact.change.after.daemonsets[key]
        for component in impact.recognised.of(daemonset):
            if component.labels and component.outlive and not _outlive(daemonset, component):
                yield from _hit(impact, key, daemonset, component)


def _outlive(daemonset: DaemonSet, component: Component) -> bool:
    """Whether the version that an image names is one whose labels outlive the pods; an unknown version is not."""
    wanted = _numbers(component.outlive)
    found = [match for container in daemonset.spec.template.spec.containers if (match := _VERSION.search(container.image))]
    return bool(found) and all(_numbers(match[1]) >= wanted for match in found)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _hit(impact: Impact, key: ObjectKey, daemonset: DaemonSet, component: Component) -> Iterator[Hit]:
    replaced = {
        name
        for group in impact.groups
        if group.key == key and group.verdict.before and group.verdict.pod is PodAfter.NEW
        for name in group.names
    }
    hit: dict[ObjectKey, tuple[str, ...]] = {}
    for other, each in impact.change.after.daemonsets.items():
        labels = sorted(name for name in mentioned_labels(each.spec.template.spec)[0] if component.sets_label(name))
        if other != key and labels:
            nodes = tuple(sorted(name for name in replaced if any(label(impact.change.after.nodes[name], each) for each in labels)))
            if nodes:
                hit[other] = nodes
    if hit:
        nodes = tuple(sorted({name for each in hit.values() for name in each}))
        yield Hit(
            subject=subject_of(daemonset),
            nodes=nodes,
            place=Place(daemonset.origin),
            message=f"takes its labels from {names(nodes)} while its pods restart: {_losers(hit)}",
            notes=(("note", component.note),) if component.note else (),
        )


def _losers(hit: Mapping[ObjectKey, tuple[str, ...]]) -> str:
    what = "lose their pods there, and get them back" if len(hit) > 1 else "loses its pods there, and gets them back"
    return f"{listed(hit)} {what}"


RULE = Rule(id="PF118", name="labels-restart", severity=Severity.WARNING, needs_nodes=True, check=check)
