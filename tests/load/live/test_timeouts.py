"""Times as kubectl's --request-timeout takes them."""

from __future__ import annotations

import pytest

from preflight.load.live.target import LONGEST_TIMEOUT, parse_timeout

SECONDS = {
    "5": 5.0,
    "5s": 5.0,
    "1m": 60.0,
    "1m30s": 90.0,
    "1.5h": 5400.0,
    "300ms": 0.3,
    "1h0m0.5s": 3600.5,
    ".5s": 0.5,
    "+2s": 2.0,
    "0": LONGEST_TIMEOUT,
    "0s": LONGEST_TIMEOUT,
    "0m0s": LONGEST_TIMEOUT,
    "-5s": LONGEST_TIMEOUT,
    "100000h": LONGEST_TIMEOUT,
    "soon": None,
    "": None,
    "5 s": None,
    "5d": None,
    "1m30": None,
    "-5": None,
    "1.5": None,
    "\u0665": None,
    "5s\n": None,
}


@pytest.mark.parametrize(("text", "seconds"), SECONDS.items())
def test_a_time_is_read_as_kubectl_reads_it(text: str, seconds: float | None) -> None:
    found = parse_timeout(text)
    assert found is None if seconds is None else found == pytest.approx(seconds)
