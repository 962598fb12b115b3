"""Text from the input as text of a page: nothing in it is markup, a direction or a command."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from markupsafe import Markup

from preflight.inert_text import escape_unprintable
from preflight.report.formatting import clip

MAX_TEXT = 2000


def escape_text(text: str, max_length: int = MAX_TEXT) -> Markup:
    r"""The text, to stand in an element or in a quoted attribute.

    1. What does not print is written as an escape such as `\u202e`, `&`, `<`, `>` and both quotes as entities; of a text of more than
       `max_length` characters the rest is `...`.
    2. The second sign of `::` and `##` is an entity too: a page that is printed into the log of a CI job commands nothing there.
    """
    text = escape(clip(escape_unprintable(text), max_length))
    if "::" in text or "##" in text:
        text = text.replace("::", ":&#58;").replace("##", "#&#35;")
    return str.__new__(Markup, text)  # Markup(text) in a third of the time: it is called for every text of a page


def escape_value(value: object) -> Markup:
    """Whatever a template writes that is not itself a part of a template: text and whole numbers, escaped; anything else is a mistake."""
    if type(value) is Markup:
        return value
    if isinstance(value, str):
        return escape_text(str(value))
    if type(value) is int:
        return Markup(value)
    raise TypeError(f"a template writes text and numbers, not {type(value).__name__}: {value}")


def require_word(value: str | int) -> Markup:
    """A word of letters, digits and hyphens: the only text that may stand in an attribute without quotes."""
    word = str(value)
    if not (word.isascii() and word.replace("-", "").isalnum()):
        raise ValueError(f"not a word: {word!r}")
    return Markup(word)


def render_prose(text: str, max_length: int = MAX_TEXT) -> Markup:
    """A sentence: what stands between backticks is code. It has no button that copies it, since names from the input may hold backticks."""
    *pairs, last = clip(text, max_length).split("`")
    if len(pairs) % 2:
        return escape_text(text, max_length)
    parts = [render_code(part) if at % 2 else escape_text(part) for at, part in enumerate(pairs)]
    return Markup("").join([*parts, escape_text(last)])


def render_command(text: str, max_length: int = MAX_TEXT) -> Markup:
    """A command to type; the script puts a button next to it that copies it."""
    return Markup(f"<code class=copy>{escape_text(text, max_length)}</code>")


def render_code(text: str, max_length: int = MAX_TEXT) -> Markup:
    """The text in the typeface of names and commands."""
    return Markup(f"<code>{escape_text(text, max_length)}</code>")


def render_list(texts: Iterable[str], separator: str = ", ", max_length: int = MAX_TEXT) -> Markup:
    """The texts one after the other, each cut at `max_length` characters."""
    return Markup(escape_text(separator).join(escape_text(text, max_length) for text in texts))


def render_lines(lines: Iterable[str]) -> Markup:
    """The texts one below the other, for a `pre` element."""
    return Markup("&#10;".join(escape_text(line) for line in lines))


def format_number(value: float) -> str:
    """`5,000`."""
    return f"{value:,}"


def format_grouped_count(value: int, noun: str) -> str:
    """`5,000 nodes`, `1 node`: for nouns whose plural ends in s."""
    return f"{format_number(value)} {noun}{'' if value == 1 else 's'}"


def format_coordinate(value: float) -> Markup:
    """A place in a drawing, with one digit after the point at most."""
    return Markup(f"{value:.1f}".removesuffix(".0"))


def get_css_class(sign: str) -> Markup:
    """The class of the style sheet for a marker of the report."""
    return require_word(MARKER_CSS_CLASSES[sign])


def render_mark(sign: str) -> Markup:
    """One of the signs of a report, drawn; who hears the page hears the words next to it. "" for what needs no sign."""
    return _MARKS.get(sign, _NO_MARK)


MARKER_SHAPES = {"x": "✕", "?": "?", "!": "!", "+": "+", "i": "i", "=": "✓"}
"""What is drawn for a marker of the report: shapes, so that nobody needs to tell the colours apart."""

MARKER_CSS_CLASSES = {"x": "bad", "?": "unk", "!": "warn", "+": "gain", "i": "note", "=": "ok", " ": "keep"}
"""The class of the style sheet for each marker."""

_NO_MARK = Markup("")
_MARKS = {sign: Markup(f'<b class="m {MARKER_CSS_CLASSES[sign]}" aria-hidden="true">{shape}</b>') for sign, shape in MARKER_SHAPES.items()}
