"""Files that are not read where a folder is."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import NamedTuple

from msgspec import Struct


class ExcludedPaths(NamedTuple):
    """A glob, and the folder that it starts from: "" for the working directory."""

    glob: str
    folder: str = ""


class Exclusion(Struct, frozen=True):
    """What is left out where a folder is walked.

    1. A glob fits a file or a folder, and with a folder all that is below it; `*` fits `/` too, and the case counts. A path that is not
       below the folder of the glob is not fitted.
    2. A file that a person names is read, unless `covers_named_files`: a hook names whatever was changed.
    3. `covers_ignored_files`: so is what git ignores in a work tree, which is never a file that it tracks. A folder that is ignored itself
       and was named is read whole.
    """

    globs: tuple[ExcludedPaths, ...] = ()
    covers_ignored_files: bool = False
    covers_named_files: bool = False

    def excludes(self, path: str) -> bool:
        """Whether a glob fits a path, or a folder that it is in."""
        return any(_fits(excluded, path) for excluded in self.globs)


NOTHING_EXCLUDED = Exclusion()


def _fits(excluded: ExcludedPaths, path: str) -> bool:
    root = os.path.abspath(excluded.folder)  # noqa: PTH100 (pathlib costs 10 ms at the start)
    below = os.path.relpath(os.path.abspath(path), root)  # noqa: PTH100
    glob = excluded.glob.removeprefix("./").rstrip("/")
    steps = below.split("/")
    return steps[0] != ".." and any(fnmatchcase("/".join(steps[:length]), glob) for length in range(1, len(steps) + 1))
