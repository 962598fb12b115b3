"""The report as SARIF 2.1.0, for code scanning and for editors (docs/formats.md)."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from preflight.inert_text import escape_unprintable, make_json_inert
from preflight.messages.report import WORKING_FOLDER
from preflight.model.report import Finding, Location, Problem, Report, RuleInfo, Severity
from preflight.report.ci_annotation import format_sentence, get_file_path, iter_further_lines
from preflight.report.fingerprints import FINGERPRINT_NAME, make_fingerprints
from preflight.report.formatting import clip

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_BASE = "%SRCROOT%"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}
# GitHub's own words, for the filter of its list of alerts.
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
_PLACEHOLDER = re.compile(r"\{(\d+)\}")


def render(report: Report, **_options: object) -> str:
    """A log with one run, as ASCII, indented by two, with one newline at the end. The options of a terminal change nothing.

    1. Every finding is a result; an exempted one is suppressed, with its reason as the justification. Lines of more than 1,000 characters
       are cut, and of more than 20 notes of one finding the rest.
    2. `partialFingerprints` stay when lines move: see `fingerprints`. Columns count code points.
    3. A path is relative to where preflight ran, `%SRCROOT%`; an absolute one becomes a `file:` URI. What no file holds (a live cluster,
       a snapshot on standard input) has a logical location only.
    4. What could not be read is a notification of the run, which then was not successful.
    """
    rules = _collect_rules(report)
    index = {rule.id: number for number, rule in enumerate(rules)}
    marks = make_fingerprints(report.findings)
    run = {
        "tool": {
            "driver": {"name": "preflight", "version": escape_unprintable(report.preflight), "rules": [_make_rule(rule) for rule in rules]}
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"description": {"text": WORKING_FOLDER}}},
        "invocations": [
            {
                "executionSuccessful": not report.problems and report.exit != 4,
                "exitCode": report.exit,
                "toolExecutionNotifications": [_make_notification(problem) for problem in report.problems],
            }
        ],
        "results": [
            _make_result(finding, index[finding.rule], mark, len(report.steps))
            for finding, mark in zip(report.findings, marks, strict=True)
        ],
    }
    return make_json_inert(json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)) + "\n"


def _collect_rules(report: Report) -> list[RuleInfo]:
    """The rules of the findings, by id; of one that the report does not describe, what its findings say."""
    rules = {finding.rule: RuleInfo(finding.rule, finding.name, finding.severity, finding.name, "") for finding in report.findings}
    rules |= {rule.id: rule for rule in report.rules if rule.id in rules}
    return [rules[rule] for rule in sorted(rules)]


def _make_rule(rule: RuleInfo) -> dict[str, Any]:
    described: dict[str, Any] = {
        "id": escape_unprintable(rule.id),
        "name": escape_unprintable(rule.name),
        "shortDescription": _make_message([f"{rule.summary}."]),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": ["kubernetes"], "problem.severity": _PROBLEMS[rule.severity]},
    }
    if rule.explanation:
        markdown = "\n".join(escape_unprintable(line) for line in _format_markdown(rule.explanation).splitlines())
        described["help"] = _make_message(rule.explanation.splitlines()) | {"markdown": markdown}
    return described


def _format_markdown(explanation: str) -> str:
    """An explanation as Markdown: its headings in bold, and what is indented below each as a paragraph."""
    bold = re.sub(r"^(\S.*)$", r"\n**\1**\n", explanation.partition("\n")[2].strip("\n"), flags=re.MULTILINE)
    return re.sub(r"^ {4}", "", bold, flags=re.MULTILINE).strip("\n")


def _make_result(finding: Finding, rule: int, fingerprint: str, steps: int) -> dict[str, Any]:
    reason = finding.exempted
    suppression = {"kind": "external", "status": "accepted", "justification": clip(escape_unprintable(reason or ""), 1000)}
    result: dict[str, Any] = {
        "ruleId": escape_unprintable(finding.rule),
        "ruleIndex": rule,
        "level": _LEVELS[finding.severity],
        "message": _make_message([format_sentence(finding, steps), *iter_further_lines(finding)]),
        "locations": [_make_physical_location(finding.location) | {"logicalLocations": [_make_logical_location(finding)]}],
        "partialFingerprints": {FINGERPRINT_NAME: fingerprint},
        "suppressions": [] if reason is None else [suppression],
    }
    related = [(location.message, _make_physical_location(location.location)) for location in finding.related]
    if found := [{"message": _make_message([message])} | physical for message, physical in related if physical]:
        result["relatedLocations"] = found
    return result


def _make_logical_location(finding: Finding) -> dict[str, str]:
    subject = finding.subject
    name = escape_unprintable(subject.name)
    full = [escape_unprintable(part) for part in (subject.namespace, subject.kind) if part]
    return {"name": clip(name, 500), "fullyQualifiedName": clip("/".join([*full, name]), 1000), "kind": "resource"}


def _make_physical_location(location: Location | None) -> dict[str, Any]:
    path = get_file_path(location)
    if location is None or not path:
        return {}
    if posixpath.isabs(path):
        artifact = {"uri": f"file:///{_quote_path(path.lstrip('/'))}"}
    else:
        artifact = {"uri": _quote_path(path)} | ({} if path.startswith("../") else {"uriBaseId": _BASE})
    physical: dict[str, Any] = {"artifactLocation": artifact}
    if location.line:
        physical["region"] = {"startLine": location.line} | ({"startColumn": location.column} if location.column else {})
    return {"physicalLocation": physical}


def _quote_path(path: str) -> str:
    """A path as a URI: every byte that is no letter, digit or one of `_.-~/` is written as `%XX`."""
    try:
        return quote(path.encode("utf-8", "surrogateescape"))
    except UnicodeEncodeError:
        return quote(path.encode("utf-8", "backslashreplace"))


def _make_notification(problem: Problem) -> dict[str, Any]:
    physical = _make_physical_location(problem.location)
    where = {"locations": [physical]} if physical else {}
    return {"level": "error", "message": _make_message([problem.message])} | where


def _make_message(lines: Sequence[str]) -> dict[str, Any]:
    """A message of plain text.

    SARIF reads `[text](target)` in it as a link and `{0}` as a placeholder (2.1.0, sections 3.11.5 and 3.11.6): where a name would
    make one, brackets are escaped and braces doubled.
    """
    text = "\n".join(clip(escape_unprintable(line), 1100) for line in lines)
    if "](" in text:
        text = re.sub(r"[\[\]\\]", r"\\\g<0>", text)
    return {"text": _PLACEHOLDER.sub(r"{{\1}}", text)}
