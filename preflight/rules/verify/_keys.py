"""The typed keys of findings on how a cluster differs from a snapshot."""

from __future__ import annotations

from preflight.model.comparison_reasons import LabelDifference, NodeChange, TaintDifference


def make_change_key(change: NodeChange) -> tuple[str, ...]:
    """The parts for a change of a node: its kind, and the labels or the taints that differ."""
    return (change.kind.value, *map(_format_label, change.labels), *map(_format_taint, change.taints))


def _format_label(label: LabelDifference) -> str:
    values = ["" if value is None else f"={value}" for value in (label.value_before, label.value_now)]
    return f"label:{label.key}{values[0]}:{values[1]}"


def _format_taint(taint: TaintDifference) -> str:
    return f"{'new' if taint.is_added else 'gone'}-taint:{taint.taint}"
