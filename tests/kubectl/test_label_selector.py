"""Label selectors: what they select, what nobody knows, and what Kubernetes refuses in which words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.errors import PreflightError, UsageError
from preflight.kubectl.label_selector import parse_selector
from tests.change.changes import node, partial

LABELS = {"pool": "a", "gpus": "8", "empty": "", "neg": "-3", "word": "x1"}

ANSWERS: list[tuple[str, bool]] = [
    ("", True),
    (" ", True),
    ("pool", True),
    ("pool=a", True),
    ("pool==a", True),
    ("pool = a", True),
    ("pool=b", False),
    ("pool!=a", False),
    ("pool!=b", True),
    ("other!=b", True),
    ("other", False),
    ("!other", True),
    ("! other", True),
    ("!pool", False),
    ("pool in (a)", True),
    ("pool in (b, a)", True),
    ("pool in(b,c)", False),
    ("other in (a)", False),
    ("pool notin (a)", False),
    ("pool notin (b)", True),
    ("other notin (b)", True),
    ("pool=", False),
    ("empty=", True),
    ("empty in ()", True),
    ("empty in (,)", True),
    ("empty in (,b)", True),
    ("empty in (b,)", True),
    ("empty in (b,,c)", True),
    ("pool in ()", False),
    ("pool=a,gpus", True),
    ("pool=a,!gpus", False),
    ("gpus>7", True),
    ("gpus > 8", False),
    ("gpus<9", True),
    ("gpus<08", False),
    ("gpus>007", True),
    ("other>1", False),
    ("other<1", False),
    ("word>1", False),
    ("empty>0", False),
    ("in=in", False),
    ("in!=in", True),
    ("notin", False),
    ("pool in (in,notin,a)", True),
    ("pool=a\t,\npool", True),
]

REFUSED: list[tuple[str, str]] = [
    ("=a", "found '=', expected: !, identifier, or 'end of string'"),
    (",", "found ',', expected: !, identifier, or 'end of string'"),
    ("a,", "found '', expected: identifier after ','"),
    ("a,=b", "found '=', expected: identifier after ','"),
    ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
    ("a!b", "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt"),
    ("a=b=c", "found '=', expected: ',' or 'end of string'"),
    ("a===b", "unable to parse requirement: found '=', expected: identifier"),
    ("!a=b", "found '=', expected: ',' or 'end of string'"),
    ("!!a", "unable to parse requirement: found '!', expected: identifier"),
    ("!", "unable to parse requirement: found '', expected: identifier"),
    ("a in b", "unable to parse requirement: found 'b' expected: '('"),
    ("a in (", "unable to parse requirement: found '', expected: ',', ')' or identifier"),
    ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
    ("a in (b c)", "unable to parse requirement: found 'c', expected: ',' or ')'"),
    ("a in (b=c)", "unable to parse requirement: found '=', expected: ',' or ')'"),
    ("a in (,=)", "unable to parse requirement: found '=', expected: ',', or identifier"),
    ("a in (=)", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
    ("a=)", "unable to parse requirement: found ')', expected: identifier"),
    ("a>x", "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer"),
    ("a>", "unable to parse requirement: values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must be an integer"),
    ("a<9223372036854775808", "unable to parse requirement: values[0]: Invalid value: \"9223372036854775808\": for 'Gt'"),
    ("a=-5", 'unable to parse requirement: values[0][a]: Invalid value: "-5": a valid label must be an empty string or consist of'),
    ("a in (b,-5)", 'unable to parse requirement: values[0][a]: Invalid value: "-5": a valid label must be'),
    ("a/b/c=d", 'unable to parse requirement: <nil>: Invalid value: "a/b/c": a valid label key must consist of'),
    ("/a", 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'),
]

PARTIAL: list[tuple[str, bool | None]] = [
    ("", True),
    ("pool=a", True),
    ("pool=b", False),
    ("zone", None),
    ("zone=x", None),
    ("zone!=x", None),
    ("!zone", None),
    ("zone>1", None),
    ("gone", False),
    ("!gone", True),
    ("gone!=x", True),
    ("pool=a,zone=x", None),
    ("pool=b,zone=x", False),
    ("zone=x,gone", False),
]

WRITTEN: list[tuple[str, str]] = [
    ("", ""),
    (" pool == a , ! x ", "pool=a,!x"),
    ("a in (c,b),d notin (e)", "a in (b,c),d!=e"),
    ("a notin (c,b), f", "a notin (b,c),f"),
    ("g>1,h<2,i=", "g>1,h<2,i="),
]

STATED: list[tuple[str, tuple[dict[str, str], set[str]] | None]] = [
    ("", ({}, set())),
    ("b=2,a in (1)", ({"a": "1", "b": "2"}, set())),
    ("a in (1,2),!b,c!=3,d>4", ({}, {"b"})),
    ("a=1,a=2", None),
    ("a=1,a!=1", None),
    ("a=1,a in (1,2)", ({"a": "1"}, set())),
    ("a=1,!a", None),
    ("a,!a", None),
    ("a=1,a>0", ({"a": "1"}, set())),
    ("a=1,a>1", None),
]


@pytest.mark.parametrize(("text", "answer"), ANSWERS)
def test_selects(text: str, answer: bool) -> None:
    selector = parse_selector(text)
    assert selector.selects(LABELS) is answer
    assert selector.selects_node(node("n1", labels=LABELS)) is answer


@pytest.mark.parametrize(("text", "says"), REFUSED)
def test_is_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_selector(text)
    assert str(refused.value).startswith(says)


@pytest.mark.parametrize(("text", "answer"), PARTIAL)
def test_a_partly_known_node(text: str, answer: bool | None) -> None:
    assert parse_selector(text).selects_node(partial("n1", absent=["gone"], pool="a")) is answer


@pytest.mark.parametrize(("text", "written"), WRITTEN)
def test_is_written(text: str, written: str) -> None:
    assert str(parse_selector(text)) == written


@pytest.mark.parametrize(("text", "stated"), STATED)
def test_what_every_selected_node_states(text: str, stated: tuple[dict[str, str], set[str]] | None) -> None:
    found = parse_selector(text).implied_labels()
    assert (found and (found[0], set(found[1]))) == stated


@given(st.text(alphabet="ab=!(),<> in", max_size=12))
def test_what_is_read_is_written_and_read_again(text: str) -> None:
    try:
        selector = parse_selector(text)
    except PreflightError:
        return
    assert parse_selector(str(selector)) == selector
