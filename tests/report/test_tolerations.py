"""How each toleration of every DaemonSet matches and what it says to NoExecute: typed in JSON, a table of lint with --all-rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import program

MANIFEST = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: ops}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      tolerations: %s
      containers: [{name: a, image: "a:1"}]
"""


def answers(tmp_path: Path, tolerations: str, *line: str) -> list[dict[str, Any]]:
    """The typed answers of the one DaemonSet, without the implicit tolerations that follow its own."""
    (tmp_path / "ds.yaml").write_text(MANIFEST % tolerations, encoding="utf-8")
    words = [*line, "--from", str(tmp_path)] if line else ["lint", str(tmp_path)]
    rows = json.loads(program(*words, "--no-policy", "-o", "json").out)["tolerations"]
    assert [row["daemonset"] for row in rows] == ["ops/agent"]
    found: list[dict[str, Any]] = rows[0]["tolerations"]
    return found


@pytest.mark.parametrize(
    ("toleration", "match", "any_effect", "no_execute", "seconds"),
    [
        pytest.param("{key: a, operator: Exists}", "key", True, "without-limit", None, id="the most common form"),
        pytest.param("{key: a, operator: Exists, effect: NoSchedule}", "key", False, "no", None, id="a key, one effect"),
        pytest.param("{key: a, value: b, effect: NoSchedule}", "exact", False, "no", None, id="a value, no operator"),
        pytest.param("{key: a, operator: Equal, value: b}", "exact", True, "without-limit", None, id="a value, any effect"),
        pytest.param("{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 300}", "key", False, "seconds", 300, id="seconds"),
        pytest.param("{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: -5}", "key", False, "seconds", 0, id="at once"),
        pytest.param("{operator: Exists, effect: NoExecute}", "effect", False, "without-limit", None, id="every NoExecute taint"),
        pytest.param("{operator: Exists}", "everything", True, "without-limit", None, id="everything"),
        pytest.param(
            "{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 30}",
            "implicit",
            False,
            "without-limit",
            None,
            id="seconds that the controller replaces",
        ),
    ],
)
def test_one_toleration(toleration: str, match: str, any_effect: bool, no_execute: str, seconds: int | None, tmp_path: Path) -> None:
    first = answers(tmp_path, f"[{toleration}]")[0]
    assert (first["match"], first["anyEffect"], first["noExecute"], first["seconds"]) == (match, any_effect, no_execute, seconds)


def test_the_implicit_ones_follow(tmp_path: Path) -> None:
    found = answers(tmp_path, "[]")
    assert {each["match"] for each in found} == {"implicit"}
    staying = [each["key"] for each in found if each["noExecute"] == "without-limit"]
    assert staying == ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"]


def test_a_change_answers_too(tmp_path: Path) -> None:
    assert answers(tmp_path, "[{key: a, operator: Exists}]", "taint", "nodes", "n1", "b=c:NoSchedule")[0]["match"] == "key"


TABLE = """\
  DAEMONSET  TOLERATES                          NOEXECUTE
  ops/agent  dedicated (any value, any effect)  without a limit
             b=c:NoExecute (exact)              300 s
             *:NoSchedule (every key)           no
             6 implicit                         without a limit: not-ready, unreachable
"""
OWN = (
    "[{key: dedicated, operator: Exists}, {key: b, value: c, effect: NoExecute, tolerationSeconds: 300}, "
    "{operator: Exists, effect: NoSchedule}]"
)


@pytest.fixture
def folder(tmp_path: Path) -> str:
    (tmp_path / "ds.yaml").write_text(MANIFEST % OWN, encoding="utf-8")
    return str(tmp_path)


def test_the_table_of_lint(folder: str) -> None:
    assert program("lint", folder, "--no-policy", "--all-rows").out.partition("\n\n")[2].startswith(TABLE)
    assert "NOEXECUTE" not in program("lint", folder, "--no-policy").out


def test_the_table_in_markdown(folder: str) -> None:
    out = program("lint", folder, "--no-policy", "--all-rows", "-o", "markdown").out
    assert "| DaemonSet | tolerates | NoExecute |" in out
    assert "| `ops/agent` | `dedicated (any value, any effect)` | `without a limit` |" in out


def test_the_table_in_html(folder: str) -> None:
    out = program("lint", folder, "--no-policy", "--all-rows", "-o", "html").out
    assert "<section id=tolerations" in out
    assert "dedicated (any value, any effect)" in out


def test_a_change_has_a_column_of_its_own(folder: str) -> None:
    assert "NOEXECUTE" not in program("taint", "nodes", "n1", "b=c:NoSchedule", "--from", folder, "--no-policy", "--all-rows").out
