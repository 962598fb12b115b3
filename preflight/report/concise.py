"""One line a finding, for editors, for hooks and for grep."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.inert_text import escape_ci_commands, escape_unprintable
from preflight.messages.report import number_finding_step
from preflight.model.report import Finding, Report, Severity
from preflight.report.formatting import format_headline, format_location
from preflight.report.terminal import Ink


def render(report: Report, *, color: bool = False, lowest: Severity | None = None, **_options: object) -> str:
    """`file:line:column: error[PF102] lost-on-recreation: storage/csi loses ...` for each finding, in the order of the report.

    1. A finding without a place starts with its subject. In a plan each line ends with its step: ` (step 2 of 3)`.
    2. Exempted findings are left out; no finding is the empty text. With `lowest` only those are printed that fail a run whose `--fail-on`
       it is.
    3. `color` adds ANSI colors; the width of a terminal changes nothing.
    """
    ink = Ink(color)
    steps = len(report.steps)
    return "".join(f"{line}\n" for line in _iter_lines(report, lowest, steps, ink))


def count_hidden(report: Report, lowest: Severity) -> dict[Severity, int]:
    """How many findings of each severity, the worst first, are left out with `lowest`, exempted ones aside."""
    hidden = [finding.severity for finding in report.findings if finding.exempted is None and not _is_printed(finding, lowest)]
    return {severity: hidden.count(severity) for severity in Severity if severity in hidden}


def _iter_lines(report: Report, lowest: Severity | None, steps: int, ink: Ink) -> Iterator[str]:
    return (escape_ci_commands(_format_line(finding, steps, ink)) for finding in report.findings if _is_printed(finding, lowest))


def _is_printed(finding: Finding, lowest: Severity | None) -> bool:
    return finding.exempted is None and (lowest is None or (finding.severity.rank <= lowest.rank and finding.role.is_about_change))


def _format_line(finding: Finding, steps: int, ink: Ink) -> str:
    where = format_location(finding.location) if finding.location else str(finding.subject)
    sort, text = format_headline(finding)
    step = number_finding_step(finding.step, steps) if steps > 1 and finding.step else ""
    return f"{ink(f'{where}:', 'strong')} {ink(sort, finding.severity)}{escape_unprintable(text)}{step}"
