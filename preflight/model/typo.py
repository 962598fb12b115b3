"""The ways in which a mistyped word differs from the word that was intended."""

from __future__ import annotations

from enum import Enum


class Typo(Enum):
    """How a word differs from the one that was intended."""

    CASE = "case"
    SEPARATOR = "separator"
    LETTER = "letter"
