"""The ordinary pods that a step lets go: a table a node, what they come to, and what to do first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.messages.evictions import describe_advice
from preflight.model.evictions import EvictionReport, NodeEvictions
from preflight.report import evictions as shape
from preflight.report.formatting import format_count
from preflight.report.html.escaping import MARKER_CSS_CLASSES, escape_text, render_code, render_mark, render_terms

MOST_ROWS = 3000
"""How many pods the page names at most for a step: a drain of thousands of nodes stays a page that opens at once."""

_OPEN_MARKERS = ("x", "?")
_FOLDED = 12


def render_evictions(evictions: EvictionReport, step: int, all_rows: bool) -> Iterator[str]:
    """What they come to and what to do first, then the nodes in the order in which it is done.

    1. A node with a pod that is blocked, lost or unknown is open, and so are all where there are 12 nodes or fewer.
    2. A node has the rows of the text (30, the worst first), all nodes together 3,000, unless `all_rows`; what is left out is counted.
    """
    yield f'<h3 id="pods-{step}">Ordinary pods</h3>'
    yield f"<p>{escape_text(shape.format_total(evictions))}</p>"
    if evictions.first:
        yield (
            f"<div class=first><h4>Before you "
            f"begin</h4><ul>{''.join(f'<li>{escape_text(describe_advice(advice))}</li>' for advice in evictions.first)}</ul></div>"
        )
    told = (*shape.iter_outcomes(evictions), *shape.iter_notes(evictions))
    yield render_terms((escape_text(heading), escape_text(text)) for heading, text in told)
    room = MOST_ROWS
    for node in evictions.nodes:
        rows = shape.make_eviction_rows(node)
        shown = rows if all_rows else rows[: min(shape.MOST_ROWS, room)]
        room -= len(shown)
        yield from _render_node(evictions, node, rows, len(shown))


def _render_node(evictions: EvictionReport, node: NodeEvictions, rows: Sequence[shape.EvictionRow], shown_count: int) -> Iterator[str]:
    worst = "x" if node.refusals or any(row.marker == "x" for row in rows) else rows[0].marker if rows else " "
    is_open = len(evictions.nodes) <= _FOLDED or worst in _OPEN_MARKERS
    heading = f"{render_mark(worst)}{escape_text(shape.format_node_heading(evictions, node))}"
    yield f'<details class="node {MARKER_CSS_CLASSES[worst]}"{" open" if is_open else ""}><summary>{heading}</summary>'
    yield from (f"<p class=refusal>kubectl: {escape_text(refusal.words)}</p>" for refusal in node.refusals)
    if shown_count:
        yield '<div class="scroll" role="region" aria-label="Pods of this node" tabindex="0"><table class=pods><thead><tr>'
        yield "".join(f"<th scope=col>{head}</th>" for head in ("pod", "of", "what", "replacement", "why")) + "</tr></thead><tbody>"
        for row in rows[:shown_count]:
            cells = (("of", row.owner), ("what", row.verdict), ("replacement", row.replacement), ("why", row.reasons))
            yield f'<tr data-m="{row.marker.strip()}" class={MARKER_CSS_CLASSES[row.marker]}>'
            yield f"<th scope=row>{render_mark(row.marker)}{render_code(row.pod, 300)}</th>"
            yield "".join(f"<td data-h={head}>{escape_text(text)}</td>" for head, text in cells) + "</tr>"
        yield "</tbody></table></div>"
    if hidden := rows[shown_count:]:
        bad = sum(row.marker == "x" for row in hidden)
        say = f", {bad} of them blocked or lost" if bad else ""
        yield f"<p class=quiet>{format_count(len(hidden), 'more pod')}{say} (--all-rows shows all).</p>"
    if text := shape.format_staying(node):
        yield f"<p class=quiet>{escape_text(text)}</p>"
    yield "</details>"
