"""Processes run by turns: wall time, processor time and peak memory of each, and the ratios of those that ran side by side."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Run(NamedTuple):
    """One run of a process: seconds on the clock, seconds on processors, and its largest resident set in MiB."""

    seconds: float
    processor: float
    peak: float


class Ratios(NamedTuple):
    """What a measure of one process is of another's, run by run: the median, the least and the most."""

    median: float
    least: float
    most: float


Measure = Callable[[Run], float]
Runs = Mapping[str, Sequence[Run]]


class FailedRun(Exception):
    """A process ended otherwise than it should: what was measured says nothing."""


def run(command: Sequence[str], folder: Path | None = None) -> Run:
    """Run a command to its end, in a folder or where we are, its output thrown away.

    Variables that change how Python starts are left out, so that byte code is cached as usual. Raises FailedRun where its exit code is
    not 0. The peak cannot be less than what this process itself takes.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    nothing = subprocess.DEVNULL
    start = time.perf_counter()
    with subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing, env=environment, cwd=folder) as process:
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise FailedRun(f"exit code {process.returncode}: {' '.join(command)}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def by_turns(commands: Mapping[str, Sequence[str]], rounds: int, folder: Path | None = None) -> dict[str, list[Run]]:
    """Each command once to warm up, then all of them in every round, each round in the other direction."""
    for command in commands.values():
        run(command, folder)
    runs: dict[str, list[Run]] = {name: [] for name in commands}
    for number in range(rounds):
        for name in sorted(commands, reverse=bool(number % 2)):
            runs[name].append(run(commands[name], folder))
    return runs


def ratios(runs: Runs, of: str, to: str, measure: Measure) -> Ratios:
    """The ratios of one command to another, each between two runs of the same round."""
    each = [measure(one) / measure(other) for one, other in zip(runs[of], runs[to], strict=True)]
    return Ratios(median(each), min(each), max(each))


def typical(runs: Runs, of: str, measure: Measure) -> float:
    """The median of a command's runs."""
    return median(measure(each) for each in runs[of])
