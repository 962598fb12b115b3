"""What a snapshot keeps of recognition: its result for each DaemonSet, and of ConfigMaps the few lines that it reads."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Raw, Struct

from preflight.components.catalog import kinds, products
from preflight.components.detection import Component, Evidence
from preflight.components.kubelet_plugins import BY_DEFAULT, RENAME

Path = tuple[str | int, ...]

_FIELDS = ("resources", "drivers", "labels", "taints", "networks", "note", "outlive")


class _Evidence(Struct, frozen=True):
    path: Path
    words: str


class _Component(Struct, frozen=True, omit_defaults=True):
    """A component as a snapshot has it: its kind by name, for what a kind is may be said better one day."""

    kind: str
    evidence: tuple[_Evidence, ...] = ()
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    note: str = ""
    outlive: str = ""


def to_keep(components: tuple[Component, ...]) -> Any:
    """Components as plain data for a snapshot."""
    return msgspec.to_builtins(
        [
            _Component(
                each.kind.id,
                tuple(_Evidence(evidence.path, evidence.words) for evidence in each.evidence),
                **{name: getattr(each, name) for name in _FIELDS},
            )
            for each in components
        ]
    )


def from_kept(components: Raw) -> tuple[Component, ...]:
    """The components that a snapshot has of a DaemonSet, worst to lose first.

    A kind that is not known here was named by a newer program: this one would not have recognised it in the whole object either.
    """
    found = msgspec.json.decode(components, type=tuple[_Component, ...]) if components else ()
    known = [
        Component(
            kinds()[each.kind],
            tuple(Evidence(evidence.path, evidence.words) for evidence in each.evidence),
            **{name: getattr(each, name) for name in _FIELDS},
        )
        for each in found
        if each.kind in kinds()
    ]
    return tuple(sorted(known, key=lambda component: component.kind.rank))


def config_to_keep(data: Mapping[str, str]) -> dict[str, str]:
    """Of the data of a ConfigMap what recognition reads: names of resources, and settings of programs that are known; {} for nothing.

    1. `resourceList` and `configList` of JSON, with the names and prefixes of their entries alone.
    2. `rename` with a name that has a domain, and `renameByDefault: true`.
    3. `NAME: VALUE`, or a key with its whole text, where NAME or the key is that of a setting.
    """
    found = {key: text.strip() if key in _settings() else "\n".join(_lines(text)) for key, text in data.items()}
    return {key: text for key, text in found.items() if text}


def _lines(text: str) -> Iterator[str]:
    """The lines that stand for a text; one of JSON for a text of JSON."""
    try:
        data = json.loads(text) if text.lstrip().startswith("{") else None
    except (ValueError, RecursionError):
        data = None
    if isinstance(data, dict):
        lists = {name: list(_entries(data[name])) for name in ("configList", "resourceList") if isinstance(data.get(name), list)}
        if any(lists.values()):
            yield json.dumps(lists)
            return
    yield from (f"rename: {name}" for name in RENAME.findall(text) if "/" in name)
    if BY_DEFAULT.search(text):
        yield "renameByDefault: true"
    for line in text.splitlines():
        left, colon, right = line.partition(":")
        if colon and left.strip().lower() in _settings():
            yield f"{left.strip()}: {right.strip()}"


def _entries(entries: list[Any]) -> Iterator[dict[str, str]]:
    for entry in entries:
        if isinstance(entry, dict) and isinstance(entry.get("resourceName"), str):
            yield {name: entry[name] for name in ("resourceName", "resourcePrefix") if isinstance(entry.get(name), str)}


@cache
def _settings() -> frozenset[str]:
    return frozenset(setting.name for product in products() for setting in product.settings)
