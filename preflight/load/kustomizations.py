"""What kustomizations say of the files beside them: which of these are patches, which objects they change, and which belong together."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from preflight import documents
from preflight.documents import Document
from preflight.errors import InputError
from preflight.load.files import STDIN, SourceFile, read_content

_FILE_NAMES = frozenset(("kustomization.yaml", "kustomization.yml", "Kustomization"))
_PATCH_FIELDS = ("patches", "patchesStrategicMerge", "patchesJson6902")
_SCALED_KINDS = ("Deployment", "ReplicaSet", "StatefulSet")
_MAX_TEXT = 1 << 20

PatchedObject = tuple[str, str]
"""The kind and the name of an object that a kustomization changes; a name "" stands for any."""


class Kustomizations(Struct, frozen=True):
    """What all kustomizations among some files say.

    1. `patch_paths` are the files that are patches, and no objects. `patched` are the objects that patches, or `replicas`, change.
    2. `folders` is, by the name of a file that is a resource, the kustomization that names it: what states no namespace there is in one.
    """

    patch_paths: frozenset[str] = frozenset()
    patched: frozenset[PatchedObject] = frozenset()
    folders: Mapping[str, str] = {}

    def is_patch(self, source: SourceFile) -> bool:
        """Whether a file is a patch."""
        return bool(self.patch_paths) and posixpath.normpath(source.path) in self.patch_paths


def read_kustomizations(sources: Iterable[SourceFile]) -> Kustomizations:
    """Read the kustomizations among some files, with the patches that they name; what cannot be read says nothing here.

    Source: `api/types/kustomization.go` of kustomize.
    """
    by_path = {posixpath.normpath(source.path): source for source in sources if source.path != STDIN}
    patch_paths: set[str] = set()
    patched: set[PatchedObject] = set()
    folders: dict[str, str] = {}
    for path, source in by_path.items():
        if posixpath.basename(path) in _FILE_NAMES:
            for data in _iter_maps(source):
                named = {_join(path, entry) for entry in _list_texts(data, "resources") if not entry.startswith(("http:", "https:"))}
                folders |= {by_path[name].file: source.file for name in named & by_path.keys()}
                for item in (entry for field in _PATCH_FIELDS for entry in _list_entries(data, field)):
                    file, target, text = _read_patch(item)
                    if file and _join(path, file) in by_path:
                        patch_paths.add(_join(path, file))
                        patched |= set(_iter_identities(_iter_maps(by_path[_join(path, file)])))
                    patched |= {target} if target else set(_iter_identities(_iter_text_maps(text)))
                counted = (str(entry.get("name", "")) for entry in _list_entries(data, "replicas") if isinstance(entry, dict))
                patched |= {(kind, name) for name in counted for kind in _SCALED_KINDS}
    resources = {posixpath.normpath(found.path) for found in by_path.values() if found.file in folders}
    return Kustomizations(frozenset(patch_paths - resources), frozenset(patched), folders)


def _read_patch(entry: object) -> tuple[str, PatchedObject | None, str]:
    """The file of a patch, what it is for where that is said, and its text where it stands in the kustomization itself."""
    if isinstance(entry, str):
        return ("", None, entry) if "\n" in entry else (entry, None, "")
    if not isinstance(entry, dict):
        return "", None, ""
    target = entry.get("target")
    named = (str(target.get("kind") or ""), str(target.get("name") or "")) if isinstance(target, dict) else None
    return str(entry.get("path") or ""), named, str(entry.get("patch") or "")


def _iter_maps(source: SourceFile) -> Iterator[dict[str, Any]]:
    try:
        data = read_content(source, None)
    except (OSError, ValueError, InputError):
        return
    if len(data) <= _MAX_TEXT:
        yield from _iter_text_maps(bytes(data).decode("utf-8", "replace"))


def _iter_text_maps(text: str) -> Iterator[dict[str, Any]]:
    for item in documents.read_yaml(text, frozenset()) if text else ():
        if isinstance(item, Document) and isinstance(item.data, dict):
            yield item.data


def _iter_identities(objects: Iterable[dict[str, Any]]) -> Iterator[PatchedObject]:
    for data in objects:
        metadata = data.get("metadata")
        if isinstance(data.get("kind"), str) and isinstance(metadata, dict):
            yield data["kind"], str(metadata.get("name") or "")


def _list_entries(data: Mapping[str, Any], field: str) -> list[Any]:
    entries = data.get(field)
    return entries if isinstance(entries, list) else []


def _list_texts(data: Mapping[str, Any], field: str) -> list[str]:
    return [entry for entry in _list_entries(data, field) if isinstance(entry, str)]


def _join(kustomization: str, entry: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(kustomization), entry))
