"""The program, run in this process: `main()` with its own arguments and streams."""

from __future__ import annotations

import gc
import io
import sys
from typing import NamedTuple

from preflight.cli.main import main


class Result(NamedTuple):
    """What a run leaves: its exit code, and what it wrote."""

    code: int
    out: str
    err: str


class Terminal(io.TextIOWrapper):
    """A standard output that says it is a terminal, and does not know how wide it is."""

    def isatty(self) -> bool:
        return True


def program(*argv: str, stdin: bytes = b"", terminal: bool = False) -> Result:
    """`preflight ARGV`, with these bytes on standard input; `terminal` where standard output is to look like one."""
    before = sys.argv, sys.stdin, sys.stdout, sys.stderr
    out, err = io.BytesIO(), io.BytesIO()
    sys.argv = ["preflight", *argv]
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout = (Terminal if terminal else io.TextIOWrapper)(out, encoding="utf-8", write_through=True)
    sys.stderr = io.TextIOWrapper(err, encoding="utf-8", write_through=True)
    code: object = "main came back"
    try:
        main(sys.exit)
    except SystemExit as end:
        code = end.code
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.detach()
        sys.argv, sys.stdin, sys.stdout, sys.stderr = before
        gc.enable()  # a run switches it off, for it is the last thing that its process does
    assert isinstance(code, int)
    return Result(code, out.getvalue().decode(), err.getvalue().decode())
