"""A plan: command lines, one after the other."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from preflight.errors import InputError, UsageError
from preflight.kubectl.commands import Command
from preflight.kubectl.parser import parse_command
from preflight.messages import runbook as messages

_DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/")
"""What stands in the text of a strategic patch and looks like a variable."""
_SHELL = ("&&", "||", "|", ";", ">", ">>", "<", "&")


def parse_plan(items: Sequence[object], locations: Sequence[str] = ()) -> list[Command]:
    """Read the steps of a plan.

    1. A step is a line as for a shell (`kubectl taint nodes -l pool=rdma dedicated=rdma:NoSchedule`, quotes as there, a `#` word starts a
       comment), or a list of texts, each one argument.
    2. `kubectl` or `preflight` may stand first. Nothing is expanded, and a step is one command.

    `locations` are where the steps stand, as `file:line`; an error then starts with it.

    Errors: UsageError with the number of the step and the line as given; InputError for a plan without steps.
    """
    if not items:
        raise InputError(messages.NO_STEPS)
    where = [f"{place}: " for place in locations] or [""] * len(items)
    return [_parse_step(f"{place}step {number}", item) for number, (place, item) in enumerate(zip(where, items, strict=True), 1)]


def _parse_step(location: str, item: object) -> Command:
    try:
        return parse_command(_split_words(item))
    except UsageError as error:
        shown = item if isinstance(item, str) else shlex.join(map(str, item)) if isinstance(item, list | tuple) else repr(item)
        raise UsageError(f"{location}, `{shown.strip()}`: {error}") from None


def _split_words(item: object) -> list[str]:
    if isinstance(item, list | tuple):
        if not all(isinstance(word, str) for word in item):
            raise UsageError(messages.ARGUMENT_NOT_TEXT)
        return [str(word) for word in item]
    if not isinstance(item, str):
        raise UsageError(messages.STEP_NOT_COMMAND)
    try:
        words = shlex.split(item.replace("\\\n", " "))
    except ValueError as error:
        raise UsageError(messages.describe_open_quotes(error)) from None
    comment = next((place for place, word in enumerate(words) if word.startswith("#")), len(words))
    words = words[:comment]
    for word in words:
        if word in _SHELL or word.endswith(";"):
            raise UsageError(messages.describe_second_command(word.rstrip() if word in _SHELL else ";"))
        if _needs_expansion(word):
            raise UsageError(messages.describe_expansion(word))
    return words


def _needs_expansion(word: str) -> bool:
    for directive in _DIRECTIVES if "$" in word else ():
        word = word.replace(directive, "")
    return "$" in word or "`" in word
