"""The annotations of preflight's own, and those of nodes that keep what was taken off a node."""

from __future__ import annotations

import re

EXEMPTION_ANNOTATION = "preflight/exempt"
"""Holds the exemptions of an object: `PF201: it has to run everywhere`."""

_BACKUP_KEY = re.compile(r"backup|\bbak\b|saved?\b|original|previous|removed|moved|disabled|\bold\b|restore|labels", re.IGNORECASE)


def is_backup_annotation(key: str) -> bool:
    """Whether the key of an annotation says that it keeps something for later, such as labels that were taken off the node."""
    return _BACKUP_KEY.search(key) is not None
