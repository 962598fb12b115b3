"""JSON as text: one value or many, told apart and read without copying."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from preflight.documents import MAX_SHOWN, Chunk
from preflight.documents.json_values import decode_json_value
from preflight.load.collector import MAX_LOCATED, ObjectCollector
from preflight.load.kinds import STATE_KINDS, STATE_LISTS, WANTED_KINDS, explain_unchecked
from preflight.load.kubectl_list import decode_bound_pod, take_list, take_whole_pod
from preflight.load.kubectl_list_schema import ItemHeader
from preflight.load.unknown_resources import may_place_pods
from preflight.messages.load import JSON_ENDS_TOO_EARLY, NOT_AN_OBJECT, describe_broken_json, lower_first
from preflight.model.core import CoveragePod
from preflight.model.meta import Origin

if TYPE_CHECKING:
    from mmap import mmap

_BOM = b"\xef\xbb\xbf"
_SERIES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_BYTE = re.compile(r"(.*) \(byte (\d+)\)")
_TRAILING = "JSON is malformed: trailing characters"
_BLOCK = 1 << 20
_LOG_START = b"==== START logs for container "
_LOG_END = b"==== END logs for container "
_CONTINUATION = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that begin no character."""


class _JsonError(Exception):
    """Text that is no JSON value, or a value and more: the place of what is wrong, or of what follows the value."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at

    @property
    def has_more_text(self) -> bool:
        """Whether a value ended, and something follows."""
        return self.message == _TRAILING


def read_json_stream(collector: ObjectCollector, data: bytes | bytearray | mmap, file: str, *, is_named: bool) -> bool:
    """Take the objects of a JSON text: one value, or values one after another, on lines of their own or not.

    1. False, and nothing taken, where a text of at most 4 MiB is not JSON from its first value on: it may be YAML.
    2. A broken value is a problem; reading goes on at the next line that starts with `{`.
    3. The logs of containers that `kubectl cluster-info dump` writes between its lists are left out.
    4. Two or more pods of such a series that are bound or have a status are evidence, as in a list.
    """
    return _JsonStreamReader(collector, data, file, is_named).read()


class _JsonStreamReader:
    def __init__(self, collector: ObjectCollector, data: bytes | bytearray | mmap, file: str, is_named: bool) -> None:
        self.gathered = collector
        self.data = data
        self.view = memoryview(data)
        self.file = file
        self.is_named = is_named
        self.pods: list[tuple[CoveragePod, tuple[int, int, int, int, int]]] = []

    def read(self) -> bool:
        start = len(_BOM) if self.data[: len(_BOM)] == _BOM else 0
        try:
            self.take_value(start, len(self.view), 0, 1, 1)
        except _JsonError as error:
            follows = start + error.at
            may_be_yaml = len(self.view) <= MAX_LOCATED and not self.file.endswith(_SERIES)
            if may_be_yaml and (not error.has_more_text or self.data[follows : follows + 3] == b"---"):
                return False
            self.take_series(start)
        return True

    def take_series(self, start: int) -> None:
        """Take the values from a place on, which is the first value's."""
        index, line, column = 0, 1, 1
        while start < len(self.view):
            if self.data[start : start + len(_LOG_START)] == _LOG_START:
                end = self.find_log_end(start)
                line += self.count_newlines(start, end)
                start, column = end, 1
                continue
            try:
                end = start + _find_end(self.view[start:])
                if pod := decode_bound_pod(self.view[start:end]):
                    self.pods.append((pod, (start, end, index, line, column)))
                    if self.gathered.runtime_state is not None:
                        self.gathered.runtime_state.pods.add_text((pod.metadata.namespace, pod.metadata.name), self.view[start:end])
                    elif self.gathered.pod_texts is not None:
                        self.gathered.pod_texts.add_text((pod.metadata.namespace, pod.metadata.name), self.view[start:end])
                    elif self.gathered.wants_whole_pods:
                        take_whole_pod(self.gathered, self.view[start:end])
                else:
                    self.take_value(start, end, index, line, column)
            except _JsonError as error:
                self.add_error(error, start, line)
                end = self.data.find(b"\n{", start + max(error.at, 1)) + 1 or len(self.view)
            newlines = self.count_newlines(start, end)
            line_start = self.data.rfind(b"\n", start, end) + 1 if newlines else start
            column = self.count_characters(line_start, end) + (1 if newlines else column)
            line += newlines
            index += 1
            start = end
        if len(self.pods) > 1:
            self.gathered.add_pods([pod for pod, _ in self.pods], self.file)
        else:
            for _, place in self.pods:
                try:
                    self.take_value(*place)
                except _JsonError as error:
                    self.add_error(error, place[0], place[3])

    def find_log_end(self, start: int) -> int:
        """Where the log of a container ends that `kubectl cluster-info dump` wrote between the lists, and the next value starts."""
        head_end = self.data.find(b"\n", start) + 1 or len(self.view)
        last_line = self.data[start:head_end].replace(_LOG_START, _LOG_END, 1)
        end = self.data.find(last_line, head_end)
        end = len(self.view) if end < 0 else end + len(last_line)
        while end < len(self.view) and self.view[end] in b" \t\r\n":
            end += 1
        return end

    def take_value(self, start: int, end: int, index: int, line: int, column: int) -> None:
        """Take the value between two places, the index'th one, whose line and column are given; or raise _JsonError and take nothing."""
        view, origin = self.view[start:end], Origin(self.file, index, line)
        chunk = None
        if end - start <= MAX_LOCATED:
            chunk = Chunk(str(view, "utf-8", "replace"), line, index, is_json=True, column=column)
        has_template_text = chunk is not None and "{{" in chunk.text
        with self.gathered.keep_document(chunk, self.file):
            try:
                if take_list(self.gathered, view, origin, has_template_text=has_template_text):
                    return
                kind, version = _read_kind(view)
                is_state = self.gathered.runtime_state is not None and kind in STATE_KINDS | STATE_LISTS
                is_read = kind in WANTED_KINDS or is_state or (bool(kind) and may_place_pods(kind, version, view))
                if is_read:
                    data = decode_json_value(view)
            except msgspec.DecodeError as error:
                raise _to_json_error(error, view) from None
            except RecursionError as error:
                raise _JsonError(str(error), 0) from None
            if is_read:
                pods = self.gathered.add(data, origin, has_template_text=has_template_text, is_named=self.is_named)
                self.gathered.add_pods(pods, self.file)
            else:
                self.gathered.count_skipped(explain_unchecked({"kind": kind, "apiVersion": "-"}) if kind else NOT_AN_OBJECT)

    def add_error(self, error: _JsonError, start: int, line: int) -> None:
        at = min(start + error.at, len(self.view) - 1)
        begin = self.data.rfind(b"\n", 0, at) + 1
        end = self.data.find(b"\n", at)
        text = bytes(self.view[begin : end if end >= 0 else len(self.view)][: 4 * MAX_SHOWN]).decode("utf-8", "replace")
        column = len(bytes(self.view[begin:at]).decode("utf-8", "replace")) + 1 if at - begin < _BLOCK else 0
        source = text if len(text) <= MAX_SHOWN else ""
        self.gathered.add_problem(describe_broken_json(error.message), self.file, line + self.count_newlines(start, at), column, source)

    def count_newlines(self, start: int, end: int) -> int:
        return sum(block.count(b"\n") for block in self.iter_blocks(start, end))

    def count_characters(self, start: int, end: int) -> int:
        return sum(len(block.translate(None, _CONTINUATION)) for block in self.iter_blocks(start, end))

    def iter_blocks(self, start: int, end: int) -> Iterator[bytes]:
        return (bytes(self.view[at : min(at + _BLOCK, end)]) for at in range(start, end, _BLOCK))


def _read_kind(view: memoryview) -> tuple[str, str]:
    """The kind and the apiVersion that a JSON value states; "" where it states none."""
    try:
        head = msgspec.json.decode(view, type=ItemHeader)
    except msgspec.ValidationError:
        _find_end(view)
        return "", ""
    return head.kind, head.apiVersion


def _find_end(view: memoryview) -> int:
    """Where the value that starts here ends, and the next one starts."""
    try:
        msgspec.json.decode(view, type=Raw)
    except RecursionError as error:
        raise _JsonError(str(error), 0) from None
    except msgspec.DecodeError as error:
        malformed = _to_json_error(error, view)
        if malformed.has_more_text:
            return malformed.at
        raise malformed from None
    return len(view)


def _to_json_error(error: msgspec.DecodeError, view: memoryview) -> _JsonError:
    text = str(error)
    if match := _BYTE.fullmatch(text):
        if match[1] == _TRAILING:
            return _JsonError(_TRAILING, int(match[2]) - _measure_trailing_offset())
        return _JsonError(match[1].removeprefix("JSON is malformed: "), int(match[2]))
    if text == "Input data was truncated":
        return _JsonError(JSON_ENDS_TOO_EARLY, len(view))
    return _JsonError(lower_first(text), 0)


@functools.cache
def _measure_trailing_offset() -> int:
    """How far from what follows a value msgspec says that it is: its versions differ."""
    try:
        msgspec.json.decode(b"{}{}")
    except msgspec.DecodeError as error:
        if match := _BYTE.fullmatch(str(error)):
            return int(match[2]) - 2
    return 0
