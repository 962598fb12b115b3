"""Names come from strangers: whatever they hold, a terminal shows it and a CI machine does not obey it."""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import replace

from preflight.inert_text import escape_ci_commands, escape_unprintable
from preflight.model.report import Location, Outcome, Problem, Report, Subject
from preflight.report import FORMATS
from preflight.report.terminal import count_columns, fold, pad
from preflight.report.text import render_problems
from tests.report.reports import ALL, LINT, PLAN, RDMA, covered, finding, report, step

PLAIN = {
    "nothing": ("", ""),
    "a usual name": ("kube-system/kube-proxy", "kube-system/kube-proxy"),
    "letters of other scripts": ("узел ノード é", "узел ノード é"),
    "a colour": ("\x1b[31mred", r"\x1b[31mred"),
    "a line break": ("a\r\nb", r"a\r\nb"),
    "NUL, tab and DEL": ("\0\t\x7f", r"\x00\t\x7f"),
    "a control character of eight bits": ("\x9b31m", r"\x9b31m"),
    "text from right to left": ("\u202eabc\u2066\u200f", r"\u202eabc\u2066\u200f"),
    "characters without width": ("a\u200bb\ufeff", r"a\u200bb\ufeff"),
    "line separators of Unicode": ("a\u2028b\x85", r"a\u2028b\x85"),
    "a space that is none": ("a\xa0b", r"a\xa0b"),
    "a tag character": ("a\U000e0041", r"a\U000e0041"),
    "a byte that is no UTF-8": ("a\udc80", r"a\udc80"),
}


@pytest.mark.parametrize(("text", "shown"), PLAIN.values(), ids=PLAIN)
def test_plain(text: str, shown: str) -> None:
    assert escape_unprintable(text) == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("x a/b  2  tolerates a::b ## [c]", "x a/b  2  tolerates a::b ## [c]"),
        ("::error::forged", r"\x3a:error::forged"),
        ("  ::stop-commands::x", r"  \x3a:stop-commands::x"),
        ("a ##[error]forged", r"a \x23#[error]forged"),
        ("a ##vso[task.complete]", r"a \x23#vso[task.complete]"),
        ("###[error]", r"#\x23#[error]"),
    ],
    ids=["no command", "GitHub", "GitHub, indented", "GitHub of old", "Azure", "three signs"],
)
def test_inert(line: str, shown: str) -> None:
    assert escape_ci_commands(line) == shown


def _spoil(value: Any, nasty: str) -> Any:
    """The value with something nasty before and behind every string in it that is not empty."""
    if isinstance(value, Struct):
        return replace(value, **{name: _spoil(getattr(value, name), nasty) for name in value.__struct_fields__})
    if isinstance(value, tuple):
        return tuple(_spoil(item, nasty) for item in value)
    return f"{nasty}{value}{nasty}" if value and isinstance(value, str) and not isinstance(value, Enum) else value


NASTY = ["\x1b[2J", "\r\nerror[PF102]: forged\n", "\x9b2J", "\u202e", "\u2028", "\udc80", "\0\x07\t", "::error::", "##[error]", "##vso[a]"]
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def _harmless(text: str) -> bool:
    lines = text.split("\n")
    return all(line.isprintable() and not line.lstrip().startswith("::") and not re.search(r"##\w*\[", line) for line in lines)


@pytest.mark.parametrize("clean", ALL.values(), ids=ALL)
@pytest.mark.parametrize("nasty", NASTY, ids=ascii)
def test_no_field_of_a_report_does_harm_or_makes_a_line(clean: Report, nasty: str) -> None:
    spoilt: Report = _spoil(clean, nasty)
    for form in ("text", "concise"):
        text = FORMATS[form](spoilt)
        assert _harmless(text)
        assert text.count("\n") == FORMATS[form](clean).count("\n")
    assert _harmless(COLOUR.sub("", FORMATS["text"](spoilt, color=True, width=80)))
    problems = render_problems(spoilt.problems)
    assert _harmless(problems)
    assert problems.count("\n") == len(clean.problems)


@pytest.mark.parametrize("clean", [RDMA, PLAN, LINT], ids=["a taint", "a plan", "lint"])
@pytest.mark.parametrize("nasty", NASTY, ids=ascii)
def test_json_is_plain_ascii_and_keeps_every_character(clean: Report, nasty: str) -> None:
    spoilt = _spoil(clean, nasty)
    text = FORMATS["json"](spoilt)
    assert re.fullmatch(r"[\n -~]*", text)
    assert json.loads(text)["findings"][0]["message"] == spoilt.findings[0].message


@given(st.text(st.characters(exclude_categories=())), st.integers(0, 100), st.booleans())
def test_random_names_do_no_harm(name: str, width: int, color: bool) -> None:
    given_ = report(
        step(covered(name, Outcome.LOST_NOW, name, nodes=(name,)), headline=name),
        findings=(finding(name, subject=Subject("DaemonSet", name, name), location=Location(name, 1, 3, name, name), label=name),),
    )
    assert _harmless(COLOUR.sub("", FORMATS["text"](given_, width=width, color=color)))
    assert _harmless(FORMATS["concise"](given_))
    assert _harmless(render_problems([Problem(name, Location(name))]))
    assert json.loads(FORMATS["json"](given_))["coverage"][0]["nodes"] == [name]


def test_columns_count_wide_and_combining_characters() -> None:
    assert [count_columns(text) for text in ("", "ab", "中", "e\u0301")] == [0, 2, 2, 1]
    assert pad("中", 4) == "中  "


@pytest.mark.parametrize(
    ("text", "lines"),
    [("", []), ("one", ["one"]), ("one two three", ["one two", "three"]), ("a seventeen-letters b", ["a", "seventeen-letters", "b"])],
    ids=["nothing", "a word", "words", "a word that is too long"],
)
def test_fold(text: str, lines: list[str]) -> None:
    assert fold(text, 8) == lines
