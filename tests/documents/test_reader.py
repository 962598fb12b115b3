"""What a file holds: plain data, what is wrong with it, and what the limits refuse."""

from __future__ import annotations

import time

import pytest

from preflight.documents import Chunk, Document, InvalidDocument, RepeatedKey
from preflight.documents.constructor import MAX_COPIED
from preflight.documents.model import MAX_DEPTH
from preflight.documents.reader import MAX_SIZE, read_chunk
from tests.documents.read_text import outline, read_all, read_broken, read_data

STREAMS: dict[str, tuple[str, list[object]]] = {
    "an empty file holds nothing": ("", []),
    "a null document is dropped": ("~\n---\na: 1\n---\nnull\n", [{"a": 1}]),
    "a document that only declares an end is dropped": ("---\n...\n", []),
    "reading goes on after a broken document": ("a: 1\n---\nb: [\n---\nc: 3\n", [{"a": 1}, "broken at 3:4", {"c": 3}]),
    "reading goes on after a refused separator": ("a: 1\n--- x\nb: 2\n---\nc: 3\n", ["broken at 2:5", {"c": 3}]),
    "documents that are no mappings are given": ("- 1\n---\nword\n---\n3\n", [[1], "word", 3]),
    "JSON text is read": ('{"a": [1, 2.5, "x", null, true]}\n', [{"a": [1, 2.5, "x", None, True]}]),
    "JSON takes escapes that YAML refuses": ('{"a": "\\/ \\ud83d\\ude00"}', [{"a": "/ \U0001f600"}]),
    "half a surrogate pair in JSON is no character": ('{"a": "x\\ud83d"}', [{"a": "x\ufffd"}]),
    "JSON numbers are as in YAML": (
        '{"a": 1.0, "b": 1e3, "c": 36893488147419103232, "d": -0}',
        [{"a": 1, "b": 1000, "c": 36893488147419103000, "d": 0}],
    ),
    "JSON numbers have a range": ('{"a": "1e400",\n "b": 1e400}', ["broken at 2:7"]),
}


@pytest.mark.parametrize(("text", "want"), STREAMS.values(), ids=STREAMS.keys())
def test_a_file_holds(text: str, want: list[object]) -> None:
    assert [outline(result) for result in read_all(text)] == want


DATA: dict[str, tuple[str, object]] = {
    "numbers that JSON writes without a point are whole": ("[1.0, 1e3, 100000000000000000000.0]", [1, 1000, 10**20]),
    "a float keeps its point where JSON does": ("[1.5, 1e21]", [1.5, 1e21]),
    "an integer of thousands of digits is a word": (f"a: {'9' * 5000}", {"a": "9" * 5000}),
    "binary digits may have a second sign, and no more than 64": (
        f"[0b-101, -0b11, 0b+1, +0b1, 0b{'1' * 64}, -0b+1, 0B-1, 0b{'1' * 65}]",
        [-5, -3, 1, 1, (1 << 64) - 1, "-0b+1", "0B-1", f"0b{'1' * 65}"],
    ),
    "a float may start with its point, and hold underscores": ("[.5_0, .9_3e1, .5__0]", [0.5, 9.3, ".5__0"]),
    "a key is a float of 32 bits": (
        "{1.10: a, 1e6: b, .1: c, 1e-5: d, 1e39: e, -1e39: f, .nan: g}",
        dict(zip(["1.1", "1e+06", "0.1", "1e-05", ".inf", "-.inf", ".nan"], "abcdefg", strict=True)),
    ),
    "a key is an alias of a value": ("a: &x 017\n*x : b\n", {"a": 15, "15": "b"}),
    "an anchor may be inside one of its name": ("a: &x {b: &x 1}\nc: *x\n", {"a": {"b": 1}, "c": 1}),
    "an anchor may be set again": ("a: &x 1\nb: &x 2\nc: *x\n", {"a": 1, "b": 2, "c": 2}),
    "a merge sets over what is before it, and the first of a list wins": (
        "x: 1\n<<: [{x: 2, z: 2}, {x: 3, w: 3}]\nz: 4\n",
        {"x": 2, "w": 3, "z": 4},
    ),
    "a quote with a backslash is a quote in double quotes": (
        """a: "it\\'s"\nb: ["\\'", '\\', "\\\\'"]\n""",
        {"a": "it's", "b": ["'", "\\", "\\'"]},
    ),
    "a byte order mark inside is a character": ("# c\n\ufeffa: \ufeffb\n", {"\ufeffa": "\ufeffb"}),
    "two byte order marks at the start are none": ("\ufeff\ufeffa: 1\n", {"a": 1}),
    "a tag of a date makes a word": ("a: !!timestamp 2001-12-14t21:59:43.10-05:00\n", {"a": "2001-12-14t21:59:43.10-05:00"}),
    "binary that is not UTF-8 has a mark for each byte": ("a: !!binary 4oKC\nb: !!binary /+I=\n", {"a": "\u2082", "b": "\ufffd\ufffd"}),
    "a question mark may stand in a value outside brackets, or quoted": ("a: x?y\nb: ['x?y']\n", {"a": "x?y", "b": ["x?y"]}),
}


@pytest.mark.parametrize(("text", "want"), DATA.values(), ids=DATA.keys())
def test_a_document_holds(text: str, want: object) -> None:
    data = read_data(text)
    assert data == want
    assert repr(data) == repr(want)


def test_a_chunk_that_is_no_json_is_read_as_yaml() -> None:
    chunk = Chunk("{a: 1}", 1, 0, is_json=True)
    assert read_chunk(chunk) == Document({"a": 1}, chunk)


def test_an_alias_is_a_copy() -> None:
    data = read_data("a: &x {b: [1]}\nc: *x\n")
    assert isinstance(data, dict)
    data["c"]["b"].append(2)
    assert data == {"a": {"b": [1]}, "c": {"b": [1, 2]}}


REPEATED: dict[str, tuple[str, list[RepeatedKey]]] = {
    "no key": ("a: 1\nb: {a: 1}\n", []),
    "a key that replaces a merged one": ("a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n", []),
    "a merge that replaces a key": ("a: &x {b: 1}\nc:\n  b: 2\n  <<: *x\n", []),
    "two merges": ("a:\n  <<: {b: 1}\n  <<: {b: 2}\n", []),
    "a key at the top": ("---\na: 1\nb: 2\na: 3\n", [RepeatedKey(("a",), 2, 4, "a")]),
    "a key in a list of mappings": ("a:\n- b: 1\n- b: 1\n  c: 2\n  b: 3\n", [RepeatedKey(("a", 1, "b"), 3, 5, "b")]),
    "a key three times": ("a: 1\na: 2\na: 3\n", [RepeatedKey(("a",), 1, 2, "a"), RepeatedKey(("a",), 1, 3, "a")]),
    "keys that JSON writes alike": (
        '1: a\n"1": b\nyes: c\n"true": d\n',
        [RepeatedKey(("1",), 1, 2, "1"), RepeatedKey(("true",), 3, 4, "true")],
    ),
    "a key in a repeated mapping is reported where it counts": ("a: {b: 1, b: 2}\na: {c: 1}\n", [RepeatedKey(("a",), 1, 2, "a")]),
    "a key in what an alias repeats, once": ("a: &x\n  b: 1\n  b: 2\nc: *x\n", [RepeatedKey(("a", "b"), 2, 3, "b")]),
    "a key in the second document": ("a: 1\n---\nb: 1\nb: 2\n", [RepeatedKey(("b",), 3, 4, "b")]),
    "a key in JSON": ('{"a": {"b": "\\ud83d\\ude00",\n "b": "\\/"}}', [RepeatedKey(("a", "b"), 1, 2, "b")]),
    "a key after a value with a quote": ('a: "it\\\'s"\na: 1\n', [RepeatedKey(("a",), 1, 2, "a")]),
}


@pytest.mark.parametrize(("text", "want"), REPEATED.values(), ids=REPEATED.keys())
def test_repeated_is(text: str, want: list[RepeatedKey]) -> None:
    assert [repeat for result in read_all(text) if isinstance(result, Document) for repeat in result.repeated_keys] == want


def test_the_last_of_a_repeated_key_wins() -> None:
    assert read_data("a: {x: 1}\na: {z: 2}\n") == {"a": {"z": 2}}
    assert read_data('{"a": 1, "a": 2}') == {"a": 2}


def _bomb(levels: int) -> str:
    lines = [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, levels)]
    return "\n".join(["a0: &a0 [x, x, x, x, x, x, x, x, x, x]", *lines])


_MERGED = "a0: &a0 {x: 1}\n" + "".join(f"a{level}: &a{level} {{<<: *a{level - 1}, k{level}: *a{level - 1}}}\n" for level in range(1, 100))
_DEEP = f"lists and mappings nest deeper than {MAX_DEPTH} levels"
LIMITS: dict[str, tuple[str, str]] = {
    "aliases of aliases": (_bomb(7), f"the aliases of this document repeat more than {MAX_COPIED} values"),
    "merges of merges": (_MERGED, f"the aliases of this document repeat more than {MAX_COPIED} values"),
    "aliases that nest deeper": ("a0: &a0 [1]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 300)), _DEEP),
    "an anchor that contains itself": ("a: &x {b: [*x]}", "the anchor &x contains itself"),
    "lists in lists": ("- " * 1000, _DEEP),
    "open brackets": ("[" * 100_000, _DEEP),
    "mappings in mappings": ("".join(" " * depth + "a:\n" for depth in range(1000)), _DEEP),
    "objects in JSON": ('{"a":' * 100_000 + "1" + "}" * 100_000, _DEEP),
    "lists in JSON": ('{"a":' + "[" * 300 + "]" * 300 + "}", _DEEP),
    "a large document": ("a: " + "x" * MAX_SIZE, "the document is larger than 64 MiB: give it as JSON, or in parts"),
}


@pytest.mark.parametrize(("text", "message"), LIMITS.values(), ids=LIMITS.keys())
def test_a_limit_refuses(text: str, message: str) -> None:
    assert read_broken(text)[2] == message


def test_what_is_just_below_the_limits_is_read() -> None:
    flow = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    block = "- " * MAX_DEPTH + "x"
    text = '{"a":' * MAX_DEPTH + "1" + "}" * MAX_DEPTH + '{"a": [' + ", ".join(["[]", '"]"'] * MAX_DEPTH) + "]}"
    assert [type(result) for result in read_all(f"{flow}\n---\n{block}\n")] == [Document, Document]
    assert [type(result) for result in read_all(text)] == [Document, Document]
    assert [type(result) for result in read_all(_bomb(5))] == [Document]


def test_too_many_values_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("preflight.documents.constructor.MAX_VALUES", 10)
    assert [type(result) for result in read_all("[1, 2, 3, 4, 5, 6, 7, 8, 9]\n---\n{a: [1, 2], b: [4, 5]}\n")] == [Document, Document]
    for text in (
        "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]",
        "[[], [], [], [], [], [], [], [], [], []]",
        "[a, b, c, d, [e, f, g, h, i]]",
        "\n".join(f"a{n}: 1" for n in range(12)),
    ):
        assert "more than 10 values" in read_broken(text)[2]


def test_a_bomb_is_refused_at_once() -> None:
    begin = time.process_time()
    assert isinstance(read_all(_bomb(9))[0], InvalidDocument)
    assert time.process_time() - begin < 1
