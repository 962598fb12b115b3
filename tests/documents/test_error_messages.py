"""What cannot be read is placed exactly in the file, in words that a person can act on."""

from __future__ import annotations

import pytest
import yaml

from preflight.documents import InvalidDocument, source_text
from tests.documents.read_text import read_all, read_broken, read_data

ERRORS: dict[str, tuple[str, tuple[int, int, str]]] = {
    "a tab that indents": ("a:\n\tb: 1\n", (2, 1, "a tab cannot indent: use blanks")),
    "a tab that indents in a list": ("a:\n  - b: 1\n\t  c: 2\n", (3, 1, "a tab cannot indent: use blanks")),
    "a tab that indents a block": ("a: |\n \tb\n", (2, 2, "a tab cannot indent: use blanks")),
    "a second colon": ("a: b: c\n", (1, 5, "a key's `: ` cannot stand here: check the indentation, or quote the value")),
    "a key that is indented under a value": (
        "a: 1\n  b: 2\n",
        (2, 4, "a key's `: ` cannot stand here: check the indentation, or quote the value"),
    ),
    "a key between two indentations": (
        "a:\n    b: 1\n  c: 2\n",
        (3, 3, "expected a key here, in the mapping of line 1: check the indentation, or quote the value"),
    ),
    "a list entry among keys": (
        "a: 1\n- b\n",
        (2, 1, "expected a key here, in the mapping of line 1: check the indentation, or quote the value"),
    ),
    "a key among list entries": (
        "- a\nb: 1\n",
        (2, 1, "expected `- ` here, where the list of line 1 has its entries: check the indentation"),
    ),
    "a list entry on the line of its key": (
        "a: - b\n",
        (1, 4, "a list entry (`- `) cannot start here: give it a line, or quote the value"),
    ),
    "a line without a key": (
        "a: 1\nbcd\ne: 2\n",
        (2, 1, "this line needs `: ` after its key; if it belongs to the value above, indent it"),
    ),
    "an open quote is placed where it opens": ('a:\n  b: "c\n  d: e\n', (2, 6, "the quote that opens here is not closed")),
    "an open list is placed where it opens": ("a: [b,\n  c\n", (1, 4, "expected `,` or `]` here, for the list that line 1 opens")),
    "an open mapping is placed where it opens": ("a: {b: c\n", (1, 4, "expected `,` or `}` here, for the mapping that line 1 opens")),
    "a list that is closed by a brace": ("a: [b\n}\n", (2, 1, "expected `,` or `]` here, for the list that line 1 opens")),
    "a value that starts with an at sign": ("a: @b\n", (1, 4, "a value cannot start with `@`: quote it")),
    "a value that starts with a percent sign": ("a: %b\n", (1, 4, "a value cannot start with `%`: quote it")),
    "an escape that is none": ('a: "b\\d"\n', (1, 6, "`\\d` is no escape in double quotes: write `\\\\d`, or use single quotes")),
    "an escape of JSON in YAML": ('a: "b\\/c"\n', (1, 6, "the escape `\\/` is not allowed in YAML: write `/`")),
    "half a surrogate pair": ('a: "\\ud83d"\n', (1, 7, "the escape stands for no character")),
    "an escape without digits": ('a: "\\xg"\n', (1, 7, "the escape needs hexadecimal digits")),
    "a star without a name": ("a: *\n", (1, 4, "an anchor (`&`) or an alias (`*`) needs a name: quote the value")),
    "an alias without its anchor": ("a: *b\n", (1, 4, "the alias *b has no anchor &b before it in this document")),
    "a tag with an unknown prefix": ("a: !b!c d\n", (1, 4, "the tag's prefix is not declared: quote the value, or remove the tag")),
    "a tag that does not fit": ("a: !!int b\n", (1, 4, "a value with the tag !!int must be an integer")),
    "a date that is none": ("a: !!timestamp 2001-02-30\n", (1, 4, "a value with the tag !!timestamp must be a date, as 2006-01-02")),
    "a date with more": ("a: !!timestamp 2001-1-1x\n", (1, 4, "a value with the tag !!timestamp must be a date, as 2006-01-02")),
    "binary that is none": ("a: !!binary '*'\n", (1, 4, "a value with the tag !!binary must be base64")),
    "a null key": ("? \n: a\n", (1, 2, "a key cannot be null: quote it")),
    "a large key": ("9223372036854775808: a\n", (1, 1, "a key cannot be an integer of more than 63 bits: quote it")),
    "a list as a key": ("? [a]\n: b\n", (1, 3, "a key must be a plain value, not a list or a mapping")),
    "an alias of a list as a key": ("a: &x [b]\n*x : c\n", (2, 1, "a key must be a plain value, not a list or a mapping")),
    "a template's braces": ("a: {{ .b }}\n", (1, 5, "a key must be a plain value, not a list or a mapping")),
    "a merge of a word": ("<<: a\n", (1, 5, "a merge (<<) needs a mapping or a list of mappings")),
    "a merge of an alias of a list": ("a: &x [{b: 1}]\n<<: *x\n", (2, 5, "a merge (<<) needs a mapping or a list of mappings")),
    "an infinity": ("a: .inf\n", (1, 4, "JSON has no infinity and no not-a-number: quote the value")),
    "an alias of not-a-number": ("? &x .nan\n: *x\n", (2, 3, "JSON has no infinity and no not-a-number: quote the value")),
    "a question mark between brackets": ("a: [b, http://c/?d]\n", (1, 17, "a value between brackets cannot hold `?`: quote it")),
    "a key without a blank between brackets": ("a: [b:,c]\n", (1, 6, "a key cannot end here: put a blank after `:`, or quote the key")),
    "a control character": ("a: b\n# \x1b[31m\n", (2, 3, "the character U+001B is not allowed: in double quotes it can be an escape")),
    "a NUL": ("a: \x00", (1, 4, "the character U+0000 is not allowed: in double quotes it can be an escape")),
    "a surrogate": ("a: 1\nb: \ud800\n", (2, 4, "a surrogate is no character: the file is not UTF-8")),
    "a directive": ("%YAML 1.1\n---\n", (1, 1, "kubectl reads no directives: remove the line, or quote what starts with `%`")),
    "a version": ("%YAML 1.2\r---\ra: 1\n", (1, 1, "only YAML 1.1 is read: remove the %YAML line")),
    "an unknown directive": ("# a\n%FOO\n", (2, 1, "kubectl reads no directives: remove the line, or quote what starts with `%`")),
    "an end without a document": ("...\n", (1, 1, "expected a value here")),
}
PLACES: dict[str, tuple[str, tuple[int, int]]] = {
    "a separator and comments before it": ("# a\n---\n# b\nc: [\n", (4, 4)),
    "a document before it": ("a: 1\n---\nb: @c\n", (3, 4)),
    "carriage returns": ("a: 1\r\n---\r\nb: 1\r\nc: @d\r\n", (4, 4)),
    "a lone carriage return, which is no line of the file": ("a: 1\rb: @c\n", (1, 9)),
    "a line separator, which is no line of the file": ("a: 1\u2028b: @c\n", (1, 9)),
    "a byte order mark, which is no column": ("\ufeffa: @b\n", (1, 4)),
    "characters of several bytes": ("\u00e4\U0001f600: @b\n", (1, 5)),
    "a quote with a backslash": ('{a: "it\\\'s", b: "it\\\'s", c: @d}\n', (1, 29)),
    "a quote with a backslash on a line before": ('a: "it\\\'s"\nb: @c\n', (2, 4)),
    "a JSON object on its line": ('{"a":1} b: @c\n', (1, 12)),
    "a JSON object on the line before": ('{"a":1}\nb: @c\n', (2, 4)),
}


@pytest.mark.parametrize(("text", "want"), ERRORS.values(), ids=ERRORS.keys())
def test_it_is_said_of(text: str, want: tuple[int, int, str]) -> None:
    assert read_broken(text) == want


@pytest.mark.parametrize(("text", "want"), PLACES.values(), ids=PLACES.keys())
def test_a_place_is_exact_after(text: str, want: tuple[int, int]) -> None:
    broken = [(result.line, result.column) for result in read_all(text) if isinstance(result, InvalidDocument)]
    assert broken == [want]


def test_without_the_c_parser_the_one_in_python_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_text, "_LOADER", yaml.SafeLoader)
    assert read_data("a: &x [1, 'b', 017]\nc: *x\n<<: {d: yes}\n") == {"a": [1, "b", 15], "c": [1, "b", 15], "d": True}
    assert read_broken("a: 1\nb: \x1b\n") == (2, 4, "the character U+001B is not allowed: in double quotes it can be an escape")
    line, column, message = read_broken("a: b: c\n")
    assert (line, column, message) == (1, 5, "mapping values are not allowed here")
    assert read_broken('a: "\n')[:2] == (1, 4)
