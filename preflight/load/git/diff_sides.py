"""The two sides of a comparison: each a folder, a file, a list of kubectl's, standard input or a git revision."""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterator
from typing import BinaryIO

from msgspec import Struct

from preflight.errors import InputError
from preflight.load.collector import ObjectCollector
from preflight.load.files import MANIFEST_START, STDIN, SourceFile, looks_like_manifest, to_text
from preflight.load.git import revisions
from preflight.load.git.plumbing import RevisionError
from preflight.load.git.revisions import Revision
from preflight.load.git.work_tree import find_work_tree
from preflight.load.inputs import LoadOptions
from preflight.load.loader import LoadResult, load_sources, load_world
from preflight.messages.git import (
    SUBMODULE_SKIPPED,
    describe_failed_merge_base,
    describe_no_side,
    note_revision_first,
)
from preflight.messages.load import (
    EXCLUDED,
    HIDDEN,
    NOT_FOLLOWED,
)
from preflight.model.versions import VersionOptions

LIVE_SIDE = "live"
"""The word for the cluster itself."""


class LoadedSide(Struct, frozen=True):
    """One side, read.

    1. `text` is what was typed. `root` is what the names of its files begin with: what follows tells the same file on the other side.
    2. `notes` are sentences about how the text was read.
    """

    text: str
    loaded: LoadResult
    root: str = ""
    notes: tuple[str, ...] = ()


def resolve_side(text: str) -> Revision | str:
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
            return revisions.resolve_revision(text)
        except RevisionError as error:
            why = str(error)
    if text == STDIN or _path_exists(text):
        return text
    if text == LIVE_SIDE:
        return LIVE_SIDE
    raise InputError(describe_no_side(to_text(text), why))


def resolve_merge_base(base: str, head: str) -> Revision:
    """The commit where two revisions parted, in the place of the first; a PATH of the first one stays.

    Errors: InputError where one of them is no revision, or where nothing known is common to both.
    """
    try:
        ours, theirs = revisions.resolve_revision(base), revisions.resolve_revision(head)
        commit = revisions.find_merge_base(ours.display_name, theirs.display_name)
        found = revisions.resolve_revision(f"{commit}:{ours.path}")
    except RevisionError as error:
        raise InputError(describe_failed_merge_base(to_text(base), to_text(head), str(error))) from None
    return Revision(ours.text, ours.display_name, found.tree, found.path)


def read_side(
    text: str,
    source: Revision | str,
    options: LoadOptions,
    *,
    stdin: BinaryIO | None = None,
    reserved_names: Collection[str] | None = None,
) -> LoadedSide:
    """Read one side, which is no live cluster; what a file or a document means is the same for all of them: see `read`.

    The files of a revision are named `REV:PATH`; with `reserved_names`, the names that are no longer free, they are named by their path in
    the repository, as long as none of these is taken: that is how machines that read the report know them.
    """
    if isinstance(source, str):
        loaded = load_world([source], stdin=stdin, one_cluster=False, versions=options.versions, exclusion=options.exclusion)
        is_folder = source != STDIN and os.path.isdir(source)  # noqa: PTH112 (pathlib costs 10 ms at the start)
        root = "" if source == "." else to_text(source).rstrip("/") + "/" if is_folder else to_text(source)
        return LoadedSide(to_text(text), loaded, root)
    listed = revisions.list_revision_files(source)
    tree = find_work_tree(".") or "."
    kept = [entry for entry in listed.entries if entry.is_named or not options.exclusion.excludes(f"{tree}/{entry.path}")]
    excluded, listed.entries = len(listed.entries) - len(kept), kept
    paths = frozenset(to_text(entry.path) for entry in listed.entries)
    prefix = "" if reserved_names is not None and paths.isdisjoint(reserved_names) else f"{source.display_name}:"
    notes: tuple[str, ...] = ()
    if _path_exists(text):
        notes = (note_revision_first(source.text),)
    loaded = _read_revision(listed, prefix, excluded, options.versions)
    is_file = any(entry.is_named for entry in listed.entries)
    root = prefix + (source.path if is_file or not source.path else f"{source.path}/")
    return LoadedSide(source.text, loaded, root, notes)


def is_live_side(text: str, source: Revision | str) -> bool:
    """Whether a side is the cluster: see `resolve_side`."""
    return source == LIVE_SIDE == text and not _path_exists(text)


def _path_exists(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:
        return False


def _read_revision(listed: revisions.RevisionListing, prefix: str, excluded: int, versions: VersionOptions) -> LoadResult:
    gathered = ObjectCollector()
    gathered.count_skipped(EXCLUDED, excluded, "path")
    gathered.count_skipped(NOT_FOLLOWED, listed.skipped_links, "symbolic link")
    gathered.count_skipped(HIDDEN, _count_hidden_manifests(listed), "hidden file")
    gathered.count_skipped(SUBMODULE_SKIPPED, listed.submodules, "submodule")
    streams = _iter_streams(gathered, listed, prefix)
    return load_sources(gathered, streams, one_cluster=False, versions=versions)


def _count_hidden_manifests(listed: revisions.RevisionListing) -> int:
    contents = revisions.iter_blob_contents(listed.hidden_blobs) if listed.hidden_blobs else ()
    return sum(isinstance(content, InputError) or looks_like_manifest(content[:MANIFEST_START]) for content in contents)


def _iter_streams(
    collector: ObjectCollector, listed: revisions.RevisionListing, prefix: str
) -> Iterator[tuple[SourceFile, BinaryIO | None]]:
    """The files of a revision, each with what it holds; templates of charts without."""
    contents = revisions.iter_blob_contents(entry.blob for entry in listed.entries if not entry.chart)
    for entry in listed.entries:
        source = SourceFile(prefix + to_text(entry.path), STDIN, is_named=entry.is_named, chart=entry.chart)
        if entry.chart:
            yield source, None
        elif isinstance(content := next(contents), InputError):
            collector.add_problem(str(content), source.file)
        else:
            yield source, io.BytesIO(content)
    contents.close()
