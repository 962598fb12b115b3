"""The page around the sections: one file, whose policy lets nothing run or load but its own style and script."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from preflight.report.html.environment import render_template

_FOLDER = Path(__file__).parent


class PageAsset(NamedTuple):
    """A file of ours that stands in the page as it is, and the hash by which the policy of the page names it."""

    content: Markup
    digest: str


def render_page(template: str, title: str, values: dict[str, object]) -> str:
    """A whole document: a template that extends `page.html.j2`, with the names that it may use.

    1. Its Content-Security-Policy allows the style and the script by their hashes, and nothing else: no request, no inline handler,
       no style attribute, no form, no frame.
    2. The bytes depend on the arguments alone.
    """
    return render_template(template, {"title": title, "style": _read_asset("page.css"), "script": _read_asset("page.js"), **values})


def _read_asset(name: str) -> PageAsset:
    from base64 import b64encode
    from hashlib import sha256

    text = (_FOLDER / name).read_text(encoding="utf-8")
    # The only text that becomes markup unescaped: files of this package, never of the input.
    return PageAsset(Markup(text), f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}")
