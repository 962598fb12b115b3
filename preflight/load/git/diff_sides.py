"""The two sides of a comparison: each a folder, a file, a list of kubectl's, standard input or a git revision."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Collection, Iterator
from typing import BinaryIO

from msgspec import Struct

from preflight.errors import InputError
from preflight.load.collector import Gathered
from preflight.load.files import STDIN, Source, shown
from preflight.load.git import revisions
from preflight.load.git.plumbing import NoRevision
from preflight.load.git.revisions import Revision
from preflight.load.loader import Loaded, read, read_sources

LIVE = "live"
"""The word for the cluster itself."""


class Side(Struct, frozen=True):
    """One side, read.

    1. `text` is what was typed. `root` is what the names of its files begin with: what follows tells the same file on the other side.
    2. `notes` are sentences about how the text was read.
    """

    text: str
    loaded: Loaded
    root: str = ""
    notes: tuple[str, ...] = ()


def which(text: str) -> Revision | str:
    """The revision that a text means, or the path.

    1. `-` is standard input. What begins with `./`, `../` or `/`, and `.` and `..`, is a path.
    2. Else it is a revision where the repository of the working directory has it, and then a path of that name is not read.
    3. Else it is a path; `live`, where there is none, is the cluster.

    Errors: InputError where it is neither.
    """
    path = text == STDIN or text in (".", "..") or text.startswith(("./", "../", "/"))
    why = ""
    if not path:
        try:
            return revisions.resolve(text)
        except NoRevision as error:
            why = str(error)
    if text == STDIN or _is_there(text):
        return text
    if text == LIVE:
        return LIVE
    if not why:
        raise InputError(f"{shown(text)}: there is no such file or folder")
    raise InputError(f"{shown(text)}: there is no such file or folder, and it is no git revision: {why}")


def parted(base: str, head: str) -> Revision:
    """The commit where two revisions parted, in the place of the first; a PATH of the first one stays.

    Errors: InputError where one of them is no revision, or where nothing known is common to both.
    """
    try:
        ours, theirs = revisions.resolve(base), revisions.resolve(head)
        commit = revisions.merge_base(ours.name, theirs.name)
        found = revisions.resolve(f"{commit}:{ours.path}")
    except NoRevision as error:
        raise InputError(f"--merge-base of {shown(base)} and {shown(head)}: {error}") from None
    return Revision(ours.text, ours.name, found.tree, found.path)


def read_side(
    text: str,
    meant: Revision | str,
    *,
    stdin: BinaryIO | None = None,
    taken: Collection[str] | None = None,
    comparison_operators: bool | None = None,
    cluster: Callable[[Gathered], None] | None = None,
) -> Side:
    """Read one side, `cluster` where it is given; what a file or a document means is the same for all of them: see `read`.

    The files of a revision are named `REV:PATH`; with `taken`, the names that are no longer free, they are named by their path in the
    repository, as long as none of these is taken: that is how machines that read the report know them.
    """
    if cluster is not None:
        return Side(text, read((), one_cluster=False, comparison_operators=comparison_operators, cluster=cluster))
    if isinstance(meant, str):
        loaded = read([meant], stdin=stdin, one_cluster=False, comparison_operators=comparison_operators)
        is_folder = meant != STDIN and os.path.isdir(meant)  # noqa: PTH112 (pathlib costs 10 ms at the start)
        root = "" if meant == "." else shown(meant).rstrip("/") + "/" if is_folder else shown(meant)
        return Side(shown(text), loaded, root)
    listed = revisions.files(meant)
    paths = frozenset(shown(entry.path) for entry in listed.entries)
    prefix = "" if taken is not None and paths.isdisjoint(taken) else f"{meant.name}:"
    notes: tuple[str, ...] = ()
    if _is_there(text):
        notes = (f"{meant.text} is read as a git revision; the file or folder of that name is ./{meant.text}",)
    loaded = _read(listed, prefix, comparison_operators)
    is_file = any(entry.is_named for entry in listed.entries)
    root = prefix + (meant.path if is_file or not meant.path else f"{meant.path}/")
    return Side(meant.text, loaded, root, notes)


def is_live(text: str, meant: Revision | str) -> bool:
    """Whether a side is the cluster: see `which`."""
    return meant == LIVE == text and not _is_there(text)


def _is_there(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def _read(listed: revisions.Listed, prefix: str, comparison_operators: bool | None) -> Loaded:
    gathered = Gathered()
    gathered.leave_out("not followed: name it to read it", listed.links, "symbolic link")
    gathered.leave_out("not read: give its own repository as a folder", listed.submodules, "submodule")
    streams = _streams(gathered, listed, prefix)
    return read_sources(gathered, streams, one_cluster=False, comparison_operators=comparison_operators)


def _streams(gathered: Gathered, listed: revisions.Listed, prefix: str) -> Iterator[tuple[Source, BinaryIO | None]]:
    """The files of a revision, each with what it holds; templates of charts without."""
    contents = revisions.contents(entry.blob for entry in listed.entries if not entry.chart)
    for entry in listed.entries:
        source = Source(prefix + shown(entry.path), STDIN, is_named=entry.is_named, chart=entry.chart)
        if entry.chart:
            yield source, None
        elif isinstance(content := next(contents), InputError):
            gathered.problem(str(content), source.file)
        else:
            yield source, io.BytesIO(content)
    contents.close()
