"""The parser's errors in words that a person can act on."""

from __future__ import annotations

import re
from typing import Any

import yaml

from preflight.documents.model import MAX_DEPTH, DocumentError
from preflight.inert_text import escape_unprintable

_NOT_ALLOWED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_DIRECTIVE = "kubectl reads no directives: remove the line, or quote what starts with `%`"
_WORDS = {
    "block sequence entries are not allowed in this context": "a list entry (`- `) cannot start here: give it a line, or quote the value",
    "could not find expected ':'": "this line needs `: ` after its key; if it belongs to the value above, indent it",
    "could not find expected directive name": _DIRECTIVE,
    "did not find expected '-' indicator": "expected `- ` here, where the list of line {opened} has its entries: check the indentation",
    "did not find expected ',' or ']'": "expected `,` or `]` here, for the list that line {opened} opens",
    "did not find expected ',' or '}'": "expected `,` or `}}` here, for the mapping that line {opened} opens",
    "did not find expected <document start>": _DIRECTIVE,
    "did not find expected alphabetic or numeric character": "an anchor (`&`) or an alias (`*`) needs a name: quote the value",
    "did not find expected comment or line break": "only a comment may follow the mark of a block (`|` or `>`)",
    "did not find expected hexdecimal number": "the escape needs hexadecimal digits",
    "did not find expected key": "expected a key here, in the mapping of line {opened}: check the indentation, or quote the value",
    "did not find expected node content": "expected a value here",
    "did not find expected whitespace or line break": "expected a blank after the tag",
    "exceeded maximum nesting depth": f"lists and mappings nest deeper than {MAX_DEPTH} levels",
    "found a tab character that violates indentation": "a tab cannot indent: use blanks",
    "found a tab character where an indentation space is expected": "a tab cannot indent: use blanks",
    "found character that cannot start any token": "a value cannot start with `{character}`: quote it",
    "found invalid Unicode character escape code": "the escape stands for no character",
    "found undefined tag handle": "the tag's prefix is not declared: quote the value, or remove the tag",
    "found unexpected ':'": "a key cannot end here: put a blank after `:`, or quote the key",
    "found unexpected end of stream": "the quote that opens here is not closed",
    "found unexpected non-alphabetical character": _DIRECTIVE,
    "found unknown directive name": _DIRECTIVE,
    "found unknown escape character": "`{escape}` is no escape in double quotes: write `\\{escape}`, or use single quotes",
    "mapping keys are not allowed in this context": "a key (`? `) cannot start here: quote the value",
    "mapping values are not allowed in this context": "a key's `: ` cannot stand here: check the indentation, or quote the value",
}
_AT_OPENING = {"could not find expected ':'", "found unexpected end of stream"}


def explain_yaml_error(error: yaml.YAMLError, text: str, line: int) -> DocumentError:
    """The error with its index in the text that was parsed; `line` is the file's line of the text's start.

    1. A key or a quote without its end is placed where it starts, and so is whatever is open where the text ends.
    2. A character that YAML does not allow is placed itself. What has no words here keeps PyYAML's own.
    """
    found = _NOT_ALLOWED.search(text)
    if isinstance(error, yaml.reader.ReaderError) and found:
        return DocumentError(f"the character U+{ord(found[0]):04X} is not allowed: in double quotes it can be an escape", found.start())
    problem = str(getattr(error, "problem", None) or "not readable as YAML")
    index = _get_index(getattr(error, "problem_mark", None))
    opening = getattr(error, "context_mark", None)
    opened = _get_index(opening)
    character = text[index : index + 1]
    if character == "\t":
        problem = "found a tab character that violates indentation"
    words = _WORDS.get(problem, _simplify_message(problem).replace("{", "{{").replace("}", "}}"))
    message = words.format(
        opened=line + text.count("\n", 0, opened), character=_simplify_message(character), escape=_simplify_message(text[index : index + 2])
    )
    last = max(len(text.rstrip()) - 1, 0)
    if words == _DIRECTIVE:
        return DocumentError(message, text.rfind("\n", 0, min(index, last)) + 1)
    is_at_opening = opening is not None and (problem in _AT_OPENING or index > last)
    return DocumentError(message, min(opened if is_at_opening else index, last))


def _get_index(mark: Any) -> int:
    return mark.index if mark is not None else 0


def _simplify_message(text: str) -> str:
    return escape_unprintable(" ".join(text.split()))
