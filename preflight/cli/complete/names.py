"""Where names come from, and how they are read: the files of `--from`, a kubeconfig, or the cluster."""

from __future__ import annotations

import os
from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from preflight.cli.complete.command_line import CommandLine

if TYPE_CHECKING:
    from preflight.load.live.connection import ApiConnection

_WITHOUT_CLUSTER = ("lint", "components", "fix", "diff")
"""The commands that ask a cluster only where one is named."""

_METADATA_ONLY = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"


class NameKind(StrEnum):
    """What is asked for at once: files have all names, and of a cluster one kind is listed."""

    CONTEXTS = "contexts"
    NODES = "nodes"
    DAEMONSETS = "daemonsets"
    NAMESPACES = "namespaces"


_LIST_PATHS = {
    NameKind.NODES: "/api/v1/nodes",
    NameKind.NAMESPACES: "/api/v1/namespaces",
    NameKind.DAEMONSETS: "/apis/apps/v1/daemonsets",
}


class NameSource(Struct, frozen=True):
    """What is read: files where there are `paths`, else a kubeconfig and its cluster.

    `stamps` tells versions of the files apart, so that names which were read from another version are not taken for these.
    """

    kind: NameKind
    paths: tuple[str, ...] = ()
    kubeconfig: str = ""
    context: str = ""
    user: str = ""
    groups: tuple[str, ...] = ()
    stamps: tuple[tuple[str, int, int], ...] = ()


class Names(Struct, frozen=True):
    """What was read: DaemonSets as `namespace/name`, and the `namespace` that counts where none is given."""

    namespace: str = "default"
    contexts: tuple[str, ...] = ()
    nodes: tuple[str, ...] = ()
    daemonsets: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()


class _Metadata(Struct):
    name: str = ""
    namespace: str = ""


class _Item(Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _List(Struct):
    items: list[_Item] = []


def find_source(line: CommandLine, kind: NameKind) -> NameSource | None:
    """What a command line reads names of a kind from; None where it reads them from nowhere."""
    kubeconfig = _take_last(line.list_values("--kubeconfig"))
    files = _expand(kubeconfig) if kubeconfig else os.environ.get("KUBECONFIG") or _expand("~/.kube/config")
    configs = [kubeconfig] if kubeconfig else files.split(os.pathsep)
    if kind is NameKind.CONTEXTS:
        return NameSource(kind, kubeconfig=_expand(kubeconfig), stamps=_stamp([*map(_expand, configs)]))
    paths = [*line.list_values("--from"), *(line.args if line.verb in _WITHOUT_CLUSTER else ())]
    if paths:
        named = [os.path.abspath(_expand(path)) for path in paths if path not in ("-", "live")]  # noqa: PTH100
        return NameSource(NameKind.NODES, paths=tuple(named), stamps=_stamp(named)) if named else None
    chosen = line.list_values("--context", "--kubeconfig", "--as")
    if line.verb in _WITHOUT_CLUSTER and not chosen and "--live" not in line.flags:
        return None
    return NameSource(
        kind,
        kubeconfig=_expand(kubeconfig),
        context=_take_last(line.list_values("--context")),
        user=_take_last(line.list_values("--as")),
        groups=line.list_values("--as-group"),
        stamps=_stamp([*map(_expand, configs)]),
    )


def read_names(source: NameSource, seconds: float) -> Names:
    """Read the names; one request may take some seconds. Errors: PreflightError, and whatever else goes wrong."""
    if source.kind is NameKind.CONTEXTS:
        from preflight.load.live.access.files import load_kubeconfig

        return Names(contexts=tuple(sorted(load_kubeconfig(source.kubeconfig, os.environ).contexts)))
    return _read_files(source.paths) if source.paths else _ask_cluster(source, seconds)


def _read_files(paths: Sequence[str]) -> Names:
    from preflight.load.inputs import LoadOptions, load_input, select_input

    world = load_input(select_input(paths), LoadOptions(one_cluster=False)).world
    keys = [daemonset.key for daemonset in world.daemonsets.values()]
    namespaces = {key.namespace for key in keys} | {item.metadata.name for item in world.namespaces}
    return Names(
        nodes=tuple(sorted(name for name, node in world.nodes.items() if node.pool is None)),
        daemonsets=tuple(sorted(f"{key.namespace}/{key.name}" for key in keys if key.namespace)),
        namespaces=tuple(sorted(namespaces - {""})),
        namespace=(world.listing.namespace if world.listing is not None else "") or "default",
    )


def _ask_cluster(source: NameSource, seconds: float) -> Names:
    from preflight.load.live.connection import ApiConnection, HttpStatusError
    from preflight.load.live.target import ClusterTarget

    target = ClusterTarget(source.context, source.kubeconfig, source.user, source.groups, timeout=seconds)
    connection = ApiConnection(target)
    try:
        found = _list_metadata(connection, _LIST_PATHS[source.kind])
    except HttpStatusError as error:
        if error.status != 403 or source.kind is not NameKind.DAEMONSETS:
            raise
        found = _list_metadata(connection, f"/apis/apps/v1/namespaces/{connection.namespace}/daemonsets")
    if source.kind is NameKind.NODES:
        return Names(namespace=connection.namespace, nodes=tuple(sorted(metadata.name for metadata in found)))
    if source.kind is NameKind.NAMESPACES:
        return Names(namespace=connection.namespace, namespaces=tuple(sorted(metadata.name for metadata in found)))
    keys = sorted(f"{metadata.namespace}/{metadata.name}" for metadata in found)
    return Names(namespace=connection.namespace, daemonsets=tuple(keys))


def _list_metadata(connection: ApiConnection, path: str) -> list[_Metadata]:
    body = connection.get(path, {"resourceVersion": "0"}, accept=_METADATA_ONLY)
    return [item.metadata for item in msgspec.json.decode(body, type=_List).items]


def _take_last(values: Sequence[str]) -> str:
    return values[-1] if values else ""


def _expand(path: str) -> str:
    return os.path.expanduser(path)  # noqa: PTH111 (pathlib is slow to import)


def _stamp(paths: Sequence[str]) -> tuple[tuple[str, int, int], ...]:
    found = []
    for path in paths:
        try:
            status = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            continue
        found.append((os.path.abspath(path), status.st_mtime_ns, status.st_size))  # noqa: PTH100
    return tuple(found)
