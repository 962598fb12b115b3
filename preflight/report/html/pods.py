"""The ordinary pods that a step lets go: a table a node, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from preflight.messages import html as words
from preflight.model.evictions import EvictionReport, NodeEvictions
from preflight.report import evictions as shape
from preflight.report.eviction_groups import group_pods, join_nodes
from preflight.report.eviction_text import iter_refusals
from preflight.report.html.classes import PageNodeClasses

MOST_ROWS = 3000
"""How many pods the page names at most for a step: a drain of thousands of nodes stays a page that opens at once."""

_FOLDED = 12
_MOST_GROUPS = 200


class NodeEvictionsView(NamedTuple):
    """A node: the worst of its pods as a sign, its rows, and in words what is left out and what stays; `label` tells its table apart."""

    sign: str
    label: str
    is_open: bool
    heading: str
    refusals: list[str]
    rows: Sequence[shape.EvictionRow]
    more: str
    staying: str


class JoinedRow(NamedTuple):
    """Pods with the same story; `nodes` were written by a template."""

    sign: str
    nodes: Markup
    row: shape.EvictionRow


class JoinedEvictionsView(NamedTuple):
    """Nodes that end alike, with the worst sign of their pods; what kubectl refuses, and a row for pods with the same story."""

    endings: list[tuple[str, str]]
    refusals: list[str]
    label: str
    rows: list[JoinedRow]
    more: str
    summary: str


class EvictionsView(NamedTuple):
    """The ordinary pods of a step: the total, further numbers with their headings, and the nodes.

    `folded_summary` says how many further numbers there are, "" where they are few. `joined` is None where there are few nodes.
    """

    total: str
    folded_summary: str
    terms: list[tuple[str, str]]
    joined: JoinedEvictionsView | None
    nodes: list[NodeEvictionsView]


def make_evictions_view(evictions: EvictionReport, position: str, classes: PageNodeClasses, all_rows: bool) -> EvictionsView:
    """What they come to, then the nodes in the order in which it is done.

    1. Where there are more than 12 nodes, those that end alike are joined as in the text, and the nodes one by one are folded below.
    2. `position` is the number of the step in words, "" where there is one step only.
    3. A node has 30 rows, the worst first, all nodes together 3,000, unless `all_rows`; what is left out is counted.
    """
    nodes = []
    room = MOST_ROWS
    for node in evictions.nodes:
        rows = shape.make_eviction_rows(node)
        shown = rows if all_rows else rows[: min(shape.MOST_ROWS, room)]
        room -= len(shown)
        label = words.label_pods_of_node(node.node, position)
        nodes.append(_make_node_view(evictions, node, label, rows, len(shown)))
    terms = [*shape.iter_outcomes(evictions), *shape.iter_notes(evictions)]
    return EvictionsView(
        total=shape.format_total(evictions),
        folded_summary=words.count_outcomes(len(terms)) if len(terms) > _FOLDED else "",
        terms=terms,
        joined=_make_joined_view(evictions, position, classes) if len(evictions.nodes) > _FOLDED else None,
        nodes=nodes,
    )


def _make_joined_view(evictions: EvictionReport, position: str, classes: PageNodeClasses) -> JoinedEvictionsView:
    groups = group_pods(evictions)
    hidden = groups[_MOST_GROUPS:]
    return JoinedEvictionsView(
        endings=[(_get_worst_sign(node), shape.format_node_heading(evictions, node)) for node in join_nodes(evictions.nodes)],
        refusals=list(iter_refusals(evictions)),
        label=words.label_joined_pods(position),
        rows=[JoinedRow(group.row.marker, classes.render_nodes(group.nodes), group.row) for group in groups[:_MOST_GROUPS]],
        more=words.count_hidden_pods(
            sum(len(group.members) for group in hidden), sum(len(group.members) for group in hidden if group.row.marker == "x")
        )
        if hidden
        else "",
        summary=words.count_single_nodes(len(evictions.nodes)),
    )


def _get_worst_sign(node: NodeEvictions) -> str:
    rows = shape.make_eviction_rows(node)
    return "x" if node.refusals or any(row.marker == "x" for row in rows) else rows[0].marker if rows else " "


def _make_node_view(
    evictions: EvictionReport, node: NodeEvictions, label: str, rows: Sequence[shape.EvictionRow], shown_count: int
) -> NodeEvictionsView:
    more = ""
    if hidden := rows[shown_count:]:
        bad = sum(row.marker == "x" for row in hidden)
        more = words.count_hidden_pods(len(hidden), bad)
    return NodeEvictionsView(
        sign=_get_worst_sign(node),
        label=label,
        is_open=len(evictions.nodes) <= _FOLDED,
        heading=shape.format_node_heading(evictions, node),
        refusals=[refusal.words for refusal in node.refusals],
        rows=rows[:shown_count],
        more=more,
        staying=shape.format_staying(node),
    )
