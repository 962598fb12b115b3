"""Sets of completion indexes as the status of a Job writes them: `0,2-4`; never expanded, for a Job may have a thousand million."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct


class IndexSet(Struct, frozen=True):
    """Completion indexes as intervals: in order, apart from one another, each with its first and its last."""

    intervals: tuple[tuple[int, int], ...] = ()

    def __contains__(self, index: int) -> bool:
        return any(first <= index <= last for first, last in self.intervals)

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.intervals)

    def __str__(self) -> str:
        """As the status writes them: two neighbours with a comma, more with a dash."""
        return ",".join(
            str(first) if first == last else f"{first}{',' if last == first + 1 else '-'}{last}" for first, last in self.intervals
        )

    def __or__(self, other: IndexSet) -> IndexSet:
        merged: list[tuple[int, int]] = []
        for first, last in sorted((*self.intervals, *other.intervals)):
            if merged and first <= merged[-1][1] + 1:
                merged[-1] = (merged[-1][0], max(merged[-1][1], last))
            else:
                merged.append((first, last))
        return IndexSet(tuple(merged))

    def count_shared(self, other: IndexSet) -> int:
        """How many indexes are in both."""
        return len(self) + len(other) - len(self | other)

    def iter_missing(self, below: int) -> Iterator[int]:
        """The indexes below a number that are not in it, in order."""
        candidate = 0
        for first, last in self.intervals:
            yield from range(candidate, min(first, below))
            candidate = last + 1
        yield from range(candidate, below)


def make_index_set(indexes: Iterable[int]) -> IndexSet:
    """A set of single indexes."""
    return IndexSet() | IndexSet(tuple((index, index) for index in indexes))


def parse_index_set(text: str, completions: int) -> IndexSet:
    """The indexes of a text, those of `completions` and above left out; what is no interval is left out too.

    Source: `pkg/controller/job/indexed_job_utils.go`, parseIndexesFromString.
    """
    found = []
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        if _is_number(first) and _is_number(last or first):
            found.append((int(first), int(last or first)))
    return IndexSet() | IndexSet(
        tuple((first, min(last, completions - 1)) for first, last in found if first < completions and first <= last)
    )


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 20
