"""Sources to the world: files, folders, standard input, lists that kubectl wrote."""

from preflight.load.read import Loaded, read

__all__ = ["Loaded", "read"]
