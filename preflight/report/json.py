"""The report for programs: JSON, version 1, closed by the schema beside this module (docs/json.md)."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec

from preflight.inert_text import make_json_inert
from preflight.model.report import Coverage, Finding, Location, Problem, Report, ReportStep
from preflight.model.toleration_answers import DaemonSetTolerations

VERSION = 1
_UNSAFE = re.compile(r"[^\n -~]")


def render(report: Report, **_options: object) -> str:
    r"""The report as JSON, indented by two, with one newline at the end.

    1. Everything is in it: exempted findings are marked, and nothing is cut. The options of a terminal change nothing.
    2. The text is ASCII: any other character is written as `\uXXXX`, so that no terminal obeys it and no encoding breaks it.
    3. The same report gives the same bytes.
    """
    return format_document(_make_document(report))


def format_document(document: dict[str, Any]) -> str:
    """A document as text: see `render`."""
    try:
        text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    except UnicodeEncodeError:  # a lone surrogate, as in the name of a file that is no UTF-8
        text = json.dumps(document, indent=2, ensure_ascii=True)
    if not text.isascii() or "\x7f" in text:
        text = _UNSAFE.sub(_escape, text)
    return f"{make_json_inert(text)}\n"


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match[0]).strip('"') if ord(match[0]) > 0x7F else "\\u007f"


def _make_document(report: Report) -> dict[str, Any]:
    steps = [(number if report.command else 0, step) for number, step in enumerate(report.steps, 1)]
    document: dict[str, Any] = {
        "version": VERSION,
        "preflight": report.preflight,
        "change": {"command": report.command, "steps": [_make_step(step) for _, step in steps]} if report.command else None,
        "cluster": msgspec.to_builtins(report.cluster),
        "judged": msgspec.to_builtins(report.judged),
        "assumptions": report.assumptions,
        "skipped": msgspec.to_builtins(report.skipped),
        "problems": [_make_problem(problem) for problem in report.problems],
        "coverage": [_make_coverage(coverage, number) for number, step in steps for coverage in step.coverage],
        "tolerations": [_make_tolerations(tolerations) for tolerations in report.tolerations],
        "findings": [_make_finding(finding) for finding in report.findings],
        "exit": report.exit,
    }
    if report.why:
        document["why"] = msgspec.to_builtins(report.why)
    return document


def _make_step(step: ReportStep) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "command": step.command,
        "headline": step.headline,
        "notes": step.notes,
        "nodes": step.nodes,
        "taints": step.taints,
    }
    if step.story is not None:
        shown["story"] = step.story
    if step.evictions is None:
        return shown
    from preflight.report.evictions_json import make_evictions_document  # only for a change that lets pods go

    return {**shown, "evictions": make_evictions_document(step.evictions)}


def _make_coverage(coverage: Coverage, step: int) -> dict[str, Any]:
    row: dict[str, Any] = {
        "step": step,
        "daemonset": coverage.daemonset,
        "nodes": coverage.nodes,
        "outcome": coverage.outcome,
        "assumed": coverage.assumed,
        "before": coverage.before,
        "now": coverage.now,
        "recreated": coverage.recreated,
    }
    if coverage.replaced is not None:
        row["replaced"] = coverage.replaced
    if coverage.ready is not None:
        row["ready"] = coverage.ready
    row["periodSeconds"] = coverage.periodSeconds
    row["reasons"] = coverage.reasons
    row["tolerates"] = msgspec.to_builtins(coverage.tolerates)
    if coverage.place:
        row["place"] = coverage.place
    if coverage.declaredBy is not None:
        row["declaredBy"] = msgspec.to_builtins(coverage.declaredBy)
    return row


def _make_tolerations(tolerations: DaemonSetTolerations) -> dict[str, Any]:
    row: dict[str, Any] = {"daemonset": tolerations.daemonset, "tolerations": msgspec.to_builtins(tolerations.tolerations)}
    if tolerations.place:
        row["place"] = tolerations.place
    if tolerations.declaredBy is not None:
        row["declaredBy"] = msgspec.to_builtins(tolerations.declaredBy)
    return row


def _make_location(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    return {"file": location.file, "line": location.line or None, "column": location.column or None, "path": location.path}


def _make_problem(problem: Problem) -> dict[str, Any]:
    made: dict[str, Any] = {"message": problem.message, "location": _make_location(problem.location)}
    return {**made, "kind": problem.kind} if problem.kind else made


def _make_finding(finding: Finding) -> dict[str, Any]:
    subject = finding.subject
    suggestion = finding.suggestion
    return {
        "rule": finding.rule,
        "name": finding.name,
        "severity": finding.severity,
        "subject": {"kind": subject.kind, "namespace": subject.namespace or None, "name": subject.name},
        "nodes": finding.nodes,
        "message": finding.message,
        "location": _make_location(finding.location),
        "related": [{"message": related.message, "location": _make_location(related.location)} for related in finding.related],
        "notes": [{"heading": heading, "text": text} for heading, text in finding.notes],
        "suggestion": {"tolerations": suggestion.tolerations, "text": suggestion.text} if suggestion else None,
        "exempted": finding.exempted,
        "step": finding.step,
        "role": finding.role,
    }
