"""What drains came to: counts by verdict and by value, each with what differs and what was left to chance, and what was left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from tests.truth.drains.values import Compared

_COUNTERS = ("pods", "values", "left_out", "drains", "codes", "flags", "replacements")


class Account:
    """Counts of drains and of what was compared; two accounts add up.

    1. `pods` counts by verdict, `values` by what was compared, each with whether it was equal, and whether more than one answer could be.
    2. `left_out` counts, by its reason, what was not compared: parts of pods, whole drains, whole worlds.
    3. `drains` counts by the number of nodes, `codes` by kubectl's exit code, `flags` by flag, `replacements` by what became of these.
    4. `refused` counts the drains that the program refused and kubectl did not, or the other way round: each is a mismatch.
    """

    def __init__(self) -> None:
        self.pods: Counter[tuple[str, bool, bool]] = Counter()
        self.values: Counter[tuple[str, bool, bool]] = Counter()
        self.left_out: Counter[str] = Counter()
        self.drains: Counter[str] = Counter()
        self.codes: Counter[str] = Counter()
        self.flags: Counter[str] = Counter()
        self.replacements: Counter[str] = Counter()
        self.refused = 0

    def add(self, found: Iterable[Compared]) -> list[Compared]:
        """Count comparisons; the answer are those that differ."""
        different = []
        for compared in found:
            (self.pods if compared.is_pod else self.values)[compared.of, compared.equal, compared.by_chance] += 1
            self.left_out.update(compared.left_out)
            if not compared.equal:
                different.append(compared)
        return different

    def merge(self, other: Account) -> None:
        for name in _COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self.refused += other.refused

    @property
    def mismatches(self) -> int:
        """Pods and values that differ, and drains that only one of both refused."""
        return sum(count for (_, equal, _), count in (self.pods + self.values).items() if not equal) + self.refused

    def dumped(self) -> dict[str, object]:
        """The account as plain data."""
        return {
            name: [[*(key if isinstance(key, tuple) else (key,)), count] for key, count in sorted(getattr(self, name).items())]
            for name in _COUNTERS
        } | {"refused": self.refused}

    @classmethod
    def of(cls, data: Mapping[str, object]) -> Account:
        """The account that `dumped` made this plain data of."""
        account = cls()
        for name in _COUNTERS:
            for *key, count in data[name]:  # type: ignore[attr-defined]
                getattr(account, name)[tuple(key) if len(key) > 1 else key[0]] = count
        account.refused = data["refused"]  # type: ignore[assignment]
        return account

    def table(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{'VERDICT':34} {'PODS':>8} {'DIFFERENT':>10} {'BY CHANCE':>10}"
        yield from _rows(self.pods, "all pods")
        yield ""
        yield f"{'OF A DRAIN':34} {'VALUES':>8} {'DIFFERENT':>10} {'BY CHANCE':>10}"
        yield from _rows(self.values, "all values")
        yield ""
        for title, counts in (
            ("drains by nodes", self.drains),
            ("kubectl ended with", self.codes),
            ("replacements are Ready", self.replacements),
            ("flags", self.flags),
            ("left out", self.left_out),
        ):
            yield f"{title}: " + (", ".join(f"{count} {name}" for name, count in sorted(counts.items())) or "nothing")
        yield f"refused by one of both: {self.refused}"
        yield f"{self.drains.total()} drains, {self.mismatches} mismatches"


def _rows(counts: Mapping[tuple[str, bool, bool], int], total: str) -> Iterator[str]:
    names = sorted({name for name, _, _ in counts})
    for title, wanted in (*((name, {name}) for name in names), (total, set(names))):
        found = {key: count for key, count in counts.items() if key[0] in wanted}
        different = sum(count for (_, equal, _), count in found.items() if not equal)
        chance = sum(count for (_, equal, by_chance), count in found.items() if equal and by_chance)
        yield f"{title:34} {sum(found.values()):8} {different:10} {chance:10}"
