"""Whether a file is a snapshot, told from its first bytes."""

from __future__ import annotations

import re

from preflight.load.files import STDIN, read_start

_HEAD = 200
_START = re.compile(rb'\s*\{\s*"apiVersion":\s*"preflight/v[0-9]+",\s*"kind":\s*"Snapshot"')


def is_snapshot(path: str) -> bool:
    """Whether a file begins as a snapshot does, packed or not.

    False for what cannot be read twice (a pipe, standard input, named `-`), for a folder, and for what cannot be read: loading it says why.
    """
    if path == STDIN:
        return False
    try:
        return _START.match(read_start(path, _HEAD)) is not None
    except (OSError, ValueError):
        return False
