"""`python -m tests.docs_site`: copy the pages, and the files that they link to, to `build/docs-source` for `make docs`.

The copies keep their places, so a link that works in the repository works on the website.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from tests.docs_update import pages, prose
from tests.paths import ROOT

SOURCE = ROOT / "build" / "docs-source"
CONFIG = ROOT / "docs" / "zensical.toml"


def linked_files(page: Path) -> list[Path]:
    """The files of the repository that a page links to."""
    targets = re.findall(r"\]\(([^)#\s]+)#?[^)\s]*\)", prose(page.read_text(encoding="utf-8")))
    return [(page.parent / target).resolve() for target in targets]


def copy_pages(folder: Path) -> None:
    """Copy all pages and what they link to into an empty folder."""
    shutil.rmtree(folder, ignore_errors=True)
    every = pages()
    for file in sorted({*every, *(file for page in every for file in linked_files(page))}):
        copy = folder / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())


if __name__ == "__main__":
    copy_pages(SOURCE)
    shutil.copyfile(CONFIG, SOURCE.parent / CONFIG.name)
    sys.exit(0)
