"""How the tests run: the same examples everywhere in CI, new ones on every other run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from tests.shared import locked, pins, shared

BUILT_WITH = ("hatchling", "packaging", "pathspec", "pluggy", "tomlkit", "trove-classifiers")
"""What builds the project."""

settings.register_profile("explore", deadline=None)
settings.register_profile("repeatable", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("repeatable" if os.environ.get("CI") else "explore")

os.environ["KUBECONFIG"] = os.path.join(os.path.dirname(__file__), "no-kubeconfig")  # noqa: PTH118, PTH120 (no test asks the user's cluster)
for _variable in ("KUBERNETES_SERVICE_HOST", "FORCE_COLOR", "CLICOLOR_FORCE", "CLICOLOR", "GITHUB_ACTIONS", "GITLAB_CI"):
    os.environ.pop(_variable, None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests that wait for other programs start first: the last worker to end then has only short ones left."""
    items.sort(key=lambda item: "hooks" not in item.path.parts)


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheels of the pinned dependencies, and of what builds the project, beside `pinned.txt`, which has their hashes.

    They are fetched once, for all workers.
    """
    folder = shared(tmp_path_factory) / "wheels"
    with locked(folder.with_suffix(".lock")):
        if not folder.exists():
            new = folder.with_suffix(".new")
            new.mkdir(exist_ok=True)
            pinned = [*pins("requirements.txt"), *pins("requirements-dev.txt", *BUILT_WITH)]
            (new / "pinned.txt").write_text("\n".join(pinned), encoding="utf-8")
            fetch: list[str | Path] = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--dest", new]
            fetched = subprocess.run([*fetch, "-r", new / "pinned.txt"], capture_output=True, text=True, check=False)
            assert fetched.returncode == 0, fetched.stdout + fetched.stderr
            new.rename(folder)
    return folder
