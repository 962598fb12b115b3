"""How a deletion goes on to the pods of what it deletes."""

from __future__ import annotations

from enum import StrEnum


class Cascade(StrEnum):
    """What a deletion does with the pods of what it deletes, in the words of `--cascade`."""

    BACKGROUND = "background"
    FOREGROUND = "foreground"
    ORPHAN = "orphan"
