"""The library: the example of its page runs, its names are there, and importing it costs nothing."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

import preflight
from tests.docs_update import blocks, updated
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert len(blocks(PAGE, "python")) == len(blocks(PAGE, "text")) == 2
    assert updated(PAGE) == PAGE, "`python -m tests.docs_update` rewrites it"


def test_every_name_of_the_page_is_one_of_the_library() -> None:
    named = re.findall(r"^\| `(\w+)", PAGE, re.MULTILINE)
    assert {"Session", "analyze", "propose_fixes"} <= set(named)
    assert [name for name in named if name not in preflight.EXPORTS] == []


@pytest.mark.parametrize("name", preflight.EXPORTS)
def test_every_exported_name_is_there(name: str) -> None:
    value = getattr(preflight, name)
    assert value.__doc__
    assert name in dir(preflight)
    assert not hasattr(preflight, f"no_{name}")


def test_an_import_of_the_package_imports_none_of_it() -> None:
    code = "import sys, preflight; print(sorted(name for name in sys.modules if name.split('.')[0] == 'preflight'))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['preflight', 'preflight.version']"


def test_the_type_checker_sees_every_exported_name() -> None:
    source = (ROOT / "preflight" / "__init__.py").read_text(encoding="utf-8")
    seen = {name: module for module, name in re.findall(r"^    from ([\w.]+) import \w+ as (\w+)$", source, re.MULTILINE)}
    assert seen == preflight.EXPORTS
