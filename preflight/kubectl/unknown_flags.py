"""A flag that no verb has: refused in pflag's words, with the known flag that a person most likely meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Self

from preflight.errors import UsageError
from preflight.messages.suggestions import suggest_flag


class UnknownFlagError(UsageError):
    """A flag that is unknown: what pflag says of it, the flag as a long one (`--selectr`), and the flags that there are."""

    def __init__(self, refusal: str, flag: str, known_flags: Iterable[str]) -> None:
        self.refusal, self.flag, self.known_flags = refusal, flag, (*known_flags,)
        super().__init__(f"{refusal}{suggest_flag(flag, self.known_flags)}")

    def with_flags(self, more_flags: Iterable[str]) -> Self:
        """The same error where further flags are known."""
        return type(self)(self.refusal, self.flag, (*self.known_flags, *more_flags))


def make_unknown_flag(name: str, known_names: Iterable[str]) -> UnknownFlagError:
    """The refusal of `--name`."""
    return UnknownFlagError(f"unknown flag: --{name}", f"--{name}", map("--{}".format, known_names))


def make_unknown_shorthand(letters: str, known_names: Iterable[str]) -> UnknownFlagError:
    """The refusal of the first of `-letters`; a whole word after one dash (`-context`) may be a long flag."""
    known_flags = map("--{}".format, known_names) if len(letters.partition("=")[0]) > 2 else ()
    return UnknownFlagError(f"unknown shorthand flag: '{letters[0]}' in -{letters}", f"--{letters.partition('=')[0]}", known_flags)
