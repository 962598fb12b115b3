"""`python -m tests.safety record | show | diff`: see the package."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from tests.safety import record
from tests.safety.runs import perform


def main(arguments: list[str]) -> int:
    """Obey one of the three commands; 1 where answers differ from those recorded."""
    parser = argparse.ArgumentParser(prog="tests.safety", description="What the program answers, without its texts.")
    commands = parser.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="record runs that are new, and write all answers into build/safety")
    recording.add_argument("--accept", action="append", default=[], metavar="NAME", help="replace the recorded answers of these runs")
    showing = commands.add_parser("show", help="print command lines and answers of runs")
    showing.add_argument("names", nargs="+", metavar="NAME")
    showing.add_argument("--write", type=Path, metavar="FOLDER", help="leave the files of the first of these runs there")
    comparing = commands.add_parser("diff", help="print what has changed since build/safety was written")
    comparing.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args(arguments)
    if given.command == "record":
        return _record(given.accept)
    if given.command == "show":
        return _show(given.names, given.write)
    return _diff(given.names)


def _record(accept: list[str]) -> int:
    code = 0
    for source in record.SOURCES:
        if not record.list_runs(source):
            _print([f"{source}: not found, and left as it is"])
            continue
        found = record.update(source, record.Record(), accept)
        _print([f"{source}: {found.runs} runs"])
        for what, names in (("new", found.added), ("gone", found.dropped), ("accepted", found.accepted), ("DIFFERENT", found.left)):
            _print(f"  {what}: {name}" for name in names)
        code |= bool(found.left)
    return code


def _show(names: list[str], folder: Path | None) -> int:
    runs = [run for source in record.SOURCES for run in record.list_runs(source) if record.matches(run, names)]
    for run in runs:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        _print([run.name, *record.describe_lines(run), *record.format_answers(perform(run, folder)), ""])
        folder = None
    return 0 if runs else 1


def _diff(names: list[str]) -> int:
    runs = [run for source in record.SOURCES for run in record.list_runs(source) if not names or record.matches(run, names)]
    code = 0
    for difference in record.compare(runs, record.Record()):
        _print([record.describe(difference, record.Record()), ""])
        code = 1
    return code


def _print(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
