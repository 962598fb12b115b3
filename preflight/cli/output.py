"""A report, printed: to standard output or files, in the formats asked for."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from preflight.cli.run import get_run
from preflight.cli.streams import print_line, print_rendered, print_text
from preflight.engine.report_builder import Analysis
from preflight.errors import InputError, UsageError
from preflight.messages import cli as messages
from preflight.model.report import Problem, Report, Severity
from preflight.report import FORMATS
from preflight.report.concise import count_hidden


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
    places = [os.path.realpath(path) for _, path in found if path]
    for (_, path), place in zip((pair for pair in found if pair[1]), places, strict=True):
        if places.count(place) > 1 and os.path.dirname(place) != "/dev":  # noqa: PTH120
            raise UsageError(messages.describe_repeated_output(path))
    return found


def finish_run(analysis: Analysis, given: dict[str, Any]) -> int:
    """Print the report of a run and what could not be read, and answer the exit code."""
    report, baseline = analysis.report, analysis.baseline
    get_run().alive.append(analysis)
    lowest = Severity(given["fail_on"]) if given["quiet"] else None
    formats = parse_formats(given["outputs"] or (("concise",) if given["quiet"] else ()))
    if not report.judged.objects and not report.findings and report.problems:
        formats = [chosen for chosen in formats if chosen != ("text", "")]  # why nothing was checked is all that there is to say
    print_report(FORMATS, report, formats, all_rows=given["all_rows"], lowest=lowest)
    if baseline is not None:
        write_output(baseline.file, baseline.format_file())
        accepted = messages.ONE_FINDING if baseline.finding_count == 1 else f"{baseline.finding_count} findings"
        print_line(messages.describe_written_baseline(baseline.file, accepted, baseline.expires), err=True)
    if report.problems:
        print_problems(report.problems)
    if lowest is not None and any(name == "concise" for name, _ in formats):
        _print_rest(report, lowest)
    if analysis.request_summary and given["verbose"]:
        print_text(analysis.request_summary, err=True)
    if analysis.crashes and given["verbose"]:
        import traceback

        print_text("\n".join("".join(traceback.format_exception(crash)) for crash in analysis.crashes), err=True)
    return report.exit


def _print_rest(report: Report, lowest: Severity) -> None:
    """Print how many findings --quiet leaves out, and why the exit code is 3 where no finding and no unreadable file says so."""
    if hidden := count_hidden(report, lowest):
        print_line(messages.describe_hidden_findings(hidden, lowest), err=True)
    if report.exit == 3 and not report.problems:
        print_line(messages.QUIET_ABOUT_UNKNOWN, err=True)


def print_report(
    known_formats: Mapping[str, Callable[..., str]],
    report: object,
    formats: Iterable[tuple[str, str]],
    *,
    all_rows: bool,
    lowest: Severity | None = None,
) -> None:
    """Print a report in some formats, each to its path, or to standard output; with `lowest`, `concise` prints only what fails the run."""
    for name, path in formats:
        terminal = not path and sys.stdout.isatty()
        is_colored = not path and get_run().uses_color(sys.stdout)
        text = known_formats[name](
            report,
            width=_get_terminal_width() if terminal else 0,
            color=is_colored,
            all_rows=all_rows,
            **({"lowest": lowest} if lowest is not None and name == "concise" else {}),
        )
        if path:
            write_output(path, text)
        else:
            print_rendered(text)


def print_problems(problems: Sequence[Problem]) -> None:
    """Print what could not be read on standard error."""
    from preflight.report.text import render_problems

    is_colored = get_run().uses_color(sys.stderr)
    print_rendered(render_problems(problems, color=is_colored), err=True)


def write_output(path: str, text: str) -> None:
    """Write the text of a report to a file."""
    from preflight.file_write import LinkError, write_file
    from preflight.messages.load import describe_link

    try:
        write_file(path, (text.encode("utf-8", "surrogateescape"),))
    except LinkError as error:
        raise InputError(messages.describe_unwritable(path, describe_link(error.filename))) from None
    except (OSError, ValueError) as error:
        raise InputError(messages.describe_unwritable(path, getattr(error, "strerror", None) or error)) from None


def _get_terminal_width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return 0
