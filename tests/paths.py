"""Where the repository and its test data are."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[1]
DATA = ROOT / "tests" / "data"
VECTORS = DATA / "vectors"
"""Recorded answers of Kubernetes itself."""
