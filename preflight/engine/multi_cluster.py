"""One question for several clusters: asked at the same time, and what one of them cannot answer hides nothing of the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from preflight.errors import PreflightError, UsageError
from preflight.load.live.target import ClusterTarget
from preflight.load.snapshot.recognize import is_snapshot

T = TypeVar("T")

_MAX_PARALLEL = 8


class ClusterSource(Struct, frozen=True):
    """Where a cluster is: files (`sources`), or a cluster to ask (`target`); `name` is what tells it from the others."""

    name: str
    sources: tuple[str, ...] = ()
    target: ClusterTarget | None = None


class ClusterResult(Struct, Generic[T]):
    """What one place answered: a value, or None and why there is none."""

    source: ClusterSource
    value: T | None = None
    error: str = ""


def list_cluster_sources(sources: Sequence[str], contexts: Sequence[str], target: ClusterTarget | None) -> tuple[ClusterSource, ...]:
    """The clusters that a command line names, in its order.

    1. Several `--from` are one world, unless each is a snapshot of its own: a snapshot is of one cluster.
    2. Several contexts are a cluster each, asked with the rest of `target`; with none, it is the current one.

    Errors: UsageError where a context or a snapshot is named twice.
    """
    if target is None:
        names = tuple(sources)
        if len(names) > 1 and all(is_snapshot(name) for name in names):
            _check_no_duplicates("--from", names)
            return tuple(ClusterSource(each, (each,)) for each in names)
        return (ClusterSource(", ".join(names), names),)
    _check_no_duplicates("--context", contexts)
    return tuple(ClusterSource(context or "the current context", (), replace(target, context=context)) for context in contexts or ("",))


def ask_clusters(cluster_sources: Sequence[ClusterSource], ask: Callable[[ClusterSource], T]) -> list[ClusterResult[T]]:
    """What each place answers, in their order; several are asked at the same time.

    1. A place that cannot be asked or read (InputError) has the reason in the place of its answer, and the others go on.
    2. Where there is only one place, its error is the caller's; so is a wrong command line (UsageError), which is wrong for all.
    """
    if len(cluster_sources) == 1:
        return [ClusterResult(cluster_sources[0], ask(cluster_sources[0]))]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_MAX_PARALLEL) as pool:
        waiting = [pool.submit(ask, place) for place in cluster_sources]
        return [_capture_result(place, future.result) for place, future in zip(cluster_sources, waiting, strict=True)]


def _capture_result(source: ClusterSource, result: Callable[[], T]) -> ClusterResult[T]:
    try:
        return ClusterResult(source, result())
    except UsageError:
        raise
    except PreflightError as error:
        return ClusterResult(source, None, str(error))


def _check_no_duplicates(flag: str, names: Sequence[str]) -> None:
    for at, name in enumerate(names):
        if name in names[:at]:
            raise UsageError(f"{flag} {name} is given twice")
