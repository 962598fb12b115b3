"""The JSON of version 1 against its schema, its golden text and its documentation."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import preflight.report
from preflight.model.report import Location, Outcome, Report, Severity
from preflight.report.json import render
from tests.paths import ROOT
from tests.report.reports import ALL, LINT, NOTHING, PLAN, RDMA, covered, finding, report, step

SCHEMA = json.loads((Path(preflight.report.__file__).parent / "schema.v1.json").read_text())
DOCS = ROOT / "docs" / "json.md"
VALIDATOR = Draft202012Validator(SCHEMA)


def _objects(schema: Any) -> Iterator[dict[str, Any]]:
    """Every schema of an object, at any depth."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from _objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _objects(value)


def test_the_schema_is_a_schema_and_closed() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for schema in _objects(SCHEMA):
        assert schema["additionalProperties"] is False


@pytest.mark.parametrize("given", ALL.values(), ids=ALL)
def test_the_schema_accepts(given: Report) -> None:
    VALIDATOR.validate(json.loads(render(given)))


def test_the_schema_knows_every_outcome_and_severity() -> None:
    assert SCHEMA["$defs"]["outcome"]["enum"] == list(Outcome)
    assert SCHEMA["$defs"]["finding"]["properties"]["severity"]["enum"] == list(Severity)


@pytest.mark.parametrize("given", ALL.values(), ids=ALL)
def test_the_schema_refuses_a_field_more_anywhere(given: Report) -> None:
    def with_one_more(value: Any) -> Iterator[None]:
        """Adds a field to one object after the other, each time yielding while it is there."""
        if isinstance(value, dict):
            value["more"] = 1
            yield
            del value["more"]
        for item in list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []:
            yield from with_one_more(item)

    document = json.loads(render(given))
    for _ in with_one_more(document):
        assert not VALIDATOR.is_valid(document)
    assert VALIDATOR.is_valid(document)


def test_nothing() -> None:
    assert (
        render(NOTHING)
        == """\
{
  "version": 1,
  "preflight": "0.1.0",
  "change": null,
  "cluster": null,
  "judged": {
    "files": 0,
    "objects": 0,
    "daemonsets": 0,
    "nodes": 0,
    "pairs": 0
  },
  "assumptions": [],
  "skipped": [],
  "problems": [],
  "coverage": [],
  "tolerations": [],
  "findings": [],
  "exit": 0
}
"""
    )


def test_a_taint() -> None:
    document = json.loads(render(RDMA))
    assert document["change"] == {
        "command": "taint nodes rdma-1 rdma-2 dedicated=rdma:NoSchedule",
        "steps": [
            {
                "command": "taint nodes rdma-1 rdma-2 dedicated=rdma:NoSchedule",
                "headline": "taint dedicated=rdma:NoSchedule on rdma-1, rdma-2",
                "notes": [],
                "nodes": ["rdma-1", "rdma-2"],
                "taints": ["dedicated=rdma:NoSchedule"],
            }
        ],
    }
    assert document["judged"] == {"files": 5, "objects": 31, "daemonsets": 7, "nodes": 6, "pairs": 14}
    assert document["assumptions"] == ["coverage assumed (no pods given)"]
    assert document["skipped"] == [{"what": "PodDisruptionBudgets", "why": "not given"}]
    assert [row["daemonset"] for row in document["coverage"]] == [row.daemonset for row in RDMA.steps[0].coverage]
    assert document["coverage"][1] == {
        "step": 1,
        "daemonset": "storage/csi-rdma-node",
        "nodes": ["rdma-1", "rdma-2"],
        "outcome": "lost-on-recreation",
        "assumed": True,
        "before": 2,
        "now": 2,
        "recreated": 0,
        "periodSeconds": None,
        "reasons": ["does not tolerate dedicated=rdma:NoSchedule"],
        "tolerates": [{"taint": "dedicated=rdma:NoSchedule", "how": "no", "anyEffect": False, "seconds": None}],
    }
    assert document["findings"] == [
        {
            "rule": "PF102",
            "name": "lost-on-recreation",
            "severity": "error",
            "subject": {"kind": "DaemonSet", "namespace": "storage", "name": "csi-rdma-node"},
            "nodes": ["rdma-1", "rdma-2"],
            "message": "loses rdma-1, rdma-2 when its pods are re-created",
            "location": {"file": "daemonsets/csi.yaml", "line": 31, "column": 7, "path": "spec.template.spec.tolerations"},
            "related": [],
            "notes": [{"heading": "then", "text": "mounts and unmounts of csi.rdma.example.com hang on these nodes; 3 workloads use it"}],
            "suggestion": {
                "tolerations": [{"key": "dedicated", "operator": "Equal", "value": "rdma", "effect": "NoSchedule"}],
                "text": ["- {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}"],
            },
            "exempted": None,
            "step": 1,
            "role": "answer",
        }
    ]
    assert document["exit"] == 1


def test_the_coverage_of_a_plan_says_its_step() -> None:
    document = json.loads(render(PLAN))
    assert [(row["step"], row["outcome"]) for row in document["coverage"]] == [(1, "lost-on-recreation"), (1, "kept"), (2, "lost-now")]
    assert [found["step"] for found in document["findings"]] == [1, 2, 0]


def test_lint() -> None:
    document = json.loads(render(LINT))
    assert document["change"] is None
    assert [row["step"] for row in document["coverage"]] == [0, 0, 0]
    assert [row["periodSeconds"] for row in document["coverage"]] == [300, None, None]
    assert [row.get("place") for row in document["coverage"]] == [None, None, "late.yaml"]
    assert document["problems"] == [
        {
            "message": "mapping values are not allowed here",
            "location": {"file": "broken.yaml", "line": 3, "column": 8, "path": ""},
        },
        {"message": "no such context", "location": None},
    ]
    assert [found["exempted"] for found in document["findings"]] == [None, "accepted until the move", None]
    assert document["findings"][0]["location"] == {"file": "a.yaml", "line": 3, "column": None, "path": ""}
    assert document["findings"][0]["related"] == [
        {"message": "the taint is here", "location": {"file": "nodes.yaml", "line": 9, "column": 5, "path": ""}},
        {"message": "elsewhere", "location": None},
    ]
    assert document["findings"][2]["subject"] == {"kind": "Node", "namespace": None, "name": "n-3"}


def test_replaced_is_there_where_the_change_asks_for_it() -> None:
    rows = json.loads(render(report(step(covered("a/b", Outcome.KEPT, replaced=0), covered("a/c", Outcome.KEPT)))))["coverage"]
    assert [row.get("replaced") for row in rows] == [0, None]
    assert "replaced" not in rows[1]


def test_a_name_that_is_no_utf8_changes_nothing_else() -> None:
    texts = [render(report(findings=(finding(location=Location(name, 1)),))) for name in ("?", "\udc80")]
    assert texts[1] == texts[0].replace('"?"', r'"\udc80"')


def test_characters_outside_of_ascii_are_escaped() -> None:
    text = render(report(command="é\x7f\u202e\U0001f600"))
    assert r'"command": "\u00e9\u007f\u202e\ud83d\ude00"' in text


def test_the_same_report_gives_the_same_bytes() -> None:
    assert render(PLAN) == render(PLAN)
    assert render(PLAN).endswith("\n}\n")


def test_the_documentation_names_every_field() -> None:
    fields = {name for schema in _objects(SCHEMA) for name in schema["properties"]}
    named = {word for words in re.findall(r"`([^`]+)`", DOCS.read_text()) for word in re.split(r"\W+", words)}
    assert fields - named == set()
