"""Names are read by a process of their own, and kept for a minute: a person who presses Tab never waits for a cluster."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import select
import signal
import stat
import sys
import time
from pathlib import Path
from typing import NoReturn

import msgspec

from preflight.cli.complete.names import Names, NameSource, read_names

KEPT = 60.0
"""How many seconds names are offered after they were read."""

LONGEST = 10.0
"""How many seconds the reading may take, in the background."""

_PAUSE = 0.01
_PIECE = 1 << 16
_LARGEST = 1 << 26
_FORGOTTEN = 24 * 3600.0
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY")


def get_names(source: NameSource, seconds: float) -> Names:
    """The names of a source: kept ones, else those that are read within some seconds; no names where none come in time.

    1. The reading goes on in the background, for at most `LONGEST` seconds, so that the next time has what came late: also where there is
       no time left to wait for it. One process reads a source at a time.
    2. That process has no terminal, no standard streams and no screen: nothing in it can ask a person, or print.
    3. What was read is kept in $XDG_CACHE_HOME/preflight (~/.cache/preflight) for `KEPT` seconds, readable for the user alone.
    """
    deadline = time.monotonic() + seconds
    cache = _locate_cache(source)
    kept = _load(cache)
    if kept is not None or not hasattr(os, "fork"):
        return kept or Names()
    lock = _lock(cache)
    if lock is None:
        return _wait_for_other(cache, deadline)
    reading, writing = os.pipe()
    if os.fork() == 0:
        _run_child(source, cache, writing)
    os.close(writing)
    os.close(lock)
    with open(reading, "rb", buffering=0) as pipe:  # noqa: PTH123
        answer = _read_until(pipe.fileno(), deadline)
    return _decode(answer) or Names()


def _locate_cache(source: NameSource) -> Path:
    given = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(given) if os.path.isabs(given) else Path("~/.cache").expanduser()  # noqa: PTH117 (the specification: else it is ignored)
    return base / "preflight" / "complete" / f"{hashlib.sha256(msgspec.json.encode(source)).hexdigest()[:40]}.json"


def _load(cache: Path) -> Names | None:
    """What is kept, None where it is too old, or somebody else's."""
    try:
        with open(os.open(cache, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:  # noqa: PTH123
            status = os.fstat(file.fileno())
            is_ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
            if not is_ours or not 0 <= time.time() - status.st_mtime < KEPT:
                return None
            return _decode(file.read(_LARGEST))
    except OSError:
        return None


def _decode(answer: bytes) -> Names | None:
    try:
        return msgspec.json.decode(answer, type=Names)
    except msgspec.DecodeError:
        return None


def _lock(cache: Path) -> int | None:
    """The lock of a source, None where another process has it; where it cannot be had at all, a lock of nothing."""
    try:
        cache.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(cache.with_suffix(".lock"), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    except OSError:
        return os.open(os.devnull, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        return None
    return lock


def _wait_for_other(cache: Path, deadline: float) -> Names:
    while time.monotonic() < deadline:
        kept = _load(cache)
        if kept is not None:
            return kept
        time.sleep(_PAUSE)
    return Names()


def _read_until(pipe: int, deadline: float) -> bytes:
    """What comes through a pipe up to its end; b"" where that comes too late."""
    pieces: list[bytes] = []
    while (left := deadline - time.monotonic()) > 0 and select.select([pipe], [], [], left)[0]:
        piece = os.read(pipe, _PIECE)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
    return b""


def _run_child(source: NameSource, cache: Path, writing: int) -> NoReturn:
    """Read the names, keep them, and give them to the parent, if it still waits. The lock is held until the process ends."""
    try:
        _detach()
        answer = msgspec.json.encode(read_names(source, LONGEST))
        with contextlib.suppress(OSError):
            _keep(cache, answer)
        with open(writing, "wb") as pipe:
            pipe.write(answer)
    finally:
        os._exit(0)


def _detach() -> None:
    os.setsid()  # without a terminal no credential plugin can ask for a password
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    for screen in _SCREENS:
        os.environ.pop(screen, None)
    os.environ["BROWSER"] = "false"  # nor open a page to log in
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, LONGEST)


def _keep(cache: Path, answer: bytes) -> None:
    """Replace the file, and remove what was not asked for in the last day."""
    new = cache.with_suffix(f".{os.getpid()}")
    with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600), "wb") as file:  # noqa: PTH123
        file.write(answer)
    new.replace(cache)
    for path in cache.parent.iterdir():
        if time.time() - path.lstat().st_mtime > _FORGOTTEN:
            path.unlink(missing_ok=True)
