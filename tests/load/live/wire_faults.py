"""What can come in the place of a list: each fault is an answer of its own to a request whose right answer is known."""

from __future__ import annotations

import contextlib
import gzip
import json
import re
import socket
import struct
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler
from typing import Any

WireFault = Callable[[BaseHTTPRequestHandler, bytes], None]
"""Answers a request in the place of the server; is told the body of the right answer."""

DRIPS = ("a body that drips", "headers that drip", "no answer at all")
"""The faults that only the time of a request ends."""

_SECONDS_OF_A_DRIP = 6.0


def send(handler: BaseHTTPRequestHandler, body: bytes, code: int = 200, /, **headers: str) -> None:
    """An answer; the names of headers have _ in the place of -."""
    handler.send_response(code)
    for name, value in {"Content_Type": "application/json", "Content_Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def _refuse(code: int, message: str, **headers: str) -> WireFault:
    body = json.dumps({"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "code": code}).encode()
    return lambda handler, _: send(handler, body, code, **headers)


def _say(make: Callable[[bytes], bytes], **headers: str) -> WireFault:
    return lambda handler, body: send(handler, make(body), 200, **headers)


def _edit(change: Callable[[dict[str, Any]], object]) -> WireFault:
    """The right answer with a change."""

    def make(body: bytes) -> bytes:
        data = json.loads(body)
        change(data)
        return json.dumps(data).encode()

    return _say(make)


def _insert(item: str) -> WireFault:
    """The right answer with one more item."""

    def make(body: bytes) -> bytes:
        data = json.loads(body)
        items = ",".join([*map(json.dumps, data["items"]), item])
        return f'{{"kind": {json.dumps(data["kind"])}, "apiVersion": {json.dumps(data["apiVersion"])}, "items": [{items}]}}'.encode()

    return _say(make)


def _reset(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()
    handler.close_connection = True


def _reset_in_the_middle(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    send(handler, body[: len(body) // 2], Content_Length=str(len(body)))
    handler.wfile.flush()
    _reset(handler)


def _cut(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    send(handler, body[: len(body) // 2], Connection="close", Content_Length=str(len(body)))
    handler.close_connection = True


def _cut_without_length(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.wfile.write(body[: len(body) // 2])
    handler.close_connection = True


def _cut_chunks(handler: BaseHTTPRequestHandler, body: bytes) -> None:
    handler.send_response(200)
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    half = body[: len(body) // 2]
    handler.wfile.write(b"%x\r\n%s\r\n" % (len(half), half))
    handler.close_connection = True


def _drip(handler: BaseHTTPRequestHandler, start: bytes, drop: bytes) -> None:
    with contextlib.suppress(OSError):
        handler.wfile.write(start)
        ends = time.monotonic() + _SECONDS_OF_A_DRIP
        while time.monotonic() < ends:
            handler.wfile.write(drop)
            handler.wfile.flush()
            time.sleep(0.02)
    handler.close_connection = True


def _say_nothing(handler: BaseHTTPRequestHandler, _body: bytes) -> None:
    time.sleep(_SECONDS_OF_A_DRIP)
    handler.close_connection = True


def _spoil_first_item(data: dict[str, Any]) -> None:
    """The first item has a text where an object belongs; where there is none, one is made."""
    data["items"] = [{**(data["items"][0] if data["items"] else {}), "metadata": "yes"}, *data["items"][1:]]


_DEEP = '{"metadata":{"name":"deep","namespace":"x"},"spec":' + '{"a":' * 20000 + "1" + "}" * 20001

WIRE_FAULTS: Mapping[str, WireFault] = {
    "400": _refuse(400, "field label not supported"),
    "404": _refuse(404, "the server could not find the requested resource"),
    "405": _refuse(405, "the server does not allow this method"),
    "406": _refuse(406, "only the following media types are accepted"),
    "401": _refuse(401, "Unauthorized"),
    "410": _refuse(410, "The provided continue parameter is too old"),
    "429": _refuse(429, "Too many requests", Retry_After="1"),
    "500": _refuse(500, "etcdserver: leader changed"),
    "503": _refuse(503, "service unavailable"),
    "504": _refuse(504, "Timeout: request did not complete"),
    "a page of HTML": _say(lambda _: b"<!DOCTYPE html><title>Sign in</title>", Content_Type="text/html"),
    "a redirection": lambda handler, _: send(handler, b"", 302, Location="https://login.example.com/"),
    "a connection that is reset": lambda handler, _: _reset(handler),
    "a connection that is reset in the middle": _reset_in_the_middle,
    "a body that is shorter than its length": _cut,
    "a body without a length that ends early": _cut_without_length,
    "chunks that end early": _cut_chunks,
    "JSON that is cut": _say(lambda body: body[: len(body) * 2 // 3]),
    "gzip that is none": _say(lambda _: b"\x1f\x8b\x08" + b"x" * 300, Content_Encoding="gzip"),
    "gzip that is cut": _say(lambda body: (packed := gzip.compress(body))[: len(packed) // 2], Content_Encoding="gzip"),
    "protobuf": _say(lambda _: b"k8s\0" + bytes(100), Content_Type="application/vnd.kubernetes.protobuf"),
    "a Table": _say(lambda _: b'{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "rows": []}'),
    "an empty body": _say(lambda _: b""),
    "no content": lambda handler, _: send(handler, b"", 204),
    "zeros": _say(lambda _: bytes(500)),
    "no UTF-8": _say(lambda body: re.sub(rb'("name"|"kind"):\s*"', b'\\1: "\xff\xfe', body)),
    "a byte order mark": _say(lambda body: b"\xef\xbb\xbf" + body),
    "a Status with 200": _say(lambda _: b'{"kind": "Status", "status": "Failure", "message": "request timed out", "code": 500}'),
    "no field items": _edit(lambda data: data.pop("items")),
    "items that are no list": _edit(lambda data: data.update(items={"a": 1})),
    "an item that is null": _insert("null"),
    "an item that is a number": _insert("3"),
    "an item without metadata": _insert('{"spec": {}}'),
    "an item with a text for its metadata": _edit(_spoil_first_item),
    "an item nested 20,000 deep": _insert(_DEEP),
    "a body that drips": lambda handler, body: _drip(
        handler, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (len(body) + 100000), b" "
    ),
    "headers that drip": lambda handler, _: _drip(handler, b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
    "no answer at all": _say_nothing,
}
