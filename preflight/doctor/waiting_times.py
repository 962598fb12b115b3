"""How long a diagnosis waits before it calls something broken."""

from __future__ import annotations

SETTLING_SECONDS = 300.0
"""What began less than so many seconds ago may still come: a pod that starts, a node that joins."""

RECENT_SECONDS = 1200.0
"""For how many seconds a refusal counts: every controller has tried again by then."""
