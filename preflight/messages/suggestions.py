"""The known name that a person most likely intended, as the end of an error."""

from __future__ import annotations

from collections.abc import Iterable

_MAX_LENGTH = 80
"""How many characters of a word are compared: longer ones are no typing mistakes."""
_CONFUSABLE = str.maketrans("lo", "10")
"""Letters that look like digits."""


def find_nearest(word: str, known_names: Iterable[str]) -> str:
    """The known name that is nearest to a word, "" where none is near.

    1. A name that only looks the same (`rdma-l` and `rdma-1`, `Agent` and `agent`) is the nearest.
    2. Else the name that shares most of its letters, the first in order among equals; but none that differs in digits alone: `gpu-9` is
       as likely `gpu-1` as `gpu-2`.
    3. Else the only name that begins with the word.
    """
    from difflib import SequenceMatcher, get_close_matches

    typed = word.lower()[:_MAX_LENGTH]
    by_case = {name.lower(): name for name in sorted(known_names, reverse=True) if name}
    if not typed or not by_case:
        return ""
    alike = [name for name in by_case if name.translate(_CONFUSABLE) == typed.translate(_CONFUSABLE)]
    if alike:
        return by_case[min(alike)]
    close = get_close_matches(typed, [name for name in by_case if _drop_digits(name) != _drop_digits(typed)], n=len(by_case))
    if close:
        return by_case[min(close, key=lambda name: (-SequenceMatcher(None, name, typed).ratio(), name))]
    longer = [name for name in by_case if name.startswith(typed)]
    return by_case[longer[0]] if len(longer) == 1 else ""


def _drop_digits(name: str) -> str:
    return "".join(letter for letter in name if not letter.isdigit())


def suggest_flag(flag: str, known_flags: Iterable[str]) -> str:
    """`: did you mean --selector?`, where a known long flag is near, else nothing."""
    nearest = find_nearest(flag.removeprefix("--"), [known.removeprefix("--") for known in known_flags])
    return f": did you mean --{nearest}?" if nearest else ""


def suggest(word: str, known_names: Iterable[str]) -> str:
    """`: did you mean rdma-1?`, where a known name is near, else nothing."""
    nearest = find_nearest(word, known_names)
    return f": did you mean {nearest}?" if nearest else ""
