"""What a batch found: counts by change kind, outcome and update strategy, and each mismatch with what it takes to see it again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from tests.truth.comparing import LEFT_OUT, Compared
from tests.truth.state import Key

COUNTERS = ("by_outcome", "by_strategy", "changes", "refused", "numbers", "events")


class Account:
    """Counts of comparisons, equal or not; two accounts add up.

    1. `by_outcome` counts by kind and outcome, `by_strategy` by the DaemonSet's update strategy, each with the stage and whether equal.
    2. `changes` counts changes by kind; `refused` those that kubectl and the program refused alike.
    3. `numbers` counts the DaemonSets whose status was compared, by whether it was equal.
    4. `events` counts what the control plane did with pods: bound them, left them Pending, preempted them.
    """

    def __init__(self) -> None:
        self.by_outcome: Counter[tuple[str, str, str, bool]] = Counter()
        self.by_strategy: Counter[tuple[str, str, bool]] = Counter()
        self.changes: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.numbers: Counter[bool] = Counter()
        self.events: Counter[str] = Counter()
        self.faults = 0

    def add(self, kind: str, found: Iterable[Compared], strategies: Mapping[Key, str]) -> list[Compared]:
        """Count comparisons; the answer are those that differ."""
        different = []
        for compared in found:
            self.by_outcome[kind, compared.outcome, compared.stage, compared.equal] += 1
            if compared.outcome not in LEFT_OUT:
                self.by_strategy[strategies.get(compared.pair[:2], "gone"), compared.stage, compared.equal] += 1
            if not compared.equal:
                different.append(compared)
        return different

    def merge(self, other: Account) -> None:
        for name in COUNTERS:
            getattr(self, name).update(getattr(other, name))
        self.faults += other.faults

    @property
    def mismatches(self) -> int:
        """Pairs, status numbers and whole changes that differ."""
        return sum(count for (*_, equal), count in self.by_outcome.items() if not equal) + self.numbers[False] + self.faults

    def dumped(self) -> dict[str, object]:
        """The account as plain data."""
        return {
            name: [[*(key if isinstance(key, tuple) else (key,)), count] for key, count in sorted(getattr(self, name).items())]
            for name in COUNTERS
        } | {"faults": self.faults}

    @classmethod
    def of(cls, data: Mapping[str, object]) -> Account:
        """The account that `dumped` made this plain data of."""
        account = cls()
        for name in COUNTERS:
            for *key, count in data[name]:  # type: ignore[attr-defined]
                getattr(account, name)[tuple(key) if len(key) > 1 else key[0]] = count
        account.faults = data["faults"]  # type: ignore[assignment]
        return account

    def table(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{'CHANGE':28} {'OUTCOME':30} {'PAIRS':>8} {'RE-CREATED':>10} {'MISMATCHES':>10}"
        for kind in sorted({key[0] for key in self.by_outcome}):
            mine = {key[1:]: count for key, count in self.by_outcome.items() if key[0] == kind}
            for outcome in sorted({key[0] for key in mine}, key=lambda name: (name in LEFT_OUT, name)):
                yield _line(kind, outcome, mine, [outcome])
            changes = f"   ({self.changes[kind]} changes)"
            yield _line(kind, "all that were judged", mine, {key[0] for key in mine}.difference(LEFT_OUT)) + changes
        yield ""
        every: Counter[tuple[str, str, bool]] = Counter()
        for key, count in self.by_outcome.items():
            every[key[1:]] += count
        for outcome in sorted({key[0] for key in every}):
            yield _line("every change", outcome, every, [outcome])
        yield ""
        for strategy in sorted({key[0] for key in self.by_strategy}):
            yield _line("update strategy", strategy, self.by_strategy, [strategy])
        yield ""
        yield "pods: " + (", ".join(f"{count} {what}" for what, count in sorted(self.events.items())) or "nothing happened")
        yield f"status numbers: {self.numbers.total()} DaemonSets compared, {self.numbers[False]} different"
        yield f"refused alike: {self.refused.total()} changes; whole changes that went otherwise: {self.faults}"
        yield f"{self.changes.total()} changes, {self.mismatches} mismatches"


def _line(kind: str, name: str, counts: Mapping[tuple[str, str, bool], int], wanted: Collection[str]) -> str:
    """Pairs once settled, pairs after a re-creation, and what differs of both, of what is wanted."""
    found = {key: count for key, count in counts.items() if key[0] in wanted}
    pairs = sum(count for (_, stage, _), count in found.items() if stage == "settled")
    wrong = sum(count for (*_, equal), count in found.items() if not equal)
    return f"{kind:28} {name:30} {pairs:8} {sum(found.values()) - pairs:10} {wrong:10}"


def keep(folder: Path, lines: list[list[str]], different: Iterable[Mapping[str, object]]) -> None:
    """Write what differs into the folder of its change, where the dump and the files of the change are."""
    with (folder / "mismatches.jsonl").open("a", encoding="utf-8") as file:
        for each in different:
            file.write(json.dumps({"lines": lines, **each}) + "\n")
