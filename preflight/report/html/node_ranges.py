"""Many names in few characters: `node-[001-250,252].example` for 251 nodes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_LAST_NUMBER = re.compile(r"([0-9]{1,9})[^0-9]*\Z")
_SPECIAL = frozenset("[], ")
_LEAST = 3


def compress_names(names: Iterable[str]) -> list[str]:
    """The names, sorted, those that differ only in a number drawn together.

    1. Three or more names are drawn together; `a-[1-3,7]` stands for a-1, a-2, a-3 and a-7, and `a-[08-10]` for a-08, a-09 and a-10.
       Two numbers in a row are written both.
    2. The number is the last one before the first dot, so that a zone or a domain stays as it is; that of an address is its last.
    3. A name that holds a bracket, a comma or a blank stands alone, so that what is drawn together reads in one way only.
    """
    alone: list[str] = []
    groups: dict[tuple[str, str], list[str]] = {}
    for name in dict.fromkeys(names):
        around, number = _split_at_number(name)
        if number:
            groups.setdefault(around, []).append(number)
        else:
            alone.append(name)
    for (before, after), digits in groups.items():
        if len(digits) < _LEAST:
            alone += (f"{before}{digit}{after}" for digit in digits)
        else:
            alone.append(f"{before}[{','.join(_compress_digits(digits))}]{after}")
    return sorted(alone, key=lambda name: (name.replace("[", ""), name))


@lru_cache(maxsize=50_000)
def _split_at_number(name: str) -> tuple[tuple[str, str], str]:
    """What is before and behind the number that names are drawn together by, and the number; "" for a name that stands alone."""
    label = name.partition(".")[0]
    found = _LAST_NUMBER.search(name if label.isdecimal() else label)
    if found is None or not _SPECIAL.isdisjoint(name):
        return (name, ""), ""
    return (name[: found.start(1)], name[found.end(1) :]), found[1]


def _compress_digits(digits: list[str]) -> Iterable[str]:
    digits.sort(key=lambda number: (len(number), number))
    start = 0
    for at in range(1, len(digits) + 1):
        if at < len(digits) and digits[at] == str(int(digits[at - 1]) + 1).zfill(len(digits[start])):
            continue
        run = digits[start:at]
        yield from [f"{run[0]}-{run[-1]}"] if len(run) >= _LEAST else run
        start = at
