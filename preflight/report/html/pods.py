"""The ordinary pods that a step lets go: a table a node, and what they come to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from preflight.messages import html as words
from preflight.model.evictions import EvictionReport, NodeEvictions
from preflight.report import evictions as shape

MOST_ROWS = 3000
"""How many pods the page names at most for a step: a drain of thousands of nodes stays a page that opens at once."""

_FOLDED = 12


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


class EvictionsView(NamedTuple):
    """The ordinary pods of a step: the total, further numbers with their headings, and the nodes.

    `folded_summary` says how many further numbers there are, "" where they are few.
    """

    total: str
    folded_summary: str
    terms: list[tuple[str, str]]
    nodes: list[NodeEvictionsView]


def make_evictions_view(evictions: EvictionReport, position: str, all_rows: bool) -> EvictionsView:
    """What they come to, then the nodes in the order in which it is done.

    1. The nodes are open where there are 12 or fewer, and so are the outcomes.
    2. `position` is the number of the step in words, "" where there is one step only.
    3. A node has the rows of the text (30, the worst first), all nodes together 3,000, unless `all_rows`; what is left out is counted.
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
        nodes=nodes,
    )


def _make_node_view(
    evictions: EvictionReport, node: NodeEvictions, label: str, rows: Sequence[shape.EvictionRow], shown_count: int
) -> NodeEvictionsView:
    worst = "x" if node.refusals or any(row.marker == "x" for row in rows) else rows[0].marker if rows else " "
    more = ""
    if hidden := rows[shown_count:]:
        bad = sum(row.marker == "x" for row in hidden)
        more = words.count_hidden_pods(len(hidden), bad)
    return NodeEvictionsView(
        sign=worst,
        label=label,
        is_open=len(evictions.nodes) <= _FOLDED,
        heading=shape.format_node_heading(evictions, node),
        refusals=[refusal.words for refusal in node.refusals],
        rows=rows[:shown_count],
        more=more,
        staying=shape.format_staying(node),
    )
