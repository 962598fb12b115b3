"""Which documents need no parsing."""

from __future__ import annotations

from collections.abc import Collection


class Filter:
    """Says of a document's text whether it may hold one of the kinds; errs on the side of yes."""

    def __init__(self, kinds: Collection[str]) -> None:
        self.kinds = frozenset(kinds)

    def may_hold(self, text: str) -> bool:
        """Whether the document may be of a wanted kind."""
        return not self.kinds or "kind" in text or "\\" in text or "!" in text
