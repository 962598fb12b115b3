"""What a help page says besides the options."""

from __future__ import annotations

from typing import NamedTuple


class HelpPage(NamedTuple):
    """The help of one command.

    1. `summary` is the first line, without a full stop; `paragraphs` are what else there is to know.
    2. `usage` are the arguments after the name of the command, one line a form. `arguments` explains the names in it.
    3. `examples` are command lines that can be pasted, each with what it is for.
    4. `flags` are kubectl's flags that change the answer; `unsupported` those that are refused. All others are accepted and ignored.
    """

    summary: str
    usage: tuple[str, ...] = ("[OPTIONS]",)
    paragraphs: tuple[str, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()
    examples: tuple[tuple[str, str], ...] = ()
    flags: tuple[tuple[str, str], ...] = ()
    unsupported: tuple[str, ...] = ()
