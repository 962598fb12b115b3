"""What a run is about: files, a snapshot, or a live cluster. The command line decides it once, and everything else matches on it."""

from __future__ import annotations

from msgspec import Struct

from preflight.load.live.target import ClusterTarget


class Files(Struct, frozen=True):
    """Files, folders and standard input (`-`) that together describe one cluster."""

    paths: tuple[str, ...] = ()


class Snapshot(Struct, frozen=True):
    """A file that `preflight snapshot` wrote: one cluster at one time."""

    path: str


Live = ClusterTarget
"""A cluster to ask, by its context."""

Input = Files | Snapshot | Live


def list_paths(source: Input) -> tuple[str, ...]:
    """The paths to read; none where a cluster is asked."""
    match source:
        case Files(paths):
            return tuple(paths)
        case Snapshot(path):
            return (path,)
        case ClusterTarget():
            return ()


def find_target(source: Input) -> ClusterTarget | None:
    """The cluster to ask; None where files are read."""
    return source if isinstance(source, ClusterTarget) else None


def name_input(source: Input) -> str:
    """What tells an input from the others that are asked the same."""
    match source:
        case ClusterTarget(context):
            return context or "the current context"
        case _:
            return ", ".join(list_paths(source))
