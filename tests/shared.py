"""What the workers of a test run share: a folder, locks, and the pinned requirements."""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.paths import ROOT


def shared(factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of this run have, and no other run."""
    folder = factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds a lock that is a file: the processes that want it too wait. It ends with its process, whatever happens."""
    with path.open("w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def pins(name: str, *projects: str) -> list[str]:
    """The requirements of a pinned file, each with its hashes: all, or those of some projects."""
    found = re.findall(r"^[\w.-]+==(?:.*\\\n)*.*$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
    return [pin for pin in found if not projects or pin.partition("==")[0] in projects]
