"""A pytest session in which each mutant gets a forked process: the program and the tests are imported once."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from functools import cache
from pathlib import Path

import pytest
from hypothesis import Phase, settings

from tests.mutate.coverage_record import CoverageRecord, Test, hash_file
from tests.mutate.install import ROOT, Mutant, index_program, install
from tests.safety.record import Record, compare, list_runs
from tests.safety.runs import Run, digest

PACKAGES = (
    *("scheduling", "kubectl", "change", "coverage", "dependents", "evictions", "capacity", "comparison", "doctor", "components"),
    *("operators", "engine", "rules", "model", "fix", "load/snapshot", "test_laws.py"),
)
"""The tests that may notice a mutant: those of what predicts, and of what rests on it."""

SAFETY_SOURCES = ("examples", "cases", "generated", "own")
BUDGET = 6.0
"""How many seconds of processor time the tests of a mutant take at most: those of its package first, then the quickest."""


class Result(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    UNTESTED = "untested"
    EQUIVALENT = "equivalent"


_hash = cache(hash_file)


class Failures:
    """A plugin of pytest that counts failed reports."""

    count = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a report that failed."""
        self.count += report.failed


class ItemTest(Test):
    """A test of pytest."""

    def __init__(self, item: pytest.Item, failures: Failures) -> None:
        super().__init__(item.nodeid, _hash(item.path))
        self._item = item
        self._failures = failures

    def passes(self) -> bool:
        """Run it, with its fixtures."""
        before = self._failures.count
        self._item.config.hook.pytest_runtest_protocol(item=self._item, nextitem=None)
        return self._failures.count == before


class SafetyTest(Test):
    """A recorded run of the safety net."""

    def __init__(self, run: Run) -> None:
        super().__init__(f"safety: {run.name}", digest(run.given))
        self._run = run

    def passes(self) -> bool:
        """Run it, and compare its answers."""
        return not list(compare([self._run], Record()))


class Mutating:
    """The plugin of pytest: `work` is called with what runs mutants, in place of the tests."""

    def __init__(self, work: Callable[[MutantRunner], None]) -> None:
        self._work = work

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """The same examples for each mutant, and no search for the smallest one; set before the tests are imported."""
        settings.register_profile("mutate", derandomize=True, deadline=None, database=None, phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutate")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Record what tests execute, and do the work."""
        failures = Failures()
        session.config.pluginmanager.register(failures)
        session.config.pluginmanager.unregister(name="terminalreporter")
        tests: list[Test] = [ItemTest(item, failures) for item in session.items]
        tests += [SafetyTest(run) for source in SAFETY_SOURCES for run in list_runs(source)]
        record = CoverageRecord()
        started = time.time()
        if count := record.update(tests):
            print(f"recorded what {count} tests execute, in {time.time() - started:.0f} s", file=sys.__stdout__, flush=True)
        self._work(MutantRunner(tests, record))
        return True


class MutantRunner:
    """Runs the tests of mutants. Tests that have killed a mutant of the same function or module are run first."""

    def __init__(self, tests: Sequence[Test], record: CoverageRecord) -> None:
        self._tests = {test.name: test for test in tests}
        self._record = record
        self._program = index_program()
        self._kills: Counter[tuple[str, str]] = Counter()
        gc.freeze()

    def run(self, mutant: Mutant) -> tuple[Result, str]:
        """What becomes of the mutant, and the test that killed it."""
        names = self._select(mutant)
        if not names:
            return Result.UNTESTED, ""
        killer = self._fork(mutant, names)
        if killer is None:
            return Result.SURVIVED, ""
        self._kills[mutant.path, killer] += 1
        self._kills[mutant.function, killer] += 1
        return Result.KILLED, killer

    def _select(self, mutant: Mutant) -> list[str]:
        package = mutant.path.split("/")[1]
        found = self._record.find_tests(mutant.path, mutant.lines) & set(self._tests)

        def rank(name: str) -> tuple[int, int, int, float]:
            kills = self._kills[mutant.function, name], self._kills[mutant.path, name]
            place = 0 if name.startswith(f"tests/{package}/") else 2 if name.startswith("safety: ") else 1
            return -kills[0], -kills[1], place, self._record.time(name)

        selected: list[str] = []
        seconds = 0.0
        for name in sorted(found, key=rank):
            seconds += self._record.time(name)
            if seconds < BUDGET or not selected:
                selected.append(name)
        return selected

    def _fork(self, mutant: Mutant, names: Sequence[str]) -> str | None:
        """The name of the test that fails in a process with the mutant; None if all pass. One that does not end fails as well."""
        reading, writing = os.pipe()
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            child = os.fork()
            if child == 0:
                _prepare_child(Path(folder))
                try:
                    install(mutant, self._program)
                    for number, name in enumerate(names):
                        os.write(writing, number.to_bytes(4, "big"))
                        signal.setitimer(signal.ITIMER_PROF, 2 + 3 * self._record.time(name))
                        if not self._tests[name].passes():
                            os._exit(1)
                except BaseException:  # the mutant broke what surrounds the tests
                    os._exit(1)
                os._exit(0)
            os.close(writing)
            last = 0
            with contextlib.closing(os.fdopen(reading, "rb")) as pipe:
                for data in iter(lambda: pipe.read(4), b""):
                    last = int.from_bytes(data, "big")
            _, status = os.waitpid(child, 0)
        return None if status == 0 else names[last]


def _prepare_child(folder: Path) -> None:
    """The child ends itself when its time or its memory is used up, says nothing and writes only here."""
    signal.alarm(600)
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(null, stream)
    tempfile.tempdir = str(folder)
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(folder)


def run_session(work: Callable[[MutantRunner], None]) -> int:
    """Collect the tests, and do the work."""
    os.environ["CI"] = "1"
    sys.modules["__main__"].__package__ = None  # click would name the program by it
    folders = [str(ROOT / "tests" / name) for name in PACKAGES]
    options = ["-qq", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main([*options, *folders], plugins=[Mutating(work)]))
