"""Writing a file whole or not at all: never through a symbolic link, and with the owner, mode, names and attributes that it has.

1. A regular file is written next to its place and moved there once it is whole: a full disk or a crash leaves what was there.
2. A file with further names (hard links), or whose owner, mode or attributes the new one cannot have, is written in place, after its
   blocks are reserved; what was there is put back if that fails.
3. A pipe or device is written to as it is, and so is what is named below /dev/ and /proc/ (`/dev/stdout`, `>(...)`).
4. A symbolic link is refused: in a checkout, a stranger may have made it. So is a folder below the working folder that is one.

Errors: OSError, and LinkError for a link.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable

_STREAMS = ("/dev/", "/proc/")


class LinkError(OSError):
    """A path leads through a symbolic link, which is `filename`."""


def write_file(path: str, pieces: Iterable[bytes]) -> int:
    """Write a file from its pieces, and answer its size in bytes."""
    if os.path.abspath(path).startswith(_STREAMS):  # noqa: PTH100 (pathlib costs 10 ms)
        return _write_stream(path, pieces)
    _refuse_links(path)
    try:
        status = os.lstat(path)
    except FileNotFoundError:
        return _write_beside(path, pieces, None)
    if not stat.S_ISREG(status.st_mode):
        return _write_stream(path, pieces)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    return _write_beside(path, pieces, status)


def find_link(path: str) -> str:
    """The symbolic link that a path is, or leads through below the working folder; "" for none."""
    path = os.path.normpath(path)
    here = os.getcwd()  # noqa: PTH109
    inside = path if not os.path.isabs(path) else os.path.relpath(path, here) if path.startswith(f"{here}/") else ""  # noqa: PTH117
    folder = ""
    for name in os.path.dirname(inside).split("/"):  # noqa: PTH120
        folder = f"{folder}/{name}" if folder else name
        if folder and os.path.islink(folder):  # noqa: PTH114
            return folder
    return path if os.path.islink(path) else ""  # noqa: PTH114


def _refuse_links(path: str) -> None:
    if link := find_link(path):
        raise LinkError(errno.ELOOP, os.strerror(errno.ELOOP), link)


def _write_stream(path: str, pieces: Iterable[bytes]) -> int:
    size = 0
    with open(os.open(path, os.O_WRONLY | os.O_NOCTTY), "wb") as file:  # noqa: PTH123
        for piece in pieces:
            size += file.write(piece)
    return size


def _write_beside(path: str, pieces: Iterable[bytes], before: os.stat_result | None) -> int:
    temporary = f"{os.path.dirname(path) or '.'}/.preflight-{os.getpid()}-{os.path.basename(path)[:200]}"  # noqa: PTH119, PTH120
    try:
        descriptor = os.open(temporary, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o666)
    except PermissionError:
        if before is None:
            raise
        text = b"".join(pieces)  # the folder takes no new file
        _write_in_place(path, text)
        return len(text)
    file = open(descriptor, "w+b")  # noqa: PTH123, SIM115
    try:
        with file:
            size = sum(map(file.write, pieces))
            file.flush()
            if before is None or (before.st_nlink == 1 and _copy_attributes(path, before, file.fileno())):
                os.fsync(file.fileno())
                os.replace(temporary, path)  # noqa: PTH105
                temporary = ""
            else:
                file.seek(0)
                _write_in_place(path, file.read())
    finally:
        if temporary:
            os.unlink(temporary)  # noqa: PTH108
    return size


def _copy_attributes(path: str, before: os.stat_result, descriptor: int) -> bool:
    """Give a new file the owner, mode and extended attributes of an old one; False where that is not allowed."""
    try:
        if (before.st_uid, before.st_gid) != (os.fstat(descriptor).st_uid, os.fstat(descriptor).st_gid):
            os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
        for name in os.listxattr(path, follow_symlinks=False) if hasattr(os, "listxattr") else ():
            os.setxattr(descriptor, name, os.getxattr(path, name, follow_symlinks=False))
    except OSError as error:
        return error.errno in (errno.ENOTSUP, errno.ENOSYS)  # a file system without attributes has none to lose
    return True


def _write_in_place(path: str, text: bytes) -> None:
    with open(os.open(path, os.O_RDWR | os.O_NOFOLLOW), "r+b", buffering=0) as file:  # noqa: PTH123
        before = file.read()
        try:
            if len(text) > len(before) and hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, len(text))
            _overwrite(file.fileno(), text)
        except OSError:
            with contextlib.suppress(OSError):
                _overwrite(file.fileno(), before)
            raise


def _overwrite(descriptor: int, text: bytes) -> None:
    at = 0
    while at < len(text):
        at += os.pwrite(descriptor, memoryview(text)[at:], at)
    os.ftruncate(descriptor, len(text))
    os.fsync(descriptor)
