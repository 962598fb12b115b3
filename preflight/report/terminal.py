"""Text that a terminal shows as it stands: nothing in it is obeyed, and columns line up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import NamedTuple
from unicodedata import category, east_asian_width

_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;34", "gain": "1;32", "strong": "1"}
# `::error::` at the start of a line and `##[error]` or `##vso[...]` anywhere are commands to the machines that run CI jobs.
_COMMAND = re.compile(r"^((?:\s|\x1b\[[\d;]*m)*):(?=:)|#(?=#\w*\[)")


class ColorChoice(StrEnum):
    """What `--color` says."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class StreamKind(Enum):
    """Where text goes."""

    TERMINAL = "terminal"
    FILE = "file"
    PIPE = "pipe, or anything else"


_LOGS_WITH_COLORS = ("GITHUB_ACTIONS", "GITLAB_CI")
"""Set by machines whose logs show colors, although what a job prints goes to a pipe."""


def decide_color(choice: ColorChoice, stream: StreamKind, environment: Mapping[str, str]) -> bool:
    """Whether text for a stream is colored.

    1. `--color always` and `--color never` decide alone: an argument overrides the environment.
    2. NO_COLOR means no color, also where a variable below asks for colors.
    3. FORCE_COLOR, and CLICOLOR_FORCE with any value but 0, mean colors wherever the text goes.
    4. In jobs of GitHub and GitLab the log is colored; a file that a job writes is not. Any other CI (the variable `CI`) has no colors.
    5. CLICOLOR=0 and TERM=dumb mean no color. Else a terminal is colored.
    6. An empty variable is as good as none.

    Source: https://no-color.org, https://force-color.org, https://bixense.com/clicolors (CLICOLOR and CLICOLOR_FORCE).
    """
    if choice is not ColorChoice.AUTO:
        return choice is ColorChoice.ALWAYS
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR") or environment.get("CLICOLOR_FORCE", "") not in ("", "0"):
        return True
    if any(environment.get(name) for name in _LOGS_WITH_COLORS):
        return stream is not StreamKind.FILE
    if environment.get("CI") or environment.get("CLICOLOR") == "0" or environment.get("TERM") == "dumb":
        return False
    return stream is StreamKind.TERMINAL


class Ink(NamedTuple):
    """Colours text, or leaves it as it is where `color` is false."""

    color: bool

    def __call__(self, text: str, style: str) -> str:
        """The text made plain, in a style: error, warning, note, gain, strong; "" and any other word mean none."""
        code = _STYLES.get(style)
        return f"\x1b[{code}m{escape_unprintable(text)}\x1b[0m" if self.color and code and text else escape_unprintable(text)


def escape_unprintable(text: str) -> str:
    r"""The text with every character that does not print written as an escape such as `\x1b`, `\n` or `\u202e`.

    1. These are the control characters (C0, C1), marks of direction and zero width, line separators, lone surrogates, unassigned
       characters, and every space but the usual one.
    2. What is plain already stays the same object, so that asking twice is cheap.
    """
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in text)


def escape_ci_commands(line: str) -> str:
    r"""The line without a command to a CI machine: the first character of one is written as an escape (`\x3a`, `\x23`)."""
    if "::" not in line and "##" not in line:
        return line
    return _COMMAND.sub(lambda found: r"\x23" if found[0] == "#" else f"{found[1]}\\x3a", line)


def count_columns(text: str) -> int:
    """How many columns plain text takes: two for a wide East Asian character, none for a mark that combines."""
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(char) in "WF" else category(char) not in ("Mn", "Me") for char in text)


def pad(text: str, width: int) -> str:
    """The text made plain and filled with blanks on the right up to a width."""
    text = escape_unprintable(text)
    return text + " " * (width - count_columns(text))


def fold(text: str, width: int) -> list[str]:
    """The text made plain as lines of at most `width` columns, one where it is 0; a word that is longer stands on a line of its own."""
    if not width:
        return [escape_unprintable(text)]
    lines: list[str] = []
    line = ""
    for word in escape_unprintable(text).split(" "):
        if line and count_columns(line) + 1 + count_columns(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines
