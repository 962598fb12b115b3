"""What the reading of files and clusters says to people: what could not be read, and what was left out."""

from __future__ import annotations

NOT_A_SNAPSHOT = "not a snapshot: make one with `preflight snapshot -o FILE`, or give it as manifests"
