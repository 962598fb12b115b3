"""Text of files, clusters and command lines, before it reaches a stream: no terminal and no CI system obeys anything in it."""

from __future__ import annotations

import re
from collections.abc import Mapping

# `::error::` at the start of a line and `##[error]` or `##vso[...]` anywhere are commands to the machines that run CI jobs.
_COMMAND = re.compile(r"^((?:\s|\x1b\[[\d;]*+m)*+):(?=:)|#(?=#\w{0,40}\[)")


def make_inert(text: str) -> str:
    r"""The text as one line that is only shown: what does not print, and the start of a command to a CI system, is written as an escape."""
    return escape_ci_commands(escape_unprintable(text))


def make_lines_inert(text: str) -> str:
    """The same for each line of a text; its line feeds and tabs stay."""
    if text.isprintable():
        return escape_ci_commands(text)
    lines = text.split("\n")
    return "\n".join(escape_ci_commands("\t".join(map(escape_unprintable, line.split("\t")))) for line in lines)


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


def has_ci_commands(text: str) -> bool:
    """Whether a line of a text has a command to a CI machine."""
    return ("::" in text or "##" in text) and any(escape_ci_commands(line) is not line for line in text.split("\n"))


def is_ci_job(environment: Mapping[str, str]) -> bool:
    """Whether a CI system may read what is printed, as a log with commands in it."""
    return any(environment.get(name) for name in ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION"))


def make_json_inert(text: str) -> str:
    """JSON text as ASCII in which no string holds a command to a CI machine, or the one control character that JSON leaves as it is."""
    return text.replace("##", r"#\u0023").replace("\x7f", r"\u007f")


def make_markup_inert(text: str) -> str:
    """The same of HTML or XML."""
    return text.replace("##", "#&#35;")
