"""Writing a fixed file: all of it or nothing, and only over what was read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable

from preflight.errors import InputError
from preflight.file_write import find_link, write_file
from preflight.messages import fix as messages


def read_file(path: str) -> bytes:
    """What a file holds. InputError where it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read()
    except (OSError, ValueError) as error:
        raise InputError(messages.describe_unreadable_file(path, getattr(error, "strerror", None) or error)) from None


def resolve_target(path: str) -> str:
    """The file to write for a path: itself, or where a symbolic link on the way leads.

    InputError for a link that leads out of the working folder: a stranger may have made it.
    """
    if not find_link(path):
        return path
    real = os.path.realpath(path)
    if not is_below(real, os.path.realpath(".")):
        raise InputError(messages.describe_outside_link(path))
    return real


def require_named(path: str, named: Iterable[str]) -> None:
    """InputError for a file outside the working folder that only a plan names: a stranger may have written the plan."""
    if not any(is_below(os.path.realpath(path), os.path.realpath(folder)) for folder in (".", *named)):
        raise InputError(messages.describe_unnamed_file(path))


def is_below(path: str, folder: str) -> bool:
    """Whether a path is a folder, or below it."""
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


def write_fixed_file(path: str, before: bytes, after: bytes) -> None:
    """Put a new text in the place of the old one.

    1. The file gets its text whole or not at all, and keeps its owner, mode, names and attributes: see `write_file`.
    2. InputError where it cannot be written, where it is no regular file, and where it is not what was read any more.
    """
    real = resolve_target(path)
    try:
        if not stat.S_ISREG(os.stat(real).st_mode):  # noqa: PTH116
            raise InputError(messages.describe_irregular_file(path))
        if not os.access(real, os.W_OK):
            raise InputError(messages.describe_read_only_file(path))
        if read_file(real) != before:
            raise InputError(messages.describe_changed_file(path))
        write_file(real, (after,))
    except OSError as error:
        raise InputError(messages.describe_unwritable_file(path, error.strerror)) from None
