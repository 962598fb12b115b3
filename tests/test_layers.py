"""The import contracts of pyproject.toml hold, and each of them would notice a fault."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([LINT_IMPORTS, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the program in which a test may plant a fault."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "preflight", tmp_path / "preflight", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_program_keeps_every_contract() -> None:
    result = lint_imports(ROOT)
    assert "0 broken" in result.stdout
    assert result.returncode == 0


@pytest.mark.parametrize(
    ("module", "code", "says"),
    [
        pytest.param(
            "documents/planted.py",
            "import preflight.model",
            "preflight.documents.planted -> preflight.model (l.1)",
            id="a lower layer imports a higher one",
        ),
        pytest.param(
            "load/planted.py",
            "def late() -> None:\n    import preflight.report",
            "preflight.load.planted -> preflight.report (l.2)",
            id="a sibling imports its sibling inside a function",
        ),
        pytest.param(
            "report/planted.py",
            "import preflight.rules",
            "preflight.report.planted -> preflight.rules (l.1)",
            id="a report reads more than the model",
        ),
        pytest.param(
            "scheduling/planted.py",
            "from ruamel.yaml import YAML",
            "preflight.scheduling.planted -> ruamel (l.1)",
            id="the semantics read text",
        ),
        pytest.param(
            "rules/planted.py",
            "import urllib3",
            "preflight.rules.planted -> urllib3 (l.1)",
            id="a rule asks the cluster",
        ),
        pytest.param(
            "coverage/planted.py",
            "import kubernetes.client",
            "preflight.coverage.planted -> kubernetes (l.1)",
            id="what predicts asks the cluster by the official client",
        ),
        pytest.param(
            "utils.py",
            "",
            "preflight.utils",
            id="a module is in no layer",
        ),
    ],
)
def test_a_planted_fault_breaks_a_contract(copy: Path, module: str, code: str, says: str) -> None:
    (copy / "preflight" / module).write_text(code + "\n", encoding="utf-8")
    result = lint_imports(copy)
    assert says in result.stdout
    assert result.returncode == 1
