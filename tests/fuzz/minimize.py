"""Makes a case small: files, lines, documents, fields and words are left out as long as it breaks the same law at the same place."""

from __future__ import annotations

import copy
import time
from collections.abc import Iterator
from typing import Any

from tests.fuzz.cases import Case, Fault
from tests.fuzz.damage import dump, parse
from tests.fuzz.laws import find_fault

SECONDS = 20.0


def minimize(case: Case, fault: Fault, seconds: float = SECONDS) -> Case:
    """The smallest case that is found in this time."""
    end = time.monotonic() + seconds
    is_smaller = True
    while is_smaller:
        is_smaller = False
        for smaller in _iter_smaller(case):
            if time.monotonic() > end:
                return case
            if _breaks(smaller, fault):
                case, is_smaller = smaller, True
                break
    return case


def _breaks(case: Case, fault: Fault) -> bool:
    found = find_fault(case)
    return found is not None and found.key == fault.key


def _iter_smaller(case: Case) -> Iterator[Case]:
    """Cases with something left out, the largest parts first."""
    for number in range(len(case.lines)):
        if len(case.lines) > 1:
            yield case._replace(lines=[*case.lines[:number], *case.lines[number + 1 :]])
    for name in sorted(case.files):
        yield case._replace(files={other: data for other, data in case.files.items() if other != name})
    for name, data in sorted(case.files.items()):
        for smaller in _iter_smaller_files(data):
            if len(smaller) < len(data):
                yield case._replace(files={**case.files, name: smaller})
    for number, line in enumerate(case.lines):
        for place in range(1, len(line)):
            yield case._replace(lines=[*case.lines[:number], (*line[:place], *line[place + 1 :]), *case.lines[number + 1 :]])


def _iter_smaller_files(data: bytes) -> Iterator[bytes]:
    documents = parse(data)
    if documents is not None:
        is_json = data.lstrip()[:1] in (b"{", b"[")
        for path in sorted(_iter_paths(documents, ()), key=len):
            smaller = copy.deepcopy(documents)
            holder: Any = smaller
            for key in path[:-1]:
                holder = holder[key]
            del holder[path[-1]]
            yield dump(smaller, is_json=is_json)
    size = len(data)
    while size := size // 2:
        for start in range(0, len(data), size):
            yield data[:start] + data[start + size :]
        if size * 100 < len(data):
            return


def _iter_paths(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        yield (*path, key)
        yield from _iter_paths(child, (*path, key))
