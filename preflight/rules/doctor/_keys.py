"""Keys that tell apart the findings of one rule about one subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

HitKey = tuple[str, ...]


class KeyCandidate(NamedTuple):
    """The key of a finding, and the name of the first node or pod that it is about; no two findings of one subject and key share it."""

    subject: object
    key: HitKey
    name: str


def distinguish_keys(candidates: Sequence[KeyCandidate]) -> list[HitKey]:
    """The keys, in the order of the candidates, so that no two of one subject are equal.

    Where findings consist of the same typed facts and differ only in a text of the cluster or in a count, the one with the first name keeps
    its key, and the others get their name added.
    """
    names: defaultdict[tuple[object, HitKey], list[str]] = defaultdict(list)
    for candidate in candidates:
        names[candidate.subject, candidate.key].append(candidate.name)
    return [
        candidate.key if candidate.name == min(names[candidate.subject, candidate.key]) else (*candidate.key, candidate.name)
        for candidate in candidates
    ]
