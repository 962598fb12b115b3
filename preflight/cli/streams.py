"""Standard output and standard error: the only place that writes to them.

1. `print_line` and `print_text` are for whatever holds words of a file, a cluster or a command line: nothing in it is obeyed.
2. `print_rendered` is for what `preflight.report` made, which is inert already, and may be colored.
3. `print_data` is for programs that read standard input: snapshots, diffs, completions.

Errors: InputError where a stream cannot be written; BrokenPipeError where its reader has enough.
"""

from __future__ import annotations

import os
import sys
from typing import BinaryIO, TextIO, cast

from preflight.errors import InputError
from preflight.inert_text import make_inert, make_lines_inert

_OPENED = ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY))
"""How a stream is opened that was closed: no file takes its number, and only standard error may be used without an error."""


def print_line(line: str, *, err: bool = False) -> None:
    """Print one line that may hold anything, line ends of names included."""
    _write(make_inert(line) + "\n", err)


def print_text(text: str, *, err: bool = False) -> None:
    """Print lines that may hold anything."""
    _write(make_lines_inert(text) + "\n", err)


def print_rendered(text: str, *, err: bool = False) -> None:
    """Print a report."""
    _write(text, err)


def print_data(data: bytes) -> None:
    """Print bytes on standard output as they are."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except OSError as error:
        raise _explain(error, "standard output") from None


def prepare_streams() -> None:
    """Make the streams ready for any text, and for having been closed before the program began."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        for descriptor, name, flags in _OPENED:
            if getattr(sys, name) is None:
                os.open(os.devnull, flags)  # the lowest number that is free, which is this one
                setattr(sys, name, open(descriptor, "w" if descriptor else "r", encoding="utf-8", closefd=False))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if (stream.encoding or "").lower() != "utf-8" or stream.errors == "strict":
            cast("object", stream).reconfigure(errors="backslashreplace")  # type: ignore[attr-defined]


def get_stdin() -> BinaryIO:
    """Standard input as bytes."""
    return sys.stdin.buffer


def _write(text: str, err: bool) -> None:
    stream: TextIO = sys.stderr if err else sys.stdout
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        raise _explain(error, "standard error" if err else "standard output") from None


def _explain(error: OSError, name: str) -> OSError | InputError:
    if isinstance(error, BrokenPipeError):
        return error
    from preflight.messages.cli import describe_unwritable

    return InputError(describe_unwritable(name, (error.strerror or str(error)).lower()))
