"""Sets of completion indexes, written and read as the status of a Job writes them."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.scheduling.jobs.indexes import IndexSet, make_index_set, parse_index_set

SETS = st.frozensets(st.integers(0, 30))


@pytest.mark.parametrize(
    ("text", "completions", "answer"),
    [
        pytest.param("", 6, (), id="nothing"),
        pytest.param("2", 6, ((2, 2),), id="one"),
        pytest.param("0,2-4", 6, ((0, 0), (2, 4)), id="one and three"),
        pytest.param("0,1", 6, ((0, 1),), id="two neighbours are one interval"),
        pytest.param("0,2-9", 6, ((0, 0), (2, 5)), id="cut at the completions"),
        pytest.param("0,7-9", 6, ((0, 0),), id="what is above the completions is left out"),
        pytest.param("x,1-y,3", 6, ((3, 3),), id="what is no interval is left out"),
        pytest.param("4-2,-1,1 ", 6, (), id="backwards, negative, with a blank"),
        pytest.param("0-" + "9" * 19, 6, ((0, 5),), id="a huge number is cut like any"),
        pytest.param("0-" + "9" * 20, 6, (), id="a number of more than 64 bits is none"),
        pytest.param("9" * 5000, 6, (), id="a number of more digits than anybody reads"),
    ],
)
def test_a_text_is_read(text: str, completions: int, answer: tuple[tuple[int, int], ...]) -> None:
    assert parse_index_set(text, completions).intervals == answer


@pytest.mark.parametrize(
    ("indexes", "text"),
    [
        pytest.param((), "", id="nothing"),
        pytest.param((1,), "1", id="one"),
        pytest.param((1, 2), "1,2", id="two neighbours have a comma"),
        pytest.param((1, 2, 3, 5), "1-3,5", id="three have a dash"),
    ],
)
def test_a_set_is_written(indexes: tuple[int, ...], text: str) -> None:
    assert str(make_index_set(indexes)) == text


def test_the_indexes_of_a_job_of_a_thousand_million_are_not_expanded() -> None:
    done = IndexSet(((0, 999_999_997),))
    assert len(done) == 999_999_998
    assert list(done.iter_missing(1_000_000_000)) == [999_999_998, 999_999_999]
    assert list(islice(make_index_set([1]).iter_missing(1_000_000_000), 3)) == [0, 2, 3]


@given(SETS)
def test_what_is_written_is_read_again(indexes: frozenset[int]) -> None:
    assert parse_index_set(str(make_index_set(indexes)), 31) == make_index_set(indexes)


@given(SETS, SETS)
def test_it_is_a_set(one: frozenset[int], other: frozenset[int]) -> None:
    both = make_index_set(one) | make_index_set(other)
    assert both == make_index_set(one | other)
    assert len(both) == len(one | other)
    assert [index for index in range(32) if index in both] == sorted(one | other)
    assert make_index_set(one).count_shared(make_index_set(other)) == len(one & other)
    assert list(make_index_set(one).iter_missing(20)) == [index for index in range(20) if index not in one]
