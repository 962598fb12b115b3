"""Which tests execute a line of the program, and the processor time of each test; kept between runs in `build/mutate`."""

from __future__ import annotations

import difflib
import hashlib
import json
import time
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import coverage

from tests.mutate.install import ROOT

FOLDER = ROOT / "build/mutate"
FAILED = -1.0
"""The time of a test that fails without a mutant: it is not used."""


class Test(ABC):
    """A test that can be run: its name, and the digest of what it depends on besides the program."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    @abstractmethod
    def passes(self) -> bool:
        """Run it."""


class _Recording:
    """What some tests executed at one time, by the line numbers that the program had then."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @cached_property
    def tests(self) -> dict[str, tuple[str, float]]:
        """The text and the time of each test."""
        return {name: (text, seconds) for name, (text, seconds) in json.loads((self._folder / "tests.json").read_text()).items()}

    @cached_property
    def _sources(self) -> dict[str, str]:
        return dict(json.loads((self._folder / "sources.json").read_text()))

    @cached_property
    def _data(self) -> coverage.CoverageData:
        data = coverage.CoverageData(str(self._folder / "coverage"))
        data.read()
        return data

    def find_tests(self, path: str, lines: Sequence[int]) -> Iterator[str]:
        """The names of the tests that executed one of these lines, which are those of today."""
        contexts = self._data.contexts_by_lineno(str(ROOT / path))
        before, now = self._sources.get(path, "").splitlines(), (ROOT / path).read_text().splitlines()
        for line in lines if before == now else _find_lines(now, before, lines):
            yield from (name for name in contexts.get(line, ()) if name)

    def fill(self, tests: Sequence[Test]) -> None:
        """Run tests, and record them."""
        self._folder.mkdir(parents=True, exist_ok=True)
        sources = {str(path.relative_to(ROOT)): path.read_text() for path in ROOT.glob("preflight/**/*.py")}
        (self._folder / "sources.json").write_text(json.dumps(sources))
        recorder = coverage.Coverage(str(self._folder / "coverage"), config_file=False, source=[str(ROOT / "preflight")])
        recorder.start()
        found: dict[str, tuple[str, float]] = {}
        for test in tests:
            recorder.switch_context(test.name)
            started = time.process_time()
            passed = test.passes()
            found[test.name] = (test.text, time.process_time() - started if passed else FAILED)
        recorder.stop()
        recorder.save()
        (self._folder / "tests.json").write_text(json.dumps(found))


def _find_lines(now: Sequence[str], before: Sequence[str], lines: Sequence[int]) -> Iterator[int]:
    """The numbers that lines had before an edit; for a line that is new, those around it."""
    for tag, start, end, old_start, old_end in difflib.SequenceMatcher(None, now, before, autojunk=False).get_opcodes():
        inside = [line for line in lines if start < line <= end]
        if tag == "equal":
            yield from (line - start + old_start for line in inside)
        elif inside:
            yield from range(old_start, old_end + 2)


class CoverageRecord:
    """All recordings; the newest of a test is the one that counts. A test is recorded again when its text has changed."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        paths = sorted(folder.glob("recording-*/tests.json"), key=lambda path: int(path.parent.name.partition("-")[2]))
        self._recordings = [_Recording(path.parent) for path in paths]

    def update(self, tests: Iterable[Test]) -> int:
        """Record the tests that are new or different; the result is how many."""
        missing = [test for test in tests if self._tests.get(test.name, ("", 0))[0] != test.text]
        if missing:
            recording = _Recording(self._folder / f"recording-{len(self._recordings) + 1}")
            recording.fill(missing)
            self._recordings.append(recording)
            del self._tests
        return len(missing)

    @cached_property
    def _tests(self) -> dict[str, tuple[str, float]]:
        return {name: test for recording in self._recordings for name, test in recording.tests.items()}

    def find_tests(self, path: str, lines: Sequence[int]) -> set[str]:
        """The names of the tests that execute one of these lines."""
        found: set[str] = set()
        for recording in self._recordings:
            found = found - set(recording.tests) | set(recording.find_tests(path, lines))
        return {name for name in found if self.time(name) != FAILED}

    def time(self, name: str) -> float:
        """The processor time of a test, in seconds."""
        return self._tests[name][1]


def hash_file(path: Path) -> str:
    """A digest of the content of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
