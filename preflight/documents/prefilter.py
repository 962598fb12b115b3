"""Which documents need no parsing, because they cannot be of a wanted kind."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from functools import cache

_SIMPLE = re.compile(r"[A-Za-z][A-Za-z0-9]*", re.ASCII)
_STARTS_AT_COLUMN_0 = re.compile(r"(?:[ \t]*+(?:#[^\n]*+)?+\r?+\n)*+[A-Za-z]", re.ASCII)
_KIND = r"""kind(?:[ \t]*:[ \t]+(["']?)([A-Za-z][A-Za-z0-9]*)\1[ \t]*(?:#[^\n]*)?\r?(?=\n|\Z))?"""
_FIRST_LINE = re.compile(_KIND, re.ASCII)
_LINES = re.compile(rf"""\n(?:{_KIND}|[<?*&!"'{{\[])""", re.ASCII)
_RARE_BREAKS = "\ufeff\x85\u2028\u2029"


class KindFilter:
    """Says of a document's text whether it may be of a wanted kind.

    1. Errs on the side of yes: a document that it refuses is not of a wanted kind, or cannot be read. It parses nothing.
    2. Where the first character that counts is a letter at column 0, the document is a mapping whose keys all start at column 0. Only a
       line there that starts with `kind`, a quote, `?`, `<`, `*`, `&`, `!` or a bracket can name its kind; a plain word after `kind:` is
       compared.
    3. Elsewhere the word `kind` and a wanted one must be there, and any backslash or `!` is a yes: they can spell words.
    4. Line ends and marks that move columns are a yes: U+FEFF, U+0085, U+2028, U+2029, a lone carriage return.
    5. No kinds, or one that is not letters and digits: always yes.
    6. A kind with `clues` is wanted only where one of these words stands in the document as it is written.
    """

    def __init__(self, kinds: Collection[str], clues: Mapping[str, Collection[str]] | None = None) -> None:
        self.kinds = frozenset(kinds)
        self.takes_all = not self.kinds or not _are_simple(self.kinds)
        self._clues = tuple(word for kind, words in (clues or {}).items() if kind in self.kinds for word in words)
        self._sure = _without(self.kinds, frozenset(clues or ()))

    def may_be_wanted(self, text: str) -> bool:
        """Whether the document may be of a wanted kind."""
        if self.takes_all or _has_rare_breaks(text):
            return True
        if not _may_be_of_kinds(self.kinds, text):
            return False
        return not self._clues or _may_be_of_kinds(self._sure, text) or any(clue in text for clue in self._clues)


@cache
def _are_simple(kinds: frozenset[str]) -> bool:
    return all(_SIMPLE.fullmatch(kind) for kind in kinds)


@cache
def _without(kinds: frozenset[str], others: frozenset[str]) -> frozenset[str]:
    return kinds - others


def _may_be_of_kinds(kinds: frozenset[str], text: str) -> bool:
    if _STARTS_AT_COLUMN_0.match(text) is None:
        return "\\" in text or "!" in text or ("kind" in text and any(kind in text for kind in kinds))
    first = _FIRST_LINE.match(text)
    if first is not None and (first[2] is None or first[2] in kinds):
        return True
    return any(found[2] is None or found[2] in kinds for found in _LINES.finditer(text))


def _has_rare_breaks(text: str) -> bool:
    if "\r" in text and text.count("\r") != text.count("\r\n"):
        return True
    return not text.isascii() and any(character in text for character in _RARE_BREAKS)
