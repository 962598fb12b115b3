"""The text of a policy to what is written in it, with every fault placed at its line and column."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from preflight import documents
from preflight.documents import Chunk, Document, InvalidDocument, RepeatedKey
from preflight.errors import RefusalError
from preflight.messages import policy as messages
from preflight.policy.config import PolicyFile
from preflight.policy.schema_errors import MAX_FAULTS, Fault, Path, find_faults

if TYPE_CHECKING:
    from preflight.documents.yaml_positions import YamlPositions

MAX_SIZE = 1 << 20
"""How many bytes a policy may have."""
_MAX_ERRORS = 40


class PolicyLayer(Struct, frozen=True):
    """One policy file: its name as it is shown, the folder that it stands in, its text, and what is written in it.

    `folder` is "" for a pack: no file of the user's lies below it.
    """

    file: str
    folder: str
    chunk: Chunk
    policy_file: PolicyFile

    def locate(self, path: Path) -> tuple[int, int]:
        """The line and column of what is written at a path."""
        positions = _read_chunk_positions(self.chunk)
        if positions is None:
            return self.chunk.line, 1
        place = positions.find_position(path)
        return place.line, place.column

    def format_location(self, path: Path) -> str:
        """`file:line`."""
        return f"{self.file}:{self.locate(path)[0]}"


@lru_cache(maxsize=64)
def _read_chunk_positions(chunk: Chunk) -> YamlPositions | None:
    from preflight.documents.yaml_reader import read_positions

    return read_positions(chunk)


def read_layer(path: str, display_name: str, folder: str) -> PolicyLayer:
    """The policy in a file.

    1. UsageError where it is no policy: every fault with `file:line:column`, the first forty of many.
    2. An empty section (`exemptions:` with nothing after it) is as if it were not there; an empty file says nothing.
    """
    chunk, data, repeated = _parse_document(read_text(path, display_name), display_name)
    if not isinstance(data, dict):
        raise RefusalError(f"{display_name}:{chunk.line}:1: {messages.NOT_A_MAP}")
    data = {key: value for key, value in data.items() if value is not None}
    twice = [(key.line, 1, messages.describe_repeated_key(key.key, key.first_line)) for key in repeated]
    try:
        written = msgspec.convert(data, PolicyFile)
    except (msgspec.ValidationError, RecursionError) as error:
        from preflight.policy.schema import build_data_schema

        wrong = find_faults(data, build_data_schema()) or [((), str(error))]
        raise_faults(display_name, chunk, list(dict.fromkeys((*wrong, *islice(_iter_part_faults(data), MAX_FAULTS)))), twice)
    from preflight.policy.validate import check

    layer = PolicyLayer(display_name, folder, chunk, written)
    wrong = list(check(written))
    if wrong or twice:
        raise_faults(display_name, chunk, wrong, twice)
    return layer


def _iter_part_faults(data: dict[str, Any]) -> Iterator[Fault]:
    """What is wrong with the values of a policy that has wrong parts: each part that has the right form is checked by itself."""
    from preflight.policy.validate import check

    for section, value in data.items():
        parts: list[tuple[Path, dict[str, Any]]] = [((section,), {section: value})]
        if isinstance(value, list):
            parts = [((section, number), {section: [item]}) for number, item in enumerate(value)]
        elif isinstance(value, dict):
            parts = [((section, name), {section: {name: item}}) for name, item in value.items()]
        for path, part in parts:
            with contextlib.suppress(msgspec.ValidationError, RecursionError):
                yield from ((path + fault[len(path) :], message) for fault, message in check(msgspec.convert(part, PolicyFile)))


def raise_faults(file: str, chunk: Chunk, policy_faults: Sequence[Fault], more_faults: Sequence[tuple[int, int, str]] = ()) -> Any:
    """Raise the UsageError that says all that is wrong, in the order of the file; `more_faults` come with their line and column."""
    places = documents.locate_paths(chunk, [path for path, _ in policy_faults])
    found = ((place.line, place.column, message) for place, (_, message) in zip(places, policy_faults, strict=True))
    lines = sorted((*found, *more_faults))
    texts = [f"{file}:{line}:{column}: {message}" for line, column, message in lines]
    more = [messages.count_more_faults(len(texts) - _MAX_ERRORS, is_all=len(texts) < MAX_FAULTS)] if len(texts) > _MAX_ERRORS else []
    raise RefusalError("\n".join(texts[:_MAX_ERRORS] + more))


def read_text(path: str, display_name: str, max_size: int = MAX_SIZE) -> str:
    """The text of a regular file of at most so many bytes; UsageError where that can't be had."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (pathlib costs 10 ms at the start)
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise RefusalError(f"{display_name}: {messages.NOT_A_FILE}")
            data = file.read(max_size + 1)
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else "") or str(error)
        raise RefusalError(f"{display_name}: {messages.describe_unreadable(reason)}") from None
    if len(data) > max_size:
        raise RefusalError(f"{display_name}: {messages.describe_large_file(max_size >> 20)}")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RefusalError(f"{display_name}:{data[: error.start].count(10) + 1}:1: {messages.NOT_UTF8}") from None


def read_plain_document(path: str, display_name: str, max_size: int = MAX_SIZE) -> tuple[Chunk, Any]:
    """The one document of a file, as text and as plain data; UsageError where it can't be read."""
    chunk, data, repeated = _parse_document(read_text(path, display_name, max_size), display_name)
    for key in repeated:
        raise RefusalError(f"{display_name}:{key.line}:1: {messages.describe_repeated_key(key.key, key.first_line)}")
    return chunk, data


def _parse_document(text: str, file: str) -> tuple[Chunk, Any, Sequence[RepeatedKey]]:
    found: list[Document] = []
    for item in documents.read_yaml(text, ()):
        if isinstance(item, InvalidDocument):
            raise RefusalError(f"{file}:{item.line}:{item.column}: {item.message}")
        if isinstance(item, Document):
            found.append(item)
    if not found:
        return Chunk(text, 1, 0), {}, ()
    if len(found) > 1:
        raise RefusalError(f"{file}:{found[1].chunk.line}:1: {messages.SECOND_DOCUMENT}")
    return found[0].chunk, found[0].data, found[0].repeated_keys
