"""What a snapshot keeps of recognition: its result for each DaemonSet, and of ConfigMaps the few lines that it reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Raw, Struct

from preflight.components.catalog import load_kinds, load_programs
from preflight.components.detection import Component, Evidence
from preflight.components.kubelet_plugins import RENAME_BY_DEFAULT, RENAME_PATTERN

FieldPath = tuple[str | int, ...]

_FIELDS = ("resources", "drivers", "labels", "taints", "networks", "note", "outlive", "own_symptom")


class _SavedEvidence(Struct, frozen=True):
    path: FieldPath
    words: str


class _SavedComponent(Struct, frozen=True, omit_defaults=True):
    """A component as a snapshot has it: its kind by name, for what a kind is may be said better one day."""

    kind: str
    evidence: tuple[_SavedEvidence, ...] = ()
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    note: str = ""
    outlive: str = ""
    own_symptom: str = ""


def encode_components(components: tuple[Component, ...]) -> Any:
    """Components as plain data for a snapshot."""
    return msgspec.to_builtins(
        [
            _SavedComponent(
                component.kind.id,
                tuple(_SavedEvidence(evidence.path, evidence.description) for evidence in component.evidence),
                **{name: getattr(component, name) for name in _FIELDS},
            )
            for component in components
        ]
    )


def decode_components(components: Raw) -> tuple[Component, ...]:
    """The components that a snapshot has of a DaemonSet, worst to lose first.

    A kind that is not known here was named by a newer program: this one would not have recognised it in the whole object either.
    """
    found = msgspec.json.decode(components, type=tuple[_SavedComponent, ...]) if components else ()
    known = [
        Component(
            load_kinds()[saved.kind],
            tuple(Evidence(evidence.path, evidence.words) for evidence in saved.evidence),
            **{name: getattr(saved, name) for name in _FIELDS},
        )
        for saved in found
        if saved.kind in load_kinds()
    ]
    return tuple(sorted(known, key=lambda component: component.kind.rank))


def filter_config_data(data: Mapping[str, str]) -> dict[str, str]:
    """Of the data of a ConfigMap what recognition reads: names of resources, and settings of programs that are known; {} for nothing.

    1. `resourceList` and `configList` of JSON, with the names and prefixes of their entries alone.
    2. `rename` with a name that has a domain, and `renameByDefault: true`.
    3. `NAME: VALUE`, or a key with its whole text, where NAME or the key is that of a setting.
    """
    found = {key: text.strip() if key in _setting_names() else "\n".join(_iter_lines(text)) for key, text in data.items()}
    return {key: text for key, text in found.items() if text}


def _iter_lines(text: str) -> Iterator[str]:
    """The lines that stand for a text; one of JSON for a text of JSON."""
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict):
        lists = {name: list(_iter_entries(data[name])) for name in ("configList", "resourceList") if isinstance(data.get(name), list)}
        if any(lists.values()):
            yield json.dumps(lists)
            return
    yield from (f"rename: {name}" for name in RENAME_PATTERN.findall(text) if "/" in name)
    if RENAME_BY_DEFAULT.search(text):
        yield "renameByDefault: true"
    for line in text.splitlines():
        left, colon, right = line.partition(":")
        if colon and left.strip().lower() in _setting_names():
            yield f"{left.strip()}: {right.strip()}"


def _iter_entries(entries: list[Any]) -> Iterator[dict[str, str]]:
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("resourceName"), str):
            yield {name: entry[name] for name in ("resourceName", "resourcePrefix") if isinstance(entry.get(name), str)}


@cache
def _setting_names() -> frozenset[str]:
    return frozenset(setting.name for product in load_programs() for setting in product.settings)
