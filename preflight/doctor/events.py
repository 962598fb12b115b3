"""The events of a cluster by what they are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from preflight.model.runtime_state import Event

ObjectEventKey = tuple[str, str, str]
"""Kind, namespace and name."""


class EventIndex:
    """Warnings by object; the latest first."""

    def __init__(self, events: Iterable[Event]) -> None:
        """Of events in any order."""
        self._by_object: defaultdict[ObjectEventKey, list[Event]] = defaultdict(list)
        self.components: set[str] = set()
        for event in events:
            about = event.involvedObject
            self._by_object[about.kind, about.namespace, about.name].append(event)
            self.components.add(event.reporter)
        for about_object in self._by_object.values():
            about_object.sort(key=lambda event: (event.last_seen, event.metadata.name), reverse=True)

    def get_events(self, kind: str, namespace: str, name: str, reason: str = "") -> list[Event]:
        """Those about one object, of one reason where it is given."""
        found = self._by_object.get((kind, namespace, name), [])
        return [event for event in found if not reason or event.reason == reason]

    def get_events_of_kind(self, kind: str, reason: str = "") -> list[Event]:
        """Those about all objects of a kind."""
        keys = sorted(key for key in self._by_object if key[0] == kind)
        return [event for key in keys for event in self.get_events(*key, reason)]

    def get_events_of_reason(self, reason: str) -> list[Event]:
        """Those of one reason, about objects of any kind."""
        return [event for key in sorted(self._by_object) for event in self.get_events(*key, reason)]
