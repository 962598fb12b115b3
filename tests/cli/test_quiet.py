"""`--quiet`, as the hooks ask for it: what fails the run, a line each, and a count of the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import Result, program
from tests.cli.test_exit_codes import GREATER, LEVEL

WARNING = "wild/wild.yaml:10:21: warning[PF201] tolerates-everything: "
TAINT = ("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "calm")


def test_only_what_fails_is_printed() -> None:
    result = program("lint", "wild", "--fail-on", "warning", "--quiet")
    assert (result.code, result.out.count("\n")) == (1, 1)
    assert result.out.startswith(WARNING)
    assert result.err == "not shown: 1 note (no failure with --fail-on warning)\n"


def test_what_does_not_fail_is_only_counted() -> None:
    assert program("lint", "wild", "-q") == (0, "", "not shown: 1 warning, 1 note (no failure with --fail-on error)\n")


def test_nothing_is_hidden_where_notes_fail() -> None:
    result = program("lint", "wild", "-q", "--fail-on", "note")
    assert (result.code, result.out, result.err) == (1, program("lint", "wild", "-o", "concise").out, "")


def test_a_change() -> None:
    assert program(*TAINT, "-q") == (1, program(*TAINT, "-o", "concise").out, "")


def test_what_cannot_be_read_is_still_said() -> None:
    result = program("lint", "broken", "-q")
    assert result.code == 3
    assert result.err.startswith("broken/broken.yaml:2:4: error: ")


def test_exempted_findings_are_not_counted() -> None:
    text = Path("wild/wild.yaml").read_text(encoding="utf-8")
    annotation = "annotations: {preflight/exempt: 'PF201: it is the agent of all nodes'}, name: wild"
    Path("wild/wild.yaml").write_text(text.replace("name: wild", annotation, 1), encoding="utf-8")
    assert program("lint", "wild", "-q", "--fail-on", "warning") == Result(0, "", "not shown: 1 note (no failure with --fail-on warning)\n")


def test_an_answer_that_is_unknown_is_said() -> None:
    with Path("calm/agent.yaml").open("a", encoding="utf-8") as file:
        file.write(GREATER)
    result = program(*LEVEL.split(), "-q")
    assert result.code == 3
    assert "unknown: some answers cannot be determined" in result.err


@pytest.mark.parametrize("form", ["text", "json", "markdown"])
def test_another_format_is_whole(form: str) -> None:
    assert program("lint", "wild", "-q", "-o", form) == program("lint", "wild", "-o", form)


def test_a_report_in_a_file_is_whole() -> None:
    result = program("lint", "wild", "-q", "-o", "json=report.json", "-o", "concise")
    assert result.out == ""
    assert len(json.loads(Path("report.json").read_text(encoding="utf-8"))["findings"]) == 2
