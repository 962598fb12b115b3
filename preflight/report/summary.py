"""The last line of a report: what was found, what was judged, what was assumed and what was not judged."""

from __future__ import annotations

from collections import Counter

from preflight.model.report import Cluster, Outcome, Report, Severity
from preflight.report.formatting import count, names
from preflight.report.terminal import plain


def summary(report: Report) -> str:
    """One line, whatever the report holds; see the parts."""
    sentences = [found(report), unread(report), f"{'; '.join(part for part in (judged(report), assumed(report), skipped(report)) if part)}"]
    return plain(" ".join(f"{sentence}." for sentence in sentences if sentence))


def cluster(asked: Cluster) -> str:
    """`cluster prod-eu (https://10.0.0.1:6443), Kubernetes v1.37.2`, as far as it is known."""
    server = f" ({asked.server})" if asked.server else ""
    return plain(f"cluster {asked.context or '-'}{server}{f', Kubernetes {asked.version}' if asked.version else ''}")


def found(report: Report) -> str:
    """`3 errors, 1 note`, with the number of exempted findings where there are any; `No findings` where there are none."""
    numbers = Counter(finding.severity for finding in report.findings if finding.exempted is None)
    exempted = sum(finding.exempted is not None for finding in report.findings)
    parts = [count(numbers[severity], severity) for severity in Severity if numbers[severity]]
    return ", ".join([*(parts or ["No findings"]), *([f"{exempted} exempted"] if exempted else [])])


def unread(report: Report) -> str:
    """`1 file could not be read`, for each file that has a problem, and `2 lines were not judged`, of scripts; "" for none.

    A problem without a file has its own line elsewhere.
    """
    located = [problem for problem in report.problems if problem.location]
    lines = sum(problem.message.startswith("not judged: ") for problem in located)
    files = {problem.location.file for problem in located if problem.location and not problem.message.startswith("not judged: ")}
    parts = [f"{count(len(files), 'file')} could not be read" if files else ""]
    parts.append(f"{count(lines, 'line')} {'was' if lines == 1 else 'were'} not judged" if lines else "")
    return ", ".join(part for part in parts if part)


def judged(report: Report) -> str:
    """`Judged 7 DaemonSets on 2 of 6 nodes (14 pairs) from 5 files`; without a change, all objects are judged."""
    total = report.judged
    nodes = len({node for step in report.steps for node in step.nodes})
    unknown = sum(len(part.nodes) for step in report.steps for part in step.coverage if part.outcome is Outcome.UNKNOWN)
    where = f"{nodes} of {count(total.nodes, 'node')}" if nodes < total.nodes else count(nodes, "node")
    pairs = f"{count(total.pairs, 'pair')}{f', {unknown} unknown' if unknown else ''}"
    coverage = f"{count(total.daemonsets, 'DaemonSet')} on {where} ({pairs})" if report.steps else ""
    files = f" from {count(total.files, 'file')}" if total.files else ""
    if report.cluster is not None and not total.files:
        files = f" of cluster {report.cluster.context}"
    if report.command:
        return f"Judged {coverage or count(total.daemonsets, 'DaemonSet')}{files}"
    return f"Judged {count(total.objects, 'object')}{files}{f', and {coverage}' if coverage else ''}"


def assumed(report: Report) -> str:
    """The assumptions, joined."""
    return "; ".join(report.assumptions)


def skipped(report: Report) -> str:
    """`not judged: Jobs, PodDisruptionBudgets (not given)`: what has the same reason stands together, long lists are cut."""
    reasons: dict[str, list[str]] = {}
    for skip in report.skipped:
        reasons.setdefault(skip.why, []).append(skip.what)
    parts = [f"{names(what)} ({why})" if why else names(what) for why, what in reasons.items()]
    return f"not judged: {', '.join(parts)}" if parts else ""
