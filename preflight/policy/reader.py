"""The text of a policy to what is written in it, with every fault placed at its line and column."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from preflight import documents
from preflight.documents import Broken, Chunk, Document
from preflight.errors import UsageError
from preflight.policy.config import Written
from preflight.policy.schema_errors import Fault, Path, faults

if TYPE_CHECKING:
    from preflight.documents.yaml_positions import Positions

MAX_SIZE = 1 << 20
"""How many bytes a policy may have."""
_MOST = 10


class Layer(Struct, frozen=True):
    """One policy file: its name as it is shown, the folder that it stands in, its text, and what is written in it.

    `folder` is "" for a pack: no file of the user's lies below it.
    """

    file: str
    folder: str
    chunk: Chunk
    written: Written

    def place(self, path: Path) -> tuple[int, int]:
        """The line and column of what is written at a path."""
        positions = _positions(self.chunk)
        if positions is None:
            return self.chunk.line, 1
        place = positions.place(path)
        return place.line, place.column

    def where(self, path: Path) -> str:
        """`file:line`."""
        return f"{self.file}:{self.place(path)[0]}"


@lru_cache(maxsize=64)
def _positions(chunk: Chunk) -> Positions | None:
    from preflight.documents.yaml_reader import read_positions

    return read_positions(chunk)


def read(path: str, shown: str, folder: str) -> Layer:
    """The policy in a file.

    1. UsageError where it is no policy: every fault with `file:line:column`, the first ten of many.
    2. An empty section (`exemptions:` with nothing after it) is as if it were not there; an empty file says nothing.
    """
    chunk, data = _document(text_of(path, shown), shown)
    if not isinstance(data, dict):
        raise UsageError(f"{shown}:{chunk.line}:1: a policy is a map")
    data = {key: value for key, value in data.items() if value is not None}
    try:
        written = msgspec.convert(data, Written)
    except (msgspec.ValidationError, RecursionError) as error:
        refuse(shown, chunk, list(faults(data, Written)) or [((), str(error))])
    from preflight.policy.validate import check

    layer = Layer(shown, folder, chunk, written)
    if wrong := list(check(written)):
        refuse(shown, chunk, wrong)
    return layer


def refuse(file: str, chunk: Chunk, wrong: Sequence[Fault]) -> Any:
    """Raise the UsageError that says all that is wrong, in the order of the file."""
    places = documents.locate(chunk, [path for path, _ in wrong])
    lines = sorted((place.line, place.column, message) for place, (_, message) in zip(places, wrong, strict=True))
    texts = [f"{file}:{line}:{column}: {message}" for line, column, message in lines]
    more = [f"and {len(texts) - _MOST} more"] if len(texts) > _MOST else []
    raise UsageError("\n".join(texts[:_MOST] + more))


def text_of(path: str, shown: str, most: int = MAX_SIZE) -> str:
    """The text of a regular file of at most so many bytes; UsageError where that can't be had."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (pathlib costs 10 ms at the start)
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise UsageError(f"{shown}: not a file")
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise UsageError(f"{shown}: cannot be read: {reason[:1].lower()}{reason[1:]}") from None
    if len(data) > most:
        raise UsageError(f"{shown}: larger than {most >> 20} MiB")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown}:{data[: error.start].count(10) + 1}:1: not UTF-8") from None


def plain_document(path: str, shown: str, most: int = MAX_SIZE) -> tuple[Chunk, Any]:
    """The one document of a file, as text and as plain data; UsageError where it can't be read."""
    return _document(text_of(path, shown, most), shown)


def _document(text: str, file: str) -> tuple[Chunk, Any]:
    found: list[Document] = []
    for item in documents.read_yaml(text, ()):
        if isinstance(item, Broken):
            raise UsageError(f"{file}:{item.line}:{item.column}: {item.message}")
        if isinstance(item, Document):
            found.append(item)
    if not found:
        return Chunk(text, 1, 0), {}
    if len(found) > 1:
        raise UsageError(f"{file}:{found[1].chunk.line}:1: one document is read, and here a second one starts")
    only = found[0]
    if only.repeated:
        twice = only.repeated[0]
        raise UsageError(f"{file}:{twice.line}:1: {twice.key!r} stands twice, first in line {twice.first_line}")
    return only.chunk, only.data
