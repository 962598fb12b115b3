"""What comparing two worlds found, in words: a headline and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from preflight.change.diff.worlds import ComparisonMode, WorldDiff
from preflight.change.model import Change
from preflight.messages import diff as messages
from preflight.model.apps import DaemonSet

_NAMED = 20
"""Of how many DaemonSets it is said, each by itself, what their pods tolerate no more."""


def add_summary(compared: WorldDiff, base: str, head: str) -> Change:
    """The change with its headline and notes.

    1. The headline says how the sides were compared, and counts what is new, changed, gone and the same.
    2. Notes name what the headline counts, but for what is the same; then what a template tolerates no more, and from now on.
    """
    return msgspec.structs.replace(
        compared.change, headline=_format_headline(compared, base, head), notes=tuple(_iter_notes(compared, head))
    )


def _format_headline(compared: WorldDiff, base: str, head: str) -> str:
    differing = len(compared.updated) + len(compared.changed) + len(compared.refused)
    daemonsets = messages.DaemonSetCounts(
        len(compared.new), differing, len(compared.deleted), len(compared.unchanged), only_in_cluster=len(compared.left)
    )
    nodes = messages.NodeCounts(len(compared.nodes.new), len(compared.nodes.changed), len(compared.nodes.removed))
    if compared.mode is ComparisonMode.DRIFT:
        return messages.format_drift_headline(base, head, daemonsets, nodes)
    if compared.mode is ComparisonMode.APPLY:
        return messages.format_apply_headline(base, head, daemonsets, nodes)
    return messages.format_comparison_headline(base, head, daemonsets, nodes)


def _iter_notes(compared: WorldDiff, head: str) -> Iterator[str]:
    is_drift = compared.mode is ComparisonMode.DRIFT
    nodes = compared.nodes
    groups = (compared.new, compared.updated, compared.changed, compared.deleted)
    names = messages.DaemonSetNames(*([str(key) for key in keys] for keys in groups))
    yield from messages.iter_daemonset_notes(names, head, is_drift=is_drift)
    if compared.assumed_updates:
        yield messages.format_assumed_updates([str(key) for key in compared.assumed_updates])
    for key, (_, why) in compared.refused.items():
        yield messages.format_refusal(key, why)
    yield from messages.iter_node_notes(messages.NodeNames(nodes.new, nodes.changed, nodes.removed), is_drift=is_drift)
    yield from nodes.notes
    if nodes.missing:
        yield messages.format_missing_nodes(nodes.missing)
    before, after = compared.change.before.daemonsets, compared.change.after.daemonsets
    placed = [(key, _describe_placement_change(before[key], after[key])) for key in compared.updated]
    told = [messages.format_placement_note(key, sentence) for key, sentence in placed if sentence]
    yield from told[:_NAMED]
    if len(told) > _NAMED:
        yield messages.format_more_placement_changes(len(told) - _NAMED)
    yield from compared.notes


def _describe_placement_change(old: DaemonSet, new: DaemonSet) -> str:
    """What of a template that decides a placement differs, as the end of a sentence; "" where nothing does."""
    was, now = old.spec.template.spec, new.spec.template.spec
    gone = [toleration for toleration in dict.fromkeys(was.tolerations) if toleration not in now.tolerations]
    come = [toleration for toleration in dict.fromkeys(now.tolerations) if toleration not in was.tolerations]
    fields: Sequence[str] = ("nodeName", "nodeSelector", "affinity")
    return messages.format_placement_change(gone, come, [name for name in fields if getattr(was, name) != getattr(now, name)])
