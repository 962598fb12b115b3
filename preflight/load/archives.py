"""Archives of support cases: tar, as it is or packed by gzip, bzip2 or xz, and zip; read member by member, never unpacked to a disk."""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from preflight.errors import InputError
from preflight.load.files import ARCHIVE_START, ENDINGS, ZIP, SourceFile, is_archive_start, is_hidden, limit_unpacked_size, to_text
from preflight.messages.load import (
    CUT_OFF_ARCHIVE,
    LARGE_EXTENSION,
    describe_damaged_archive,
    describe_large_member,
    describe_unpacked_size,
)

if TYPE_CHECKING:
    from tarfile import TarInfo

_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00")
_BLOCK = 1 << 20
_MAX_MEMBER = 4 << 30
_MAX_EXTENSION = 1 << 20
"""What tar may say of one member in addition to its name and size; others take 100 bytes."""


def is_archive(path: str) -> bool:
    """Whether a regular file is an archive, told by its first bytes. One that cannot be read is none: whoever reads it says why."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 (pathlib costs 10 ms at the start)
            return False
        with open(path, "rb") as file:  # noqa: PTH123
            start = file.read(ARCHIVE_START)
            if not start.startswith(_PACKED):
                return is_archive_start(start)
            file.seek(0)
            return is_archive_start(_open_packed(file, start).read(ARCHIVE_START))
    except Exception as error:  # a damaged file fails in as many ways as there are packers
        if isinstance(error, MemoryError | RecursionError):
            raise
        return False


def iter_members(source: SourceFile) -> Iterator[tuple[SourceFile, bytearray]]:
    """The files of an archive that a folder's walk would read, each with what it holds, in the order of the archive.

    1. A member is named `ARCHIVE:PATH`. Links, devices, and hidden files and folders are left out, as in a folder.
    2. What all members unpack to is limited as a packed file is (`files.limit_unpacked_size`), and one member to 4 GiB.
    3. An archive in an archive is not read.

    Errors: OSError, and InputError where the archive is damaged, cut off or too large. What came before it was given.
    """
    with open(source.path, "rb") as file:  # noqa: PTH123
        is_zip = file.read(len(ZIP)) == ZIP
        limit = limit_unpacked_size(os.fstat(file.fileno()).st_size)
        file.seek(0)
        with _explain_damage():
            for path, content in (_iter_zip if is_zip else _iter_tar)(file, limit):
                yield SourceFile(f"{source.file}:{to_text(path.removeprefix('./'))}", source.path), content


def _iter_tar(file: BinaryIO, limit: int) -> Iterator[tuple[str, bytearray]]:
    import tarfile

    names = (tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK)
    extensions = (*names, tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)

    class LimitedTarInfo(tarfile.TarInfo):
        """A member whose extensions are small: tarfile reads them whole before anybody sees their size."""

        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> TarInfo:  # type: ignore[override]
            member = super().frombuf(buf, encoding, errors)
            if member.size > _MAX_EXTENSION and member.type in extensions:
                raise tarfile.ReadError(LARGE_EXTENSION)
            return member

    start = file.read(ARCHIVE_START)
    file.seek(0)
    packed = _open_packed(file, start) if start.startswith(_PACKED) else file
    stream: Any = _LimitedReader(packed, limit)
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=LimitedTarInfo) as archive:
        for member in archive:
            archive.members = []  # type: ignore[attr-defined]  # it keeps all of them else
            content = archive.extractfile(member) if member.isreg() and not member.issparse() and _is_wanted(member.name) else None
            if content is not None:
                yield member.name, _read_member(content, member.name, member.size)


def _iter_zip(file: BinaryIO, most: int) -> Iterator[tuple[str, bytearray]]:
    import zipfile

    limit = most
    with zipfile.ZipFile(file) as archive:
        for member in archive.infolist():
            is_link = stat.S_ISLNK(member.external_attr >> 16)
            if member.is_dir() or is_link or not _is_wanted(member.filename):
                continue
            limit -= member.file_size
            if limit < 0:
                raise InputError(describe_unpacked_size(most >> 20))
            with archive.open(member) as content:
                yield member.filename, _read_member(content, member.filename, member.file_size)


def _read_member(content: Any, path: str, size: int) -> bytearray:
    """What a member holds, in one buffer: memory that is not written to is not taken, whatever size an archive states."""
    if size > _MAX_MEMBER:
        raise InputError(describe_large_member(to_text(path), _MAX_MEMBER >> 30))
    buffer = bytearray(size)
    view = memoryview(buffer)
    at = 0
    while at < size:
        count = content.readinto(view[at : at + _BLOCK])
        if not count:
            raise EOFError(CUT_OFF_ARCHIVE)
        at += count
    return buffer


def _is_wanted(path: str) -> bool:
    parts = path.split("/")
    return path.endswith(ENDINGS) and not any(is_hidden(part) and part not in (".", "..") for part in parts)


def _open_packed(file: BinaryIO, start: bytes) -> Any:
    if start.startswith(b"BZh"):
        import bz2

        return bz2.BZ2File(file)
    if start.startswith(b"\xfd"):
        import lzma

        return lzma.LZMAFile(file)
    import gzip

    return gzip.GzipFile(fileobj=file)


class _LimitedReader(io.RawIOBase):
    """A stream that ends in an InputError beyond a limit."""

    def __init__(self, stream: Any, limit: int) -> None:
        self._stream, self._left, self._limit = stream, limit, limit

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        content: bytes = self._stream.read(size)
        self._left -= len(content)
        if self._left < 0:
            raise InputError(describe_unpacked_size(self._limit >> 20))
        return content


@contextmanager
def _explain_damage() -> Iterator[None]:
    """What the libraries raise where an archive is damaged, as an InputError."""
    import lzma
    import tarfile
    import zipfile
    import zlib

    try:
        yield
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        EOFError,
        ValueError,
        OverflowError,
        NotImplementedError,
    ) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(describe_damaged_archive(error)) from error
    except RuntimeError as error:  # a password, or a method that this Python was built without
        raise InputError(describe_damaged_archive(error)) from error
