"""The recorded answers: digests, which are committed, the answers themselves, which are not, and how both compare with those of today."""

from __future__ import annotations

import difflib
import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.safety import corpus, examples, generated, rule_cases
from tests.safety.answers import Answer
from tests.safety.runs import Run, digest, perform

SOURCES = {
    "examples": examples.list_runs,
    "cases": rule_cases.list_runs,
    "generated": generated.list_runs,
    "own": corpus.list_own_runs,
    "corpus": corpus.list_public_runs,
}


class Entry(NamedTuple):
    """The line of a run: the digests of what was given and of the answers, and the name."""

    given: str
    answers: str
    name: str


class Record(NamedTuple):
    """Where answers are recorded: a folder with digests, which is committed, and one with the answers, which is not."""

    digests: Path = Path(__file__).parent / "digests"
    answers: Path = Path(__file__).parents[2] / "build/safety"

    def read(self, source: str) -> dict[str, Entry]:
        """The entries of a source by what was given; empty if nothing is recorded."""
        path = self.digests / f"{source}.tsv"
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        entries = (Entry(*line.split("\t")) for line in lines)
        return {entry.given: entry for entry in entries}

    def write(self, source: str, entries: Iterable[Entry]) -> None:
        """Record the entries of a source, by name."""
        self.digests.mkdir(parents=True, exist_ok=True)
        lines = sorted("\t".join(entry) for entry in entries)
        text = "".join(f"{line}\n" for line in sorted(lines, key=lambda line: line.split("\t")[2]))
        (self.digests / f"{source}.tsv").write_text(text, encoding="utf-8")

    def read_answers(self, source: str) -> dict[str, list[Answer]]:
        """The answers of a source by their digest, as far as they were written on this machine."""
        path = self.answers / f"{source}.jsonl"
        if not path.exists():
            return {}
        with path.open(encoding="utf-8") as file:
            found = (json.loads(line) for line in file)
            return {digest(answers): answers for answers in found}

    def write_answers(self, source: str, answers: Iterable[list[Answer]]) -> None:
        """Keep the answers of a source on this machine."""
        self.answers.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(answer, sort_keys=True)}\n" for answer in answers)
        (self.answers / f"{source}.jsonl").write_text(text, encoding="utf-8")


class Difference(NamedTuple):
    """A run whose answers are not those recorded; `recorded` is their digest, "" for a run that is new."""

    run: Run
    recorded: str
    answers: list[Answer]


@cache
def list_runs(source: str) -> tuple[Run, ...]:
    """The runs of a source; none of the public corpus where it is not found."""
    return tuple(SOURCES[source]())


def matches(run: Run, names: Sequence[str]) -> bool:
    """Whether the name of the run contains one of these, or matches it as a pattern."""
    return any(name in run.name or fnmatchcase(run.name, name) for name in names)


def compare(runs: Iterable[Run], record: Record) -> Iterator[Difference]:
    """Perform runs; the result are those that do not answer as recorded."""
    entries = {source: record.read(source) for source in SOURCES}
    for run in runs:
        entry = entries[run.source].get(digest(run.given))
        answers = perform(run)
        if entry is None or entry.answers != digest(answers):
            yield Difference(run, entry.answers if entry else "", answers)


def find_dropped(source: str, record: Record) -> list[str]:
    """The names of recorded runs that nobody performs any more: dropped, or given something else."""
    given = {digest(run.given) for run in list_runs(source)}
    return [entry.name for entry in record.read(source).values() if entry.given not in given]


def explain(differences: Sequence[Difference], record: Record) -> str:
    """The names of all, and of the first that is recorded the command lines and what has changed."""
    names = [f"  {difference.run.name}{'' if difference.recorded else ' (not recorded)'}" for difference in differences]
    more = [f"  and {len(names) - 40} more"] if len(names) > 40 else []
    head = ["These runs do not answer as recorded (see tests/safety):", *names[:40], *more, ""]
    changed = next((difference for difference in differences if difference.recorded), None)
    end = describe(changed, record) if changed else "All of them are new: python -m tests.safety record"
    return "\n".join([*head, end])


def describe(difference: Difference, record: Record) -> str:
    """The command lines of a run, and the difference of its answers; all of the answers where the recorded ones are not on this machine."""
    run = difference.run
    before = record.read_answers(run.source).get(difference.recorded)
    lines = [run.name, *describe_lines(run)]
    if before is None:
        return "\n".join([*lines, "the answers now:", *format_answers(difference.answers)])
    changed = difflib.unified_diff(format_answers(before), format_answers(difference.answers), "recorded", "now", n=6, lineterm="")
    return "\n".join([*lines, *changed])


def describe_lines(run: Run) -> list[str]:
    """The command lines of a run as they are typed."""
    if run.case is None:
        return [f"$ preflight {shlex.join(line)}" for line in run.lines]
    return [f"$ preflight {line}" for line in (run.case.get("run"), *run.case.get("plan", ())) if line]


def format_answers(answers: list[Answer]) -> list[str]:
    """Answers as lines of JSON."""
    return json.dumps(answers, indent=1, sort_keys=True, ensure_ascii=False).splitlines()


class Update(NamedTuple):
    """What recording a source has come to: how many runs there are, and the names of those that were added, dropped, accepted and left."""

    runs: int
    added: list[str]
    dropped: list[str]
    accepted: list[str]
    left: list[str]


def update(source: str, record: Record, accept: Sequence[str] = ()) -> Update:
    """Record a source anew: what is new is added, what is gone is dropped, and an answer that has changed is left unless it is accepted."""
    recorded, kept = record.read(source), record.read_answers(source)
    found = Update(len(list_runs(source)), [], find_dropped(source, record), [], [])
    entries: list[Entry] = []
    for run in list_runs(source):
        given, answers = digest(run.given), perform(run)
        now = digest(answers)
        before = recorded[given].answers if given in recorded else ""
        kept[now] = answers
        if before and before != now and not matches(run, accept):
            found.left.append(run.name)
            now = before
        elif before != now:
            (found.accepted if before else found.added).append(run.name)
        entries.append(Entry(given, now, run.name))
    record.write(source, entries)
    record.write_answers(source, (kept[entry.answers] for entry in entries if entry.answers in kept))
    return found
