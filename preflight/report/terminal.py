"""Text that a terminal shows as it stands: nothing in it is obeyed, and columns line up."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, StrEnum
from typing import NamedTuple
from unicodedata import category, east_asian_width

from preflight.inert_text import escape_unprintable

_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;34", "gain": "1;32", "strong": "1"}


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
