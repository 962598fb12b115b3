"""Messages about the differences between two cluster states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from preflight.messages.change import ASSUMED_UPDATE, NEW
from preflight.messages.lists import join_names
from preflight.model.core import Toleration

_SHOWN = 6
"""How many names a note has."""


class DaemonSetCounts(NamedTuple):
    """How many DaemonSets are new, differ, are deleted, are the same, and are in the cluster alone."""

    new: int
    differing: int
    deleted: int
    unchanged: int
    only_in_cluster: int


class NodeCounts(NamedTuple):
    """How many nodes are new, differ and were removed."""

    new: int
    differing: int
    removed: int


class DaemonSetNames(NamedTuple):
    """The DaemonSets that are new, that differ in their template, that differ in something else, and that are deleted."""

    new: Sequence[str]
    updated: Sequence[str]
    changed: Sequence[str]
    deleted: Sequence[str]


class NodeNames(NamedTuple):
    """The nodes that are new, that differ and that were removed."""

    new: Sequence[str]
    differing: Sequence[str]
    removed: Sequence[str]


def format_drift_headline(base: str, head: str, daemonsets: DaemonSetCounts, nodes: NodeCounts) -> str:
    """How a cluster differs from its manifests."""
    compared = _format_counts((daemonsets.differing, "different"), (daemonsets.deleted, "missing"), (daemonsets.unchanged, "equal"))
    left = _format_left(daemonsets.only_in_cluster, "not compared")
    return _format_headline(f"drift of {head} from {base}", compared, left, _format_counts((nodes.differing, "different")))


def format_apply_headline(base: str, head: str, daemonsets: DaemonSetCounts, nodes: NodeCounts) -> str:
    """What applying manifests to a cluster changes."""
    return _format_change_headline(f"apply {head} over {base}", daemonsets, nodes)


def format_comparison_headline(base: str, head: str, daemonsets: DaemonSetCounts, nodes: NodeCounts) -> str:
    """What differs between two sides of one sort."""
    return _format_change_headline(f"from {base} to {head}", daemonsets, nodes)


def _format_change_headline(start: str, daemonsets: DaemonSetCounts, nodes: NodeCounts) -> str:
    compared = _format_counts(
        (daemonsets.new, "new"), (daemonsets.differing, "changed"), (daemonsets.deleted, "deleted"), (daemonsets.unchanged, "unchanged")
    )
    left = _format_left(daemonsets.only_in_cluster, "untouched")
    return _format_headline(
        start, compared, left, _format_counts((nodes.new, "new"), (nodes.differing, "changed"), (nodes.removed, "removed"))
    )


def _format_headline(start: str, daemonsets: str, left: str, nodes: str) -> str:
    parts = [f"DaemonSets {daemonsets or 'none'}", left, f"nodes {nodes}" if nodes else ""]
    return f"{start}: {'; '.join(part for part in parts if part)}"


def _format_left(count: int, fate: str) -> str:
    return f"{count} only in the cluster, {fate}" if count else ""


def _format_counts(*counts: tuple[int, str]) -> str:
    return ", ".join(f"{count} {word}" for count, word in counts if count)


def iter_daemonset_notes(names: DaemonSetNames, head: str, *, is_drift: bool) -> Iterator[str]:
    """Which DaemonSets are new, differ and are deleted."""
    words = (
        NEW,
        "different template" if is_drift else "changed template, which starts an update",
        "different, with the same template" if is_drift else "changed, but not its template: no pod is replaced",
        f"not in {head}" if is_drift else "deleted",
    )
    return (f"{word}: {join_names(keys, _SHOWN)}" for word, keys in zip(words, names, strict=True) if keys)


def iter_node_notes(nodes: NodeNames, *, is_drift: bool) -> Iterator[str]:
    """Which nodes are new, differ and were removed."""
    words = (NEW, "different" if is_drift else "changed", "removed")
    for word, names in zip(words, nodes, strict=True):
        if names:
            yield f"{word} {'node' if len(names) == 1 else 'nodes'}: {join_names(names, _SHOWN)}"


def format_assumed_updates(daemonsets: Sequence[str]) -> str:
    """DaemonSets of a snapshot that are treated as updated."""
    return f"{ASSUMED_UPDATE}: {join_names(daemonsets, _SHOWN)}"


def format_refusal(daemonset: object, reason: str) -> str:
    """A DaemonSet whose change the API server refuses."""
    return f"{daemonset}: checked as it is: {reason}"


def format_missing_nodes(nodes: Sequence[str]) -> str:
    """Nodes of manifests that the cluster lacks."""
    return f"not compared, because the cluster does not have the node: {join_names(nodes, _SHOWN)}"


def format_more_placement_changes(count: int) -> str:
    """How many more DaemonSets have another placement."""
    return f"{count} more with changed tolerations or selectors"


def format_placement_change(removed: Sequence[Toleration], added: Sequence[Toleration], fields: Sequence[str]) -> str:
    """What differs in the fields of a template that decide a placement, as the end of a sentence; "" where nothing does."""
    parts = []
    if removed:
        parts.append(f"no longer tolerates {join_names([_format_toleration(toleration) for toleration in removed], _SHOWN)}")
    if added:
        parts.append(f"now tolerates {join_names([_format_toleration(toleration) for toleration in added], _SHOWN)}")
    if fields:
        parts.append(f"has a different {join_names(fields)}")
    return "; ".join(parts)


def format_placement_note(daemonset: object, sentence: str) -> str:
    """What differs in the placement of a DaemonSet, as a whole sentence."""
    return f"{daemonset} {sentence}"


def _format_toleration(toleration: Toleration) -> str:
    """What a toleration tolerates, as a taint is written: `dedicated=rdma:NoSchedule`, `dedicated:*`, `everything`."""
    seconds = f" for {toleration.tolerationSeconds} s" if toleration.tolerationSeconds is not None else ""
    if not toleration.key:
        return f"{'everything' if not toleration.effect else f'every {toleration.effect} taint'}{seconds}"
    if toleration.operator in ("Lt", "Gt"):
        value = f" {'<' if toleration.operator == 'Lt' else '>'} {toleration.value}"
    else:
        value = f"={toleration.value}" if toleration.operator != "Exists" and toleration.value else ""
    return f"{toleration.key}{value}:{toleration.effect or '*'}{seconds}"
