"""Cases as YAML: a small world, a command line, and what the rules must say of it, word for word.

A file is a list of cases; a file named after a rule holds that rule's. A case has

1. `name`: a sentence.
2. `world`: manifests; a text, or several by file name. `files`: others, which only the command line names.
3. `run`: a command line without `preflight` (`--from world` is added where it is missing; `lint` is `lint world`), or `plan`: a list
   of them. `crash`: a rule whose check is to crash.
4. `findings`: all of the file's rule; in `stories.yaml` all of every rule, each with its `rule`. Each has `severity`, `subject`, `message`,
   `line` (`FILE:LINE`, or a number where the world is one text; null for none), `nodes` and `fix` (lists, none where absent), and may have
   `notes` and `step`.
5. `exit`: the exit code, 0 to 4, where it is said; `outcomes`: the outcome of every pair, by DaemonSet and node, where it is said.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import yaml

from preflight.rules.select_rules import load_all_rules
from tests.cli.program import Result, program

FOLDER = Path(__file__).parent / "cases"
STORIES = "stories"

Case = dict[str, Any]

KEYS = {"name", "world", "files", "run", "plan", "crash", "findings", "exit", "outcomes"}
FINDING_KEYS = {"rule", "severity", "subject", "message", "line", "nodes", "fix", "notes", "step"}


def files() -> list[Path]:
    """The files of cases, sorted."""
    return sorted(FOLDER.glob("*.yaml"))


def read(path: Path) -> list[Case]:
    """The cases of a file."""
    cases: list[Case] = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
    return cases


def rule_ids(path: Path) -> set[str]:
    """The rules that a file speaks of: one, or all in the stories."""
    return {rule.id for rule in load_all_rules() if path.stem in (rule.name, STORIES)}


def run(case: Case) -> Result:
    """The case, run in the working directory, which is empty."""
    return program(*prepare(case), "-o", "json")


def prepare(case: Case) -> list[str]:
    """The command line of a case, with its files written to the working directory, which is empty."""
    _write(Path("world"), case.get("world", ""))
    _write(Path(), case.get("files", {}))
    if "plan" in case:
        Path("plan.yaml").write_text(json.dumps(case["plan"]), encoding="utf-8")
        words = ["plan", "plan.yaml"]
    else:
        words = shlex.split(case["run"])
    if words == ["lint"]:
        words.append("world")
    elif words[0] != "lint" and "--from" not in words:
        words += ["--from", "world"]
    return words


def _write(folder: Path, texts: str | dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in ({"world.yaml": texts} if isinstance(texts, str) else texts).items():
        (folder / name).write_text(text, encoding="utf-8")


def expected(case: Case) -> list[Case]:
    """What the case says of findings, with what it leaves out."""
    return [
        {**finding, "nodes": finding.get("nodes", []), "fix": finding.get("fix", []), "line": _line(finding["line"])}
        for finding in case["findings"]
    ]


def _line(line: int | str | None) -> str | None:
    return f"world.yaml:{line}" if isinstance(line, int) else line


def found(report: dict[str, Any], rules: set[str], like: list[Case]) -> list[Case]:
    """The findings of some rules in the shape of the cases; what a case may leave out is there where the case says it."""
    shown: list[Case] = []
    for finding in report["findings"]:
        if finding["rule"] not in rules:
            continue
        subject, place = finding["subject"], finding["location"]
        alone = subject["kind"] in ("Node", "Resource", "Rule", "Policy", "Baseline")
        name = subject["name"] if alone else f"{subject['namespace'] or '-'}/{subject['name']}"
        case: Case = {
            "severity": finding["severity"],
            "subject": f"{subject['kind']} {name}",
            "message": finding["message"],
            "nodes": finding["nodes"],
            "line": place and f"{place['file'].removeprefix('world/')}:{place['line']}",
            "fix": finding["suggestion"]["text"] if finding["suggestion"] else [],
        }
        also = like[len(shown)] if len(shown) < len(like) else {}
        extra = {
            "rule": finding["rule"],
            "step": finding["step"],
            "notes": [f"{note['heading']}: {note['text']}" for note in finding["notes"]],
        }
        shown.append(case | {key: value for key, value in extra.items() if key in also})
    return shown


def outcomes(report: dict[str, Any]) -> dict[str, dict[str, str]]:
    """The outcome of each pair, by DaemonSet and node; in a plan that of the last step that judges it."""
    pairs: dict[str, dict[str, str]] = {}
    for row in report["coverage"]:
        pairs.setdefault(row["daemonset"], {}).update(dict.fromkeys(row["nodes"], row["outcome"]))
    return pairs
