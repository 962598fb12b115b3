"""What contributors are given works: hooks, forms of issues, the commands and words that the pages name."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.paths import ROOT

HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+%?):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))

TERMS = {
    *(
        "Cluster state",
        "Change",
        "Coverage",
        "Time bomb",
        "Re-creation",
        "Node class",
        "Outcome",
        "Unknown",
        "Feature gate",
        "Finding",
        "Rule",
    ),
    *("Evidence", "Exemption", "Baseline", "Stale allocation", "Label drift", "Component", "Dependent workload", "Second wave"),
}


def run(*command: str | Path, at: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(command, cwd=at, env=env, capture_output=True, text=True, check=False)


def test_pre_commit_takes_our_hooks() -> None:
    result = run(sys.executable, "-m", "pre_commit", "validate-config", ".pre-commit-config.yaml", at=ROOT)
    assert (result.returncode, result.stdout) == (0, "")


def test_the_hooks_call_targets_of_make_and_programs_that_setup_installs() -> None:
    commands = [shlex.split(hook["entry"]) for hook in HOOKS]
    assert {words[1] for words in commands if words[0] == "make"} == {"lint", "types", "imports"}
    assert {words[0] for words in commands if words[0] != "make"} == {"git", ".venv/bin/pytest"}
    assert {words[1] for words in commands if words[0] == "make"} <= TARGETS


@pytest.mark.parametrize(
    ("file", "text", "code"),
    [
        pytest.param("a.py", "x = 1\n", 0, id="clean"),
        pytest.param("a.py", "x = 1 \n", 2, id="a blank at the end of a line"),
        pytest.param("a.py", "<<<<<<< ours\n", 2, id="a conflict that nobody solved"),
        pytest.param("tests/data/a.yaml", "x: 1 \n", 0, id="recorded data stays as it is"),
    ],
)
def test_the_hook_on_whitespace(file: str, text: str, code: int, tmp_path: Path) -> None:
    (hook,) = (hook for hook in HOOKS if hook["id"] == "whitespace")
    run("git", "init", "--quiet", at=tmp_path)
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text(text, encoding="utf-8")
    run("git", "add", "--all", at=tmp_path)
    assert run(*shlex.split(hook["entry"]), at=tmp_path).returncode == code


@pytest.mark.parametrize("form", [pytest.param(path, id=path.stem) for path in FORMS])
def test_a_form_is_one_that_github_takes(form: Path) -> None:
    """By GitHub's syntax for issue forms: keys on top, types of elements, labels, unique ids, options of a choice."""
    data = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert {"name", "description", "body"} <= data.keys() <= {"name", "description", "labels", "body"}
    fields = [element for element in data["body"] if element["type"] != "markdown"]
    assert {element["type"] for element in fields} <= {"textarea", "input", "dropdown"}
    assert all(element.keys() <= {"type", "id", "attributes", "validations"} and element["attributes"]["label"] for element in fields)
    assert all(element["attributes"]["options"] for element in fields if element["type"] == "dropdown")
    assert all(element["attributes"]["value"] for element in data["body"] if element["type"] == "markdown")
    ids = [element["id"] for element in fields]
    assert len(ids) == len(set(ids))
    assert any(element.get("validations") == {"required": True} for element in fields)


def test_there_is_a_form_for_each_kind_of_report() -> None:
    assert [form.stem for form in FORMS] == ["crash", "false-alarm", "feature", "wrong-answer"]


def test_contributors_are_told_to_make_what_can_be_made() -> None:
    pages = [ROOT / "CONTRIBUTING.md", ROOT / ".github" / "pull_request_template.md"]
    spans = [span for page in pages for span in re.findall(r"`make ([^`]+)`", page.read_text(encoding="utf-8"))]
    named = {word for span in spans for word in re.findall(r"(?<!\S)[a-z][a-z-]*(?![\w=%-])", span)}
    assert {"lint", "types", "tests"} <= named
    assert named <= TARGETS


def test_the_glossary_defines_every_term_in_order() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == sorted(TERMS)
