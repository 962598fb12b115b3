"""Runs command lines in this process, and measures their processor time and memory."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from unittest import mock

from preflight.errors import PreflightError
from preflight.load.live.kubeconfig import open_access
from preflight.load.live.target import ClusterTarget
from tests.cli.program import Result, program
from tests.fuzz.cases import KUBECONFIG, Case, Fault, Line

SECONDS, BYTES = 2.0, 100_000
"""What processor time an input of this size may take; a smaller one may take as much."""
HANG = 10.0
FACTOR, SLACK = 20, 64 << 20
"""How many times the size of the input the memory may grow, beyond what any run may take."""
_FRAME = re.compile(r'File "[^"]*?(preflight/[^"]+)", line \d+, in (\S+)')
_ERROR = re.compile(r"^(\w[\w.]*(?:Error|Exception|Exit|Overflow\w*)\b)", re.MULTILINE)


class _HangError(BaseException):
    """The processor time is used up; no handler of the program catches this."""


def _end_hang(_signal: int, _frame: FrameType | None) -> None:
    raise _HangError


class BrokenLawError(Exception):
    """A law does not hold."""

    def __init__(self, law: str, place: str, detail: str = "") -> None:
        super().__init__(law, place)
        self.fault = Fault(law, place, detail)


@contextlib.contextmanager
def laid_out(case: Case) -> Iterator[None]:
    """Inside, the files of the case are in the working directory, and no cluster is near."""
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder, contextlib.chdir(folder), _no_cluster():
        write(case)
        yield


def write(case: Case) -> None:
    """Write the files of a case into the working directory, without what an earlier run left there."""
    for path in Path().iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    for name, data in case.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(data)


@contextlib.contextmanager
def _no_cluster() -> Iterator[None]:
    variables = {"KUBECONFIG": str(Path("no-kubeconfig").absolute()), "NO_COLOR": "1", "HOME": str(Path.cwd())}
    with mock.patch.dict(os.environ, variables):
        os.environ.pop("KUBERNETES_SERVICE_HOST", None)
        yield


def run(line: Line, size: int) -> Result:
    """Run a command line; a run that crashes, or takes too long or too much, breaks a law."""
    started, peak = time.process_time(), _reset_peak()
    previous = signal.signal(signal.SIGPROF, _end_hang)
    signal.setitimer(signal.ITIMER_PROF, HANG + 2 * SECONDS * size / BYTES)
    try:
        result = _call(line)
    except _HangError:
        raise BrokenLawError("ends", _verb(line), f"more than {HANG} s") from None
    except Exception as error:
        import traceback

        raise BrokenLawError("no crash", find_place(traceback.format_exc()), repr(error)) from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, previous)
    seconds, grown = time.process_time() - started, _read_peak() - peak
    if seconds > SECONDS * max(1, size / BYTES):
        raise BrokenLawError("time", _verb(line), f"{seconds:.1f} s for {size} bytes")
    if grown > FACTOR * size + SLACK:
        raise BrokenLawError("memory", _verb(line), f"{grown >> 20} MiB for {size} bytes")
    if result.code not in (0, 1, 2, 3):
        raise BrokenLawError("exit code", find_place(result.err) or str(result.code), result.err[-2000:])
    return result


def _call(line: Line) -> Result:
    if line[0] != KUBECONFIG:
        return program(*line)
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors):
        try:
            open_access(ClusterTarget(kubeconfig=line[1]))
        except PreflightError as error:
            return Result(3, "", f"{error}\n")
    return Result(0, "", errors.getvalue())


def _verb(line: Line) -> str:
    return line[0] if line else ""


def find_place(text: str) -> str:
    """The last function of the program in a traceback, and the kind of error; "" without one."""
    frames, errors = _FRAME.findall(text), _ERROR.findall(text)
    return f"{frames[-1][0]}:{frames[-1][1]} {errors[-1] if errors else ''}".strip() if frames else ""


def _reset_peak() -> int:
    """Forget how much memory this process has had; the result is what it has."""
    if sys.platform != "linux":
        return 0
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return _read_peak()


def _read_peak() -> int:
    """The most memory that this process has had, in bytes; 0 where it cannot be determined."""
    if sys.platform != "linux":
        return 0
    row = next(row for row in Path("/proc/self/status").read_text().splitlines() if row.startswith("VmHWM"))
    return int(row.split()[1]) << 10
