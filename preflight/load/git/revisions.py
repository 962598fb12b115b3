"""Git revisions as sources: `main`, `HEAD~1`, `origin/main:deploy/`, read from the object store without a checkout.

Only plumbing runs (`cat-file`, `ls-tree`, `merge-base`): no hook, no filter, no textconv, no pager, nothing over a network. What a person
typed never becomes an argument that git could take for an option: it goes to `cat-file --batch-check` as a line of its input.
"""

from __future__ import annotations

import os
import posixpath
import re
import subprocess
from collections.abc import Collection, Generator, Iterable, Iterator

from msgspec import Struct

from preflight.errors import InputError
from preflight.load.files import ENDINGS, is_hidden, to_text
from preflight.load.git.plumbing import GIT, RevisionError, build_environment, run_git
from preflight.messages.git import (
    AMBIGUOUS_NAME,
    CONTROL_CHARACTER,
    NO_CONTENT,
    NO_NAME,
    advise_fetch,
    describe_invalid_revision,
    describe_large_file,
    describe_large_revision,
    describe_link,
    describe_missing_path,
    describe_no_merge_base,
    describe_outside,
    describe_submodule,
    describe_unknown_commit,
    describe_unknown_revision,
)

MAX_FILE = 256 << 20
"""How many bytes a file of a revision may have."""
MAX_TREE = 2 << 30
"""How many bytes the manifests of a revision may have together."""

_FOUND = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64}) (tree|commit) [0-9]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_BLOCK = 1 << 20


class Revision(Struct, frozen=True):
    """A tree of a repository.

    1. `text` is what was typed: `origin/main:deploy/`; `display_name` its revision: `origin/main`.
    2. `tree` is the object id of the revision's whole tree; `path` the folder or file in it, from the root, "" for all of it.
    """

    text: str
    display_name: str
    tree: str
    path: str = ""


class RevisionFile(Struct, frozen=True, gc=False):
    """A file of a revision: its path from the root of the repository, and the id of its content.

    `chart` is the folder of the chart whose template it is, "" where it is none; `is_named` where the person named the file itself.
    """

    path: str
    blob: str
    chart: str = ""
    is_named: bool = False


class RevisionListing(Struct):
    """The files of a revision in order of their paths, and how many symbolic links and submodules were left alone.

    `hidden_blobs` are the contents of files that are left out by their names, in folders that are not.
    """

    entries: list[RevisionFile] = []
    hidden_blobs: list[str] = []
    skipped_links: int = 0
    submodules: int = 0


def resolve_revision(text: str) -> Revision:
    """The revision that a person means by `REV` or `REV:PATH`; PATH is from the root of the repository, `./` in front from here.

    Errors: NoRevision, with the reason, where git is not there, where this is no repository, and where it has no such revision or path.
    """
    name, path = _split_revision(text)
    if not name:
        raise RevisionError(NO_NAME)
    if _CONTROL.search(text):
        raise RevisionError(CONTROL_CHARACTER)
    answer = run_git("cat-file", "--batch-check", stdin_data=os.fsencode(f"{name}^{{tree}}\n")).strip().decode("utf-8", "replace")
    found = _FOUND.fullmatch(answer)
    if found is None:
        why = AMBIGUOUS_NAME if answer.endswith(" ambiguous") else describe_unknown_revision(to_text(name))
        raise RevisionError(advise_fetch(why))
    path = _normalize_path(path)
    if path and not _list_tree(found[1], path):
        raise RevisionError(describe_missing_path(to_text(name), to_text(path)))
    return Revision(to_text(text), to_text(name), found[1], path)


def find_merge_base(base: str, head: str) -> str:
    """The commit where two revisions parted, by its id.

    Errors: NoRevision where one of them is no commit, or where nothing known is common to both.
    """
    ids = []
    for name in (base, head):
        if _CONTROL.search(name) or not name:
            raise RevisionError(describe_invalid_revision(to_text(name)))
        answer = run_git("cat-file", "--batch-check", stdin_data=os.fsencode(f"{name}^{{commit}}\n")).strip().decode("utf-8", "replace")
        found = _FOUND.fullmatch(answer)
        if found is None:
            raise RevisionError(describe_unknown_commit(to_text(name)))
        ids.append(found[1])
    try:
        return run_git("merge-base", "--end-of-options", *ids).decode().strip()
    except RevisionError:
        raise RevisionError(describe_no_merge_base(to_text(base), to_text(head))) from None


def list_revision_files(revision: Revision) -> RevisionListing:
    """The manifests of a revision, by the rules of `files.find_files`: by the endings of their names, hidden ones left out.

    1. A path that names a file gives that file, whatever its name. Symbolic links and submodules are counted and never followed.
    2. A file below a `templates` folder beside a Chart.yaml is a template of that chart.

    Errors: InputError where the path itself is a symbolic link or a submodule.
    """
    listed = RevisionListing()
    if revision.path:
        [(mode, blob, path)] = _list_tree(revision.tree, revision.path)[:1]
        if mode in ("120000", "160000"):
            raise InputError(describe_link(revision.text) if mode == "120000" else describe_submodule(revision.text))
        if mode != "040000":
            listed.entries.append(RevisionFile(path, blob, is_named=True))
            return listed
    inside = f"{revision.path}/" if revision.path else ""
    every = _list_tree(revision.tree, *([revision.path] if revision.path else []), recursive=True)
    charts = {posixpath.dirname(path) for mode, _, path in every if posixpath.basename(path) == "Chart.yaml" and mode[:3] == "100"}
    parents = [posixpath.dirname(part) for part in _iter_parent_folders(revision.path) if posixpath.basename(part) == "templates"]
    charts |= {parent for parent in parents if _list_tree(revision.tree, posixpath.join(parent, "Chart.yaml"))}
    for mode, blob, path in every:
        parts = path.removeprefix(inside).split("/")
        if any(map(is_hidden, parts)):
            if path.endswith(ENDINGS) and mode[:3] == "100" and not any(map(is_hidden, parts[:-1])):
                listed.hidden_blobs.append(blob)
            continue
        if mode == "120000":
            listed.skipped_links += 1
        elif mode == "160000":
            listed.submodules += 1
        elif path.endswith(ENDINGS):
            listed.entries.append(RevisionFile(path, blob, _find_chart(path, charts)))
    listed.entries.sort(key=lambda entry: entry.path)
    return listed


def iter_blob_contents(blobs: Iterable[str]) -> Generator[bytes | InputError, None, None]:
    """What each blob holds, byte for byte as it was committed; an error in the place of one that is missing or too large.

    Errors: InputError once all of them together are too large.
    """
    total = 0
    command = [*GIT, "cat-file", "--batch"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=build_environment()
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for blob in blobs:
            process.stdin.write(f"{blob}\n".encode())
            process.stdin.flush()
            header = process.stdout.readline().split()
            if len(header) != 3:
                yield InputError(NO_CONTENT)
                continue
            size = int(header[2])
            if size > MAX_FILE:
                left = size
                while left > 0 and (block := process.stdout.read(min(left, _BLOCK))):
                    left -= len(block)
                process.stdout.read(1)
                yield InputError(describe_large_file(MAX_FILE >> 20))
                continue
            total += size
            if total > MAX_TREE:
                process.kill()
                raise InputError(describe_large_revision(MAX_TREE >> 30))
            yield process.stdout.read(size)
            process.stdout.read(1)


def _split_revision(text: str) -> tuple[str, str]:
    """REV and PATH of `REV:PATH`: the first colon outside of braces parts them, as git reads it."""
    depth = 0
    for at, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == ":" and depth <= 0:
            return text[:at], text[at + 1 :]
    return text, ""


def _normalize_path(path: str) -> str:
    """A path from the root of the repository, without dots and a slash at its end; "" for the root."""
    if path.startswith(("./", "../")) or path in (".", ".."):
        path = posixpath.join(os.fsdecode(run_git("rev-parse", "--show-prefix").rstrip(b"\n")), path)
    path = posixpath.normpath(path) if path else ""
    if path.startswith(("/", "../")) or path == "..":
        raise RevisionError(describe_outside(to_text(path)))
    return "" if path == "." else path


def _list_tree(tree: str, *paths: str, recursive: bool = False) -> list[tuple[str, str, str]]:
    """Mode, object id and path of what a tree holds, or of one path in it."""
    flags = ["-r"] if recursive else []
    found = []
    for line in run_git("ls-tree", *flags, "-z", "--full-tree", "--end-of-options", tree, *paths).split(b"\0"):
        if line:
            head, _, path = line.partition(b"\t")
            mode, _, blob = head.decode("ascii").split(" ")
            found.append((mode, blob, os.fsdecode(path)))
    return found


def _iter_parent_folders(path: str) -> Iterator[str]:
    while path:
        yield path
        path = posixpath.dirname(path)


def _find_chart(path: str, charts: Collection[str]) -> str:
    """The chart that a file is a template of, the innermost one; "" where it is none."""
    for folder in _iter_parent_folders(posixpath.dirname(path)):
        if posixpath.basename(folder) == "templates" and posixpath.dirname(folder) in charts:
            return posixpath.dirname(folder) or "."
    return ""
