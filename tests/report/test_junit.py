"""JUnit XML: read by junitparser, and held to the elements and attributes that Jenkins knows."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from junitparser import Error, Failure, JUnitXml, Skipped, TestCase, TestSuite

from preflight.model.report import Outcome, Report, Severity
from preflight.report.junit import render
from tests.report.readers import junit
from tests.report.reports import ALL, LINT, NOTHING, PLAN, RDMA, covered, finding, report, step


def suite(given: Report) -> TestSuite:
    """The one suite of a report, as junitparser reads it."""
    text = render(given)
    junit(text)
    (only,) = JUnitXml.fromstring(text.encode())
    assert isinstance(only, TestSuite)
    return only


def cases(given: Report) -> list[Case]:
    """The test cases: class, name, and what became of each."""
    found = []
    for case in suite(given):
        assert isinstance(case, TestCase)
        found.append((str(case.classname), str(case.name), [(type(each).__name__, str(each.message)) for each in case.result]))
    return found


Case = tuple[str, str, list[tuple[str, str]]]
INPUT: Case = ("preflight", "input", [])


@pytest.mark.parametrize("given", ALL.values(), ids=ALL)
def test_the_numbers_are_those_that_a_reader_counts(given: Report) -> None:
    read = suite(given)
    results = [result for case in read for result in case.result]
    assert read.tests == len(list(read))
    for number, kind in ((read.failures, Failure), (read.errors, Error), (read.skipped, Skipped)):
        assert number == sum(type(result) is kind for result in results)


def test_nothing_is_found() -> None:
    assert render(NOTHING) == (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<testsuites name="preflight" tests="1" failures="0" errors="0">\n'
        '  <testsuite name="preflight" tests="1" failures="0" errors="0" skipped="0">\n'
        '    <testcase classname="preflight" name="input">\n'
        "      <system-out>Checked 0 objects.</system-out>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n"
    )


def test_a_daemonset_fails_by_its_rule_and_the_others_pass_or_say_why_not() -> None:
    lost = "lost-on-recreation on rdma-1, rdma-2: "
    assert cases(RDMA) == [
        INPUT,
        (
            "DaemonSet storage/csi-rdma-node",
            "PF102 lost-on-recreation",
            [("Failure", "storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created")],
        ),
        ("DaemonSet kube-system/kube-proxy", "coverage", []),
        ("DaemonSet kube-system/rdma-device-plugin", "coverage", [("Skipped", f"{lost}does not tolerate dedicated=rdma:NoSchedule")]),
        ("DaemonSet monitoring/node-exporter", "coverage", []),
        ("DaemonSet a/general", "coverage", []),
        ("DaemonSet a/gpu", "coverage", []),
        (
            "DaemonSet logging/log-agent",
            "coverage",
            [("Skipped", f"{lost}tolerates dedicated only with an empty value (no operator means Equal)")],
        ),
    ]


def test_the_text_of_a_failure_is_the_finding_as_the_terminal_shows_it() -> None:
    (failure,) = junit(render(RDMA)).iter("failure")
    assert failure.attrib["type"] == "error"
    assert (failure.text or "").splitlines() == [
        "error[PF102] lost-on-recreation: storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created",
        "  --> daemonsets/csi.yaml:31:7",
        "   |",
        "31 |       tolerations:",
        "   |       ^^^^^^^^^^^ nothing here tolerates dedicated=rdma:NoSchedule",
        "   = impact: mounts and unmounts of csi.rdma.example.com hang on these nodes; 3 workloads use it",
        "   = fix:  - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}",
    ]


def test_problems_exemptions_and_what_is_unknown() -> None:
    csi = "DaemonSet storage/csi-rdma-node"
    assert cases(LINT) == [
        ("preflight", "input", [("Error", "mapping values are not allowed here")]),
        (
            "DaemonSet storage/csi-rdma-node",
            "PF103 evict-loop",
            [("Failure", "storage/csi-rdma-node is deleted and re-created every 300 s")],
        ),
        (csi, "PF202 tolerates-any-value", [("Skipped", "exempted: accepted until the move")]),
        ("Node n-3", "PF206 invalid-taint", [("Failure", "n-3 has an invalid taint")]),
        ("DaemonSet a/agent", "coverage", [("Skipped", "loop on rdma-1, rdma-2")]),
        ("DaemonSet -/late (late.yaml)", "coverage", [("Skipped", "unknown on rdma-1, rdma-2: its namespace is not given")]),
    ]
    (error,) = junit(render(LINT)).iter("error")
    assert error.text == "broken.yaml:3:8: error: mapping values are not allowed here\nerror: no such context"


def test_findings_of_a_plan_say_their_step() -> None:
    first, second, third = junit(render(PLAN)).iter("failure")
    assert first.attrib["message"] == "storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created (step 1 of 2)"
    assert (second.text or "").splitlines()[-1] == "  = step: 2 of 2"
    assert third.attrib["type"] == "warning"


def test_findings_of_one_object_and_rule_are_one_case() -> None:
    given = report(
        step(covered("storage/csi-rdma-node", Outcome.KEPT)),
        findings=(
            finding("is odd", Severity.WARNING),
            finding("is worse"),
            finding("is noted", Severity.NOTE),
            finding("is accepted", exempted="until June"),
            finding("is noted", Severity.NOTE, rule="PF202"),
        ),
    )
    assert cases(given) == [
        INPUT,
        ("DaemonSet storage/csi-rdma-node", "PF102 lost-on-recreation", [("Failure", "storage/csi-rdma-node is worse (+ 1 more)")]),
        ("DaemonSet storage/csi-rdma-node", "PF202 lost-on-recreation", []),
    ]
    _, out, note = (element.text for element in junit(render(given)).iter("system-out"))
    assert (out or "").splitlines() == [
        "note[PF102] lost-on-recreation: storage/csi-rdma-node is noted",
        "",
        "error[PF102] lost-on-recreation: storage/csi-rdma-node is accepted",
        "  = exempted: until June",
    ]
    assert note == "note[PF202] lost-on-recreation: storage/csi-rdma-node is noted"


def test_a_case_has_at_most_200_lines() -> None:
    (failure,) = junit(render(report(findings=(finding(),) * 150))).iter("failure")
    lines = (failure.text or "").splitlines()
    assert len(lines) == 201
    assert lines[-1] == "... 100 more lines"


def test_an_element_that_jenkins_does_not_know_is_noticed() -> None:
    with pytest.raises(AssertionError):
        junit("<testsuites><script/></testsuites>")
    with pytest.raises(AssertionError):
        junit('<testsuites><testsuite name="a" tests="1" failures="0" errors="0" onload="x"/></testsuites>')
    with pytest.raises(ElementTree.ParseError):
        junit("<testsuites>\x1b</testsuites>")
