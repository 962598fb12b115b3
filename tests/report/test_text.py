"""The text for a person, written by hand to the last blank."""

from __future__ import annotations

import re

import pytest

from preflight.model.report import CheckedCounts, Location, Outcome, Problem, Report, Severity, SkippedCheck
from preflight.report.text import render, render_problems
from tests.report.reports import LINT, NOTHING, PLAN, RDMA, covered, finding, report, step

CASES = {
    "nothing is there and nothing is found": (NOTHING, "? nothing was checked\n\nChecked 0 objects.\n"),
    "a change that costs nothing prints what was judged": (
        report(step(covered("a/agent", Outcome.KEPT)), judged=CheckedCounts(files=1, objects=9, daemonsets=1, nodes=6, pairs=2)),
        """\
taint dedicated=rdma:NoSchedule on rdma-1, rdma-2
no DaemonSet loses a node

  a/agent keeps its pods

Checked 1 DaemonSet on 2 of 6 nodes.
""",
    ),
    "a step without words is its table": (
        report(
            step(covered("a/agent", Outcome.KEPT), headline="", command=""),
            command="",
            judged=CheckedCounts(objects=3, daemonsets=1, nodes=2, pairs=2),
        ),
        """\
no findings

  a/agent runs where it should

Checked 3 objects, and 1 DaemonSet on 2 nodes.
""",
    ),
    "a change that meets no DaemonSet says so": (
        report(step(), judged=CheckedCounts(nodes=2)),
        """\
taint dedicated=rdma:NoSchedule on rdma-1, rdma-2
? nothing was checked

  no DaemonSet to check

Checked 0 DaemonSets on 2 nodes.
""",
    ),
    "a taint that two nodes get": (
        RDMA,
        """\
taint dedicated=rdma:NoSchedule on rdma-1, rdma-2
x 3 DaemonSets lose 2 nodes when their pods are re-created

  DAEMONSET                      NODES  NOW  RE-CREATED  TOLERATES  WHY
x kube-system/rdma-device-plugin     2    2           0  no         does not tolerate dedicated=rdma:NoSchedule
x logging/log-agent                  2    2           0  no         tolerates dedicated only with an empty value (no operator means Equal)
x storage/csi-rdma-node              2    2           0  no         does not tolerate dedicated=rdma:NoSchedule
  2 DaemonSets keep their pods (--all-rows lists them)
  2 DaemonSets leave these nodes out by their selector

error[PF102] lost-on-recreation: storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created
  --> daemonsets/csi.yaml:31:7
   |
31 |       tolerations:
   |       ^^^^^^^^^^^ nothing here tolerates dedicated=rdma:NoSchedule
   = impact: mounts and unmounts of csi.rdma.example.com hang on these nodes; 3 workloads use it
   = fix:  - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}

Next:
  # add the suggested tolerations to the manifests, and check again
  preflight explain PF102

1 error. Checked 7 DaemonSets on 2 of 6 nodes. Coverage assumed (no pods given). \
Not checked: PodDisruptionBudgets (not given).
""",
    ),
    "a plan prints each step with its findings, and those of no step last": (
        PLAN,
        """\
plan plan.yaml
x storage/csi-rdma-node loses 2 nodes, some now and some when pods are re-created

step 1 of 2: taint dedicated=rdma:NoSchedule on rdma-1, rdma-2
x storage/csi-rdma-node loses 2 nodes when its pods are re-created

  DAEMONSET             NODES  NOW  RE-CREATED  TOLERATES         WHY
x storage/csi-rdma-node     2    2           0  no                does not tolerate dedicated=rdma:NoSchedule
  storage/other             2    2           2  key (any effect)

error[PF102] lost-on-recreation: storage/csi-rdma-node loses rdma-1, rdma-2 when its pods are re-created

step 2 of 2: update storage/csi-rdma-node
x storage/csi-rdma-node loses 2 nodes now
  note: the rollout is taken to finish

  DAEMONSET             NODES  NOW  RE-CREATED  WHY
x storage/csi-rdma-node     2    0           0  the update deletes its pod, and no new one is made

error[PF101] lost-now: storage/csi-rdma-node loses rdma-1, rdma-2 now

warning[PF201] tolerates-everything: -/web tolerates every taint

Next:
  # do not make this change as it is: leave it out, or change the DaemonSets above first, and check again
  preflight explain PF102

2 errors, 1 warning. Checked 2 DaemonSets on 2 of 6 nodes.
""",
    ),
    "lint with a loop, an unknown, an exemption, and files that could not be read": (
        LINT,
        """\
coverage as it is
x a/agent is deleted and re-created again and again on 2 nodes; 1 error: invalid-taint; \
unknown for 1 of 2 DaemonSets: its namespace is not given; unknown: mapping values are not allowed here (and 1 more)

  DAEMONSET NODES  NOW  RE-CREATED  TOLERATES   WHY
x a/agent       2    2           2  key, 300 s  deleted and re-created every 300 s
? -/late        2   0?          0?              its namespace is not given

error[PF103] evict-loop: storage/csi-rdma-node is deleted and re-created every 300 s
 --> a.yaml:3
  = note: the taint is here (nodes.yaml:9:5)
  = note: elsewhere

error[PF206] invalid-taint: n-3 has an invalid taint

Next:
  preflight explain PF103

2 errors, 1 exempted. 1 file could not be read. Checked 12 objects in 3 files, and 2 DaemonSets on 3 nodes. \
Not checked: chart/templates/a.yaml (render it first: helm template chart), budgets.
""",
    ),
    "one node, and one DaemonSet that leaves it out": (
        report(
            step(covered("a/agent", Outcome.EXCLUDED, nodes=("n-1",)), headline="cordon n-1", nodes=("n-1",)),
            judged=CheckedCounts(files=1, daemonsets=1, nodes=1, pairs=1),
        ),
        """\
cordon n-1
no DaemonSet loses a node

  1 DaemonSet leaves this node out by its selector

Checked 1 DaemonSet on 1 node.
""",
    ),
    "a drain has a column for the node that replaces this one": (
        report(
            step(
                covered("a/agent", Outcome.KEPT, replaced=0),
                covered("a/proxy", Outcome.KEPT),
                columns=("NOW", "AFTER REBOOT", "AFTER REPLACEMENT"),
                headline="drain rdma-1, rdma-2",
            )
        ),
        """\
drain rdma-1, rdma-2
no DaemonSet loses a node; a/agent loses 2 nodes if they are replaced

  DAEMONSET NODES  NOW  AFTER REBOOT  AFTER REPLACEMENT
  a/agent       2    2             2                  0
  a/proxy       2    2             2                  -

Checked 2 DaemonSets on 2 of 6 nodes.
""",
    ),
}


@pytest.mark.parametrize(("given", "text"), CASES.values(), ids=CASES)
def test_text(given: Report, text: str) -> None:
    assert render(given) == text


def test_colour_adds_colour_and_nothing_else() -> None:
    for given, text in CASES.values():
        assert re.sub(r"\x1b\[[0-9;]*m", "", render(given, color=True)) == text


def test_a_terminal_breaks_lines_between_words() -> None:
    given = report(
        step(headline="taint dedicated=rdma:NoSchedule on rdma-1", notes=("the node rdma-1 is not given, so its labels are not known",)),
        findings=(finding("loses rdma-1 when its pods are re-created", notes=(("then", "mounts and unmounts hang on these nodes"),)),),
    )
    text = """\
taint dedicated=rdma:NoSchedule on
rdma-1
x 1 error: lost-on-recreation
  note: the node rdma-1 is not given, so
        its labels are not known

  no DaemonSet to check

error[PF102] lost-on-recreation:
storage/csi-rdma-node loses rdma-1 when
its pods are re-created
  = impact: mounts and unmounts hang on
            these nodes

Next:
  # do not make this change as it is: leave it out, or change the DaemonSets above first, and check again
  preflight explain PF102

1 error. Checked 2 DaemonSets on 2 of 6
nodes.
"""
    assert render(given, width=40) == text
    assert re.sub(r"\x1b\[[0-9;]*m", "", render(given, width=40, color=True)) == text


def test_colours() -> None:
    given = report(
        step(covered("a/agent", Outcome.LOST_NOW, "gone")), findings=(finding(location=Location("a.yaml", 1, 2, "", " a:"), label="here"),)
    )
    assert render(given, color=True).splitlines()[:-6] == [
        "\x1b[1mtaint dedicated=rdma:NoSchedule on rdma-1, rdma-2\x1b[0m",
        "\x1b[1;31mx a/agent loses 2 nodes now\x1b[0m",
        "",
        "\x1b[1m  DAEMONSET NODES  NOW  RE-CREATED  WHY\x1b[0m",
        "\x1b[1;31mx\x1b[0m a/agent       2    0           0  gone",
        "",
        "\x1b[1;31merror[PF102]\x1b[0m\x1b[1m lost-on-recreation: storage/csi-rdma-node loses rdma-1, rdma-2\x1b[0m",
        " --> a.yaml:1:2",
        "  |",
        "1 |  a:",
        "  |  \x1b[1;31m^ here\x1b[0m",
    ]


def _many(number: int, command: str) -> Report:
    sorts = [(Severity.NOTE, "PF202", "tolerates-any-value"), (Severity.ERROR, "PF206", "invalid-taint")]
    return report(
        command=command,
        findings=tuple(finding(f"says {at}", *sorts[at % 2], key=(str(at),)) for at in range(number)),
        judged=CheckedCounts(files=1, objects=number),
    )


def _list_said(text: str) -> list[str]:
    return re.findall(r"says (\d+)", text)


def test_ten_findings_are_printed_in_their_order() -> None:
    text = render(_many(10, ""))
    assert _list_said(text) == [str(number) for number in range(10)]
    assert "--all-rows" not in text


def test_of_eleven_findings_without_a_change_the_worst_ten_are_printed() -> None:
    text = render(_many(12, ""))
    assert _list_said(text) == ["1", "3", "5", "7", "9", "11", "0", "2", "4", "6"]
    assert text.endswith("""
12 findings in all, the worst 10 above (--all-rows shows all, --write-baseline FILE accepts them for now):
  6  PF206 invalid-taint
  6  PF202 tolerates-any-value

Next:
  preflight explain PF206

6 errors, 6 notes. Checked 12 objects in 1 file.
""")


def test_one_finding_is_not_left_out_for_the_lines_that_count_it() -> None:
    assert len(_list_said(render(_many(11, "")))) == 11


def test_of_the_worst_ten_those_beyond_a_screenful_say_only_what_and_where() -> None:
    # Each has seven lines with the empty one: the fifth still begins within 30 lines.
    findings = tuple(finding(location=Location("a.yaml", 1), notes=(("then", "it hurts"),) * 4, key=(str(at),)) for at in range(12))
    given = report(command="", judged=CheckedCounts(files=1, objects=11), findings=findings)
    text = render(given)
    assert text.count("storage/csi-rdma-node loses") == text.count(" --> a.yaml:1\n") == 10
    assert text.count("it hurts") == 5 * 4
    assert render(given, all_rows=True).count("it hurts") == 12 * 4


@pytest.mark.parametrize(("command", "all_rows"), [("", True), ("taint", False)], ids=["asked for", "of a change"])
def test_all_findings_are_printed(command: str, all_rows: bool) -> None:
    text = render(_many(12, command), all_rows=all_rows)
    assert _list_said(text) == [str(number) for number in range(12)]
    assert "--all-rows" not in text


def test_of_skipped_things_with_the_same_reason_the_first_three_are_named() -> None:
    skipped = tuple(SkippedCheck(f"{number}.yaml", "render it first") for number in range(9))
    given = report(command="", judged=CheckedCounts(), skipped=(*skipped[:5], SkippedCheck("Jobs", "not given"), *skipped[5:]))
    assert render(given) == (
        "? nothing was checked\n\nChecked 0 objects. Not checked: 0.yaml, 1.yaml, 2.yaml + 6 more (render it first), Jobs (not given).\n"
    )


def test_two_problems_of_one_file_are_one_file() -> None:
    problems = (Problem("a", Location("a.yaml", 1)), Problem("b", Location("a.yaml", 2)))
    assert (
        render(report(command="", judged=CheckedCounts(), problems=problems))
        == "? unknown: a (and 1 more)\n\n1 file could not be read. Checked 0 objects.\n"
    )


def test_a_line_of_a_script_is_counted_as_a_line() -> None:
    lines = tuple(Problem("x", Location("run.sh", number), is_line=True) for number in (1, 2))
    given = report(command="", judged=CheckedCounts(), problems=(*lines, Problem("a", Location("a.yaml", 1))))
    assert render(given) == "? unknown: x (and 2 more)\n\n1 file could not be read, 2 lines were not checked. Checked 0 objects.\n"


def test_problems_as_compilers_write_them() -> None:
    assert render_problems([]) == ""
    assert render_problems(LINT.problems) == "broken.yaml:3:8: error: mapping values are not allowed here\nerror: no such context\n"
    assert render_problems(LINT.problems[1:], color=True) == "\x1b[1;31merror:\x1b[0m no such context\n"


def test_the_order_of_the_coverage_changes_nothing() -> None:
    rows = RDMA.steps[0].coverage
    assert render(report(step(*rows))) == render(report(step(*reversed(rows))))
