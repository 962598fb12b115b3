"""From the paths that a person names to the files that they mean, and what these hold."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct

from preflight.errors import InputError
from preflight.messages.load import (
    CUT_OFF_GZIP,
    NO_SUCH_DIRECTORY,
    describe_damaged_gzip,
    describe_too_large,
    describe_unpacked_size,
    lower_first,
)
from preflight.model.exclusion import NOTHING_EXCLUDED, Exclusion

if TYPE_CHECKING:
    from gzip import GzipFile
    from mmap import mmap

STDIN = "-"
EXTENSIONS = (".yaml", ".yml", ".json", ".jsonl", ".ndjson")
ENDINGS = (*EXTENSIONS, *(f"{ending}.gz" for ending in EXTENSIONS))
"""How the name of a file ends that is read where a folder is walked."""

MAPPED_FROM = 1 << 20
"""From this size on a file is mapped and not read: what is decoded from it may point into it."""

MANIFEST_START = 4096
"""How much of a hidden file is read to see whether it is a manifest."""

ZIP = b"PK\x03\x04"
ARCHIVE_START = 512
"""How much of a file is read to see whether it is an archive."""

_TAR = b"ustar"
_TAR_AT = 257
_GZIP = b"\x1f\x8b"
_BLOCK = 1 << 20
_MAX_UNPACKED = 4 << 30
_ALWAYS_UNPACKED = 256 << 20
_MAX_RATIO = 200
_MAX_STREAM = 4 << 30


class SourceFile(Struct, frozen=True, gc=False):
    """A file to read: `file` is what to show, `path` what to open; `is_named` where the person named the file itself.

    `chart` is the folder of the chart whose template it is, "" where it is none.
    """

    file: str
    path: str
    is_named: bool = False
    chart: str = ""


class UnreadablePath(Struct, frozen=True, gc=False):
    """A path that could not be read, and why."""

    file: str
    reason: str


class FileListing(Struct):
    """What walking found: files in order of their name, what could not be read, and how many links and hidden manifests were left alone.

    `excluded` and `ignored` count the files and folders that an exclusion and git leave out.
    `missing` are paths that a person named and that cannot be opened; `empty_folders` named folders without a file to read.
    """

    sources: list[SourceFile] = []
    unread: list[UnreadablePath] = []
    skipped_links: int = 0
    skipped_manifests: int = 0
    missing: list[UnreadablePath] = []
    empty_folders: list[str] = []
    excluded: int = 0
    ignored: int = 0


def find_files(paths: Sequence[str], exclusion: Exclusion = NOTHING_EXCLUDED) -> FileListing:
    """The files that paths mean, each once, in an order that does not hang on the order of the paths.

    1. A path that names a file is read whatever its name; a symbolic link that is named is followed. `-` is standard input.
    2. A folder gives the files in it and below whose name ends in .yaml, .yml, .json, .jsonl or .ndjson, each also with .gz.
       Hidden folders and files, symbolic links and what is no regular file are left out; links, and hidden files of a folder that look
       like manifests, are counted.
    3. A file below a `templates` folder beside a Chart.yaml is a template of that chart.
    4. What `exclusion` leaves out is counted.
    """
    walked = FileListing()
    seen: set[tuple[int, int]] = set()
    folders = []
    for path in sorted(set(paths)):
        if path == STDIN:
            walked.sources.append(SourceFile(STDIN, STDIN, is_named=True))
            continue
        try:
            status = os.stat(path)  # noqa: PTH116 (pathlib costs 10 ms at the start)
        except (OSError, ValueError) as error:
            is_folder = isinstance(error, FileNotFoundError) and path.endswith("/")
            walked.missing.append(UnreadablePath(to_text(path), NO_SUCH_DIRECTORY if is_folder else describe_os_error(error)))
            continue
        if stat.S_ISDIR(status.st_mode):
            folders.append(path)
        elif exclusion.covers_named_files and exclusion.excludes(path):
            walked.excluded += 1
        elif (status.st_dev, status.st_ino) not in seen:
            seen.add((status.st_dev, status.st_ino))
            walked.sources.append(SourceFile(to_text(path), path, is_named=True))
    for folder in folders:
        _walk_folder(folder, find_chart(folder), seen, walked, exclusion)
    walked.sources.sort(key=lambda source: source.file)
    walked.unread.sort(key=lambda unread: unread.file)
    return walked


def _walk_folder(root: str, chart: str, seen: set[tuple[int, int]], listing: FileListing, exclusion: Exclusion) -> None:
    found: set[tuple[int, int]] = set()
    ignored = _list_ignored_paths(root) if exclusion.covers_ignored_files else frozenset()
    root_prefix = "" if root == "." else f"{root.rstrip('/')}/"
    is_empty = "." not in ignored
    waiting = [(root, chart)] if "." not in ignored else []
    listing.ignored += "." in ignored
    while waiting:
        folder, chart = waiting.pop()
        prefix = "" if folder == "." else folder if folder.endswith("/") else f"{folder}/"
        try:
            with os.scandir(folder) as entries:
                everything = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            unreadable = UnreadablePath(to_text(folder), describe_os_error(error))
            (listing.missing if folder == root else listing.unread).append(unreadable)
            is_empty = False
            continue
        listed = [entry for entry in everything if not is_hidden(entry.name)]
        listing.skipped_manifests += sum(_is_hidden_manifest(entry) for entry in everything)
        names = {entry.name for entry in listed}
        for entry in listed:
            path = prefix + entry.name
            if exclusion.globs and exclusion.excludes(path):
                listing.excluded += 1
                is_empty = False
            elif ignored and path.removeprefix(root_prefix) in ignored:
                listing.ignored += 1
                is_empty = False
            elif entry.is_symlink():
                listing.skipped_links += 1
            elif entry.is_dir(follow_symlinks=False):
                is_template = entry.name == "templates" and "Chart.yaml" in names
                waiting.append((path, (prefix.rstrip("/") or ".") if is_template else chart))
            elif entry.name.endswith(ENDINGS) and entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                is_empty = False
                if (status.st_dev, status.st_ino) not in seen:
                    found.add((status.st_dev, status.st_ino))
                    listing.sources.append(SourceFile(to_text(path), path, chart=chart))
    seen |= found
    if is_empty:
        listing.empty_folders.append(to_text(root))


def _list_ignored_paths(folder: str) -> frozenset[str]:
    from preflight.load.git.work_tree import list_ignored_paths

    return list_ignored_paths(folder)


def is_hidden(name: str) -> bool:
    """Whether a file or a folder is left out by its name where a folder is walked."""
    return name.startswith(".")


def looks_like_manifest(start: bytes) -> bool:
    """Whether a text that begins so may hold Kubernetes objects, which configurations of tools do not."""
    return b"apiVersion" in start and b"kind" in start


def _is_hidden_manifest(entry: os.DirEntry[str]) -> bool:
    if not is_hidden(entry.name) or not entry.name.endswith(ENDINGS) or not entry.is_file(follow_symlinks=False):
        return False
    try:
        return looks_like_manifest(read_start(entry.path, MANIFEST_START))
    except OSError:
        return True


def find_chart(folder: str) -> str:
    """The chart that a folder is a template of, or "": it is a `templates` folder beside a Chart.yaml, or below one."""
    parts = os.path.abspath(folder).split("/")  # noqa: PTH100
    for length in range(len(parts), 0, -1):
        chart = "/".join(parts[: length - 1])
        if parts[length - 1] == "templates" and os.path.exists(f"{chart}/Chart.yaml"):  # noqa: PTH110
            return to_text(os.path.normpath("/".join([folder, *[".."] * (len(parts) - length + 1)])))
    return ""


def read_content(source: SourceFile, stdin: BinaryIO | None) -> bytes | bytearray | mmap:
    """What a file holds, unpacked where it is packed by gzip (told by its first bytes, not by its name).

    A large regular file is mapped, read-only. Raises OSError, and InputError where a packed file grows beyond all bounds.
    """
    if source.path == STDIN:
        if stdin is None:
            import sys

            stdin = sys.stdin.buffer
        data: bytes | mmap = read_limited(stdin, _MAX_STREAM, source.file)
    else:
        data = _read_bytes(source)
    return _unpack(data, source.file) if data[:2] == _GZIP else data


def _read_bytes(source: SourceFile) -> bytes | mmap:
    with open(source.path, "rb") as file:  # noqa: PTH123
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size >= MAPPED_FROM:
            import mmap

            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return read_limited(file, _MAX_STREAM, source.file)


def read_limited(stream: BinaryIO, limit: int, name: str) -> bytes:
    """What comes of a stream, some of which never end: InputError beyond a limit in bytes."""
    blocks: list[bytes] = []
    size = 0
    while block := stream.read(_BLOCK):
        blocks.append(block)
        size += len(block)
        if size > limit:
            raise InputError(f"{name}: {describe_too_large(limit >> 20)}")
    return b"".join(blocks)


def is_archive_start(start: bytes) -> bool:
    """Whether a file that begins so, unpacked where it is packed, is an archive that `archives` reads."""
    return start.startswith(ZIP) or start[_TAR_AT:].startswith(_TAR)


def read_start(path: str, size: int) -> bytes:
    """The first bytes of what a regular file holds, unpacked where it is packed; b"" where it is none: a pipe cannot be read twice.

    Raises OSError where it cannot be read, or is packed and damaged from the start.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116
        return b""
    with open(path, "rb") as file:  # noqa: PTH123
        start = file.read(size)
        if start[:2] != _GZIP:
            return start
        file.seek(0)
        with _open_packed(file) as stream:
            return stream.read(size)


def limit_unpacked_size(packed_size: int) -> int:
    """How many bytes a packed file of a size may unpack to: nothing that people pack shrinks to less than a 200th."""
    return max(_ALWAYS_UNPACKED, packed_size * _MAX_RATIO)


def _unpack(packed: bytes | mmap, file: str) -> bytearray:
    import io

    limit = min(limit_unpacked_size(len(packed)), _MAX_UNPACKED)
    unpacked = bytearray()
    with _open_packed(io.BytesIO(packed)) as stream:
        while block := stream.read(_BLOCK):
            unpacked += block
            if len(unpacked) > limit:
                raise InputError(f"{file}: {describe_unpacked_size(limit >> 20)}")
    return unpacked


@contextmanager
def _open_packed(file: BinaryIO) -> Iterator[GzipFile]:
    """What a packed file holds; damage that shows while it is read is an OSError that says what to do."""
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=file) as stream:
            yield stream
    except EOFError:
        raise OSError(CUT_OFF_GZIP) from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise OSError(describe_damaged_gzip(error)) from error


def to_text(path: str) -> str:
    """A path as text: what is no UTF-8 in it is replaced."""
    return os.fsencode(path).decode("utf-8", "replace")


def describe_os_error(error: OSError | ValueError) -> str:
    """Why a path could not be read, in the system's words: lower case, without the path."""
    return lower_first((error.strerror if isinstance(error, OSError) else None) or error)
