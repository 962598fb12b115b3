"""Which DaemonSet of one tree is which of another: by key, by file, and by a name that only one has."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import NamedTuple

import msgspec

from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey


class DaemonSetPair(NamedTuple):
    """One DaemonSet on both sides, None where a side has none of it; `key` is what both sides know it by from here on."""

    key: ObjectKey
    old: DaemonSet | None
    new: DaemonSet | None


def match_daemonsets(
    old: Mapping[ObjectKey, DaemonSet], new: Mapping[ObjectKey, DaemonSet], roots: tuple[str, str], cluster_keys: Collection[ObjectKey]
) -> list[DaemonSetPair]:
    """Every DaemonSet of two sides, in order of their keys.

    1. The same namespace and name are the same; where no namespace is stated, the same file below the roots and the same name.
    2. Of what is left, a name that each side has once without a namespace is the same (its file moved); and so is a name that each side
       has once, one of them without a namespace (it came or went).
    3. A namespace that one side states holds for both. Where neither does, the one DaemonSet of that name around both has it.
    """
    left = [dict(old), dict(new)]
    found: list[tuple[ObjectKey | None, ObjectKey | None]] = []
    for shelf, mixed in ((_by_key, False), (_by_file, False), (_by_unique_name, False), (_by_name, True)):
        shelves = [_group_keys(left[side], lambda key, at=roots[side], of=shelf: of(key, at)) for side in (0, 1)]  # type: ignore[misc]
        for where, ours in shelves[0].items():
            theirs = shelves[1].get(where, [])
            if len(ours) == len(theirs) == 1 and not (mixed and ours[0].namespace and theirs[0].namespace):
                found.append((ours[0], theirs[0]))
                del left[0][ours[0]], left[1][theirs[0]]
    found += [(key, None) for key in left[0]]
    found += [(None, key) for key in left[1]]
    bare = Counter(_get_any_key(pair).name for pair in found if not _get_namespace(pair))
    taken = {ObjectKey(_get_namespace(pair), _get_any_key(pair).name) for pair in found if _get_namespace(pair)}
    pairs = []
    for pair in found:
        namespace = _get_namespace(pair)
        if not namespace:
            spaces = {key.namespace for key in cluster_keys if key.name == _get_any_key(pair).name and key.namespace}
            only = next(iter(spaces)) if len(spaces) == 1 and bare[_get_any_key(pair).name] == 1 else ""
            namespace = "" if ObjectKey(only, _get_any_key(pair).name) in taken else only
        key = ObjectKey(namespace, _get_any_key(pair).name) if namespace else _get_any_key(pair)
        pairs.append(
            DaemonSetPair(
                key, *(move_to_namespace(namespace, side[own]) if own else None for side, own in zip((old, new), pair, strict=True))
            )
        )
    return sorted(pairs, key=lambda pair: pair.key)


def _group_keys(keys: Iterable[ObjectKey], group_key: Callable[[ObjectKey], Hashable]) -> dict[Hashable, list[ObjectKey]]:
    """The keys by what tells them apart; a key that is told by nothing is on no shelf."""
    found: defaultdict[Hashable, list[ObjectKey]] = defaultdict(list)
    for key in keys:
        if (where := group_key(key)) is not None:
            found[where].append(key)
    return found


def _by_key(key: ObjectKey, root: str) -> Hashable:
    del root
    return key if key.namespace else None


def _by_file(key: ObjectKey, root: str) -> Hashable:
    return None if key.namespace else (key.file.removeprefix(root), key.name)


def _by_unique_name(key: ObjectKey, root: str) -> Hashable:
    del root
    return None if key.namespace else key.name


def _by_name(key: ObjectKey, root: str) -> Hashable:
    del root
    return key.name


def _get_any_key(pair: tuple[ObjectKey | None, ObjectKey | None]) -> ObjectKey:
    key = pair[1] or pair[0]
    assert key is not None
    return key


def _get_namespace(pair: tuple[ObjectKey | None, ObjectKey | None]) -> str:
    return next((key.namespace for key in reversed(pair) if key is not None and key.namespace), "")


def move_to_namespace(namespace: str, daemonset: DaemonSet) -> DaemonSet:
    """The DaemonSet in the namespace that it turned out to be of."""
    if not namespace or daemonset.metadata.namespace:
        return daemonset
    return msgspec.structs.replace(daemonset, metadata=msgspec.structs.replace(daemonset.metadata, namespace=namespace))
