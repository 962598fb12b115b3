"""Images and the platforms of nodes: what container runtimes say of one that is not made for its node."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

_STATEMENTS = (
    re.compile(r"no matching manifest for ([a-z0-9]+/[a-z0-9]+)"),
    re.compile(r"no match for platform in manifest()"),
    re.compile(r"no image found in (?:manifest list|image index) for architecture()"),
    re.compile(r"image operating system \"?[a-z]+\"? cannot be used on this platform()"),
)
"""The words of Docker, of containerd, of CRI-O, and of Docker on Windows."""


class ForeignPlatform(Struct, frozen=True):
    """Nodes that differ by a label from all others where the pods of a template are, and that the template does not tell apart."""

    nodes: tuple[str, ...]
    label: str
    values: tuple[str, ...]
    other_values: tuple[str, ...]


def find_missing_platform(messages: Iterable[str]) -> str | None:
    """The platform that an image lacks, by the words of a runtime; "" where they do not name it, None where nothing says so."""
    found = (pattern.search(message) for message in messages for pattern in _STATEMENTS)
    return next((match[1] for match in found if match is not None), None)
