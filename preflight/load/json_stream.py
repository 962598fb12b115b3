"""JSON as text: one value or many, told apart and read without copying."""

from __future__ import annotations

import functools
import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from preflight.documents import Chunk
from preflight.load.collector import MAX_LOCATED, Gathered
from preflight.load.json_plain import plain
from preflight.load.kinds import NO_OBJECT, SAVED_STATE, WANTED, why_not
from preflight.load.kubectl_list import bound_pod, take_list, take_whole_pod
from preflight.load.kubectl_list_schema import Head
from preflight.load.locations import MAX_SOURCE
from preflight.model.objects import ListedPod, Origin

if TYPE_CHECKING:
    from mmap import mmap

_BOM = b"\xef\xbb\xbf"
_SERIES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")
_BYTE = re.compile(r"(.*) \(byte (\d+)\)")
_TRAILING = "JSON is malformed: trailing characters"
_BLOCK = 1 << 20


class _Malformed(Exception):
    """Text that is no JSON value, or a value and more: the place of what is wrong, or of what follows the value."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.message = message
        self.at = at

    @property
    def is_more(self) -> bool:
        """Whether a value ended, and something follows."""
        return self.message == _TRAILING


def read_json(gathered: Gathered, data: bytes | bytearray | mmap, file: str, *, is_named: bool) -> bool:
    """Take the objects of a JSON text: one value, or values one after another, on lines of their own or not.

    1. False, and nothing taken, where a text of at most 4 MiB is not JSON from its first value on: it may be YAML.
    2. A broken value is a problem; reading goes on at the next line that starts with `{`.
    3. Two or more pods of such a series that are bound or have a status are evidence, as in a list.
    """
    with _collector_paused():
        return _Reader(gathered, data, file, is_named).read()


class _Reader:
    def __init__(self, gathered: Gathered, data: bytes | bytearray | mmap, file: str, is_named: bool) -> None:
        self.gathered = gathered
        self.data = data
        self.view = memoryview(data)
        self.file = file
        self.is_named = is_named
        self.pods: list[tuple[ListedPod, tuple[int, int, int, int]]] = []

    def read(self) -> bool:
        start = len(_BOM) if self.data[: len(_BOM)] == _BOM else 0
        try:
            self.take(start, len(self.view), 0, 1)
        except _Malformed as error:
            follows = start + error.at
            may_be_yaml = len(self.view) <= MAX_LOCATED and not self.file.endswith(_SERIES)
            if may_be_yaml and (not error.is_more or self.data[follows : follows + 3] == b"---"):
                return False
            self.take_series(start)
        return True

    def take_series(self, start: int) -> None:
        """Take the values from a place on, which is the first value's."""
        index, line = 0, 1
        while start < len(self.view):
            try:
                end = start + _end(self.view[start:])
                if pod := bound_pod(self.view[start:end]):
                    self.pods.append((pod, (start, end, index, line)))
                    if self.gathered.observed is not None:
                        self.gathered.observed.pods.put((pod.metadata.namespace, pod.metadata.name), self.view[start:end])
                    elif self.gathered.wants_whole_pods:
                        take_whole_pod(self.gathered, self.view[start:end])
                else:
                    self.take(start, end, index, line)
            except _Malformed as error:
                self.broken(error, start, line)
                end = self.data.find(b"\n{", start + max(error.at, 1)) + 1 or len(self.view)
            line += self.newlines(start, end)
            index += 1
            start = end
        if len(self.pods) > 1:
            self.gathered.add_pods([pod for pod, _ in self.pods], self.file)
        else:
            for _, place in self.pods:
                self.take(*place)

    def take(self, start: int, end: int, index: int, line: int) -> None:
        """Take the value between two places, the index'th one, which starts on a line; or raise _Malformed and take nothing."""
        view, origin = self.view[start:end], Origin(self.file, index, line)
        chunk = None
        if end - start <= MAX_LOCATED:
            column = start - self.data.rfind(b"\n", 0, start) - 1
            chunk = Chunk(" " * column + str(view, "utf-8", "replace"), line, index, json=True)
        has_template_text = chunk is not None and "{{" in chunk.text
        with self.gathered.keeping(chunk, self.file):
            try:
                if take_list(self.gathered, view, origin, has_template_text=has_template_text):
                    return
                kind = _kind(view)
                is_state = self.gathered.observed is not None and kind in SAVED_STATE
                if kind in WANTED or is_state:
                    data = plain(view)
            except msgspec.DecodeError as error:
                raise _malformed(error, view) from None
            except RecursionError as error:
                raise _Malformed(str(error), 0) from None
            if kind in WANTED or is_state:
                pods = self.gathered.add(data, origin, has_template_text=has_template_text, is_named=self.is_named)
                self.gathered.add_pods(pods, self.file)
            else:
                self.gathered.leave_out(why_not({"kind": kind, "apiVersion": "-"}) if kind else NO_OBJECT)

    def broken(self, error: _Malformed, start: int, line: int) -> None:
        at = min(start + error.at, len(self.view) - 1)
        begin = self.data.rfind(b"\n", 0, at) + 1
        end = self.data.find(b"\n", at)
        text = bytes(self.view[begin : end if end >= 0 else len(self.view)][: 4 * MAX_SOURCE]).decode("utf-8", "replace")
        column = len(bytes(self.view[begin:at]).decode("utf-8", "replace")) + 1 if at - begin < _BLOCK else 0
        source = text if len(text) <= MAX_SOURCE else ""
        self.gathered.problem(f"broken JSON: {error.message}", self.file, line + self.newlines(start, at), column, source)

    def newlines(self, start: int, end: int) -> int:
        return sum(bytes(self.view[at : min(at + _BLOCK, end)]).count(b"\n") for at in range(start, end, _BLOCK))


def _kind(view: memoryview) -> str:
    """The kind that a JSON value states; "" where it states none."""
    try:
        head = msgspec.json.decode(view, type=Head)
    except msgspec.ValidationError:
        _end(view)
        return ""
    return head.kind


def _end(view: memoryview) -> int:
    """Where the value that starts here ends, and the next one starts."""
    try:
        msgspec.json.decode(view, type=Raw)
    except RecursionError as error:
        raise _Malformed(str(error), 0) from None
    except msgspec.DecodeError as error:
        malformed = _malformed(error, view)
        if malformed.is_more:
            return malformed.at
        raise malformed from None
    return len(view)


def _malformed(error: msgspec.DecodeError, view: memoryview) -> _Malformed:
    text = str(error)
    if match := _BYTE.fullmatch(text):
        if match[1] == _TRAILING:
            return _Malformed(_TRAILING, int(match[2]) - _trailing_offset())
        return _Malformed(match[1].removeprefix("JSON is malformed: "), int(match[2]))
    if text == "Input data was truncated":
        return _Malformed("the text ends too early", len(view))
    return _Malformed(text[:1].lower() + text[1:], 0)


@functools.cache
def _trailing_offset() -> int:
    """How far from what follows a value msgspec says that it is: its versions differ."""
    try:
        msgspec.json.decode(b"{}{}")
    except msgspec.DecodeError as error:
        if match := _BYTE.fullmatch(str(error)):
            return int(match[2]) - 2
    return 0


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Decoding makes many objects and no rubbish: looking for some in between takes longer than the decoding."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
