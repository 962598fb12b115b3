"""The story of a diagnosis: which nodes lack what and why, a sentence each, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.diagnosis.gaps import Gap, GapKind
from preflight.diagnosis.times import since
from preflight.impact.words import listed, names

if TYPE_CHECKING:
    from preflight.components import Component
    from preflight.diagnosis.facts import Diagnosis

_SAYS = {
    GapKind.MISSING: "it should run there, and no pod is there; no event says why",
    GapKind.REFUSED: "its pods are refused: {why}",
    GapKind.KEPT_OUT: "{why}",
    GapKind.LOOP: "{why}",
    GapKind.PENDING: "its pod is Pending: {why}",
    GapKind.WAITING: "its pod does not start: {why}",
    GapKind.CRASHING: "{why}",
    GapKind.NOT_READY: "its pod is not Ready: {why}",
    GapKind.TERMINATING: "its pod hangs in Terminating {why}",
}


def headline(facts: Diagnosis, node: str = "") -> str:
    """`today: 3 of 15 nodes lack something`."""
    hurt = {name for gap in facts.gaps if gap.is_critical or not gap.doubtful for name in gap.nodes} | facts.down
    nodes = [name for name, each in facts.world.nodes.items() if each.pool is None]
    at = f" at {facts.at}" if facts.at else ""
    if node:
        return f"{node}{at}"
    lacking = f"{len(hurt) or 'none'} of {len(nodes)} node{'s' if len(nodes) != 1 else ''} lack{'s' if len(hurt) == 1 else ''} something"
    return f"today{at}: {lacking}"


def story(facts: Diagnosis, node: str = "") -> tuple[str, ...]:
    """The sentences, those on one node where it is named."""
    return tuple(sentence for nodes, sentence in _told(facts) if not node or node in nodes)


def _told(facts: Diagnosis) -> Iterator[tuple[tuple[str, ...], str]]:
    for name in sorted(facts.down):
        condition = facts.node_state(name).condition("Ready")
        begun = since(condition.lastTransitionTime if condition else "", facts.at)
        yield (name,), f"{name} is not Ready{f' {begun}' if begun else ''}"
    for gap in facts.gaps:
        if gap.nodes and not (gap.doubtful and not gap.is_critical):
            verb = "lacks" if len(gap.nodes) == 1 else "lack"
            yield gap.nodes, f"{names(gap.nodes)} {verb} {what(gap.component)} ({gap.daemonset.key}): {because(gap)}"


def what(component: Component | None) -> str:
    """What a DaemonSet gives, in a few words: `the device plugin of rdma/hca`."""
    if component is None:
        return "a DaemonSet"
    of = component.resources or component.drivers
    return f"the {component.kind.title}{f' of {listed(of[:3])}' if of else ''}"


def because(gap: Gap) -> str:
    """Why a DaemonSet is missing, to stand after a colon."""
    return _SAYS[gap.kind].format(why=gap.why or ("it says nothing" if gap.kind is not GapKind.TERMINATING else "")).rstrip(" :")
