"""From what manifests declare to one template node a pool: references followed, names made unique."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec import Struct

from preflight.load.pools.builder import ManifestReference, PoolDeclaration
from preflight.model.core import Node, PoolTemplate, Taint

_DEPTH = 4


class ResolvedPools(Struct, frozen=True):
    """The template nodes of pools, in order of what declares them, and the references of which nobody gave the manifest."""

    nodes: tuple[Node, ...] = ()
    missing_references: tuple[tuple[str, ManifestReference], ...] = ()


def resolve_pools(declarations: Sequence[PoolDeclaration], other_declarations: Sequence[PoolDeclaration] = ()) -> ResolvedPools:
    """One node for each pool that is declared, with what the manifests say to which it refers.

    1. A reference is followed where one manifest has its kind and name, in the same namespace or in none that is stated; the ones around
       are looked at after those declared. Of several the one in the same file is meant, else nobody knows.
    2. The pool's own labels win, and so do its taints over those of the same key and effect.
    3. A pool around that refers to a manifest declared here changes with it, and is given too.
    4. Pools of one name and of different clusters or kinds are told apart in their name: `(pool NAME of CLUSTER)`.
    """
    offers = _index_offered(declarations), _index_offered(other_declarations)
    nodes: list[Node] = []
    missing: list[tuple[str, ManifestReference]] = []
    here = {_pool_identity(declaration.node) for declaration in declarations}
    fresh = {id(declaration) for declaration in declarations}
    for declaration in (*declarations, *other_declarations):
        if declaration.offered_as is not None:
            continue
        parts, lost = _follow_references(declaration, offers)
        refers_to_fresh = _pool_identity(declaration.node) not in here and any(id(part) in fresh for part in parts)
        if id(declaration) in fresh or refers_to_fresh:
            nodes.append(_merge_parts(declaration.node, [part.node for part in parts]))
            missing += ((declaration.node.name, reference) for reference in lost if reference.kind != "EC2NodeClass")
    return ResolvedPools(tuple(_iter_unique_names(nodes)), tuple(dict.fromkeys(missing)))


_OfferedManifests = tuple[dict[tuple[str, str], list[PoolDeclaration]], ...]


def _index_offered(declarations: Iterable[PoolDeclaration]) -> dict[tuple[str, str], list[PoolDeclaration]]:
    found: defaultdict[tuple[str, str], list[PoolDeclaration]] = defaultdict(list)
    for declaration in declarations:
        if declaration.offered_as is not None:
            found[declaration.offered_as.kind, declaration.offered_as.name].append(declaration)
    return found


def _follow_references(declaration: PoolDeclaration, offers: _OfferedManifests) -> tuple[list[PoolDeclaration], list[ManifestReference]]:
    """The manifests that a pool refers to, over others too, and the references that lead nowhere."""
    parts: list[PoolDeclaration] = []
    missing: list[ManifestReference] = []
    waiting = [(reference, _DEPTH) for reference in declaration.references]
    while waiting:
        reference, depth = waiting.pop(0)
        part = next((found for known in offers if (found := _find_offered(known, reference, declaration)) is not None), None)
        if part is None:
            missing.append(reference)
        elif depth and part not in parts:
            parts.append(part)
            waiting += ((further, depth - 1) for further in part.references)
    return parts, missing


def _find_offered(
    known: dict[tuple[str, str], list[PoolDeclaration]], reference: ManifestReference, referrer: PoolDeclaration
) -> PoolDeclaration | None:
    fitting = [
        declaration
        for declaration in known.get((reference.kind, reference.name), ())
        if declaration.offered_as is not None and (not reference.namespace or declaration.offered_as.namespace in ("", reference.namespace))
    ]
    if len(fitting) > 1:
        fitting = [declaration for declaration in fitting if declaration.node.origin.file == referrer.node.origin.file]
    return fitting[0] if len(fitting) == 1 else None


def _merge_parts(node: Node, parts: Sequence[Node]) -> Node:
    if not parts:
        return node
    every = (node, *parts)
    labels = {key: value for template in reversed(every) for key, value in template.metadata.labels.items()}
    taints: dict[tuple[str, str], Taint] = {}
    for template in every:
        for taint in template.spec.taints:
            taints.setdefault((taint.key, taint.effect), taint)
    pools = [template.pool for template in every if template.pool is not None]
    kept = {key: value for pool in reversed(pools) for key, value in pool.synced_labels.items() if labels.get(key) == value}
    return msgspec.structs.replace(
        node,
        metadata=msgspec.structs.replace(node.metadata, labels=labels),
        spec=msgspec.structs.replace(node.spec, taints=tuple(taints.values())),
        startup_taints=tuple(dict.fromkeys(taint for template in every for taint in template.startup_taints)),
        absent_labels=frozenset().union(*(template.absent_labels for template in every)) - labels.keys(),
        pool=msgspec.structs.replace(pools[0], synced_labels=kept),
    )


def _pool_identity(node: Node) -> tuple[str, str, str]:
    pool = node.pool or PoolTemplate("", node.name)
    return pool.kind, pool.cluster, pool.name


def _iter_unique_names(nodes: Sequence[Node]) -> Iterator[Node]:
    identities: defaultdict[str, set[tuple[str, str, str]]] = defaultdict(set)
    for node in nodes:
        identities[node.name].add(_pool_identity(node))
    for node in nodes:
        same, pool = identities[node.name], node.pool
        if len(same) == 1 or pool is None:
            yield node
            continue
        clusters = [cluster for _, cluster, _ in same]
        of = pool.cluster if len(set(clusters)) == len(clusters) and all(clusters) else " ".join(filter(None, (pool.kind, pool.cluster)))
        yield msgspec.structs.replace(node, metadata=msgspec.structs.replace(node.metadata, name=f"(pool {pool.name} of {of})"))
