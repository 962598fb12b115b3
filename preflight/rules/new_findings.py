"""What rules say of one world and did not say of another."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence

from preflight.rules.api import Hit, Rule

Said = tuple[Rule, Hit, int]
"""A rule, what it says, and the step that it belongs to."""

_COUNTS = re.compile(r"\blines? \d+(?:(?:, | and )\d+)*|\b\d+ (?=DaemonSets|more\b|nodes)")
"""What of a message is no reason: lines move, and how many there are changes with others."""


def fresh(now: Sequence[Said], before: Sequence[Said], roots: tuple[str, str]) -> list[Said]:
    """What is said now and was not said before, in its order; `roots` are what the names of files begin with, now and before.

    1. The same is what the same rule says of the same object for the same reason: in the same file below the roots first, then in any, for
       files move; then also where only one of the two states the object's namespace.
    2. What is said twice now and was said once is new once.
    """
    left, gone = set(range(len(now))), set(range(len(before)))
    for same in (_in_file, _of_object, _once_bare, _bare_now):
        shelf: dict[Hashable, list[int]] = {}
        for number in sorted(gone, reverse=True):
            if (key := same(before[number], roots[1], was=True)) is not None:
                shelf.setdefault(key, []).append(number)
        for number in sorted(left):
            known = shelf.get(same(now[number], roots[0], was=False))
            if known:
                gone.discard(known.pop())
                left.discard(number)
    return [now[number] for number in sorted(left)]


def _in_file(said: Said, root: str, *, was: bool) -> Hashable:
    del was
    return (*_reason(said), said[1].subject.namespace, said[1].place.origin.file.removeprefix(root))


def _of_object(said: Said, root: str, *, was: bool) -> Hashable:
    del root, was
    return (*_reason(said), said[1].subject.namespace)


def _once_bare(said: Said, root: str, *, was: bool) -> Hashable:
    """By the name alone, where the namespace was not stated and is now."""
    del root
    return _reason(said) if bool(said[1].subject.namespace) is not was else None


def _bare_now(said: Said, root: str, *, was: bool) -> Hashable:
    """By the name alone, where the namespace was stated and is not now."""
    del root
    return _reason(said) if bool(said[1].subject.namespace) is was else None


def _reason(said: Said) -> tuple[str, ...]:
    rule, hit, _ = said
    return rule.id, hit.subject.kind, hit.subject.name, _COUNTS.sub("", hit.message)
