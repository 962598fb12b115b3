"""GitLab code quality: what its documentation asks for, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import ValidationError

from preflight.model.report import Location, Report, Severity, Subject
from preflight.report.fingerprints import make_fingerprints
from preflight.report.gitlab import render
from tests.report.readers import gitlab
from tests.report.reports import ALL, LINT, NOTHING, PLAN, RDMA, finding, report


def issue(**fields: Any) -> dict[str, Any]:
    (only,) = gitlab(render(report(findings=(finding(**fields),))))
    return only


@pytest.mark.parametrize("given", ALL.values(), ids=ALL)
def test_the_schema_accepts(given: Report) -> None:
    assert len(gitlab(render(given))) == sum(finding.exempted is None for finding in given.findings)


def test_the_schema_refuses_what_is_none() -> None:
    (found,) = json.loads(render(RDMA))
    del found["location"]["lines"]
    with pytest.raises(ValidationError):
        gitlab(json.dumps([found]))


def test_nothing_is_found() -> None:
    assert render(NOTHING) == "[]\n"


def test_a_finding_with_its_place() -> None:
    assert gitlab(render(RDMA)) == [
        {
            "description": "PF102 lost-on-recreation: storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created",
            "check_name": "PF102",
            "fingerprint": make_fingerprints(RDMA.findings)[0],
            "severity": "critical",
            "location": {"path": "daemonsets/csi.yaml", "lines": {"begin": 31}},
        }
    ]


@pytest.mark.parametrize(("severity", "word"), list(zip(Severity, ["critical", "major", "info"], strict=True)))
def test_the_severities_are_those_of_gitlab(severity: Severity, word: str) -> None:
    assert issue(severity=severity)["severity"] == word


PLACES: dict[str, tuple[dict[str, Any], str, int]] = {
    "no line": ({"location": Location("./a.yaml")}, "a.yaml", 1),
    "no place": ({}, "DaemonSet/storage/csi-rdma-node", 1),
    "standard input": ({"location": Location("-", 31)}, "DaemonSet/storage/csi-rdma-node", 1),
    "an object that is in no namespace": ({"subject": Subject("Node", "", "n-1")}, "Node/n-1", 1),
    "a name that would lead elsewhere": ({"subject": Subject("DaemonSet", "..", "/etc/x")}, "DaemonSet/_/_etc_x", 1),
}


@pytest.mark.parametrize(("fields", "path", "line"), PLACES.values(), ids=PLACES)
def test_places(fields: dict[str, Any], path: str, line: int) -> None:
    assert issue(**fields)["location"] == {"path": path, "lines": {"begin": line}}


def test_exempted_findings_are_left_out_and_change_no_fingerprint() -> None:
    marks = make_fingerprints(LINT.findings)
    assert [(each["check_name"], each["fingerprint"]) for each in gitlab(render(LINT))] == [("PF103", marks[0]), ("PF206", marks[2])]


def test_findings_of_a_plan_say_their_step() -> None:
    assert [each["description"] for each in gitlab(render(PLAN))] == [
        "PF102 lost-on-recreation: storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created (step 1 of 2)",
        "PF101 lost-now: storage/csi-rdma-node loses rdma-1, rdma-2 now (step 2 of 2)",
        "PF201 tolerates-everything: -/web tolerates every taint",
    ]
