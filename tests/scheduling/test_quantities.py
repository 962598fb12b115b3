"""Amounts as the real code reads and rounds them; what it refuses, and what it cannot count."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight.scheduling.quantities import QuantityError, count_units, parse_millis
from tests.paths import VECTORS

CASES: list[dict[str, Any]] = json.loads(
    (VECTORS / "quantities.json").read_text(encoding="utf-8"),
)["cases"]
READ = [case for case in CASES if "error" not in case]


def is_unmeant(text: str) -> bool:
    """What the real code reads and we refuse: amounts below 0, and those without a digit, which it takes for 0."""
    number = re.match(r"[+-]?([0-9]*\.?[0-9]*)", text.strip())
    assert number
    return number[1] in ("", ".") or (text.strip().startswith("-") and number[1].strip("0.") != "")


def test_every_recorded_quantity_is_read_alike() -> None:
    different = []
    for case in READ:
        text = case["text"]
        if not is_unmeant(text):
            milli = Fraction(case["decimal"]) * 1000
            if parse_millis(text) != milli:
                different.append((text, case["decimal"], parse_millis(text)))
    assert different == []


def test_every_recorded_quantity_is_counted_alike() -> None:
    different = []
    for case in READ:
        text = case["text"]
        exact = Fraction(case["decimal"])
        if is_unmeant(text):
            continue
        if exact * 1000 < 2**63 and count_units("cpu", parse_millis(text)) != case["milliValue"]:
            different.append((text, "cpu"))
        if exact <= 2**63 - 1 and count_units("memory", parse_millis(text)) != case["value"]:
            different.append((text, "memory"))
    assert different == []


@pytest.mark.parametrize("case", [case for case in CASES if "error" in case], ids=lambda case: repr(case["text"]))
def test_what_the_real_code_refuses_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(QuantityError, match="is no quantity"):
        parse_millis(case["text"])


@pytest.mark.parametrize(
    ("quantity", "milli"),
    [
        pytest.param(0, 0, id="zero, a number"),
        pytest.param(2, 2000, id="a whole number"),
        pytest.param(0.1, 100, id="a number with a fraction"),
        pytest.param(1e16, 10**19, id="a large number, written with an exponent"),
        pytest.param("-0", 0, id="minus zero"),
        pytest.param("0e999999999", 0, id="zero times anything"),
        pytest.param("1e-999999999", 1, id="something that is nearly nothing"),
        pytest.param("9Ei", (2**63 - 1) * 1000, id="more than 64 bits with a binary suffix ends there"),
    ],
)
def test_a_quantity_in_thousandths(quantity: str | float, milli: int) -> None:
    assert parse_millis(quantity) == milli


@pytest.mark.parametrize(
    ("quantity", "why"),
    [
        pytest.param("", "'' is no quantity: it has no digits", id="nothing"),
        pytest.param("m", "'m' is no quantity: it has no digits", id="a suffix alone"),
        pytest.param("1K", "'1K' is no quantity: 'K' is no suffix", id="a capital K"),
        pytest.param("1e", "'1e' is no quantity: 'e' is no suffix", id="an exponent without a number"),
        pytest.param("1e99999999999", "'1e99999999999' is no quantity: 'e99999999999' is no suffix", id="an exponent beyond all bounds"),
        pytest.param("1e1000", "'1e1000' is more than the scheduler can count", id="a number beyond all bounds"),
        pytest.param("-5", "'-5' is below 0", id="below 0"),
        pytest.param(True, "'True' is no quantity", id="true"),
        pytest.param("1" * 500, f"'{'1' * 200}' is no quantity", id="a text without end"),
    ],
)
def test_what_is_no_quantity(quantity: str | float, why: str) -> None:
    with pytest.raises(QuantityError) as error:
        parse_millis(quantity)
    assert str(error.value) == why


def test_cpu_is_counted_in_thousandths_and_all_else_in_whole_units_rounded_up() -> None:
    assert [count_units(name, 1500) for name in ("cpu", "memory", "pods", "example.com/gpu")] == [1500, 2, 2, 2]
    assert [count_units(name, 1) for name in ("cpu", "memory")] == [1, 1]
    assert [count_units(name, 0) for name in ("cpu", "memory")] == [0, 0]


@pytest.mark.parametrize("resource", ["cpu", "memory"])
def test_beyond_64_bits_nothing_is_counted(resource: str) -> None:
    with pytest.raises(QuantityError, match=f"^{resource} is more than the scheduler can count$"):
        count_units(resource, parse_millis("10E"))


@given(number=st.integers(0, 10**12), digits=st.integers(0, 9))
def test_a_decimal_and_its_nano_form_are_the_same(number: int, digits: int) -> None:
    text = f"{number / 1:.0f}" if not digits else f"{number // 10**digits}.{number % 10**digits:0{digits}d}"
    assert parse_millis(text) == parse_millis(f"{number * 10 ** (9 - digits)}n")
