"""The page about operators holds what the facts say."""

from __future__ import annotations

from tests.operators.page import PAGE, make_page


def test_the_page_is_made_from_the_facts() -> None:
    assert PAGE.read_text(encoding="utf-8") == make_page(), "run: python -m tests.operators.page"
