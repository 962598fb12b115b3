"""From what manifests declare to one template node a pool: references followed, names made unique."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from preflight.load.pools.builder import Declared, Reference
from preflight.model.objects import Node, Pool, Taint

_DEPTH = 4


class Resolved(Struct, frozen=True):
    """The template nodes of pools, in order of what declares them, and the references of which nobody gave the manifest."""

    nodes: tuple[Node, ...] = ()
    missing: tuple[tuple[str, Reference], ...] = ()


def resolve(declared: Sequence[Declared], around: Sequence[Declared] = ()) -> Resolved:
    """One node for each pool that is declared, with what the manifests say to which it refers.

    1. A reference is followed where one manifest has its kind and name, in the same namespace or in none that is stated; the ones around
       are looked at after those declared. Of several the one in the same file is meant, else nobody knows.
    2. The pool's own labels win, and so do its taints over those of the same key and effect.
    3. A pool around that refers to a manifest declared here changes with it, and is given too.
    4. Pools of one name and of different clusters or kinds are told apart in their name: `(pool NAME of CLUSTER)`.
    """
    offers = _by_name(declared), _by_name(around)
    nodes: list[Node] = []
    missing: list[tuple[str, Reference]] = []
    here = {_identity(each.node) for each in declared}
    fresh = {id(each) for each in declared}
    for each in (*declared, *around):
        if each.offers is not None:
            continue
        parts, lost = _parts(each, offers)
        is_changed = id(each) in fresh or (_identity(each.node) not in here and any(id(part) in fresh for part in parts))
        if is_changed:
            nodes.append(_merged(each.node, [part.node for part in parts]))
            missing += ((each.node.name, reference) for reference in lost if reference.kind != "EC2NodeClass")
    return Resolved(tuple(_told_apart(nodes)), tuple(dict.fromkeys(missing)))


_Offers = tuple[dict[tuple[str, str], list[Declared]], ...]


def _by_name(declared: Iterable[Declared]) -> dict[tuple[str, str], list[Declared]]:
    found: defaultdict[tuple[str, str], list[Declared]] = defaultdict(list)
    for each in declared:
        if each.offers is not None:
            found[each.offers.kind, each.offers.name].append(each)
    return found


def _parts(each: Declared, offers: _Offers) -> tuple[list[Declared], list[Reference]]:
    """The manifests that a pool refers to, over others too, and the references that lead nowhere."""
    parts: list[Declared] = []
    missing: list[Reference] = []
    waiting = [(reference, _DEPTH) for reference in each.refers]
    while waiting:
        reference, depth = waiting.pop(0)
        part = next((found for known in offers if (found := _one(known, reference, each)) is not None), None)
        if part is None:
            missing.append(reference)
        elif depth and part not in parts:
            parts.append(part)
            waiting += ((further, depth - 1) for further in part.refers)
    return parts, missing


def _one(known: dict[tuple[str, str], list[Declared]], reference: Reference, of: Declared) -> Declared | None:
    fitting = [
        each
        for each in known.get((reference.kind, reference.name), ())
        if each.offers is not None and (not reference.namespace or each.offers.namespace in ("", reference.namespace))
    ]
    if len(fitting) > 1:
        fitting = [each for each in fitting if each.node.origin.file == of.node.origin.file]
    return fitting[0] if len(fitting) == 1 else None


def _merged(node: Node, parts: Sequence[Node]) -> Node:
    if not parts:
        return node
    every = (node, *parts)
    labels = {key: value for each in reversed(every) for key, value in each.metadata.labels.items()}
    taints: dict[tuple[str, str], Taint] = {}
    for each in every:
        for taint in each.spec.taints:
            taints.setdefault((taint.key, taint.effect), taint)
    pools = [each.pool for each in every if each.pool is not None]
    kept = {key: value for pool in reversed(pools) for key, value in pool.kept_labels.items() if labels.get(key) == value}
    return msgspec.structs.replace(
        node,
        metadata=msgspec.structs.replace(node.metadata, labels=labels),
        spec=msgspec.structs.replace(node.spec, taints=tuple(taints.values())),
        startup=tuple(dict.fromkeys(taint for each in every for taint in each.startup)),
        absent=frozenset().union(*(each.absent for each in every)) - labels.keys(),
        pool=msgspec.structs.replace(pools[0], kept_labels=kept),
    )


def _identity(node: Node) -> tuple[str, str, str]:
    pool = node.pool or Pool("", node.name)
    return pool.kind, pool.cluster, pool.name


def _told_apart(nodes: Sequence[Node]) -> Iterator[Node]:
    identities: defaultdict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for node in nodes:
        identities[node.name].add(_identity(node))
    for node in nodes:
        same, pool = identities[node.name], node.pool
        if len(same) == 1 or pool is None:
            yield node
            continue
        clusters = [cluster for _, cluster, _ in same]
        of = pool.cluster if len(set(clusters)) == len(clusters) and all(clusters) else " ".join(filter(None, (pool.kind, pool.cluster)))
        yield msgspec.structs.replace(node, metadata=msgspec.structs.replace(node.metadata, name=f"(pool {pool.name} of {of})"))
