"""Workflow commands of GitHub Actions, read as its runner reads them."""

from __future__ import annotations

import pytest

from preflight.model.report import Location, Problem, Report, Severity
from preflight.report.github import render
from tests.report.readers import Command, github
from tests.report.reports import LINT, NOTHING, PLAN, RDMA, finding, report

CASES: dict[str, tuple[Report, str]] = {
    "nothing is found": (NOTHING, ""),
    "exempted findings alone": (report(findings=(finding(exempted="accepted"),)), ""),
    "a finding with its place": (
        RDMA,
        "::error file=daemonsets/csi.yaml,line=31,col=7,title=PF102 lost-on-recreation::"
        "storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created%0A"
        "note: nothing here tolerates dedicated=rdma:NoSchedule%0A"
        "then: mounts and unmounts of csi.rdma.example.com hang on these nodes; 3 workloads use it%0A"
        "fix: - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}\n",
    ),
    "findings of a plan say their step; without a file they are of the whole run": (
        PLAN,
        "::error title=PF102 lost-on-recreation::storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created (step 1 of 2)\n"
        "::error title=PF101 lost-now::storage/csi-rdma-node loses rdma-1, rdma-2 now (step 2 of 2)\n"
        "::warning title=PF201 tolerates-everything::-/web tolerates every taint\n",
    ),
    "what could not be read comes first, and exempted findings are left out": (
        LINT,
        "::error file=broken.yaml,line=3,col=8,title=could not be read::mapping values are not allowed here\n"
        "::error title=could not be read::no such context\n"
        "::error file=a.yaml,line=3,title=PF103 evict-loop::storage/csi-rdma-node is deleted and re-created every 300 s%0A"
        "note: the taint is here (nodes.yaml:9:5)%0Anote: elsewhere\n"
        "::error title=PF206 invalid-taint::n-3 has an invalid taint\n",
    ),
    "standard input is no file, and its line is said": (
        report(findings=(finding("is odd", location=Location("-", 31, 7)),)),
        "::error title=PF102 lost-on-recreation::storage/csi-rdma-node is odd (at -:31:7)\n",
    ),
    "the worst come first": (
        report(findings=tuple(finding(f"is {severity}", severity) for severity in reversed(Severity))),
        "::error title=PF102 lost-on-recreation::storage/csi-rdma-node is error\n"
        "::warning title=PF102 lost-on-recreation::storage/csi-rdma-node is warning\n"
        "::notice title=PF102 lost-on-recreation::storage/csi-rdma-node is note\n",
    ),
}


@pytest.mark.parametrize(("given", "text"), CASES.values(), ids=CASES)
def test_github(given: Report, text: str) -> None:
    assert render(given) == text


def test_what_a_property_holds_comes_back_as_it_was() -> None:
    odd = "a,line=9::b%0Ac%250A=d.yaml"
    (command,) = github(render(report(findings=(finding("has %25 and ::", location=Location(odd, 3)),))))
    assert command == Command(
        "error", {"file": odd, "line": "3", "title": "PF102 lost-on-recreation"}, "storage/csi-rdma-node has %25 and ::"
    )


def test_an_unescaped_name_would_be_noticed() -> None:
    assert github("::error file=a,line=9::b::x") == [Command("error", {"file": "a", "line": "9"}, "b::x")]
    with pytest.raises(AssertionError):
        github("::stop-commands::x")
    with pytest.raises(AssertionError):
        github("a ##[error]x")


def many(errors: int = 0, warnings: int = 0, notes: int = 0, problems: int = 0) -> Report:
    numbers = zip(Severity, (errors, warnings, notes), strict=True)
    found = tuple(finding(f"has {severity} {at}", severity) for severity, number in numbers for at in range(number))
    return report(findings=found, problems=tuple(Problem(f"problem {at}") for at in range(problems)))


def shown(given: Report) -> tuple[dict[str, int], list[str]]:
    """How many annotations of each kind there are, and every line from the first that is none on."""
    commands = github(render(given))
    names = [command.name if isinstance(command, Command) else "" for command in commands]
    numbers = {kind: names.count(kind) for kind in ("error", "warning", "notice")}
    start = names.index("group") if "group" in names else len(names)
    return numbers, [f"{each.name}: {each.data}" if isinstance(each, Command) else each for each in commands[start:]]


def test_ten_of_each_kind_are_all_shown() -> None:
    assert shown(many(10, 10, 10)) == ({"error": 10, "warning": 10, "notice": 10}, [])
    assert shown(many(errors=4, problems=6)) == ({"error": 10, "warning": 0, "notice": 0}, [])


def test_the_eleventh_of_a_kind_is_a_line_and_a_last_notice_says_so() -> None:
    assert shown(many(errors=11)) == (
        {"error": 10, "warning": 0, "notice": 1},
        [
            "group: preflight: the other findings (1 error)",
            "storage/csi-rdma-node: error[PF102] lost-on-recreation: storage/csi-rdma-node has error 10",
            "endgroup: ",
            "notice: GitHub shows 10 annotations of a kind for a step; the others are in its log: 1 error",
        ],
    )


def test_the_last_notice_takes_the_place_of_the_tenth_note() -> None:
    numbers, rest = shown(many(warnings=12, notes=10, problems=11))
    assert numbers == {"error": 10, "warning": 10, "notice": 10}
    assert rest[0] == "group: preflight: the other findings (1 input, 2 warnings, 1 note)"
    assert rest[1] == "error: problem 10"
    assert rest[-3].endswith("has note 9")
    assert rest[-1].endswith("; the others are in its log: 1 input, 2 warnings, 1 note")
