"""Files that are not read where a folder is: what a person or a policy excludes, and what git ignores."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.program import program

NODE = "apiVersion: v1\nkind: Node\nmetadata: {name: %s}\n"
BROKEN = "kind: Node\n  metadata: [\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.yaml", "vendor/b.yaml", "charts/x/vendor/c.yaml"):
        write(name, NODE % Path(name).stem)
    write("vendor/broken.yaml", BROKEN)


def write(name: str, text: str) -> None:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def git(*arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b.example", *arguments], check=True, capture_output=True)


def lint(*arguments: str) -> tuple[int, int, list[tuple[str, str]]]:
    """The exit code, how many objects were read, and what was not."""
    result = program("lint", *arguments, "-o", "json")
    report = json.loads(result.out)
    return result.code, report["judged"]["objects"], [(check["what"], check["why"]) for check in report["skipped"]]


def test_nothing_is_excluded_unless_somebody_says_so() -> None:
    assert lint(".") == (3, 3, [])


@pytest.mark.parametrize(
    ("globs", "objects", "count"),
    [
        (["vendor"], 2, "1 path"),
        (["./vendor/"], 2, "1 path"),
        (["vendor/*"], 2, "2 paths"),
        (["vendor/broken.*"], 3, "1 path"),
        (["*/vendor", "vendor"], 1, "2 paths"),
        (["*vendor"], 1, "2 paths"),
    ],
)
def test_a_glob_fits_a_file_or_a_folder(globs: list[str], objects: int, count: str) -> None:
    """The broken file is excluded in each of them, and so no fault."""
    assert lint(".", *(f"--exclude={glob}" for glob in globs)) == (0, objects, [(count, "excluded")])


def test_the_last_line_counts_what_is_excluded() -> None:
    assert program("lint", ".", "--exclude", "vendor").out.endswith("Checked 2 objects in 2 files. Not checked: 1 path (excluded).\n")


def test_a_named_file_is_read_but_a_hook_names_whatever_was_changed() -> None:
    assert lint("vendor/broken.yaml", "--exclude", "vendor")[0] == 3
    assert lint("vendor/broken.yaml", "--exclude", "vendor", "--allow-empty") == (0, 0, [("1 path", "excluded")])


def test_the_globs_of_a_policy_start_at_its_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    write(".preflight.yaml", "exclude: [vendor]\n")
    assert lint(".") == (0, 2, [("1 path", "excluded")])
    assert lint(".", "--no-policy")[0] == 3
    monkeypatch.chdir("charts")
    assert lint("x") == (0, 1, [])
    monkeypatch.chdir("..")
    assert program("components", ".", "--allow-empty").code == 0
    assert program("fix", ".", "--allow-empty").code == 0


def test_what_git_ignores_is_not_read() -> None:
    git("init")
    write(".gitignore", "vendor/\n*.out.yaml\n")
    write("tracked.out.yaml", NODE % "tracked")
    git("add", "-f", "tracked.out.yaml")
    write("made.out.yaml", BROKEN)
    ignored = "ignored by git: --no-gitignore reads them"
    assert lint(".") == (0, 2, [("3 paths", ignored)])
    assert lint("charts") == (3, 0, [("1 path", ignored)])
    assert lint(".", "--no-gitignore")[:2] == (3, 4)


def test_a_folder_that_git_ignores_is_read_where_it_is_named() -> None:
    git("init")
    write(".gitignore", "charts\n")
    assert lint("charts") == (0, 1, [])
    assert lint("charts/x/vendor") == (0, 1, [])
    assert lint("charts/x/vendor/c.yaml") == (0, 1, [])


def test_without_git_nothing_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    git("init")
    write(".gitignore", "vendor\n")
    monkeypatch.setenv("PATH", "")
    assert lint(".")[:2] == (3, 3)


def test_what_a_work_tree_configures_does_not_run() -> None:
    git("init")
    write(".gitignore", "vendor\n")
    git("config", "core.fsmonitor", "touch ran; false")
    assert lint(".")[0] == 0
    assert not Path("ran").exists()


def test_revisions_are_excluded_by_the_same_globs() -> None:
    git("init")
    git("add", ".")
    git("commit", "-m", "a")
    Path("a.yaml").write_text(NODE % "z", encoding="utf-8")
    assert "vendor/broken.yaml" in program("diff", "HEAD", ".").out
    said = program("diff", "HEAD", ".", "--exclude", "vendor", "-o", "json")
    assert said.code == 0
    assert ("1 path", "excluded") in [(check["what"], check["why"]) for check in json.loads(said.out)["skipped"]]
