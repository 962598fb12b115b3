"""Unified diffs that `git apply` and `patch -p1` take, byte for byte."""

from __future__ import annotations

import os

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}


def format_unified_diff(path: str, before: bytes, after: bytes) -> bytes:
    r"""The diff of a file, b"" where nothing differs.

    1. The path is relative to the current folder where the file is below it; quoted as git does where it has odd characters.
    2. Lines end at line feeds alone. One without is followed by `\ No newline at end of file`.
    """
    if before == after:
        return b""
    from difflib import unified_diff

    shown = format_diff_path(path)
    old, new = (_split_lines(text) for text in (before, after))
    lines = unified_diff(old, new, _quote_path(f"a/{shown}"), _quote_path(f"b/{shown}"), n=3)
    out = []
    for line in lines:
        encoded = line.encode("utf-8", "surrogateescape")
        out.append(encoded if encoded.endswith(b"\n") else encoded + b"\n\\ No newline at end of file\n")
    return b"".join(out)


def format_diff_path(path: str) -> str:
    """The path as a diff names it: from the current folder, else from the root."""
    absolute = os.path.abspath(path)  # noqa: PTH100 (a symbolic link is not resolved)
    inside = os.path.relpath(absolute)
    return absolute.lstrip("/") if inside.startswith("..") else inside


def _split_lines(data: bytes) -> list[str]:
    parts = data.decode("utf-8", "surrogateescape").split("\n")
    return [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def _quote_path(path: str) -> str:
    if path.isprintable() and path.isascii() and not set(path) & set(_ESCAPES):
        return f"{path}\t" if " " in path else path
    octets = path.encode("utf-8", "surrogateescape")
    return '"' + "".join(_ESCAPES.get(chr(octet)) or (chr(octet) if 32 <= octet < 127 else f"\\{octet:03o}") for octet in octets) + '"'
