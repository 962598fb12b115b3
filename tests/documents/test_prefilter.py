"""The filter refuses what cannot be of a wanted kind, and never what is."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.documents import Document, InvalidDocument, SkippedDocument, locate_paths, read_yaml
from tests.documents.generator import WANTED, document
from tests.documents.read_text import outline, read_all

SKIPPED = {
    "another kind": "apiVersion: v1\nkind: ConfigMap\n",
    "another kind in quotes": "kind: 'ConfigMap'\n---\nkind: \"ConfigMap\" # c\n",
    "a longer kind": "kind: DaemonSetList\n",
    "another case": "kind: daemonset\n",
    "a wanted kind inside": "kind: ConfigMap\nspec:\n  kind: DaemonSet\n  x: {kind: DaemonSet}\n",
    "a wanted kind in a block": "kind: ConfigMap\ndata:\n  a: |\n    kind: DaemonSet\n",
    "a wanted kind in a comment": "# kind: DaemonSet\nkind: ConfigMap\n",
    "carriage returns": "# c\r\n\r\nkind: ConfigMap\r\nspec:\r\n  kind: DaemonSet\r\n",
    "no kind": "a: 1\nspec: DaemonSet\n",
    "errors that stay unseen": "kind: ConfigMap\n  - {\n",
    "another kind between braces": "{kind: ConfigMap}\n---\n[1, 2]\n",
    "JSON of another kind": '{"kind": "ConfigMap"}{"kind": "Secret"}',
}
PARSED = {
    "a wanted kind": "kind: DaemonSet\n",
    "after comments": "# c\n\n  # d\nkind: DaemonSet\n",
    "with a comment": "kind: DaemonSet # c\n",
    "in quotes": "kind: 'DaemonSet'\n",
    "with blanks": "kind  :\tDaemonSet  \n",
    "with carriage returns": "a: 1\r\nkind: DaemonSet\r\n",
    "on the next line": "kind:\n  DaemonSet\n",
    "as a block": "kind: |-\n  DaemonSet\n",
    "with a tag": "kind: !!str DaemonSet\n",
    "as an alias": "a: &x DaemonSet\nkind: *x\n",
    "as binary": "kind: !!binary RGFlbW9uU2V0\n",
    "with an escape": 'kind: "D\\x61emonSet"\n',
    "the key in quotes": "a: 1\n'kind': DaemonSet\n",
    "the key with an escape": 'a: 1\n"k\\x69nd": DaemonSet\n',
    "the key after a question mark": "a: 1\n? kind\n: DaemonSet\n",
    "the key with a tag": "a: 1\n!!str kind: DaemonSet\n",
    "the key with an anchor": "a: 1\n&x kind: DaemonSet\n",
    "the key as an alias": "a: &x kind\n*x : DaemonSet\n",
    "by a merge": "a: &x {kind: DaemonSet}\n<<: *x\n",
    "twice, with the last one wanted": "kind: ConfigMap\nkind: DaemonSet\n",
    "indented": "  a: 1\n  kind: DaemonSet\n",
    "between braces": "{a: 1, kind: DaemonSet}\n",
    "between braces, with an escape": '{"a": 1, "k\\u0069nd": "DaemonSet"}\n---\n{"\\u006bind": "DaemonSet"}\n',
    "after a lone carriage return": "a: 1\rkind: DaemonSet\r",
    "after U+0085": "a: 1\x85kind: DaemonSet\n",
    "after U+2028": "a: 1\u2028kind: DaemonSet\n",
    "after a byte order mark": "\ufeffkind: DaemonSet\n",
    "under a tag": "!!map\nkind: DaemonSet\n",
    "as JSON": '\n {"kind":"DaemonSet"}',
}


@pytest.mark.parametrize("text", SKIPPED.values(), ids=SKIPPED.keys())
def test_it_is_skipped(text: str) -> None:
    results = read_all(text, {"DaemonSet", "Node"})
    assert {outline(result) for result in results} == {"skipped"}
    assert {result.reason for result in results if isinstance(result, SkippedDocument)} == {"holds no wanted kind"}


@pytest.mark.parametrize("text", PARSED.values(), ids=PARSED.keys())
def test_it_is_parsed(text: str) -> None:
    results = read_all(text, {"DaemonSet", "Node"})
    assert [result.data["kind"] for result in results if isinstance(result, Document) and isinstance(result.data, dict)] == [
        "DaemonSet"
    ] * len(results)


@pytest.mark.parametrize("text", SKIPPED.values(), ids=SKIPPED.keys())
@pytest.mark.parametrize("kinds", [(), {"DaemonSet", "a b"}], ids=["no kinds", "a kind that is no word"])
def test_nothing_is_skipped_for(text: str, kinds: set[str]) -> None:
    assert not [result for result in read_all(text, kinds) if isinstance(result, SkippedDocument)]


@pytest.mark.parametrize(
    ("text", "skips"),
    [
        pytest.param("kind: ConfigMap\ndata: {a: b}\n", True, id="without the word"),
        pytest.param("kind: ConfigMap\ndata: {a: resourceList}\n", False, id="with the word"),
        pytest.param("kind: Node\ndata: {a: b}\n", False, id="of a kind that needs no word"),
        pytest.param("kind: ConfigMap\nkind: Node\n", False, id="that may be of another kind"),
        pytest.param("{kind: ConfigMap}\n", True, id="between braces"),
        pytest.param('{"k\\u0069nd": "Node"}\n', False, id="with an escape"),
        pytest.param("kind: Secret\ndata: {a: resourceList}\n", True, id="with the word, of a kind that nobody wants"),
    ],
)
def test_a_kind_with_clues_is_parsed_where_one_stands(text: str, skips: bool) -> None:
    (result,) = read_yaml(text, {"Node", "ConfigMap"}, {"ConfigMap": ("resourceList",), "Secret": ("x",)})
    assert isinstance(result, SkippedDocument) is skips


def test_what_is_skipped_keeps_its_place() -> None:
    skipped, wanted = read_all("a: 1\n---\nkind: Node\n", {"Node"})
    assert isinstance(skipped, SkippedDocument)
    assert isinstance(wanted, Document)
    assert (skipped.chunk.line, skipped.chunk.index, wanted.chunk.line, wanted.chunk.index) == (1, 0, 3, 1)


def missed(text: str) -> list[object]:
    """The documents of a wanted kind that the filter skips."""
    skipped = {result.chunk.index for result in read_yaml(text, WANTED) if isinstance(result, SkippedDocument)}
    return [
        result.data
        for result in (read_yaml(text, ()) if skipped else ())
        if isinstance(result, Document)
        and result.chunk.index in skipped
        and isinstance(result.data, dict)
        and result.data.get("kind") in WANTED
    ]


def test_no_spelling_slips_a_kind_past_the_filter() -> None:
    random = Random(20_250_101)
    wanted = skipped = 0
    for _ in range(20_000):
        text = document(random)
        assert missed(text) == [], ascii(text)
        for result in read_yaml(text, WANTED):
            wanted += isinstance(result, Document) and isinstance(result.data, dict) and result.data.get("kind") in WANTED
            skipped += isinstance(result, SkippedDocument)
    assert wanted > 3_000
    assert skipped > 500


WORDS = [
    "kind",
    ": ",
    "DaemonSet",
    "Node",
    "\\x6b",
    "? ",
    "&a",
    "*a",
    "<<",
    "!!str ",
    "!!binary ",
    "# ",
    ">-",
    "---",
    "...",
    "%YAML 1.1",
    "\\/",
    "\\'",
]
PIECES = st.sampled_from([*WORDS, *": '\"{}[],-|~=1a\\\n\n\t\r\x00\x85\xe9\ufeff\ud800"])
TEXTS = st.text() | st.lists(PIECES, max_size=30).map("".join)


@settings(max_examples=1_000)
@given(TEXTS)
def test_any_text_is_read_without_a_crash_and_without_a_miss(text: str) -> None:
    assert missed(text) == []
    for result in read_yaml(text, ()):
        lines = text.split("\n")
        if isinstance(result, InvalidDocument):
            assert 1 <= result.line <= len(lines)
            assert 1 <= result.column <= len(lines[result.line - 1]) + 1
            assert result.message.isprintable()
            assert not result.message.endswith(".")
        elif isinstance(result, Document):
            assert locate_paths(result.chunk, [(), ("kind",), (0,)])
