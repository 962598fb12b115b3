"""A report, printed: to standard output or files, in the formats asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import click

from preflight.engine.report_builder import Analysis
from preflight.errors import InputError, UsageError
from preflight.messages import cli as messages
from preflight.report import FORMATS


def parse_formats(outputs: tuple[str, ...], known_formats: Mapping[str, Any] = FORMATS) -> list[tuple[str, str]]:
    """The formats asked for of those that are known, each with its path, "" for standard output: text, where none is.

    Said before anything is read: a wrong format should not cost a run.
    """
    found = []
    for output in outputs or ("text",):
        name, _, path = output.partition("=")
        if name not in known_formats:
            kubectls = messages.KUBECTL_OUTPUT if name in ("yaml", "name", "wide") else ""
            raise UsageError(messages.describe_unknown_output(name, known_formats.keys(), kubectls))
        found.append((name, path))
    if sum(not path for _, path in found) > 1:
        raise UsageError(messages.ONE_STDOUT)
    return found


def finish_run(analysis: Analysis, given: dict[str, Any]) -> int:
    """Print the report of a run and what could not be read, and answer the exit code."""
    report, baseline = analysis.report, analysis.baseline
    alive = click.get_current_context().obj
    if alive is not None:
        alive.append(analysis)
    formats = parse_formats(given["outputs"])
    if not report.judged.objects and not report.findings and report.problems:
        formats = [chosen for chosen in formats if chosen != ("text", "")]  # why nothing was checked is all that there is to say
    print_report(FORMATS, report, formats, all_rows=given["all_rows"])
    if baseline is not None:
        write_output(baseline.file, baseline.format_file())
        accepted = messages.ONE_FINDING if baseline.finding_count == 1 else f"{baseline.finding_count} findings"
        click.echo(messages.describe_written_baseline(baseline.file, accepted, baseline.expires), err=True)
    if report.problems:
        from preflight.report.text import render_problems

        click.echo(render_problems(report.problems), nl=False, err=True)
    if analysis.request_summary and given["verbose"]:
        click.echo(analysis.request_summary, err=True)
    if analysis.crashes and given["verbose"]:
        import traceback

        click.echo("\n".join("".join(traceback.format_exception(crash)) for crash in analysis.crashes), err=True)
    return report.exit


def print_report(
    known_formats: Mapping[str, Callable[..., str]], report: object, formats: Iterable[tuple[str, str]], *, all_rows: bool
) -> None:
    """Print a report in some formats, each to its path, or to standard output."""
    for name, path in formats:
        terminal = not path and sys.stdout.isatty()
        text = known_formats[name](
            report,
            width=_get_terminal_width() if terminal else 0,
            color=terminal and not any(os.environ.get(word) for word in ("NO_COLOR", "CI")) and os.environ.get("TERM") != "dumb",
            all_rows=all_rows,
        )
        if path:
            write_output(path, text)
        else:
            click.echo(text, nl=False)


def write_output(path: str, text: str) -> None:
    """Write the text of a report to a file."""
    from pathlib import Path

    try:
        Path(path).write_text(text, encoding="utf-8", errors="surrogateescape")
    except OSError as error:
        raise InputError(messages.describe_unwritable(path, error.strerror)) from error


def _get_terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 0
