"""The files that a command line names: manifests of `apply -f`, patches, and plans."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from preflight import documents
from preflight.documents import Chunk, InvalidDocument, SkippedDocument
from preflight.errors import InputError
from preflight.kubectl.commands import FolderDepth
from preflight.load.collector import ObjectCollector
from preflight.load.command_input import OneTimeContents, read_command_input
from preflight.load.files import STDIN, SourceFile, describe_os_error, to_text
from preflight.load.kinds import CHECKED_KINDS, declares_pool, get_api_group, is_unrendered
from preflight.load.loader import LoadResult
from preflight.load.locations import locate_item
from preflight.load.manifest_paths import find_manifests
from preflight.messages.load import (
    EMPTY_PLAN,
    NO_KIND,
    NOT_A_PLAN,
    describe_nameless,
    describe_undecodable_text,
    describe_unreadable,
    describe_unreadable_patch,
    explain_unrendered,
)
from preflight.model.meta import Origin, SourcedObject
from preflight.model.world import ClusterState
from preflight.operators.resource import read_operator_resource

if TYPE_CHECKING:
    from preflight.load.pools import PoolDeclaration


class Other(Struct, frozen=True, gc=False):
    """An object of a kind that is not judged: what it takes to name it; namespace "" where it states none."""

    apiVersion: str
    kind: str
    namespace: str
    name: str
    origin: Origin


def read_objects(
    path: str,
    base: str = "",
    *,
    stdin: BinaryIO | None = None,
    depth: FolderDepth = FolderDepth.TOP,
    pools: Sequence[PoolDeclaration] = (),
    earlier: OneTimeContents | None = None,
) -> LoadResult:
    """The objects of one path of `kubectl apply -f PATH`, in order, as it would send them: `given_objects` has them.

    1. `base` is the file (a plan) that names a relative path, "" for the command line. Which files are read: see `find_manifests`;
       what is read of them: see `read_command_input`, for `earlier` too.
    2. Lists are taken apart. A pod is a Pod, whatever its status says; a part of an object is one too, for apply sends what is stated.
       The custom resources that operators read come after the others, and the DaemonSets that they declare by themselves after them.
    3. Pools of nodes come last, as their template nodes: those that are declared here, and those of `pools` that refer to what is.
    4. InputError, with the place, where kubectl would refuse the file: it is not there, a document is broken, has no kind or no name,
       or is a chart's template that nobody rendered. Nobody knows then what would be applied.
    """
    sources = find_manifests(path, base, depth)
    texts: dict[tuple[str, int], Chunk] = {}
    gathered = ObjectCollector()
    given: list[object] = []
    for source in sources:
        given += _iter_objects(source, _read_text(source, base, stdin, earlier), texts, gathered)
    if gathered.operator_resources:
        from preflight.operators.declare import declare_daemonsets

        given += [*gathered.operator_resources, *declare_daemonsets(gathered.operator_resources)]
    if gathered.pools:
        from preflight.load.pools import resolve_pools

        given += resolve_pools(gathered.pools, pools).nodes
    return LoadResult(
        ClusterState(),
        files=len(sources),
        objects=len(given),
        texts=texts,
        pools=tuple(gathered.pools),
        sources=frozenset(source.file for source in sources),
        given_objects=tuple(given),
    )


def read_patch(path: str, base: str = "", *, stdin: BinaryIO | None = None) -> str:
    """The text of the file of `patch --patch-file PATH`; `base` is the file (a plan) that names a relative path.

    InputError where it cannot be read, or is neither JSON nor YAML: with the place, and without its text, which may be a private key.
    """
    opened = path if path == STDIN else os.path.join(os.path.dirname(base), path)  # noqa: PTH118, PTH120
    source = SourceFile(to_text(opened), opened, is_named=True)
    try:
        text = str(read_command_input(source, base, stdin=stdin), "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source.file}: {describe_undecodable_text(error.start)}") from None
    except (OSError, ValueError) as error:
        raise InputError(describe_unreadable_patch(source.file, describe_os_error(error))) from None
    found = None if text.lstrip().startswith("{") else next(iter(documents.read_yaml(text, ())), None)
    if isinstance(found, InvalidDocument):
        raise InputError(f"{source.file}:{found.line}:{found.column}: {found.message}")
    return text


def read_script(path: str, earlier: OneTimeContents | None = None) -> str | None:
    """The text of a plan that is a shell script: its name ends in .sh, or its first line starts with `#!`; None for any other.

    InputError where it cannot be read.
    """
    source = SourceFile(to_text(path), path, is_named=True)
    try:
        data = bytes(read_command_input(source, earlier=earlier)) if path != STDIN else b""
    except (OSError, ValueError) as error:
        raise InputError(f"{source.file}: {describe_unreadable(describe_os_error(error))}") from None
    if not path.endswith(".sh") and not data.startswith(b"#!"):
        return None
    try:
        return str(data, "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source.file}: {describe_undecodable_text(error.start)}") from None


def read_plan(path: str, *, stdin: BinaryIO | None = None, earlier: OneTimeContents | None = None) -> list[tuple[Origin, object]]:
    """The entries of a plan, which is a YAML list of command lines, each with its place; an entry is what it is, a word or not.

    InputError, with the place, where the file cannot be read or holds no such list. An empty list is one.
    """
    source = SourceFile(to_text(path), path, is_named=True)
    found = list(_iter_documents(source, _read_text(source, "", stdin, earlier)))
    if not found:
        raise InputError(f"{source.file}: {EMPTY_PLAN}")
    chunk, data = found[0]
    if not isinstance(data, list) or len(found) > 1:
        line = chunk.line if len(found) == 1 else found[1][0].line
        raise InputError(f"{source.file}:{line}: {NOT_A_PLAN}")
    places = documents.locate_paths(chunk, [(index,) for index in range(len(data))])
    return [
        (Origin(source.file, chunk.index, place.line, (index,)), item) for index, (place, item) in enumerate(zip(places, data, strict=True))
    ]


def _read_text(source: SourceFile, base: str, stdin: BinaryIO | None, earlier: OneTimeContents | None) -> str:
    try:
        return str(read_command_input(source, base, stdin=stdin, earlier=earlier), "utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{source.file}: {describe_undecodable_text(error.start)}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{source.file}: {describe_unreadable(describe_os_error(error))}") from None


def _iter_documents(source: SourceFile, text: str) -> Iterator[tuple[Chunk, object]]:
    for item in documents.read_yaml(text, ()):
        if isinstance(item, InvalidDocument):
            if "{{" in text:
                raise InputError(f"{source.file}:{item.line}: {explain_unrendered()}")
            raise InputError(f"{source.file}:{item.line}:{item.column}: {item.message}")
        if not isinstance(item, SkippedDocument):
            yield item.chunk, item.data


def _iter_objects(
    source: SourceFile, text: str, texts: dict[tuple[str, int], Chunk], collector: ObjectCollector
) -> Iterator[SourcedObject | Other]:
    for chunk, data in _iter_documents(source, text):
        texts[source.file, chunk.index] = chunk
        waiting: list[tuple[object, Origin]] = [(data, Origin(source.file, chunk.index, chunk.line))]
        while waiting:
            item, origin = waiting.pop()
            kind = item.get("kind") if isinstance(item, dict) else None
            if not isinstance(item, dict) or not isinstance(kind, str) or not kind:
                raise InputError(f"{origin.file}:{origin.line}: {NO_KIND}")
            items = item.get("items")
            if kind.endswith("List") and isinstance(items, list):
                waiting += reversed([(inner, locate_item(origin, index)) for index, inner in enumerate(items)])
            elif declares_pool(item):
                collector.add_pools(item, origin)
            else:
                other = _convert_object(item, kind, origin)
                resource = read_operator_resource(item, origin)
                if resource is not None:
                    collector.operator_resources.append(resource)
                if resource is None or not resource.group:
                    yield other


def _convert_object(item: dict[str, Any], kind: str, origin: Origin) -> SourcedObject | Other:
    metadata, api_version = item.get("metadata"), item.get("apiVersion")
    if not isinstance(metadata, dict) or not (metadata.get("name") or metadata.get("generateName")):
        raise InputError(f"{origin.file}:{origin.line}: {describe_nameless(kind)}")
    if is_unrendered(item):
        raise InputError(f"{origin.file}:{origin.line}: {explain_unrendered()}")
    known = CHECKED_KINDS.get(kind)
    if known is None or (isinstance(api_version, str) and get_api_group(api_version) not in known.groups):
        version, namespace, name = (str(text or "") for text in (api_version, metadata.get("namespace"), metadata.get("name")))
        return Other(version, kind, namespace, name, origin)
    gathered = ObjectCollector()
    gathered.add_object(item, origin)
    for problem in gathered.problems:
        raise InputError(f"{origin.file}:{origin.line}: {problem.message}")
    return gathered.objects[0]
