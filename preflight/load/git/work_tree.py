"""What git ignores in a work tree."""

from __future__ import annotations

import os

from preflight.load.git.plumbing import RevisionError, run_git


def list_ignored_paths(folder: str) -> frozenset[str]:
    """The files and folders below a folder that git ignores, as paths from there; `.` for all of them.

    None where git is missing, or this is no work tree, or the folder is ignored itself.
    """
    if find_work_tree(folder) is None:
        return frozenset()
    options = ("--others", "--ignored", "--exclude-standard", "--directory", "-z")
    try:
        listed = run_git("ls-files", *options, folder=folder)
        paths = frozenset(os.fsdecode(path).rstrip("/") for path in listed.split(b"\0") if path)
        if "." in paths and _is_ignored(folder):
            return frozenset()
    except RevisionError:
        return frozenset()
    return paths


def _is_ignored(folder: str) -> bool:
    try:
        run_git("--no-literal-pathspecs", "check-ignore", "--quiet", ".", folder=folder)
    except RevisionError:
        return False
    return True


def find_work_tree(folder: str) -> str | None:
    """The work tree of git that a folder is in."""
    parts = os.path.abspath(folder).split("/")  # noqa: PTH100
    trees = ("/".join(parts[:length]) or "/" for length in range(len(parts), 0, -1))
    return next((tree for tree in trees if os.path.exists(f"{tree}/.git")), None)  # noqa: PTH110
