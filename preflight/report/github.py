"""The findings as workflow commands of GitHub Actions: annotations beside the code, with no upload and no permission."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from preflight.inert_text import escape_unprintable
from preflight.messages import report as messages
from preflight.model.report import Finding, Location, Problem, Report, Severity
from preflight.report import concise
from preflight.report.ci_annotation import format_sentence, format_title, get_file_path, iter_further_lines, select_open_findings
from preflight.report.formatting import clip, format_count, format_location
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
    findings = select_open_findings(report)
    numbers = {severity: sum(finding.severity is severity for finding in findings) for severity in Severity}
    room = dict.fromkeys(Severity, MOST)
    full = numbers[Severity.ERROR] + len(report.problems) > MOST or any(number > MOST for number in numbers.values())
    if full:
        room[Severity.NOTE] -= 1
    lines = [_format_problem(problem) for problem in report.problems[:MOST]]
    room[Severity.ERROR] -= len(lines)
    rest: list[Finding] = []
    for finding in findings:
        if room[finding.severity]:
            room[finding.severity] -= 1
            lines.append(_format_finding(finding, len(report.steps)))
        else:
            rest.append(finding)
    if full:
        lines += _iter_rest_lines(report, report.problems[MOST:], rest)
    return "".join(f"{line}\n" for line in lines)


def _format_problem(problem: Problem) -> str:
    return _format_command("error", problem.location, messages.COULD_NOT_BE_READ, clip(escape_unprintable(problem.message), 1000))


def _format_finding(finding: Finding, steps: int) -> str:
    text = format_sentence(finding, steps)
    if finding.location and not get_file_path(finding.location):
        text += f" (at {format_location(finding.location)})"
    return _format_command(
        _KINDS[finding.severity], finding.location, format_title(finding), "\n".join([text, *iter_further_lines(finding)])
    )


def _iter_rest_lines(report: Report, problems: tuple[Problem, ...], findings: list[Finding]) -> Iterator[str]:
    """The lines of what is no annotation, and the notice that says so."""
    left = [format_count(sum(finding.severity is severity for finding in findings), severity) for severity in Severity]
    said = [*([format_count(len(problems), "input")] if problems else []), *(words for words in left if not words.startswith("0 "))]
    yield f"::group::{messages.title_other_findings(said)}"
    yield from (render_problems(problems) + concise.render(replace(report, findings=tuple(findings)))).splitlines()
    yield "::endgroup::"
    message = messages.describe_hidden_annotations(MOST, said)
    yield _format_command("notice", None, "preflight", message)


def _format_command(kind: str, location: Location | None, heading: str, message: str) -> str:
    """One workflow command.

    The runner (actions/runner, ActionCommand.TryParseV2) ends the properties at the first `::`, splits them at `,`, and undoes these
    escapes only.
    """
    properties = {}
    if path := get_file_path(location):
        properties["file"] = escape_unprintable(path)
        if location and location.line:
            properties["line"] = str(location.line)
            if location.column:
                properties["col"] = str(location.column)
    properties["title"] = heading
    told = ",".join(f"{name}={_escape_data(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items())
    return f"::{kind} {told}::{_escape_data(message)}"


def _escape_data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
