"""The errors that a user can cause, each with its exit code."""

from __future__ import annotations


class PreflightError(Exception):
    """Something that a person can mend; the program prints it without a traceback.

    1. `exit_code` is what the program ends with.
    2. The text is a sentence: who, what, why, and what to do.
    """

    exit_code = 3


class UsageError(PreflightError):
    """The command line is wrong, or kubectl would refuse it; the text is kubectl's where kubectl has one."""

    exit_code = 2


class InputError(PreflightError):
    """Something could not be read, or nothing was there to judge."""

    exit_code = 3
