"""What the safety net notices, and what it does not: a planted difference of a fact, and another text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import Result, program
from tests.safety import record, runs
from tests.safety.record import Record
from tests.safety.runs import TODAY, Run

NAMES = (
    "examples/taint nodes -l pool=rdma dedicated=rdma:NoSchedule --from examples/rdma-incident/cluster",
    "examples/drain gpu-1 gpu-2 --ignore-daemonsets --delete-emptydir-data --force --from examples/drain/cluster.yaml",
)
TEXTS = {"message", "headline", "notes", "reasons", "story", "related", "assumptions", "skipped", "first", "refusals", "name"}
"""The fields of a report that people read."""

Plant = Callable[[Any], None]


@pytest.fixture
def recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Record:
    """A record of two runs: a taint, and a drain."""
    found = tuple(run for run in record.list_runs("examples") if run.name in NAMES)
    assert len(found) == 2
    monkeypatch.setattr(record, "list_runs", lambda source: found if source == "examples" else ())
    made = Record(tmp_path / "digests", tmp_path / "answers")
    assert record.update("examples", made).added == list(NAMES)
    return made


def differences(made: Record) -> list[record.Difference]:
    return list(record.compare(record.list_runs("examples"), made))


def plant(monkeypatch: pytest.MonkeyPatch, change: Plant, code: int = 0) -> None:
    """Let the program print another report, or end with another exit code."""

    def changed(*line: str) -> Result:
        result = program(*line)
        report = json.loads(result.out)
        change(report)
        return Result(result.code + code, json.dumps(report), result.err)

    monkeypatch.setattr(runs, "program", changed)


def test_the_same_answers_are_no_difference(recorded: Record) -> None:
    assert differences(recorded) == []


def _reword(data: Any) -> Any:
    """The same report, with other texts in it."""
    if isinstance(data, list):
        return [_reword(item) for item in data]
    if not isinstance(data, dict):
        return data
    found = {key: _other(value) if key in TEXTS and "kind" not in data else _reword(value) for key, value in data.items()}
    if found.get("suggestion"):
        found["suggestion"]["text"] = ["- reworded"]
    return found


def _other(value: Any) -> Any:
    return "reworded" if isinstance(value, str) else ["reworded" for _ in value]


def test_other_texts_are_no_difference(recorded: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    def reword(report: dict[str, Any]) -> None:
        report.update(_reword(report))
        report["assumptions"] = report["skipped"] = []

    plant(monkeypatch, reword)
    assert differences(recorded) == []


def _set(*path: str | int, value: Any) -> Plant:
    """Set a field of a report, if the report has it."""

    def change(report: Any) -> None:
        for key in path[:-1]:
            report = report.get(key) if isinstance(report, dict) else report[key] if len(report) > key else None  # type: ignore[operator]
            if report is None:
                return
        assert report[path[-1]] != value
        report[path[-1]] = value

    return change


PLANTED = {
    "another severity": _set("findings", 0, "severity", value="note"),
    "another rule": _set("findings", 0, "rule", value="PF999"),
    "another subject": _set("findings", 0, "subject", "name", value="other"),
    "other nodes of a finding": _set("findings", 0, "nodes", value=["other"]),
    "another line": _set("findings", 0, "location", "line", value=999),
    "another toleration": _set("findings", 0, "suggestion", "tolerations", value=[{"operator": "Exists"}]),
    "an exemption": _set("findings", 0, "exempted", value="for a reason"),
    "another outcome": _set("coverage", 0, "outcome", value="excluded"),
    "another count": _set("coverage", 0, "now", value=77),
    "a pod that is assumed": _set("coverage", 0, "assumed", value=None),
    "another toleration of a taint": _set("coverage", 0, "tolerates", value=[]),
    "another verdict on a pod": _set("change", "steps", 0, "evictions", "nodes", 0, "pods", 0, "verdict", value="stays"),
    "other seconds of a drain": _set("change", "steps", 0, "evictions", "least", value=1234.5),
    "another number of pairs": _set("judged", "pairs", value=12345),
    "another command": _set("change", "steps", 0, "command", value="drain other"),
}


@pytest.mark.parametrize("change", PLANTED.values(), ids=PLANTED.keys())
def test_another_fact_is_a_difference(change: Plant, recorded: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, change)
    assert differences(recorded)


def test_another_exit_code_is_a_difference(recorded: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, lambda _: None, code=1)
    assert len(differences(recorded)) == 2


def test_what_has_changed_is_shown_with_the_answers_and_without(recorded: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, PLANTED["another outcome"])
    text = record.explain(differences(recorded), recorded)
    assert f"  {NAMES[0]}\n" in text
    assert '\n-    "outcome": "kept",\n+    "outcome": "excluded",\n' in text
    (recorded.answers / "examples.jsonl").unlink()
    assert f"$ preflight {NAMES[0].partition('/')[2]} -o json --today {TODAY}\nthe answers now:\n[" in record.explain(
        differences(recorded), recorded
    )


def test_an_answer_that_is_recorded_is_replaced_only_where_that_is_asked_for(recorded: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, PLANTED["another outcome"])
    assert record.update("examples", recorded).left == list(NAMES)
    assert len(differences(recorded)) == 2
    assert record.update("examples", recorded, ["examples/taint*"]) == record.Update(2, [], [], [NAMES[0]], [NAMES[1]])
    assert [difference.run.name for difference in differences(recorded)] == [NAMES[1]]


def test_runs_that_are_new_gone_and_renamed(recorded: Record, monkeypatch: pytest.MonkeyPatch) -> None:
    taint, drain = record.list_runs("examples")
    new = Run("examples/rules", [("rules",)])
    monkeypatch.setattr(record, "list_runs", lambda _: (taint._replace(name="examples/renamed"), new))
    assert [(difference.run.name, difference.recorded) for difference in differences(recorded)] == [(new.name, "")]
    assert record.explain(differences(recorded), recorded).endswith("All of them are new: python -m tests.safety record")
    assert record.find_dropped("examples", recorded) == [drain.name]
    assert record.update("examples", recorded) == record.Update(2, [new.name], [drain.name], [], [])
    assert [entry.name for entry in recorded.read("examples").values()] == ["examples/renamed", new.name]


# What no text may be in.


def _strings(data: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The texts of an answer, each with the field that it stands in."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from _strings(value, key if key == "written" else name)
    elif isinstance(data, (list, tuple)):
        for item in data:
            yield from _strings(item, key)
    elif isinstance(data, str):
        yield key, data


@pytest.mark.parametrize("source", ["examples", "cases"])
def test_no_sentence_is_in_an_answer(source: str) -> None:
    """A sentence has three words or more; command lines, PromQL, edits of files and names that users gave may have as many."""
    found = {
        key
        for run in record.list_runs(source)[::5]
        for answer in runs.perform(run)
        for key, text in _strings(answer)
        if len(text.split()) > 2
    }
    assert found <= {"command", "expr", "patch", "patches", "written"}
