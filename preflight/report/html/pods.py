"""The ordinary pods that a step lets go: a table a node, what they come to, and what to do first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.model.evictions import Evictions, NodeEvictions
from preflight.report import evictions as shape
from preflight.report.formatting import count
from preflight.report.html.escaping import CLASSES, code, mark, safe, terms

MOST_ROWS = 3000
"""How many pods the page names at most for a step: a drain of thousands of nodes stays a page that opens at once."""

_BAD = ("x", "?")
_FOLDED = 12


def part(evictions: Evictions, step: int, all_rows: bool) -> Iterator[str]:
    """What they come to and what to do first, then the nodes in the order in which it is done.

    1. A node with a pod that is blocked, lost or unknown is open, and so are all where there are 12 nodes or fewer.
    2. A node has the rows of the text (30, the worst first), all nodes together 3,000, unless `all_rows`; what is left out is counted.
    """
    yield f'<h3 id="pods-{step}">Ordinary pods</h3>'
    first, *lines = shape.totals(evictions)
    yield f"<p>{safe(first.removeprefix('total: '))}</p>"
    if evictions.first:
        yield f"<div class=first><h4>Before you begin</h4><ul>{''.join(f'<li>{safe(each)}</li>' for each in evictions.first)}</ul></div>"
    told = (*lines[: len(lines) - len(evictions.first)], *(f"note: {note}" for note in evictions.notes))
    yield terms((safe(head), safe(text)) for head, _, text in (line.partition(": ") for line in told))
    room = MOST_ROWS
    for node in evictions.nodes:
        rows = shape.rows_of(node)
        shown = rows if all_rows else rows[: min(shape.MOST_ROWS, room)]
        room -= len(shown)
        yield from _node(evictions, node, rows, len(shown))


def _node(evictions: Evictions, node: NodeEvictions, rows: Sequence[shape.Row], shown: int) -> Iterator[str]:
    worst = "x" if node.refusals or any(row.marker == "x" for row in rows) else rows[0].marker if rows else " "
    is_open = len(evictions.nodes) <= _FOLDED or worst in _BAD
    heading = f"{mark(worst)}{safe(shape.heading(evictions, node))}"
    yield f'<details class="node {CLASSES[worst]}"{" open" if is_open else ""}><summary>{heading}</summary>'
    yield from (f"<p class=refusal>kubectl: {safe(each)}</p>" for each in node.refusals)
    if shown:
        yield '<div class="scroll" role="region" aria-label="Pods of this node" tabindex="0"><table class=pods><thead><tr>'
        yield "".join(f"<th scope=col>{head}</th>" for head in ("pod", "of", "what", "replacement", "why")) + "</tr></thead><tbody>"
        for row in rows[:shown]:
            cells = (("of", row.owner), ("what", row.what), ("replacement", row.where), ("why", row.why))
            yield f'<tr data-m="{row.marker.strip()}" class={CLASSES[row.marker]}>'
            yield f"<th scope=row>{mark(row.marker)}{code(row.pod, 300)}</th>"
            yield "".join(f"<td data-h={head}>{safe(text)}</td>" for head, text in cells) + "</tr>"
        yield "</tbody></table></div>"
    if hidden := rows[shown:]:
        bad = sum(row.marker == "x" for row in hidden)
        say = f", {bad} of them blocked or lost" if bad else ""
        yield f"<p class=quiet>{count(len(hidden), 'more pod')}{say} (--all-rows shows all).</p>"
    if text := shape.staying(node):
        yield f"<p class=quiet>{safe(text)}</p>"
    yield "</details>"
