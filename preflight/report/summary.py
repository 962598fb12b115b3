"""The last line of a report: what was found, what was judged, what was assumed and what was not judged."""

from __future__ import annotations

from collections import Counter

from preflight.inert_text import escape_unprintable
from preflight.messages import report as messages
from preflight.model.report import ClusterIdentity, FindingRole, Report, Severity
from preflight.report.formatting import format_count


def format_summary(report: Report) -> str:
    """One line, whatever the report holds; see the parts."""
    has_findings = any(finding.role.is_about_change for finding in report.findings)
    sentences = [
        format_finding_counts(report) if has_findings else "",
        format_unread(report),
        format_checked(report),
        *report.assumptions,
        format_skipped(report),
    ]
    return escape_unprintable(" ".join(f"{sentence[0].upper()}{sentence[1:]}." for sentence in sentences if sentence))


def format_cluster(report_cluster: ClusterIdentity) -> str:
    """`cluster prod-eu (https://10.0.0.1:6443), Kubernetes v1.37.2`, as far as it is known."""
    server = f" ({report_cluster.server})" if report_cluster.server else ""
    return escape_unprintable(
        f"cluster {report_cluster.context or '-'}{server}{f', Kubernetes {report_cluster.version}' if report_cluster.version else ''}"
    )


def format_finding_counts(report: Report) -> str:
    """`3 errors, 1 note, 2 consequences`, with the number of exempted findings if there are any; `No findings` if there are none."""
    findings = [finding for finding in report.findings if finding.role.is_about_change]
    open_findings = [finding for finding in findings if finding.exempted is None]
    numbers = Counter(finding.severity for finding in open_findings if finding.role is not FindingRole.CONSEQUENCE)
    exempted = sum(finding.exempted is not None for finding in findings)
    parts = [format_count(numbers[severity], severity) for severity in Severity if numbers[severity]]
    if consequences := len(open_findings) - sum(numbers.values()):
        parts.append(format_count(consequences, messages.CONSEQUENCE))
    return ", ".join([*(parts or [messages.NO_FINDINGS]), *([messages.count_exempted(exempted)] if exempted else [])])


def format_hygiene(report: Report) -> str:
    """`2 notes on hygiene of DaemonSets that this change touches ...`; "" for none, and what a change does not touch is not mentioned."""
    findings = [finding for finding in report.findings if finding.role is FindingRole.HYGIENE and finding.exempted is None]
    rules = tuple(sorted({finding.rule for finding in findings}))
    return messages.count_hygiene(len(findings), rules) if findings else ""


def format_unread(report: Report) -> str:
    """`1 file could not be read`, for each file that has a problem, and `2 lines were not judged`, of scripts; "" for none.

    A problem without a file has its own line elsewhere.
    """
    located = [problem for problem in report.problems if problem.location]
    lines = sum(problem.is_line for problem in located)
    files = {problem.location.file for problem in located if problem.location and not problem.is_line}
    parts = [messages.count_unread_files(len(files)) if files else ""]
    parts.append(messages.count_unjudged_lines(lines) if lines else "")
    return ", ".join(part for part in parts if part)


def format_checked(report: Report) -> str:
    """`Checked 7 DaemonSets on 2 of 6 nodes`; without a change, all objects are checked: `Checked 31 objects in 5 files`."""
    total = report.judged
    nodes = len({(step.cluster, node) for step in report.steps for node in step.nodes})
    coverage = messages.count_coverage(total, nodes) if report.steps else ""
    if report.command:
        source = messages.name_cluster(report.cluster.context) if report.cluster is not None and not total.files else ""
        return messages.describe_judged_change(total.daemonsets, coverage, source)
    return messages.describe_judged_objects(total.objects, messages.count_files(total.files) if total.files else "", coverage)


def format_skipped(report: Report) -> str:
    """`not judged: Jobs, PodDisruptionBudgets (not given)`: what has the same reason stands together, long lists are cut."""
    reasons: dict[str, list[str]] = {}
    for skip in report.skipped:
        reasons.setdefault(skip.why, []).append(skip.what)
    parts = [messages.describe_skipped_part(what, why) for why, what in reasons.items()]
    return messages.describe_skipped(parts) if parts else ""
