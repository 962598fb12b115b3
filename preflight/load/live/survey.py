"""What the lists of a cluster show of it as a whole: which kinds and which namespaces are complete, and which right is missing."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.load.live.resources import DAEMONSETS, NODES, PODS, ListQuery
from preflight.messages.live import (
    UNKNOWN_KIND,
    describe_missing_right,
    describe_one_namespace,
    describe_server_fault,
)


class ClusterSurvey:
    """What became of the lists that were asked for.

    1. `missing` are the kinds that could not be had, each with the reason; `complete` those of which every object was had.
    2. `listed` are the namespaces whose pods were listed, None for all of them; `unlisted` the lists of pods that were refused.
    """

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self._refusals: dict[str, str] = {}
        self.complete: set[str] = set()
        self.listed: frozenset[str] | None = None
        self.unlisted: set[ListQuery] = set()

    def add_answer(self, query: ListQuery, status: int, error: str, *, is_whole_kind: bool) -> bool:
        """Note what came of a list; whether it is worth asking for the part of it in one namespace.

        1. It is, where the right to list the kind in all namespaces is missing.
        2. A kind that the server does not know has no objects; nodes, DaemonSets and pods it knows.
        3. `is_whole_kind`: the list has every object of its kind that anything is read of.
        """
        kind = query.resource.kind
        if error and status == 403 and query.resource.is_namespaced and not query.namespace:
            self.missing[kind] = self._refusals[kind] = error
            return True
        if error and not (status == 404 and query.resource not in (NODES, DAEMONSETS, PODS)):
            self.missing[kind] = self._refusals[kind] = error
            self._add_unlisted(query)
        elif is_whole_kind:
            self.complete.add(kind)
        return False

    def add_namespace_answer(self, query: ListQuery, error: str) -> None:
        """Note what came of the part of a list in one namespace, whose whole was refused."""
        if not error:
            kind = query.resource.kind
            self.missing[kind] = describe_one_namespace(query.namespace, self._refusals[kind])
        self._add_unlisted(query, () if error else (query.namespace,))

    def _add_unlisted(self, query: ListQuery, exceptions: Iterable[str] = ()) -> None:
        if query.resource is PODS:
            self.listed = frozenset(exceptions) if self.listed is None else self.listed.intersection(exceptions)
            self.unlisted.add(query)


def explain_refusal(query: ListQuery, status: int, message: str) -> str:
    """Why a server does not give a list: the right that is missing, or what it answers."""
    if status == 403:
        return describe_missing_right(query.resource.rbac_name, query.namespace)
    if status == 404:
        return UNKNOWN_KIND
    return describe_server_fault(status, message)
