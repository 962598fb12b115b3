"""The program, asked what may stand at a cursor, as the scripts of the shells ask it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from typing import NamedTuple

from tests.cli.program import program
from tests.paths import ROOT


class Answer(NamedTuple):
    """The candidates without their descriptions, and the number of the directive."""

    values: list[str]
    directive: int


def parse_answer(text: str) -> Answer:
    *lines, last = text.splitlines()
    assert last.startswith(":"), text
    return Answer([line.partition("\t")[0] for line in lines], int(last[1:]))


def ask(*words: str) -> Answer:
    """What may stand in the last word, by a run in this process."""
    result = program("__complete", *words)
    assert (result.code, result.err) == (0, "")
    return parse_answer(result.out)


def ask_patiently(*words: str, env: Mapping[str, str], limit: float = 60.0, longest: float = 60.0) -> list[str]:
    """The candidates by a process of its own that waits for names as long as a busy machine needs; see `LIMIT` and `LONGEST`."""
    code = (
        f"import sys; from preflight.cli.complete import answer, background; answer.LIMIT, background.LONGEST = {limit}, {longest}; "
        "answer.print_answer(answer.answer_words(sys.argv[1:]))"
    )
    return _run(["-c", code, *words], env).values


def ask_in_time(*words: str, env: Mapping[str, str]) -> tuple[Answer, float]:
    """The answer that a shell gets, and how many seconds it took."""
    started = time.monotonic()
    return _run(["-m", "preflight", "__complete", *words], env), time.monotonic() - started


def _run(arguments: list[str], env: Mapping[str, str]) -> Answer:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, env={**env, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return parse_answer(done.stdout)
