"""The findings as workflow commands of GitHub Actions: annotations beside the code, with no upload and no permission."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from preflight.model.report import Finding, Location, Problem, Report, Severity
from preflight.report import concise
from preflight.report.ci_annotation import further, open_findings, path_of, sentence, title
from preflight.report.formatting import clip, count, place
from preflight.report.terminal import plain
from preflight.report.text import render_problems

MOST = 10
"""How many annotations of a kind GitHub shows for one step of a job; more it drops without a word."""

_KINDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def render(report: Report, **_options: object) -> str:
    """A command a line: `::error file=a.yaml,line=3,col=7,title=PF102 lost-on-recreation::storage/csi loses ...`.

    1. The worst come first: what could not be read, errors, warnings, notes. Exempted findings are left out; nothing found is the
       empty text.
    2. Of each kind 10 are annotations, as many as GitHub shows. The rest are plain lines in a group that the log shows folded, and a
       last notice says how many there are; it takes the place of the tenth note.
    3. A finding without a file is an annotation of the whole run.
    4. `%`, CR and LF are escaped, in properties `:` and `,` too; no name makes a line or ends a property.
    """
    findings = open_findings(report)
    numbers = {severity: sum(finding.severity is severity for finding in findings) for severity in Severity}
    room = dict.fromkeys(Severity, MOST)
    full = numbers[Severity.ERROR] + len(report.problems) > MOST or any(number > MOST for number in numbers.values())
    if full:
        room[Severity.NOTE] -= 1
    lines = [_problem(problem) for problem in report.problems[:MOST]]
    room[Severity.ERROR] -= len(lines)
    rest: list[Finding] = []
    for finding in findings:
        if room[finding.severity]:
            room[finding.severity] -= 1
            lines.append(_finding(finding, len(report.steps)))
        else:
            rest.append(finding)
    if full:
        lines += _rest(report, report.problems[MOST:], rest)
    return "".join(f"{line}\n" for line in lines)


def _problem(problem: Problem) -> str:
    return _command("error", problem.location, "could not be read", clip(plain(problem.message), 1000))


def _finding(finding: Finding, steps: int) -> str:
    text = sentence(finding, steps)
    if finding.location and not path_of(finding.location):
        text += f" (at {place(finding.location)})"
    return _command(_KINDS[finding.severity], finding.location, title(finding), "\n".join([text, *further(finding)]))


def _rest(report: Report, problems: tuple[Problem, ...], findings: list[Finding]) -> Iterator[str]:
    """The lines of what is no annotation, and the notice that says so."""
    left = [count(sum(finding.severity is severity for finding in findings), severity) for severity in Severity]
    said = [*([count(len(problems), "input")] if problems else []), *(words for words in left if not words.startswith("0 "))]
    yield f"::group::preflight: the other findings ({', '.join(said)})"
    yield from (render_problems(problems) + concise.render(replace(report, findings=tuple(findings)))).splitlines()
    yield "::endgroup::"
    message = f"GitHub shows {MOST} annotations of a kind for a step; the others are in its log: {', '.join(said)}"
    yield _command("notice", None, "preflight", message)


def _command(kind: str, location: Location | None, heading: str, message: str) -> str:
    """One workflow command.

    The runner (actions/runner, ActionCommand.TryParseV2) ends the properties at the first `::`, splits them at `,`, and undoes these
    escapes only.
    """
    properties = {}
    if path := path_of(location):
        properties["file"] = plain(path)
        if location and location.line:
            properties["line"] = str(location.line)
            if location.column:
                properties["col"] = str(location.column)
    properties["title"] = heading
    told = ",".join(f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items())
    return f"::{kind} {told}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
