"""SARIF 2.1.0: each log is judged by the schema that OASIS published."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import ValidationError
from msgspec.structs import replace

from preflight.model.report import Location, Problem, Report, RuleInfo, Severity, Subject
from preflight.report.sarif import render
from tests.report.readers import sarif
from tests.report.reports import ALL, LINT, NOTHING, PLAN, RDMA, finding, report

EXPLANATION = """A pod is lost at the next re-creation.

Why it matters
    Everything looks fine.
    For days.
How to fix
    Tolerate `dedicated`."""
RULE = RuleInfo("PF102", "lost-on-recreation", Severity.ERROR, "A pod is lost at the next re-creation", EXPLANATION)


def result(**fields: Any) -> Any:
    (only,) = sarif(render(report(findings=(finding(**fields),))))["results"]
    return only


@pytest.mark.parametrize("given", ALL.values(), ids=ALL)
def test_the_schema_accepts(given: Report) -> None:
    assert sarif(render(given))["columnKind"] == "unicodeCodePoints"


def test_the_schema_refuses_what_is_none() -> None:
    log = json.loads(render(RDMA))
    log["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(ValidationError):
        sarif(json.dumps(log))


def test_nothing_is_found() -> None:
    run = sarif(render(NOTHING))
    assert run["results"] == []
    assert run["tool"] == {"driver": {"name": "preflight", "version": "0.1.0", "rules": []}}
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0, "toolExecutionNotifications": []}]


def test_a_finding_with_its_place() -> None:
    run = sarif(render(RDMA))
    assert run["results"] == [
        {
            "ruleId": "PF102",
            "ruleIndex": 0,
            "level": "error",
            "message": {
                "text": "storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created\n"
                "note: nothing here tolerates dedicated=rdma:NoSchedule\n"
                "then: mounts and unmounts of csi.rdma.example.com hang on these nodes; 3 workloads use it\n"
                "fix: - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}"
            },
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": "daemonsets/csi.yaml", "uriBaseId": "%SRCROOT%"},
                        "region": {"startLine": 31, "startColumn": 7},
                    },
                    "logicalLocations": [
                        {"name": "csi-rdma-node", "fullyQualifiedName": "storage/DaemonSet/csi-rdma-node", "kind": "resource"}
                    ],
                }
            ],
            "partialFingerprints": {"preflight/v1": run["results"][0]["partialFingerprints"]["preflight/v1"]},
            "suppressions": [],
        }
    ]


def test_a_rule_is_explained() -> None:
    (rule,) = sarif(render(replace(RDMA, rules=(RULE, replace(RULE, id="PF999")))))["tool"]["driver"]["rules"]
    assert rule == {
        "id": "PF102",
        "name": "lost-on-recreation",
        "shortDescription": {"text": "A pod is lost at the next re-creation."},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["kubernetes"], "problem.severity": "error"},
        "help": {
            "text": EXPLANATION,
            "markdown": "**Why it matters**\n\nEverything looks fine.\nFor days.\n\n**How to fix**\n\nTolerate `dedicated`.",
        },
    }


def test_every_result_points_to_its_rule() -> None:
    for given in ALL.values():
        run = sarif(render(given))
        rules = run["tool"]["driver"]["rules"]
        assert [rules[each["ruleIndex"]]["id"] for each in run["results"]] == [finding.rule for finding in given.findings]


@pytest.mark.parametrize("severity", Severity)
def test_the_severities_are_those_of_sarif(severity: Severity) -> None:
    assert result(severity=severity)["level"] == severity.value


PLACES: dict[str, tuple[Location | None, dict[str, Any]]] = {
    "no place": (None, {}),
    "standard input": (Location("-", 31, 7), {}),
    "a file": (Location("a.yaml"), {"artifactLocation": {"uri": "a.yaml", "uriBaseId": "%SRCROOT%"}}),
    "a line": (
        Location("a.yaml", 3),
        {"artifactLocation": {"uri": "a.yaml", "uriBaseId": "%SRCROOT%"}, "region": {"startLine": 3}},
    ),
    "a path that is not as short as it could be": (
        Location("./x//../a.yaml"),
        {"artifactLocation": {"uri": "a.yaml", "uriBaseId": "%SRCROOT%"}},
    ),
    "characters that mean something in a URI": (
        Location("a b/c#d?e%41:é.yaml"),
        {"artifactLocation": {"uri": "a%20b/c%23d%3Fe%2541%3A%C3%A9.yaml", "uriBaseId": "%SRCROOT%"}},
    ),
    "a byte that is no UTF-8": (Location("a\udcff.yaml"), {"artifactLocation": {"uri": "a%FF.yaml", "uriBaseId": "%SRCROOT%"}}),
    "an absolute path": (Location("/srv/a.yaml"), {"artifactLocation": {"uri": "file:///srv/a.yaml"}}),
    "a path outside of the folder": (Location("../a.yaml"), {"artifactLocation": {"uri": "../a.yaml"}}),
}


@pytest.mark.parametrize(("location", "physical"), PLACES.values(), ids=PLACES)
def test_places(location: Location | None, physical: dict[str, Any]) -> None:
    (place,) = result(location=location, subject=Subject("Node", "", "n-1"))["locations"]
    assert place.pop("logicalLocations") == [{"name": "n-1", "fullyQualifiedName": "Node/n-1", "kind": "resource"}]
    assert place == ({"physicalLocation": physical} if physical else {})


def test_related_places_are_those_that_a_file_holds() -> None:
    evict = sarif(render(LINT))["results"][0]
    assert evict["relatedLocations"] == [
        {
            "message": {"text": "the taint is here"},
            "physicalLocation": {
                "artifactLocation": {"uri": "nodes.yaml", "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": 9, "startColumn": 5},
            },
        }
    ]
    assert evict["message"]["text"].splitlines()[1:] == ["note: the taint is here (nodes.yaml:9:5)", "note: elsewhere"]


def test_an_exempted_finding_is_suppressed_and_no_other() -> None:
    assert [each["suppressions"] for each in sarif(render(LINT))["results"]] == [
        [],
        [{"kind": "external", "status": "accepted", "justification": "accepted until the move"}],
        [],
    ]


def test_what_could_not_be_read_is_said_of_the_run() -> None:
    (invocation,) = sarif(render(LINT))["invocations"]
    assert invocation == {
        "executionSuccessful": False,
        "exitCode": 3,
        "toolExecutionNotifications": [
            {
                "level": "error",
                "message": {"text": "mapping values are not allowed here"},
                "locations": [
                    {
                        "physicalLocation": {
                            "artifactLocation": {"uri": "broken.yaml", "uriBaseId": "%SRCROOT%"},
                            "region": {"startLine": 3, "startColumn": 8},
                        }
                    }
                ],
            },
            {"level": "error", "message": {"text": "no such context"}},
        ],
    }


@pytest.mark.parametrize(
    ("given", "success"),
    [(report(exit=1), True), (report(exit=4), False), (report(exit=3, problems=(Problem("x"),)), False)],
    ids=["findings", "a rule crashed", "a problem"],
)
def test_a_run_is_successful_if_all_was_judged(given: Report, success: bool) -> None:
    assert sarif(render(given))["invocations"][0]["executionSuccessful"] is success


def test_findings_of_a_plan_say_their_step() -> None:
    assert [each["message"]["text"] for each in sarif(render(PLAN))["results"]] == [
        "storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created (step 1 of 2)",
        "storage/csi-rdma-node loses rdma-1, rdma-2 now (step 2 of 2)",
        "-/web tolerates every taint",
    ]


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("has [a] and (b)", "has [a] and (b)"),
        ("has [a](b) and c\\d", "has \\[a\\](b) and c\\\\d"),
        ("has {key: a, seconds: 3}", "has {key: a, seconds: 3}"),
        ("has {0}", "has {{0}}"),
    ],
    ids=["brackets", "what would be a link", "braces", "what would be a placeholder"],
)
def test_a_message_is_plain_text(message: str, text: str) -> None:
    assert result(message=message)["message"]["text"] == f"storage/csi-rdma-node {text}"
