"""The words of an unfinished command line: its verb, its arguments, its options, and the word at the cursor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from preflight.cli.complete.option_values import list_valued_flags
from preflight.kubectl.flags import flag_takes_value

_SECOND_WORDS = {"set": ("image",), "rollout": ("restart",), "policy": ("schema", "check", "show")}
"""The words that follow those verbs."""


class CommandLine(NamedTuple):
    """A command line up to the cursor.

    1. `verb` is "" where none is given yet; `set image` and `policy show` are one verb, `set` alone is not yet one.
    2. `args` are the arguments behind the verb; `values` are those of the options that take one, by the word that was typed, and `flags`
       are all options that were typed.
    3. `word` is what has to be completed: the value of the option `flag`, or an argument or an option where that is "". `prefix` is what
       stands before it in the same word (`-o` in `-ojs`); `--from=` is not part of it, for the shells put that back themselves.
    """

    verb: str
    args: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    flags: frozenset[str]
    word: str
    flag: str = ""
    prefix: str = ""
    is_after_dashes: bool = False

    def list_values(self, *flags: str) -> tuple[str, ...]:
        """All values of an option, by any of its names."""
        return tuple(value for flag in flags for value in self.values.get(flag, ()))


def list_second_words(verb: str) -> tuple[str, ...]:
    """What follows a verb of two words; nothing for any other."""
    return _SECOND_WORDS.get(verb, ())


def parse_command_line(words: Sequence[str]) -> CommandLine:
    """Read the words behind `preflight`; the last one is at the cursor, and "" where nothing of it was typed."""
    *typed, word = words or ("",)
    verb = _find_verb(typed)
    args: list[str] = []
    values: dict[str, tuple[str, ...]] = {}
    flags: set[str] = set()
    flag, is_after_dashes = "", False
    for token in typed:
        if flag:
            values[flag] = (*values.get(flag, ()), token)
            flag = ""
        elif is_after_dashes or not token.startswith("-") or token == "-":
            args.append(token)
        elif token == "--":
            is_after_dashes = True
        else:
            name, value = _split_flag(token, verb)
            flags.add(name)
            if value is not None:
                values[name] = (*values.get(name, ()), value)
            elif _takes_value(name, verb):
                flag = name
    prefix = ""
    if not flag and not is_after_dashes and word.startswith("-") and word != "-":
        name, value = _split_flag(word, verb)
        if value is not None:
            flag, prefix, word = name, "" if word.startswith("--") or word[2:3] == "=" else name, value
    left = args[len(verb.split()) :] if verb else args
    return CommandLine(verb, tuple(left), values, frozenset(flags), word, flag, prefix, is_after_dashes)


def _find_verb(typed: Sequence[str]) -> str:
    """The first word that is neither an option nor its value, with the second one where the verb has two."""
    found: list[str] = []
    skips = False
    for token in typed:
        if skips:
            skips = False
        elif token.startswith("-"):
            name, value = _split_flag(token, found[0] if found else "")
            skips = value is None and _takes_value(name, found[0] if found else "")
        else:
            found.append(token)
            if len(found) == 2 or token not in _SECOND_WORDS:
                break
    if len(found) == 2 and found[1] not in _SECOND_WORDS[found[0]]:
        return found[0]
    return " ".join(found)


def _split_flag(token: str, verb: str) -> tuple[str, str | None]:
    """`--x=v`, `-x=v` and `-xv` in two; the value is None where the word holds none."""
    name, equals, value = token.partition("=")
    if token.startswith("--") or len(name) == 2:
        return name, value if equals else None
    return (token[:2], token[2:]) if _takes_value(token[:2], verb) else (token, None)


def _takes_value(flag: str, verb: str) -> bool:
    return flag in list_valued_flags(verb) or (flag != "-v" and flag_takes_value(flag) is True)
