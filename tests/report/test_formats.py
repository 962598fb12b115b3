"""The reporters by name."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from preflight.report import FORMATS
from tests.paths import ROOT
from tests.report.reports import ALL


def test_the_names() -> None:
    assert list(FORMATS) == ["text", "concise", "json", "sarif", "junit", "github", "gitlab", "markdown", "html"]
    assert len(FORMATS) == 9
    assert "text" in FORMATS
    assert "__init__" not in FORMATS


def test_the_page_has_a_row_for_each() -> None:
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    rows = page[page.index("| format | for |") : page.index("All formats are made from")]
    assert re.findall(r"^\| \[?`(\w+)`", rows, re.MULTILINE) == list(FORMATS)


def test_a_name_that_is_none() -> None:
    with pytest.raises(KeyError):
        FORMATS["words"]


@pytest.mark.parametrize("name", FORMATS)
def test_every_reporter_takes_the_same_options(name: str) -> None:
    for given in ALL.values():
        assert isinstance(FORMATS[name](given, width=80, color=True, all_rows=True), str)


def test_a_reporter_is_imported_when_it_is_asked_for() -> None:
    code = "import sys; from preflight.report import FORMATS; list(FORMATS); print([m for m in sys.modules if m.startswith('preflight.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['preflight.version', 'preflight.report']\n"


def test_no_reporter_imports_what_is_slow() -> None:
    slow = ["click", "rich", "yaml", "jsonschema"]
    code = (
        f"import sys; from preflight.report import FORMATS; [FORMATS[n] for n in FORMATS]; print([m for m in {slow} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
