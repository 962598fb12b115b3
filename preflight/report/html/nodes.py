"""The names of the nodes, each once: the classes that the tables and the findings speak of."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Report
from preflight.report.html.classes import REST, PageNodeClasses
from preflight.report.html.escaping import escape_text, format_grouped_count, format_number
from preflight.report.html.node_ranges import compress_names

_MOST_SHOWN = 40
_MOST_CHARACTERS = 400


def render_section(report: Report, classes: PageNodeClasses, all_rows: bool) -> Iterator[str]:
    """A list of each class, folded where it is long; what has no letter stands together at the end."""
    del report, all_rows
    if not classes.all:
        return
    total = sum(len(node_class.nodes) for node_class in classes.all)
    yield "<section id=nodes aria-labelledby=nodes-name><h2 id=nodes-name>Nodes</h2>"
    many = f"{format_number(len(classes.all))} class{'' if len(classes.all) == 1 else 'es'}"
    yield f"<p class=quiet>{format_grouped_count(total, 'node')} in {many}: those of one class share every answer of this report."
    yield " <code>a-[1-3,7]</code> is a-1, a-2, a-3 and a-7.</p><dl class=classes>"
    lettered = [(each.letter, each.nodes) for each in classes.all if each.letter]
    rest = tuple(node for each in classes.all if not each.letter for node in each.nodes)
    for letter, nodes in [*lettered, *([(REST, rest)] if rest else [])]:
        yield f'<dt id="class-{letter}">{letter} <span class=count>{format_grouped_count(len(nodes), "node")}</span></dt>'
        text = ", ".join(escape_text(text, 100_000) for text in compress_names(nodes))
        names = f"<code data-names={letter}>{text}</code>"
        if len(nodes) > _MOST_SHOWN and len(text) > _MOST_CHARACTERS:
            names = f"<details class=names><summary>all names</summary>{names}</details>"
        yield f"<dd>{names}</dd>"
    yield "</dl></section>"
