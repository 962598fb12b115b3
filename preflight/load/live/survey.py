"""What the lists of a cluster show of it as a whole: which kinds and which namespaces are complete, and which right is missing."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from preflight.load.live.discovery import Served
from preflight.load.live.resources import PODS, ListQuery
from preflight.messages.live import (
    describe_missing_operator_right,
    describe_missing_right,
    describe_namespaces,
    describe_server_fault,
    describe_unknown_resource,
    describe_wrong_discovery,
)

FORBIDDEN_STATUS = 403
_NOT_FOUND_STATUS = 404


class ListFailure(Enum):
    """Why a list cannot be had, or not all of it: a right is missing, the server does not serve it, or something went wrong."""

    FORBIDDEN = "forbidden"
    NOT_SERVED = "not served"
    FAULT = "fault"


class ClusterSurvey:
    """What became of the lists that were asked for.

    1. `missing` are the kinds that could not be had, each with the reason; `forbidden` those of them that only a missing right hides.
       `complete` are the kinds of which every object was had, `partly_listed` the namespaces where a missing kind was listed.
    2. `listed` are the namespaces whose pods were listed, None for all of them; `unlisted` the lists of pods that were refused.
    """

    def __init__(self) -> None:
        self.missing: dict[str, str] = {}
        self.forbidden: set[str] = set()
        self._refusals: dict[str, str] = {}
        self.partly_listed: dict[str, list[str]] = {}
        self.complete: set[str] = set()
        self.listed: frozenset[str] | None = None
        self.unlisted: set[ListQuery] = set()

    def add_answer(self, query: ListQuery, failure: ListFailure | None, error: str, *, is_whole_kind: bool) -> bool:
        """Note what came of a list; whether it is worth asking for the part of it in some namespaces.

        1. It is, where the right to list the kind in all namespaces is missing.
        2. `is_whole_kind`: the list has every object of its kind that anything is read of.
        """
        kind = query.resource.name
        if failure is None:
            if is_whole_kind:
                self.complete.add(kind)
            return False
        is_fault = failure is not ListFailure.FORBIDDEN
        if kind not in self.missing or (is_fault and kind in self.forbidden):
            self.missing[kind] = self._refusals[kind] = error
        if is_fault:
            self.forbidden.discard(kind)
        elif self.missing[kind] == error:
            self.forbidden.add(kind)
        if not is_fault and query.resource.is_namespaced and not query.namespace:
            return True
        self._add_unlisted(query)
        return False

    def add_namespace_answers(self, query: ListQuery, answers: Iterable[tuple[str, str]]) -> None:
        """Note what came of the parts of a refused list: each namespace that was tried, with the error, "" where it was listed."""
        listed = [namespace for namespace, error in answers if not error]
        kind = query.resource.name
        if listed and kind in self.forbidden:
            known = self.partly_listed.setdefault(kind, [])
            known += (namespace for namespace in listed if namespace not in known)
            self.missing[kind] = describe_namespaces(known, self._refusals[kind])
        self._add_unlisted(query, listed)

    def _add_unlisted(self, query: ListQuery, exceptions: Iterable[str] = ()) -> None:
        if query.resource is PODS:
            self.listed = frozenset(exceptions) if self.listed is None else self.listed.intersection(exceptions)
            self.unlisted.add(query)


def explain_refusal(query: ListQuery, served: Served, status: int, message: str) -> str:
    """Why a server does not give a list: the right that is missing, or what it answers."""
    if status == FORBIDDEN_STATUS:
        describe = describe_missing_operator_right if query.resource.is_operators else describe_missing_right
        return describe(query.resource.rbac_name, query.namespace)
    if status == _NOT_FOUND_STATUS:
        return describe_wrong_discovery(message) if served is Served.YES else describe_unknown_resource(message)
    return describe_server_fault(status, message)
