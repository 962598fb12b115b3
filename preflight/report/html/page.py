"""The page around the sections: one file, whose policy lets nothing run or load but its own style and script."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from preflight.report.html.escaping import escape_text

_FOLDER = Path(__file__).parent


def render_page(title: str, pieces: Iterable[str]) -> str:
    """A whole document.

    1. Its Content-Security-Policy allows the style and the script below by their hashes, and nothing else: no request, no inline handler,
       no style attribute, no form, no frame.
    2. The bytes depend on the arguments alone.
    """
    style, script = _read_asset("page.css"), _read_asset("page.js")
    policy = "; ".join(
        (
            "default-src 'none'",
            f"style-src '{_compute_hash(style)}'",
            f"script-src '{_compute_hash(script)}'",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return "\n".join(
        (
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{escape_text(title, 200)}</title>",
            '<link rel="icon" href="data:,">',
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            '<a class="skip" href="#content">Skip to the report</a>',
            '<main id="content" tabindex="-1">',
            *pieces,
            "</main>",
            f"<script>{script}</script>",
            "</body>",
            "</html>",
            "",
        )
    )


def _read_asset(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


def _compute_hash(text: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
