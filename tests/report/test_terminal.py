"""When text is colored: the argument, the variables of the environment, the stream."""

from __future__ import annotations

import pytest

from preflight.report.terminal import ColorChoice, StreamKind, decide_color

AUTO, ALWAYS, NEVER = ColorChoice.AUTO, ColorChoice.ALWAYS, ColorChoice.NEVER
TERMINAL, FILE, PIPE = StreamKind.TERMINAL, StreamKind.FILE, StreamKind.PIPE
GITHUB = {"CI": "true", "GITHUB_ACTIONS": "true"}
GITLAB = {"CI": "true", "GITLAB_CI": "true"}


@pytest.mark.parametrize(
    ("choice", "stream", "environment", "is_colored"),
    [
        pytest.param(AUTO, TERMINAL, {}, True, id="a terminal"),
        pytest.param(AUTO, PIPE, {}, False, id="a pipe"),
        pytest.param(AUTO, FILE, {}, False, id="a file"),
        pytest.param(AUTO, TERMINAL, {"TERM": "dumb"}, False, id="a terminal that shows no colors"),
        pytest.param(AUTO, TERMINAL, {"CLICOLOR": "0"}, False, id="CLICOLOR=0"),
        pytest.param(AUTO, TERMINAL, {"CLICOLOR": "1"}, True, id="CLICOLOR=1 on a terminal"),
        pytest.param(AUTO, PIPE, {"CLICOLOR": "1"}, False, id="CLICOLOR=1 colors no pipe"),
        pytest.param(AUTO, TERMINAL, {"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param(AUTO, TERMINAL, {"NO_COLOR": "0"}, False, id="NO_COLOR with any value"),
        pytest.param(AUTO, TERMINAL, {"NO_COLOR": ""}, True, id="an empty NO_COLOR is none"),
        pytest.param(AUTO, PIPE, {"FORCE_COLOR": "1"}, True, id="FORCE_COLOR in a pipe"),
        pytest.param(AUTO, FILE, {"FORCE_COLOR": "3"}, True, id="FORCE_COLOR in a file, with any value"),
        pytest.param(AUTO, PIPE, {"FORCE_COLOR": ""}, False, id="an empty FORCE_COLOR is none"),
        pytest.param(AUTO, PIPE, {"CLICOLOR_FORCE": "1"}, True, id="CLICOLOR_FORCE"),
        pytest.param(AUTO, PIPE, {"CLICOLOR_FORCE": "0"}, False, id="CLICOLOR_FORCE=0 forces nothing"),
        pytest.param(AUTO, PIPE, {"CLICOLOR_FORCE": "0", "FORCE_COLOR": "1"}, True, id="and takes nothing from FORCE_COLOR"),
        pytest.param(AUTO, TERMINAL, {"NO_COLOR": "1", "FORCE_COLOR": "1", "CLICOLOR_FORCE": "1"}, False, id="NO_COLOR wins"),
        pytest.param(AUTO, TERMINAL, {"CI": "true", "FORCE_COLOR": "1", "TERM": "dumb"}, True, id="FORCE_COLOR wins over CI and TERM"),
        pytest.param(AUTO, TERMINAL, {"CI": "true"}, False, id="an unknown CI"),
        pytest.param(AUTO, PIPE, GITHUB, True, id="the log of GitHub"),
        pytest.param(AUTO, PIPE, {**GITHUB, "TERM": "dumb"}, True, id="the log of GitHub, whatever TERM says"),
        pytest.param(AUTO, PIPE, GITLAB, True, id="the log of GitLab"),
        pytest.param(AUTO, FILE, GITHUB, False, id="a file of a job, such as the summary"),
        pytest.param(AUTO, PIPE, {**GITHUB, "NO_COLOR": "1"}, False, id="NO_COLOR wins in GitHub"),
        pytest.param(AUTO, PIPE, {**GITLAB, "NO_COLOR": "yes"}, False, id="NO_COLOR wins in GitLab"),
        pytest.param(AUTO, PIPE, {"GITHUB_ACTIONS": ""}, False, id="an empty GITHUB_ACTIONS is none"),
        pytest.param(ALWAYS, PIPE, {"NO_COLOR": "1", "TERM": "dumb", "CI": "true"}, True, id="always overrides the environment"),
        pytest.param(ALWAYS, FILE, {}, True, id="always, in a file"),
        pytest.param(NEVER, TERMINAL, {"FORCE_COLOR": "1", **GITHUB}, False, id="never overrides the environment"),
    ],
)
def test_color(choice: ColorChoice, stream: StreamKind, environment: dict[str, str], is_colored: bool) -> None:
    assert decide_color(choice, stream, environment) is is_colored
