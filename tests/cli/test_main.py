"""The function `main`: what ends a run other than its end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from preflight.cli.main import COMMANDS, VERBS, cli
from preflight.engine.report_builder import Analysis
from tests.cli.program import program
from tests.paths import ROOT


def test_a_reader_that_has_enough_is_no_finding(cluster: Path) -> None:
    """As `preflight lint calm | head -0` does: nobody reads, and the exit code is that of a closed pipe and not 1."""
    code = f"import os, sys; sys.argv = ['preflight', 'lint', {str(cluster / 'wild')!r}]; from preflight.cli.main import main; main()"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait() == 141


def test_an_interrupted_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Analysis:
        raise KeyboardInterrupt

    monkeypatch.setattr("preflight.cli.lint.lint", interrupted)
    result = program("lint", "calm")
    assert (result.code, result.out) == (130, "")
    assert result.err.strip() == "interrupted"


def test_a_fault_of_ours_shows_its_traceback_and_ends_with_4(monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: object) -> Analysis:
        raise AssertionError("planted")

    monkeypatch.setattr("preflight.cli.lint.lint", fault)
    result = program("lint", "calm")
    assert (result.code, result.out) == (4, "")
    assert result.err.splitlines()[-2:] == [
        "AssertionError: planted",
        "this is a bug in preflight: nothing was checked; please report it with the lines above",
    ]


def test_the_module_is_the_program(cluster: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "preflight", "lint", str(cluster / "broken")], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 3


@pytest.mark.parametrize("command", [*VERBS, *COMMANDS])
def test_click_itself_finds_every_command(command: str) -> None:
    result = CliRunner().invoke(cli, [command, "--help"])
    assert (result.exit_code, result.exception) == (0, None)


def test_a_run_imports_nothing_of_completion() -> None:
    """A program that starts slowly is not used."""
    code = (
        "import sys, preflight.cli.main; print([name for name in sys.modules if 'complet' in name or name == 'preflight.report.terminal'])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_names_of_the_commands_in_their_order() -> None:
    context = click.Context(cli)
    assert cli.list_commands(context) == [*VERBS, *COMMANDS]
    assert cli.get_command(context, "paint") is None
