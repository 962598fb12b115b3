"""Every field is found at its line and column in the file, a missing one at its nearest present parent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.documents import Chunk, FieldPath, FieldPosition, get_source_line, locate_paths, split_documents
from tests.documents.read_text import only_chunk

MANIFEST = """\
# a comment
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: a, labels: {app: a}}
spec:
  template:
    spec:
      tolerations:
      - key: a
        operator: Exists
      -   effect: NoSchedule
      volumes: []
      containers:
        - name: main
          args: ["-v", "2"]
"""
FOUND: dict[str, tuple[FieldPath, FieldPosition]] = {
    "the document is where its content starts": ((), FieldPosition(3, 1, 0)),
    "an entry of a mapping is where its key is": (("spec", "template"), FieldPosition(7, 3, 2)),
    "an entry of a list is where the item is": (("spec", "template", "spec", "tolerations", 0), FieldPosition(10, 9, 5)),
    "an item may be further in": (("spec", "template", "spec", "tolerations", 1), FieldPosition(12, 11, 5)),
    "a field of an item": (("spec", "template", "spec", "tolerations", 0, "operator"), FieldPosition(11, 9, 6)),
    "a field between braces": (("metadata", "labels", "app"), FieldPosition(5, 30, 3)),
    "an item between brackets": (("spec", "template", "spec", "containers", 0, "args", 1), FieldPosition(16, 24, 7)),
    "a missing field is where its mapping is": (("spec", "template", "spec", "hostNetwork"), FieldPosition(8, 5, 3)),
    "a missing branch is where its nearest parent is": (("spec", "updateStrategy", "rollingUpdate", "maxSurge"), FieldPosition(6, 1, 1)),
    "a missing item is where its list is": (("spec", "template", "spec", "volumes", 0), FieldPosition(13, 7, 4)),
    "a negative place in a list is missing": (("spec", "template", "spec", "tolerations", -1), FieldPosition(9, 7, 4)),
    "a field of a word is missing": (("kind", "x"), FieldPosition(4, 1, 1)),
    "a place in a mapping is missing": (("metadata", 0), FieldPosition(5, 1, 1)),
    "a key in a list is missing": (("spec", "template", "spec", "tolerations", "key"), FieldPosition(9, 7, 4)),
    "nothing at all": (("status",), FieldPosition(3, 1, 0)),
}
OTHERS: dict[str, tuple[str, FieldPath, FieldPosition]] = {
    "a field of an alias is where it is written": ("a: &x\n  b: 1\nc: *x\n", ("c", "b"), FieldPosition(2, 3, 2)),
    "the alias itself is where its key is": ("a: &x\n  b: 1\nc: *x\n", ("c",), FieldPosition(3, 1, 1)),
    "a merged field is where it is written": ("a: &x {b: 1}\nc:\n  <<: *x\n", ("c", "b"), FieldPosition(1, 8, 2)),
    "a field over a merge": ("a: &x {b: 1}\nc:\n  <<: [*x]\n  b: 2\n", ("c", "b"), FieldPosition(4, 3, 2)),
    "the last of a repeated key": ("a: 1\nb: 2\na: 3\n", ("a",), FieldPosition(3, 1, 1)),
    "a key as JSON has it": ("yes: 1\n017: 2\n", ("15",), FieldPosition(2, 1, 1)),
    "a key that is an alias": ("a: &x b\n*x : 1\n", ("b",), FieldPosition(2, 1, 1)),
    "a quoted key": ("'a': 1\n\"b\": 2\n", ("b",), FieldPosition(2, 1, 1)),
    "a key after a question mark": ("? a\n: 1\n", ("a",), FieldPosition(1, 3, 1)),
    "a list of lists": ("- - a\n  - b\n", (0, 1), FieldPosition(2, 5, 2)),
    "carriage returns": ("a: 1\r\nb:\r\n  c: 1\r\n", ("b", "c"), FieldPosition(3, 3, 2)),
    "a byte order mark": ("\ufeffa: 1\n", ("a",), FieldPosition(1, 1, 1)),
    "a byte order mark inside": ("# a\n\ufeffa: 1\n", ("\ufeffa",), FieldPosition(2, 1, 1)),
    "a quote with a backslash": ('{a: "it\\\'s", b: 1}\n', ("b",), FieldPosition(1, 14, 1)),
    "a document of nothing": ("...\n", ("a",), FieldPosition(1, 1, 0)),
    "a broken document": ("\n\na: [\n", ("a",), FieldPosition(1, 1, 0)),
    "JSON": ('{"a": [1,\n {"b": 2}]}\n', ("a", 1, "b"), FieldPosition(2, 3, 3)),
    "JSON that YAML would not take": ('{"a": "\\/\\ud83d\\ude00\x7f",\n "b\\/c": 2}\n', ("b/c",), FieldPosition(2, 2, 1)),
    "JSON with line separators of YAML": ('{"a": "\u2028",\n "b": 2}\n', ("b",), FieldPosition(2, 2, 1)),
}


@pytest.mark.parametrize(("path", "place"), FOUND.values(), ids=FOUND.keys())
def test_a_field_is_found(path: FieldPath, place: FieldPosition) -> None:
    assert locate_paths(only_chunk(MANIFEST), [path]) == [place]


@pytest.mark.parametrize(("text", "path", "place"), OTHERS.values(), ids=OTHERS.keys())
def test_a_place_is_right_for(text: str, path: FieldPath, place: FieldPosition) -> None:
    assert locate_paths(only_chunk(text), [path]) == [place]


def test_all_paths_of_a_document_are_found_in_their_order() -> None:
    assert locate_paths(only_chunk(MANIFEST), [path for path, _ in FOUND.values()]) == [place for _, place in FOUND.values()]


def test_no_paths_have_no_places() -> None:
    assert locate_paths(only_chunk("a: [\n"), []) == []


def test_the_second_object_of_a_line_of_json_keeps_its_column() -> None:
    first, second = (chunk for chunk in split_documents('{"a": 1} {"b": 2}') if isinstance(chunk, Chunk))
    assert locate_paths(first, [("a",)]) == [FieldPosition(1, 2, 1)]
    assert locate_paths(second, [("b",)]) == [FieldPosition(1, 11, 1)]


def test_a_source_line_is_the_file_s() -> None:
    chunk = only_chunk("---\na: 1\r\n\r\nb: 2")
    assert [get_source_line(chunk, line) for line in range(6)] == ["", "", "a: 1", "", "b: 2", ""]


KEYS = st.text("abcdefg", min_size=1, max_size=3)
DATA = st.recursive(
    st.just("x"),
    lambda inner: st.dictionaries(KEYS, inner, min_size=1, max_size=3) | st.lists(inner, min_size=1, max_size=3),
    max_leaves=12,
)


def written(data: object, indent: int, path: FieldPath, places: dict[FieldPath, tuple[int, int]], lines: list[str]) -> None:
    """Writes the data as YAML, a line for each key or item, and notes where each is."""
    pad = " " * indent
    entries = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in entries:
        lines.append(f"{pad}{key}:" if isinstance(key, str) else f"{pad}-")
        if isinstance(key, str):
            places[*path, key] = (len(lines), indent + 1)
        else:
            places[*path, key] = (len(lines), indent + 3) if value == "x" else (len(lines) + 1, indent + 3)
        if value == "x":
            lines[-1] += " x"
        else:
            written(value, indent + 2, (*path, key), places, lines)


@given(DATA.filter(lambda data: data != "x"))
def test_what_was_written_is_found_where_it_was_written(data: object) -> None:
    places: dict[FieldPath, tuple[int, int]] = {}
    lines: list[str] = []
    written(data, 0, (), places, lines)
    found = locate_paths(only_chunk("\n".join(lines)), list(places))
    assert found == [FieldPosition(line, column, len(path)) for path, (line, column) in places.items()]
