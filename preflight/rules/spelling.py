"""Whether one word was intended for another: what people mistype in keys and values, and what only looks alike."""

from __future__ import annotations

import re
from functools import lru_cache

from preflight.model.convert import is_one_edit
from preflight.model.typo import Typo

_PART_SEPARATOR = re.compile(r"[-_./]")
_MIN_SIMILAR_LENGTH, _MIN_TYPO_LENGTH = 4, 5


@lru_cache(maxsize=4096)
def find_typo(written: str, expected: str) -> Typo | None:
    """How a word differs from the one that was intended; None where it is likely to be another word.

    1. The case, or the separators between its parts (`gpu_node`, `gpunode`).
    2. One letter left out, added or swapped with its neighbour in a part of 4 letters or more; one changed in a part of 5 or more.
    3. Another digit is another thing (`rack-1`, `rack-2`), and so is another short part (`team-a`, `team-b`; `cpu`, `gpu`).
    """
    if written == expected or abs(len(written) - len(expected)) > 2:
        return None
    if written.lower() == expected.lower():
        return Typo.CASE
    own, other = _PART_SEPARATOR.split(written.lower()), _PART_SEPARATOR.split(expected.lower())
    if "".join(own) == "".join(other):
        return Typo.SEPARATOR
    if len(own) != len(other):
        return None
    different = [pair for pair in zip(own, other, strict=True) if pair[0] != pair[1]]
    return Typo.LETTER if len(different) == 1 and _is_typo(*different[0]) else None


def _is_typo(word: str, other: str) -> bool:
    if not is_one_edit(word, other) or _strip_digits(word) != _strip_digits(other):
        return False
    changed = len(word) == len(other) and sorted(word) != sorted(other)
    return max(len(word), len(other)) >= (_MIN_TYPO_LENGTH if changed else _MIN_SIMILAR_LENGTH)


def _strip_digits(word: str) -> str:
    return "".join(letter for letter in word if letter.isdigit())
