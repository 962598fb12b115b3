"""Text from the input as text of a page: nothing in it is markup, a direction or a command."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from preflight.report.formatting import clip
from preflight.report.terminal import escape_unprintable

MAX_TEXT = 2000


def escape_text(text: str, max_length: int = MAX_TEXT) -> str:
    r"""The text, to stand in an element or in a quoted attribute.

    1. What does not print is written as an escape such as `\u202e`, `&`, `<`, `>` and both quotes as entities; of a text of more than
       `max_length` characters the rest is `...`.
    2. The second sign of `::` and `##` is an entity too: a page that is printed into the log of a CI job commands nothing there.
    """
    text = escape(clip(escape_unprintable(text), max_length))
    if "::" in text or "##" in text:
        text = text.replace("::", ":&#58;").replace("##", "#&#35;")
    return text


def render_code(text: str, max_length: int = MAX_TEXT) -> str:
    """The text in the typeface of names and commands."""
    return f"<code>{escape_text(text, max_length)}</code>"


def render_block(lines: Iterable[str]) -> str:
    """Lines as they stand, one below the other."""
    return f"<pre>{'&#10;'.join(escape_text(line) for line in lines)}</pre>"


def format_number(value: float) -> str:
    """`5,000`."""
    return f"{value:,}"


def format_grouped_count(value: int, noun: str) -> str:
    """`5,000 nodes`, `1 node`: for nouns whose plural ends in s."""
    return f"{format_number(value)} {noun}{'' if value == 1 else 's'}"


def render_terms(pairs: Iterable[tuple[str, str]], more: str = "") -> str:
    """A list of headings with what they head, both HTML already; `more` are further classes of the style sheet. "" for none."""
    shown = "".join(f"<dt{' class=strong' if head in _STRONG else ''}>{head}</dt><dd>{text}</dd>" for head, text in pairs)
    return f'<dl class="told{more}">{shown}</dl>' if shown else ""


_STRONG = ("then", "fix")


def render_mark(sign: str) -> str:
    """One of the signs of a report, drawn; who hears the page hears the words beside it. "" for what needs no sign."""
    return f'<b class="m {MARKER_CSS_CLASSES[sign]}" aria-hidden="true">{MARKER_SHAPES[sign]}</b>' if MARKER_SHAPES.get(sign) else ""


MARKER_SHAPES = {"x": "✕", "?": "?", "!": "!", "+": "+", "i": "i", "=": "✓"}
"""What is drawn for a marker of the report: shapes, so that nobody needs to tell the colours apart."""

MARKER_CSS_CLASSES = {"x": "bad", "?": "unk", "!": "warn", "+": "gain", "i": "note", "=": "ok", " ": "keep"}
"""The class of the style sheet for each marker."""
