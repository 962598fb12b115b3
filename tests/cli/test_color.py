"""Colors of every text: standard output and standard error, by `--color` and by the environment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.paths import ROOT

TAINT = ("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "calm")
RED_ERROR = "\x1b[1;31merror:\x1b[0m"
CONCISE = "\x1b[1mcalm/agent.yaml:8:5:\x1b[0m \x1b[1;31merror[PF102]\x1b[0m lost-on-recreation: "


@pytest.mark.parametrize(
    "line",
    [
        pytest.param([*TAINT, "-o", "concise", "--color", "always"], id="at the end"),
        pytest.param([*TAINT, "-o", "concise", "--color=always"], id="with ="),
        pytest.param(["taint", "--color=always", *TAINT[1:], "-o", "concise"], id="after the verb"),
        pytest.param(["--color", "always", *TAINT, "-o", "concise"], id="before the verb"),
        pytest.param(["--color=always", *TAINT, "-o", "concise"], id="before the verb, with ="),
    ],
)
def test_concise_is_colored(line: list[str]) -> None:
    assert program(*line).out.startswith(CONCISE)


def test_concise_without_colors_has_the_same_words() -> None:
    plain = program(*TAINT, "-o", "concise").out
    colored = program(*TAINT, "-o", "concise", terminal=True).out
    assert colored.startswith(CONCISE)
    assert colored.replace("\x1b[1m", "").replace("\x1b[1;31m", "").replace("\x1b[0m", "") == plain


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(["lint", "wild"], id="lint"),
        pytest.param(["lint", "wild", "-o", "concise"], id="concise"),
        pytest.param(["lint", "wild", "-q", "--fail-on", "warning"], id="quiet"),
        pytest.param(["diff", "calm", "wild"], id="diff"),
        pytest.param(["doctor", "--from", "wild"], id="doctor"),
        pytest.param(["capacity", "--from", "calm", "--request", "cpu=1"], id="capacity"),
    ],
)
def test_every_text_follows_the_variables_of_the_log(line: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    plain = program(*line).out
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("GITLAB_CI", "true")
    colored = program(*line).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert program(*line).out == plain
    assert colored != plain
    assert "\x1b[" in colored


@pytest.mark.parametrize("form", ["json", "sarif", "junit", "github", "gitlab", "markdown", "html"])
def test_formats_for_machines_have_no_colors(form: str) -> None:
    assert program("lint", "wild", "-o", form, "--color", "always") == program("lint", "wild", "-o", form)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param(["taint", "nodes", "n1"], 2, id="what kubectl refuses"),
        pytest.param(["explain", "PF000"], 2, id="an unknown rule"),
        pytest.param(["lint", "broken"], 3, id="a file that cannot be read"),
        pytest.param(["components", "broken"], 3, id="a file that components cannot read"),
        pytest.param(["policy", "check", "none"], 2, id="a command of a group"),
    ],
)
def test_errors_are_colored_on_standard_error(line: list[str], code: int) -> None:
    result = program(*line, "--color", "always")
    plain = program(*line)
    assert (result.code, plain.code) == (code, code)
    assert "\x1b[" not in plain.err
    if line[0] != "policy":
        assert RED_ERROR in result.err
        assert result.err.replace(RED_ERROR, "error:") == plain.err


def test_a_file_stays_plain() -> None:
    program(*TAINT, "-o", "text=report.txt", "-o", "concise=lines.txt", "--color", "always")
    assert Path("report.txt").read_text(encoding="utf-8") == program(*TAINT).out
    assert Path("lines.txt").read_text(encoding="utf-8") == program(*TAINT, "-o", "concise").out


@pytest.mark.parametrize(("into", "is_colored"), [("pipe", True), ("file", False)])
def test_a_job_of_github_colors_its_log_and_no_file(cluster: Path, into: str, is_colored: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    command = [sys.executable, "-m", "preflight", "lint", str(cluster / "wild"), "-o", "concise"]
    if into == "pipe":
        text = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    else:
        with Path("log").open("w", encoding="utf-8") as file:
            subprocess.run(command, cwd=ROOT, stdout=file, check=True)
        text = Path("log").read_text(encoding="utf-8")
    assert "warning" in text
    assert ("\x1b[" in text) is is_colored


@pytest.mark.parametrize("line", [["--color", "always", "--version"], ["--color=never", "--help"], ["policy", "--color", "always", "show"]])
def test_the_program_and_its_groups_take_it_too(line: list[str]) -> None:
    assert program(*line).code == 0


def test_a_wrong_choice_is_refused() -> None:
    result = program("lint", "calm", "--color", "blue")
    assert (result.code, result.out) == (2, "")
    assert 'invalid value "blue" for --color: must be one of auto, always, never' in result.err


def test_a_hostile_name_brings_no_color_of_its_own() -> None:
    Path("wild/wild.yaml").rename("wild/\x1b[32m::error::.yaml")
    out = program("lint", "wild", "-o", "concise", "--color", "always").out
    assert "\\x1b[32m" in out
    assert "\x1b[32m" not in out
