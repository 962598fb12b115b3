"""A finding as CI systems show it beside the code: a sentence, a few further lines, and the path of a file."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from preflight.inert_text import escape_unprintable
from preflight.messages.report import number_finding_step
from preflight.model.report import Finding, Location, Report
from preflight.report.formatting import clip, format_location

_MOST = 1000
_MOST_LINES = 20


def select_open_findings(report: Report) -> list[Finding]:
    """The findings that no exemption covers, the worst first, else in the order of the report."""
    return sorted((finding for finding in report.findings if finding.exempted is None), key=lambda finding: finding.severity.rank)


def format_title(finding: Finding) -> str:
    """`PF102 lost-on-recreation`."""
    return clip(escape_unprintable(f"{finding.rule} {finding.name}"), 200)


def format_sentence(finding: Finding, steps: int = 0) -> str:
    """`storage/csi loses rdma-1 ...` on one line; of a plan with several steps it ends with its own: ` (step 2 of 3)`."""
    step = number_finding_step(finding.step, steps) if steps > 1 and finding.step else ""
    return clip(escape_unprintable(f"{finding.subject} {finding.message}"), _MOST) + step


def iter_further_lines(finding: Finding) -> Iterator[str]:
    """The lines behind the sentence: the label, notes, related places and the fix, each with its heading; 20 at most."""
    texts = [("note", finding.label)] if finding.label else []
    texts += finding.notes
    texts += [
        ("note", f"{location.message}{f' ({format_location(location.location)})' if location.location else ''}")
        for location in finding.related
    ]
    texts += [("fix", line) for line in (finding.suggestion.text if finding.suggestion else ())]
    for heading, text in texts[:_MOST_LINES]:
        yield clip(escape_unprintable(f"{heading}: {text}"), _MOST)


def get_file_path(location: Location | None) -> str:
    """The path of a file as version control writes it: `a/b.yaml` for `./a//b.yaml`.

    1. "" where no file is: the object came from a live cluster or from standard input (`-`), or its place is not known.
    2. An absolute path stays one: a report does not know where the repository begins.
    """
    if location is None or location.file in ("", "-"):
        return ""
    return posixpath.normpath(location.file)
