"""Sources to the world: files, folders, standard input, lists that kubectl wrote; and the files that a command line names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from preflight.load.loader import LoadResult, load_world

if TYPE_CHECKING:
    from preflight.load.command_files import Other, read_objects, read_patch, read_plan, read_script

__all__ = ["LoadResult", "Other", "load_world", "read_objects", "read_patch", "read_plan", "read_script"]


def __getattr__(name: str) -> object:
    """What reads the files that a command line names, imported when it is asked for: most command lines name none."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from preflight.load import command_files

    return getattr(command_files, name)
