"""What a person gives to be read, decided once: files, one snapshot, or a live cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO, assert_never

from msgspec import Struct
from msgspec.structs import replace

from preflight.load.files import to_text
from preflight.load.live.target import ClusterTarget
from preflight.load.loader import LoadResult, load_world
from preflight.load.snapshot.recognize import is_snapshot
from preflight.messages.load import NOT_A_SNAPSHOT
from preflight.model.exclusion import NOTHING_EXCLUDED, Exclusion
from preflight.model.report import Location, Problem
from preflight.model.versions import VersionOptions

if TYPE_CHECKING:
    from preflight.evictions.replacement_placement import MissingNodes
    from preflight.load.collector import ObjectCollector
    from preflight.load.live.cluster import LiveCluster
    from preflight.load.live.connection import ApiConnection
    from preflight.load.live.planner import ClusterQuery


class Files(Struct, frozen=True):
    """Files, folders and standard input (`-`): one world. `context_paths` are its surroundings, and get no findings."""

    paths: tuple[str, ...] = ()
    context_paths: tuple[str, ...] = ()


class Snapshot(Struct, frozen=True):
    """A file that `preflight snapshot` wrote."""

    path: str


class Live(Struct, frozen=True):
    """A cluster to ask; with `paths`, these files are judged and the cluster is their surroundings."""

    target: ClusterTarget = ClusterTarget()
    paths: tuple[str, ...] = ()


Input = Files | Snapshot | Live


class LoadOptions(Struct, frozen=True):
    """How an input is read: see `load_world`."""

    one_cluster: bool
    versions: VersionOptions = VersionOptions()
    leaves_templates: bool = False
    wants_whole_pods: bool = False
    wants_pod_texts: bool = False
    wants_state: bool = False
    exclusion: Exclusion = NOTHING_EXCLUDED


class OpenInput:
    """An input that was read; a live cluster can be asked for more until it is closed."""

    def __init__(self, loaded: LoadResult, cluster: LiveCluster | None = None) -> None:
        self.loaded, self._cluster = loaded, cluster

    @property
    def connection(self) -> ApiConnection | None:
        """The connection to the cluster: its context, its server and what was asked; None where files were read."""
        return self._cluster.connection if self._cluster is not None else None

    def load_dependents(self) -> LoadResult:
        """What was read, and what may depend on DaemonSets: a live cluster is asked for it only here."""
        if self._cluster is not None and self.loaded.reload is not None:
            self._cluster.collect_dependents()
            self.loaded = replace(self.loaded.reload(), reload=self.loaded.reload)
        return self.loaded

    def load_missing(self, missing: MissingNodes) -> LoadResult | None:
        """What was read, with some of the nodes and pods that are missing; None where nothing more can be had."""
        if self._cluster is None or self.loaded.reload is None or not self._cluster.collect_missing(missing):
            return None
        self.loaded = replace(self.loaded.reload(), reload=self.loaded.reload)
        return self.loaded

    def load_all_pods(self) -> LoadResult:
        """What was read, and the pods of everybody, where a live cluster was asked for those of some DaemonSets only."""
        if self._cluster is not None and self.loaded.reload is not None:
            self._cluster.collect_all_pods()
            self.loaded = self.loaded.reload()
        return self.loaded


def select_input(paths: Sequence[str], context_paths: Sequence[str] = (), target: ClusterTarget | None = None) -> Input:
    """What a command line names: the cluster of a target, one file that is a snapshot, else files."""
    if target is not None:
        return Live(target, tuple(paths))
    if len(paths) == 1 and not context_paths and is_snapshot(paths[0]):
        return Snapshot(paths[0])
    return Files(tuple(paths), tuple(context_paths))


def list_paths(source: Input) -> tuple[str, ...]:
    """The paths that are judged, those around them left out."""
    match source:
        case Files(paths=paths) | Live(paths=paths):
            return paths
        case Snapshot(path=path):
            return (path,)
        case _:
            assert_never(source)


def name_input(source: Input) -> str:
    """What tells an input from the others that are asked the same."""
    if isinstance(source, Live):
        return source.target.context or "the current context"
    return ", ".join(list_paths(source))


@contextmanager
def open_input(
    source: Input,
    options: LoadOptions,
    *,
    stdin: BinaryIO | None = None,
    query: ClusterQuery | Callable[[ApiConnection], ClusterQuery] | None = None,
) -> Iterator[OpenInput]:
    """Read an input; a cluster stays open until the end of the block.

    1. `query` is what a cluster is asked for (None: everything), or tells it from the connection, whose context has the namespace.
    2. What cannot be read is a problem of the result. A snapshot that is damaged, cut off or none at all is one.

    Errors: InputError where a cluster cannot be asked.
    """
    match source:
        case Files(paths=paths, context_paths=context_paths):
            yield OpenInput(_load(paths, options, stdin, context_paths=context_paths))
        case Snapshot(path=path):
            yield OpenInput(_load_snapshot(path, options))
        case Live(target=target, paths=paths):
            from preflight.load.live.cluster import LiveCluster
            from preflight.load.live.planner import FOR_FULL_CHECK

            with LiveCluster(target) as cluster:
                wanted = query(cluster.connection) if callable(query) else query or FOR_FULL_CHECK
                yield OpenInput(
                    _load(paths, options, stdin, cluster=lambda collector: cluster.collect(wanted, collector)),
                    cluster,
                )
        case _:
            assert_never(source)


def load_input(source: Input, options: LoadOptions, *, stdin: BinaryIO | None = None, query: ClusterQuery | None = None) -> LoadResult:
    """Read an input, and let go of its cluster: see `open_input`."""
    with open_input(source, options, stdin=stdin, query=query) as opened:
        return opened.loaded


def _load(
    paths: Sequence[str],
    options: LoadOptions,
    stdin: BinaryIO | None,
    *,
    context_paths: Sequence[str] = (),
    cluster: Callable[[ObjectCollector], None] | None = None,
) -> LoadResult:
    return load_world(
        paths,
        context_paths=context_paths,
        stdin=stdin,
        one_cluster=options.one_cluster,
        versions=options.versions,
        leaves_templates=options.leaves_templates,
        wants_whole_pods=options.wants_whole_pods,
        wants_pod_texts=options.wants_pod_texts,
        wants_state=options.wants_state,
        exclusion=options.exclusion,
        cluster=cluster,
    )


def _load_snapshot(path: str, options: LoadOptions) -> LoadResult:
    loaded = _load([path], options, None)
    if loaded.problems or loaded.world.listing is not None:
        return loaded
    return replace(loaded, problems=(Problem(NOT_A_SNAPSHOT, Location(to_text(path))),))
