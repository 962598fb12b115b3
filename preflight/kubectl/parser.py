"""The one grammar of command lines: an argv of kubectl's verbs, or of preflight's own, to a Command.

Source: spf13/cobra `command.go` (how the verb is found among the flags); the verbs are in parse_node_verbs and parse_object_verbs.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from preflight.errors import UsageError
from preflight.kubectl.commands import Command
from preflight.kubectl.flags import ParsedArguments, flag_takes_value, parse_arguments
from preflight.kubectl.formatting import GO_BOOLEANS, quote_go
from preflight.messages import kubectl as messages
from preflight.messages.suggestions import suggest

NODE_VERBS = ("taint", "label", "cordon", "uncordon", "drain", "reboot", "replace")
OBJECT_VERBS = ("set image", "rollout restart", "apply", "patch", "delete")
VERBS: tuple[str, ...] = (*NODE_VERBS, *OBJECT_VERBS)
"""The verbs that preflight judges; two of them are two words."""

_FIRST = {verb.split()[0]: verb for verb in VERBS}
_PROGRAMS = ("kubectl", "preflight")


def parse_command(argv: Sequence[str]) -> Command:
    """Read a command line.

    1. A first word `kubectl` or `preflight` is dropped. Flags that every verb has may stand before the verb.
    2. What kubectl refuses without asking the cluster is refused in kubectl's words; flags that change nothing here are accepted.
    3. What kubectl accepts and preflight does not judge is refused, with what preflight judges.

    Errors: UsageError; nothing else for any argv.
    """
    words = list(argv)
    if words and words[0] in _PROGRAMS:
        words = words[1:]
    verb, rest = _split_verb(words)
    read = parse_arguments(verb, rest)
    _check_ignored_flags(read)
    text = shlex.join(_mask_secrets(words))
    if verb in NODE_VERBS:  # imported when asked for: most runs are one verb
        from preflight.kubectl.parse_node_verbs import NODE_READERS

        return NODE_READERS[verb](text, read)
    from preflight.kubectl.parse_object_verbs import OBJECT_READERS

    return OBJECT_READERS[verb](text, read)


def collect_flags(command: Command) -> Mapping[str, tuple[str, ...]]:
    """The flags of a command line by their long names, each with its values; what is secret in one is `...`."""
    return parse_arguments(*_split_verb(shlex.split(command.text))).values


def _mask_secrets(words: Sequence[str]) -> Iterator[str]:
    """The words as a report may show them: no value of a secret flag, and of an address no user name, password, query and fragment."""
    mask: Callable[[str], str] | None = None
    for word in words:
        if mask is not None:
            yield mask(word)
            mask = None
            continue
        name, equals, value = word.partition("=")
        if word.startswith("-s") and word != "-s":
            short = "-s=" if word.startswith("-s=") else "-s"
            yield f"{short}{mask_address(word.removeprefix(short))}"
            continue
        mask = _MASKS.get(name)
        yield f"{name}={mask(value)}" if mask is not None and equals else word
        mask = None if equals else mask


def mask_address(text: str) -> str:
    """An address without user name, password, query and fragment, as a report may show it."""
    scheme, separator, rest = _ADDRESS_END.split(text, maxsplit=1)[0].rpartition("://")
    return f"{scheme}{separator}{rest.rpartition('@')[2]}"


_ADDRESS_END = re.compile("[?#]")
_MASKS: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("--token", "--password"), lambda _: "..."),
    **dict.fromkeys(("--server", "-s", "--proxy-url"), mask_address),
}


def _split_verb(words: Sequence[str]) -> tuple[str, list[str]]:
    """The verb, and the arguments without it; the second word of a verb may stand after flags too."""
    place = _find_first_argument(words, 0)
    if place is None:
        raise UsageError(messages.describe_missing_verb(VERBS))
    first = words[place]
    if first not in _FIRST:
        raise UsageError(_explain_unknown_verb(first))
    verb = _FIRST[first]
    rest = [*words[:place], *words[place + 1 :]]
    if verb == first:
        return verb, rest
    second = _find_first_argument(rest, place)
    wanted = verb.split()[1]
    if second is None or rest[second] != wanted:
        shown = f"{first} {rest[second]}" if second is not None else first
        raise UsageError(messages.describe_other_form(shown, verb))
    return verb, [*rest[:second], *rest[second + 1 :]]


def _find_first_argument(words: Sequence[str], start: int) -> int | None:
    """Where the first word stands that is no flag and no value of a flag."""
    place = start
    while place < len(words):
        word = words[place]
        if word == "--":
            return None
        if not word.startswith("-") or word == "-":
            return place
        place += 2 if flag_takes_value(word) else 1
    return None


def _explain_unknown_verb(word: str) -> str:
    from preflight.messages.kubectl_verbs import KUBECTL_COMMANDS, describe_other_command

    if word in KUBECTL_COMMANDS:
        return describe_other_command(word, VERBS)
    return f'unknown command "{word}" for "kubectl"{suggest(word, _FIRST) or messages.list_verbs(VERBS)}'


def _check_ignored_flags(arguments: ParsedArguments) -> None:
    """Refuse values of the flags that change nothing here, where kubectl does."""
    dry_run = arguments.last_value("dry-run", "none")
    if dry_run not in ("none", "server", "client", "unchanged") and dry_run not in GO_BOOLEANS:
        raise UsageError(f'Invalid dry-run value ({dry_run}). Must be "none", "server", or "client".')
    validate = arguments.last_value("validate", "strict")
    if validate not in ("strict", "warn", "ignore") and validate not in GO_BOOLEANS:
        raise UsageError(f"invalid - validate option {quote_go(validate)}; must be one of: strict (or true), warn, ignore (or false)")
