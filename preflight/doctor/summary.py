"""The story of a diagnosis: which nodes lack what and why, a sentence each, the worst first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.doctor.device_fault import Fault
from preflight.doctor.gap_text import because, what
from preflight.doctor.stranded_capacity import said
from preflight.doctor.timestamps import since
from preflight.messages.lists import names

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis


def headline(facts: Diagnosis, node: str = "") -> str:
    """`today at 2026-03-01T12:00:00Z: something is wrong on 3 of 15 nodes`; of one node its name."""
    hurt = {name for nodes, _ in _told(facts) for name in nodes}
    every = sum(each.pool is None for each in facts.world.nodes.values())
    at = f" at {facts.at}" if facts.at else ""
    if node:
        return f"{node}{at}"
    if not hurt:
        waiting = "pods wait, and " if facts.pending.sentences else ""
        return f"today{at}: {waiting}nothing wrong is seen on {every} node{'s' if every != 1 else ''}"
    return f"today{at}: something is wrong on {len(hurt)} of {every} node{'s' if every != 1 else ''}"


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
            reason = facts.pending.held_by(gap) or because(gap)
            yield gap.nodes, f"{names(gap.nodes)} {verb} {what(gap.component)} ({gap.daemonset.key}): {reason}"
    told = {name for gap in facts.gaps for name in gap.nodes}
    for lack in facts.unmounted:
        if not told.issuperset(lack.nodes):
            verb = "mounts" if len(lack.pods) == 1 else "mount"
            number = f"{len(lack.pods)} pod{'s' if len(lack.pods) != 1 else ''}"
            yield (
                lack.nodes,
                f"{names(lack.nodes)} {_have(lack.nodes)} no pod of the CSI driver {lack.driver}, whose volumes {number} {verb} there",
            )
    for left in facts.startup_taints:
        if not told.issuperset(left.nodes):
            yield left.nodes, f"{names(left.nodes)} {_have(left.nodes)} the startup taint {left.key} still: {left.why}"
    for fault in facts.faulty:
        if fault.fault in (Fault.NOT_ALLOCATABLE, Fault.SILENT):
            yield fault.nodes, f"{fault.resource} cannot be had on {names(fault.nodes)}: {fault.why}"
    for update in facts.standstills:
        if update.certain:
            yield update.nodes, f"an update of {update.daemonset.key} stands still: {update.what}"
    for each in facts.drifts:
        if not (each.waiting or each.idle):
            continue
        verb, devices = "lacks" if len(each.nodes) == 1 else "lack", said(each.idle)
        tail = f"; {devices} there lie idle" if devices else ""
        yield each.nodes, f"{names(each.nodes)} {verb} the label {each.label}, which {len(each.peers)} peers carry{tail}"
    for idle in facts.cordoned:
        if idle.free and not idle.is_new:
            begun = since(idle.since, facts.at)
            yield idle.nodes, f"{idle.nodes[0]} is cordoned{f' {begun}' if begun else ''}; {said(idle.free)} there lie idle"
    for held in facts.ghosts:
        yield held.nodes, f"{held.amount} {held.resource} on {names(held.nodes)} are held by pods of which nothing runs"
    yield from facts.pending.sentences


def _have(nodes: tuple[str, ...]) -> str:
    return "has" if len(nodes) == 1 else "have"
