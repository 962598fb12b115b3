"""PyYAML's errors in words that a person can act on."""

from __future__ import annotations

import re
from typing import Any

import yaml

from preflight.documents.results import Unreadable

_NOT_PRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def explain(error: yaml.YAMLError, text: str) -> Unreadable:
    """The error with its place in the text that was parsed."""
    found = _NOT_PRINTABLE.search(text)
    if isinstance(error, yaml.reader.ReaderError) and found:
        return Unreadable(f"the character U+{ord(found[0]):04X} is not allowed: write it as an escape in double quotes", found.start())
    problem: Any = getattr(error, "problem", None) or "cannot be read as YAML"
    mark = getattr(error, "problem_mark", None)
    return Unreadable(str(problem), mark.index if mark else 0)
