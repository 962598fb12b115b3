"""Exemptions as people write them in manifests, in comments and in annotations."""

from __future__ import annotations

import pytest

from preflight.documents import Chunk
from preflight.policy.inline_exemptions import MAX_EXEMPTIONS, parse_annotation, parse_comments


def chunk(text: str, line: int = 1, *, json: bool = False) -> Chunk:
    return Chunk(text, line, 0, is_json=json)


def comments(text: str, line: int = 1, *, json: bool = False) -> list[tuple[str, str, str, int, int, int]]:
    return [
        (comment.rule, comment.until, comment.reason, comment.line, comment.first_line, comment.last_line)
        for comment in parse_comments(chunk(text, line, json=json))
    ]


NONE = {
    "no comment": "a: 1\n",
    "a comment that only names the program": "# preflight: see the wiki\na: 1\n",
    "another word for it": "a: 1  # preflight: exempted[PF201] reason\n",
    "no space before the comment, so it is none": "a: b# preflight: exempt[PF201] reason\n",
    "another program's": "a: 1  # kube-preflight: exempt[PF201] reason\n",
}


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_no_exemption(text: str) -> None:
    assert comments(text) == []


def test_json_has_no_comments() -> None:
    assert comments('{"a": " # preflight: exempt[PF201] reason"}', json=True) == []


SOME = {
    "behind something: this line": ("a: 1\nb: 2  # preflight: exempt[PF201] it is so\n", [("PF201", "", "it is so", 2, 2, 2)]),
    "alone: the line below": ("a: 1\n# preflight: exempt[PF201] it is so\nb: 2\n", [("PF201", "", "it is so", 2, 2, 3)]),
    "alone, with comments and blanks below": (
        "a: 1\n  # preflight: exempt[PF201] it is so\n\n  # more\n  b: 2\n",
        [("PF201", "", "it is so", 2, 2, 5)],
    ),
    "alone at the end": ("a: 1\n# preflight: exempt[PF201] it is so", [("PF201", "", "it is so", 2, 2, 2)]),
    "in the first lines: the whole object": ("\n# a file\n#preflight:exempt[PF201] it is so\na: 1\n", [("PF201", "", "it is so", 3, 0, 0)]),
    "with Windows line ends": ("a: 1\r\nb: 2 # preflight: exempt[PF201] it is so\r\n", [("PF201", "", "it is so", 2, 2, 2)]),
    "with a day": ("a: 1 # preflight: exempt[PF201 until 2027-01-31] it is so\n", [("PF201", "2027-01-31", "it is so", 1, 1, 1)]),
    "by name": ("a: 1 # preflight: exempt[tolerates-everything] it is so\n", [("tolerates-everything", "", "it is so", 1, 1, 1)]),
    "several rules": (
        "a: 1 # preflight: exempt[PF201, seconds-loop until 2027-01-31] it is so\n",
        [("PF201", "2027-01-31", "it is so", 1, 1, 1), ("seconds-loop", "2027-01-31", "it is so", 1, 1, 1)],
    ),
    "several comments in a row": (
        "a: 1\n# preflight: exempt[PF201] one\n# preflight: exempt[PF202] two\nb: 2\n",
        [("PF201", "", "one", 2, 2, 4), ("PF202", "", "two", 3, 3, 4)],
    ),
    "with a colon behind the brackets": ("a: 1 # preflight: exempt[PF201]: it is so\n", [("PF201", "", "it is so", 1, 1, 1)]),
    "without a reason": ("a: 1 # preflight: exempt[PF201]\n", [("PF201", "", "", 1, 1, 1)]),
    "without a rule": ("a: 1 # preflight: exempt it is so\n", [("", "", "it is so", 1, 1, 1)]),
    "with empty brackets": ("a: 1 # preflight: exempt[] it is so\n", [("", "", "it is so", 1, 1, 1)]),
    "with other words in the brackets": (
        "a: 1 # preflight: exempt[PF201 for ever] it is so\n",
        [("PF201 for ever", "", "it is so", 1, 1, 1)],
    ),
}


@pytest.mark.parametrize(("text", "expected"), SOME.values(), ids=SOME)
def test_exemptions_in_comments(text: str, expected: list[tuple[str, str, str, int, int, int]]) -> None:
    assert comments(text) == expected


def test_lines_are_those_of_the_file() -> None:
    assert comments("a: 1\nb: 2  # preflight: exempt[PF201] it is so\n", line=10) == [("PF201", "", "it is so", 11, 11, 11)]


def test_where_a_comment_starts() -> None:
    (found,) = parse_comments(chunk("a: 1\nbb: 2  # preflight: exempt[PF201] it is so\n"))
    assert (found.column, found.source) == (8, "bb: 2  # preflight: exempt[PF201] it is so")


ANNOTATIONS = {
    "nothing": ("", []),
    "one": ("PF102: nobody misses it", [("PF102", "", "nobody misses it")]),
    "with a day": ("PF102 until 2027-01-31: nobody misses it", [("PF102", "2027-01-31", "nobody misses it")]),
    "by name": ("lost-on-recreation: nobody misses it", [("lost-on-recreation", "", "nobody misses it")]),
    "several, by semicolons": ("PF102: one; PF201: two", [("PF102", "", "one"), ("PF201", "", "two")]),
    "several, by lines": ("PF102: one\n\n  PF201: two\n", [("PF102", "", "one"), ("PF201", "", "two")]),
    "a reason with a semicolon": ("PF102: one; and more: of it; PF201: two", [("PF102", "", "one; and more: of it"), ("PF201", "", "two")]),
    "a reason with a colon": ("PF102: see: the wiki", [("PF102", "", "see: the wiki")]),
    "a rule without a reason": ("PF102", [("PF102", "", "")]),
    "a rule without a reason among others": ("PF102: one; PF201; PF203:", [("PF102", "", "one"), ("PF201", "", ""), ("PF203", "", "")]),
    "a rule that is none": ("PF9999: one", [("PF9999", "", "one")]),
    "a reason without a rule": ("Nobody misses it", [("", "", "Nobody misses it")]),
}


@pytest.mark.parametrize(("text", "expected"), ANNOTATIONS.values(), ids=ANNOTATIONS)
def test_exemptions_in_an_annotation(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert [(exemption.rule, exemption.until, exemption.reason) for exemption in parse_annotation(text)] == expected


def test_of_very_many_only_the_first_are_read() -> None:
    assert len(list(parse_annotation("PF1;" * 1_000_000))) == MAX_EXEMPTIONS
    assert len(comments("a: 1 # preflight: exempt[PF201]\n" * 10_000)) == MAX_EXEMPTIONS
    assert comments("# preflight: exempt[" + "PF201," * 100_000 + "] x\n")[0] == ("PF201", "", "x", 1, 0, 0)
