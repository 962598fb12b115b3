"""The policy that is found: `.preflight.yaml` in the working directory or above it."""

from __future__ import annotations

import os

from preflight.errors import RefusalError
from preflight.messages import policy as messages

POLICY_FILE_NAME = ".preflight.yaml"


def find_policy(start: str = ".") -> str | None:
    """The `.preflight.yaml` of a folder or of the nearest one above it; None where there is none.

    The search ends at the root of the repository (the folder with `.git`), and at the root of the file system. UsageError for a symbolic
    link: who sends us a repository must not make us read, and quote in errors, another file of this machine.
    """
    folder = os.path.abspath(start)  # noqa: PTH100 (pathlib costs 10 ms at the start)
    while True:
        path = os.path.join(folder, POLICY_FILE_NAME)  # noqa: PTH118
        if os.path.isfile(path):  # noqa: PTH113
            if os.path.islink(path):  # noqa: PTH114
                raise RefusalError(f"{path}: {messages.LINKED_POLICY}")
            return os.path.relpath(path, start)
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder or os.path.exists(os.path.join(folder, ".git")):  # noqa: PTH110, PTH118
            return None
        folder = above
