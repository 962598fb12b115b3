"""Sources to the world: files, folders, standard input, lists that kubectl wrote; and the files that a command line names."""

from preflight.load.command_files import Other, read_objects, read_patch, read_plan, read_script
from preflight.load.loader import LoadResult, load_world

__all__ = ["LoadResult", "Other", "load_world", "read_objects", "read_patch", "read_plan", "read_script"]
