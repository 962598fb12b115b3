"""A proposed change: the grammar of command lines, and world + command -> Change."""

from __future__ import annotations

from preflight.change.commands import Command
from preflight.change.flags import FLAGS, GLOBAL, takes_value
from preflight.change.grammar import VERBS, flags_of, parse
from preflight.change.perform import perform
from preflight.change.performed import Change
from preflight.change.plan import commands
from preflight.change.selector import Selector, parse_selector

__all__ = [
    "FLAGS",
    "GLOBAL",
    "VERBS",
    "Change",
    "Command",
    "Selector",
    "commands",
    "flags_of",
    "parse",
    "parse_selector",
    "perform",
    "takes_value",
]
