"""What the files of a command line hold: regular files, standard input, and pipes that a person names; never without a limit."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import MutableMapping
from typing import TYPE_CHECKING, BinaryIO

from preflight.errors import InputError
from preflight.load.files import STDIN, SourceFile, read_content, read_limited
from preflight.messages.load import NOT_REGULAR, describe_unreadable

if TYPE_CHECKING:
    from mmap import mmap

MAX_COMMAND_FILE = 256 << 20
"""The bytes of one file of a command line, packed or not: manifests are smaller, and a device never ends."""

OneTimeContents = MutableMapping[str, bytes]
"""What was read of standard input and of pipes, by their path: they give it only once, and a command may be looked at several times."""


def read_command_input(
    source: SourceFile, base: str = "", *, stdin: BinaryIO | None = None, earlier: OneTimeContents | None = None
) -> bytes | bytearray | mmap:
    """What a file of a command line holds, unpacked as `read_content` does.

    1. Regular files are read, and what a link to one holds. A pipe is read where a person names it on the command line (`<(...)`):
       `base`, the file (a plan) that names the path, is "" then. Devices and sockets are never opened.
    2. `earlier` has what was read before of what can be read only once.

    Errors: OSError where it cannot be opened; InputError for what is no regular file, or is too large.
    """
    if earlier is not None and source.path in earlier:
        return _unpack(source, earlier[source.path])
    if source.path == STDIN:
        data = read_limited(stdin or _get_stdin(), MAX_COMMAND_FILE, source.file)
    else:
        mode = os.stat(source.path).st_mode  # noqa: PTH116 (pathlib costs 10 ms at the start)
        is_pipe = stat.S_ISFIFO(mode) and source.is_named and not base
        if not stat.S_ISREG(mode) and not is_pipe and not stat.S_ISDIR(mode):
            raise InputError(f"{source.file}: {describe_unreadable(NOT_REGULAR)}")
        with open(source.path, "rb") as file:  # noqa: PTH123
            data = read_limited(file, MAX_COMMAND_FILE, source.file)
        if not is_pipe:
            return _unpack(source, data)
    if earlier is not None:
        earlier[source.path] = data
    return _unpack(source, data)


def _get_stdin() -> BinaryIO:
    import sys

    return sys.stdin.buffer


def _unpack(source: SourceFile, data: bytes) -> bytes | bytearray | mmap:
    return read_content(SourceFile(source.file, STDIN), io.BytesIO(data))
