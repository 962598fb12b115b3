"""The errors that a user can cause, each with its exit code."""

from __future__ import annotations

from typing import ClassVar


class PreflightError(Exception):
    """Something that a person can fix; the program prints it without a traceback.

    1. `exit_code` is what the program ends with. `points_to_help`: the help of the command says how to write it.
    2. The text is a sentence: who, what, why, and what to do.
    """

    exit_code: ClassVar[int] = 3
    points_to_help: ClassVar[bool] = False


class UsageError(PreflightError):
    """The command line is wrong; the text is kubectl's where kubectl has one."""

    exit_code = 2
    points_to_help = True
    command_path: str = ""
    """The command whose help says how to write it, such as `preflight taint`; "" where none is known yet."""


class RefusalError(UsageError):
    """The command line is well formed, and kubectl, the cluster or preflight refuses what it names: no help text says more."""

    points_to_help = False


class InputError(PreflightError):
    """Something could not be read, or there was nothing to check."""

    exit_code = 3
