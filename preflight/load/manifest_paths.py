"""The files that `-f PATH` means, as kubectl finds them: patterns, folders, hidden files and links."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator

from preflight.errors import InputError
from preflight.kubectl.commands import FolderDepth
from preflight.load.files import STDIN, SourceFile, describe_os_error, to_text
from preflight.messages.load import LINKED_FOLDER, NO_MANIFEST, describe_invalid_pattern, describe_unreadable

_EXTENSIONS = (".yaml", ".yml", ".json")
_META = re.compile(r"[*?\[\\]")


def find_manifests(path: str, base: str = "", depth: FolderDepth = FolderDepth.TOP) -> list[SourceFile]:
    """The files of `-f PATH`, in the order in which kubectl reads them; `base` is the file (a plan) that names a relative path.

    1. A path that does not exist is a pattern: `*` and `?` match leading dots too.
    2. A file that is named is read whatever its name; a link that is named is followed, and so is one in the middle of a path.
    3. A folder gives its .yaml, .yml and .json files, hidden ones included, in the order of their names; those below it too with
       `FolderDepth.ALL`, hidden folders included. A link counts as a file by its own name, and is followed as one.
    4. A named link to a folder is no folder to kubectl, unless the path ends in a slash; nor is any link in a folder.

    Errors: InputError, with the path, where kubectl would refuse it.

    Source: `k8s.io/cli-runtime/pkg/resource`, builder.go (Path, expandIfFilePattern), visitor.go (ExpandPathsToFileVisitors);
    Go `path/filepath` (Walk, Glob).
    """
    if path == STDIN:
        return [SourceFile(STDIN, STDIN, is_named=True)]
    folder = os.path.dirname(base)  # noqa: PTH120 (pathlib costs 10 ms at the start)
    found: list[SourceFile] = []
    for match in _expand_pattern(path, folder):
        opened = os.path.join(folder, match)  # noqa: PTH118
        try:
            is_folder = stat.S_ISDIR(os.stat(opened).st_mode)  # noqa: PTH116
            is_link = stat.S_ISLNK(os.lstat(opened).st_mode)
        except (OSError, ValueError) as error:
            raise _make_error(opened, describe_os_error(error)) from None
        if is_folder and is_link:
            raise _make_error(opened, LINKED_FOLDER)
        found += _walk_folder(opened, depth) if is_folder else [SourceFile(to_text(opened), opened, is_named=True)]
    if not found:
        raise InputError(f"{to_text(os.path.join(folder, path))}: {NO_MANIFEST}")  # noqa: PTH118
    return found


def _make_error(path: str, reason: str) -> InputError:
    return InputError(f"{to_text(path)}: {describe_unreadable(reason)}")


def _walk_folder(root: str, depth: FolderDepth) -> Iterator[SourceFile]:
    waiting = [(root, True)]
    while waiting:
        path, is_folder = waiting.pop()
        if not is_folder:
            yield SourceFile(to_text(path), path)
            continue
        prefix = "" if path == "." else path if path.endswith("/") else f"{path}/"
        try:
            with os.scandir(path) as entries:
                listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
        except OSError as error:
            raise _make_error(path, describe_os_error(error)) from None
        waiting += [
            (prefix + name, is_below)
            for name, is_below in sorted(listed, key=lambda entry: os.fsencode(entry[0]), reverse=True)
            if (depth is FolderDepth.ALL if is_below else name.endswith(_EXTENSIONS))
        ]


def _expand_pattern(path: str, folder: str) -> list[str]:
    """What a path means: itself where it exists, else what it matches as a pattern. `folder` is what both are relative to."""
    try:
        os.stat(os.path.join(folder, path))  # noqa: PTH116, PTH118
    except FileNotFoundError:
        if not _META.search(path):
            return [path]
        try:
            matches = list(_match_paths(path, folder))
        except re.error:
            raise InputError(describe_invalid_pattern(path)) from None
        return matches or [path]
    except (OSError, ValueError):
        pass  # named where it is opened
    return [path]


def _match_paths(pattern: str, folder: str) -> Iterator[str]:
    """The paths that a pattern matches, in order. Raises re.error for a pattern that is none."""
    _compile_pattern(pattern)
    if not _META.search(pattern):
        if os.path.lexists(os.path.join(folder, pattern)):  # noqa: PTH118
            yield pattern
        return
    head, _, last = pattern.rpartition("/")
    matches = _compile_pattern(last).fullmatch
    above = f"{head}/" if head or pattern.startswith("/") else ""
    for parent in [above] if not _META.search(above) else [f"{match}/" for match in _match_paths(head, folder)]:
        try:
            names = os.listdir(os.path.join(folder, parent) or ".")  # noqa: PTH118, PTH208
        except (OSError, ValueError):
            continue  # as kubectl: nothing in it matches
        yield from (parent + name for name in sorted(names, key=os.fsencode) if matches(name))


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    """A pattern of Go's `filepath.Match` as a regular expression. Raises re.error for a pattern that is none."""
    parts = []
    place = 0
    while place < len(pattern):
        character = pattern[place]
        place += 1
        if character in "*?":
            parts.append("[^/]*" if character == "*" else "[^/]")
        elif character == "[":
            matched, place = _read_class(pattern, place)
            parts.append(matched)
        else:
            if character == "\\":
                character, place = _read_character(pattern, place - 1)
            parts.append(re.escape(character))
    return re.compile("".join(parts), re.DOTALL)


def _read_class(pattern: str, place: int) -> tuple[str, int]:
    """The class after its `[`, and the place behind its `]`."""
    negated = pattern[place : place + 1] == "^"
    place += negated
    ranges: list[str] = []
    while not ranges or pattern[place : place + 1] != "]":
        if pattern[place : place + 1] in ("-", "]"):
            raise re.error("no class")
        low, place = _read_character(pattern, place)
        high = low
        if pattern[place : place + 1] == "-":
            if pattern[place + 1 : place + 2] in ("-", "]"):
                raise re.error("no class")
            high, place = _read_character(pattern, place + 1)
        ranges.append(f"{re.escape(low)}-{re.escape(high)}" if low <= high else "")
    inside = "".join(ranges)
    if not inside:
        return ("." if negated else "(?!)"), place + 1
    return f"[{'^' if negated else ''}{inside}]", place + 1


def _read_character(pattern: str, place: int) -> tuple[str, int]:
    """A character, perhaps after a backslash, and the place behind it."""
    if pattern[place : place + 1] == "\\":
        place += 1
    if place >= len(pattern):
        raise re.error("the pattern ends too early")
    return pattern[place], place + 1
