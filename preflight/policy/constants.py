"""Constants that several modules of the policy share."""

from __future__ import annotations

COMMENT_MARKER = "preflight:"
"""A substring of every document with an exemption in a comment."""
