"""Writing a fixed file: all of it or nothing, and only over what was read."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile

from preflight.errors import InputError
from preflight.messages import fix as messages


def read_file(path: str) -> bytes:
    """What a file holds. InputError where it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except (OSError, ValueError) as error:
        raise InputError(messages.describe_unreadable_file(path, getattr(error, "strerror", None) or error)) from None


def resolve_target(path: str) -> str:
    """The file to write for a path: itself, or where a symbolic link leads.

    InputError for a link that leads out of the current folder: a stranger may have made it.
    """
    if not os.path.islink(path):  # noqa: PTH114
        return path
    real, here = os.path.realpath(path), os.path.realpath(".")
    if os.path.commonpath((real, here)) != here:
        raise InputError(messages.describe_outside_link(path))
    return real


def write_fixed_file(path: str, before: bytes, after: bytes) -> None:
    """Put a new text in the place of the old one.

    1. The file gets its text whole or not at all, and keeps its mode.
    2. InputError where it cannot be written, where it is no regular file, and where it is not what was read any more.
    """
    real = resolve_target(path)
    temporary = ""
    try:
        status = os.stat(real)  # noqa: PTH116
        if not stat.S_ISREG(status.st_mode):
            raise InputError(messages.describe_irregular_file(path))
        if not os.access(real, os.W_OK):
            raise InputError(messages.describe_read_only_file(path))
        if read_file(real) != before:
            raise InputError(messages.describe_changed_file(path))
        handle, temporary = tempfile.mkstemp(prefix=".preflight-", dir=os.path.dirname(real) or ".")  # noqa: PTH120
        with os.fdopen(handle, "wb") as file:
            file.write(after)
            os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, real)  # noqa: PTH105
        temporary = ""
    except OSError as error:
        raise InputError(messages.describe_unwritable_file(path, error.strerror)) from None
    finally:
        if temporary:
            with contextlib.suppress(OSError):
                os.unlink(temporary)  # noqa: PTH108
