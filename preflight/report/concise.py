"""One line a finding, for editors and for grep."""

from __future__ import annotations

from preflight.messages.report import number_finding_step
from preflight.model.report import Report
from preflight.report.formatting import format_headline, format_location
from preflight.report.terminal import escape_ci_commands, escape_unprintable


def render(report: Report, **_options: object) -> str:
    """`file:line:column: error[PF102] lost-on-recreation: storage/csi loses ...` for each finding, in the order of the report.

    1. A finding without a place starts with its subject. In a plan each line ends with its step: ` (step 2 of 3)`.
    2. Exempted findings are left out; no finding is the empty text.
    3. The options of a terminal change nothing.
    """
    lines = []
    steps = len(report.steps)
    for finding in report.findings:
        if finding.exempted is not None:
            continue
        where = format_location(finding.location) if finding.location else escape_unprintable(str(finding.subject))
        step = number_finding_step(finding.step, steps) if steps > 1 and finding.step else ""
        lines.append(escape_ci_commands(f"{where}: {escape_unprintable(''.join(format_headline(finding)))}{step}\n"))
    return "".join(lines)
