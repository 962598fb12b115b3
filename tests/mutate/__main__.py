"""`python -m tests.mutate PACKAGE...`: sample mutants of packages, and print those that no test notices."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from pathlib import Path

import yaml

from tests.mutate.coverage_record import FOLDER
from tests.mutate.install import Mutant, import_all, list_mutants
from tests.mutate.session import MutantRunner, Result, run_session

EQUIVALENT = Path(__file__).parent / "equivalent.yaml"
Key = tuple[str, str, str, str]


def get_key(mutant: Mutant) -> Key:
    """What tells a mutant: texts, and no line number."""
    return mutant.path, mutant.function, mutant.before, mutant.after


def read_equivalent() -> set[Key]:
    """The mutants that behave as the program does."""
    entries = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8")) or []
    return {(f"preflight/{entry['file']}", entry["function"], entry["before"], entry["after"]) for entry in entries}


def select_mutants(package: str, count: int, seed: int) -> list[Mutant]:
    """A sample of the mutants of a package, drawn by their texts: a larger one contains a smaller one, and an edit replaces few."""
    return sorted(list_mutants(package), key=lambda mutant: hashlib.sha256(f"{seed} {get_key(mutant)}".encode()).digest())[:count]


def main() -> int:
    """Sample, run, report; exit 1 if a mutant survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutate", description=__doc__)
    parser.add_argument("packages", nargs="+", metavar="PACKAGE", help="a folder in preflight/, such as scheduling")
    parser.add_argument("--count", type=int, default=100, help="mutants of each package (100)")
    parser.add_argument("--seed", type=int, default=1, help="which mutants (1)")
    parser.add_argument("--fresh", action="store_true", help="run mutants again that a test has killed before, too")
    arguments = parser.parse_args()
    survivors: list[Mutant] = []

    def work(runner: MutantRunner) -> None:
        for package in arguments.packages:
            mutants = select_mutants(package, arguments.count, arguments.seed)
            survivors.extend(report(package, mutants, runner, is_fresh=arguments.fresh))

    import_all()
    return run_session(work) or bool(survivors)


def report(package: str, mutants: list[Mutant], runner: MutantRunner, *, is_fresh: bool) -> list[Mutant]:
    """Run the mutants of a package; print and return those that survive."""
    path = FOLDER / f"{package}.json"
    results: dict[str, str] = json.loads(path.read_text()) if path.exists() and not is_fresh else {}
    equivalent, counts = read_equivalent(), Counter[Result]()
    survivors: list[Mutant] = []
    started = time.time()
    for mutant in mutants:
        name = json.dumps(get_key(mutant))
        if get_key(mutant) in equivalent:
            result = Result.EQUIVALENT
        elif results.get(name) == Result.KILLED.value:
            result = Result.KILLED
        else:
            result, _ = runner.run(mutant)
            results[name] = result.value
            path.write_text(json.dumps(results, indent=1))
        counts[result] += 1
        if result in (Result.SURVIVED, Result.UNTESTED):
            survivors.append(mutant)
            print_mutant(mutant, result)
    judged = len(mutants) - counts[Result.EQUIVALENT]
    rate = 100 * counts[Result.KILLED] / max(judged, 1)
    totals = ", ".join(f"{counts[result]} {result.value}" for result in Result)
    say(f"{package}: {len(mutants)} mutants: {totals}; {rate:.1f} % killed, in {time.time() - started:.0f} s\n")
    return survivors


def print_mutant(mutant: Mutant, result: Result) -> None:
    """File, line and difference of a mutant."""
    before, after = shorten(mutant.before, mutant.after)
    say(f"{mutant.path}:{mutant.lines.start} {mutant.function} {result.value}\n  - {before}\n  + {after}")


def count_equal(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return next((place for place, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), min(len(one), len(other)))


def shorten(before: str, after: str, around: int = 70) -> tuple[str, str]:
    """Two texts without most of what they begin and end with alike."""
    first = count_equal(before, after)
    last = count_equal(before[first:][::-1], after[first:][::-1])
    head = f"... {before[first - around : first]}" if first > around + 20 else before[:first]
    tail = f"{before[len(before) - last :][:around]} ..." if last > around + 20 else before[len(before) - last :]
    return f"{head}{before[first : len(before) - last]}{tail}", f"{head}{after[first : len(after) - last]}{tail}"


def say(text: str) -> None:
    """Print, though pytest captures."""
    print(text, file=sys.__stdout__, flush=True)


if __name__ == "__main__":
    sys.exit(main())
