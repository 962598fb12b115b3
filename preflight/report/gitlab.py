"""The findings as GitLab's code quality report, for the widget and the diff of a merge request."""

from __future__ import annotations

import json
from typing import Any

from preflight.inert_text import escape_unprintable, make_json_inert
from preflight.model.report import Finding, Report, Severity, Subject
from preflight.report.ci_annotation import format_sentence, format_title, get_file_path
from preflight.report.fingerprints import make_fingerprints
from preflight.report.formatting import clip

_SEVERITIES = {Severity.ERROR: "critical", Severity.WARNING: "major", Severity.NOTE: "info"}


def render(report: Report, **_options: object) -> str:
    """A JSON array with an issue for each finding, in the order of the report, as ASCII, indented by two, with one newline at the end.

    1. error is `critical`, warning `major`, note `info`. Exempted findings are left out, since the format has no word for them.
    2. GitLab shows as new what has a fingerprint that the target branch lacks: see `fingerprints`.
    3. The format asks for a path and a line. A finding without a line is on line 1; one without a file has the name of its object for
       a path, as in `DaemonSet/storage/csi`.
    """
    marks = make_fingerprints(report.findings)
    issues = [
        _make_issue(finding, mark, len(report.steps))
        for finding, mark in zip(report.findings, marks, strict=True)
        if finding.exempted is None
    ]
    return make_json_inert(json.dumps(issues, indent=2)) + "\n"


def _make_issue(finding: Finding, fingerprint: str, steps: int) -> dict[str, Any]:
    path = clip(escape_unprintable(get_file_path(finding.location)), 1000)
    line = finding.location.line if finding.location and path else 0
    return {
        "description": f"{format_title(finding)}: {format_sentence(finding, steps)}",
        "check_name": clip(escape_unprintable(finding.rule), 200),
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[finding.severity],
        "location": {"path": path or _make_object_path(finding.subject), "lines": {"begin": line or 1}},
    }


def _make_object_path(subject: Subject) -> str:
    """The object as a path that leads nowhere else: no part of it climbs or starts at the root."""
    parts = (escape_unprintable(part).replace("/", "_") for part in (subject.kind, subject.namespace, subject.name) if part)
    return "/".join("_" if part in (".", "..") else clip(part, 300) for part in parts)
