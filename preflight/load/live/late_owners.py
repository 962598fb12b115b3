"""Owners that pods name and that their lists did not show: lists are of different moments, so these are asked for once more."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from preflight.load.live.resources import DAEMONSETS, OWNERS, ApiResource, ListQuery
from preflight.model.core import CoveragePod, find_controller
from preflight.model.meta import SourcedObject

_OWNERS_BY_KIND = {resource.kind: resource for resource in (DAEMONSETS, *OWNERS)}
_MAX_ASKED_ONE_BY_ONE = 20


def plan_late_owner_lists(
    pods: Iterable[CoveragePod], objects: Iterable[SourcedObject], listed_kinds: Collection[str]
) -> Iterator[ListQuery]:
    """The lists that show the owners which pods name and which are not among the objects: one by one, or of many of a kind all.

    `listed_kinds` are the kinds of which a list showed every object, before the pods were listed.
    """
    kinds = _OWNERS_BY_KIND.keys() & listed_kinds
    known = {(type(item).__name__, item.metadata.namespace, item.metadata.name) for item in objects if type(item).__name__ in kinds}  # type: ignore[attr-defined]
    missing: dict[ApiResource, dict[tuple[str, str], None]] = {}
    seen: set[tuple[str, bytes]] = set()
    for pod in pods:
        namespace, owners = pod.metadata.namespace, bytes(pod.metadata.ownerReferences)
        if (namespace, owners) in seen:
            continue
        seen.add((namespace, owners))
        owner = find_controller(pod)
        if owner is not None and owner.kind in kinds and (owner.kind, namespace, owner.name) not in known:
            missing.setdefault(_OWNERS_BY_KIND[owner.kind], {})[namespace, owner.name] = None
    for resource, names in missing.items():
        if len(names) > _MAX_ASKED_ONE_BY_ONE:
            yield ListQuery(resource)
        else:
            yield from (ListQuery(resource, namespace, fields=f"metadata.name={name}") for namespace, name in names)
