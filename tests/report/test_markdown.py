"""Markdown for a merge request: rendered by GitHub's own cmark."""

from __future__ import annotations

import pytest

from preflight.model.report import Finding, Location, Outcome, Report, Severity, Subject
from preflight.report.findings import draw_finding
from preflight.report.markdown import MOST, render
from preflight.report.summary import format_summary
from preflight.report.terminal import Ink
from tests.report.readers import Page
from tests.report.reports import ALL, LINT, NO, NOTHING, PLAN, RDMA, covered, finding, how, report, step

NAMES = [f"team-{number:04}/agent" for number in range(2000)]


def test_nothing_is_found() -> None:
    assert render(NOTHING) == "<!-- preflight -->\n### preflight: No findings\n\n**`?` `nothing was checked`**\n\n`Checked 0 objects.`\n"


def test_the_table_comes_first_then_the_findings_then_one_line_that_sums_up() -> None:
    assert render(RDMA).splitlines() == [
        "<!-- preflight -->",
        "### preflight: 1 error",
        "",
        "**`x` `3 DaemonSets lose 2 nodes when their pods are re-created`**",
        "",
        "`taint dedicated=rdma:NoSchedule on rdma-1, rdma-2`",
        "",
        "|  | DaemonSet | nodes | now | re-created | tolerates | why |",
        "| --- | --- | --: | --: | --: | --- | --- |",
        "| `x` | `kube-system/rdma-device-plugin` | 2 | 2 | 0 | `no` | `does not tolerate dedicated=rdma:NoSchedule` |",
        "| `x` | `logging/log-agent` | 2 | 2 | 0 | `no` | `tolerates dedicated only with an empty value (no operator means Equal)` |",
        "| `x` | `storage/csi-rdma-node` | 2 | 2 | 0 | `no` | `does not tolerate dedicated=rdma:NoSchedule` |",
        "",
        "2 DaemonSets keep their pods",
        "",
        "2 DaemonSets left out by selector",
        "",
        "<details><summary>error <code>PF102 lost-on-recreation</code>: <code>storage/csi-rdma-node</code>"
        " at <code>daemonsets/csi.yaml:31:7</code></summary>",
        "",
        "```text",
        *draw_finding(RDMA.findings[0], Ink(False), 0),
        "```",
        "</details>",
        "",
        "```text",
        "# add the suggested tolerations to the manifests, and check again",
        "preflight explain PF102",
        "```",
        "",
        f"`{format_summary(RDMA)}`",
    ]


def test_each_step_of_a_plan_has_its_table() -> None:
    lines = render(PLAN).splitlines()
    assert [line for line in lines if line.startswith("step ")] == [
        "step 1 of 2: `taint dedicated=rdma:NoSchedule on rdma-1, rdma-2`",
        "step 2 of 2: `update storage/csi-rdma-node`",
    ]
    assert "- `the rollout is taken to finish`" in lines
    assert [line for line in lines if line.startswith("<details>")] == [
        "<details><summary>error <code>PF102 lost-on-recreation</code>: <code>storage/csi-rdma-node</code> (step 1 of 2)</summary>",
        "<details><summary>error <code>PF101 lost-now</code>: <code>storage/csi-rdma-node</code> (step 2 of 2)</summary>",
        "<details><summary>warning <code>PF201 tolerates-everything</code>: <code>-/web</code></summary>",
    ]
    assert Page(render(PLAN)).tags.count("table") == 2


def test_problems_come_before_the_findings_and_exempted_ones_last() -> None:
    text = render(LINT)
    heads = [line for line in text.splitlines() if line.startswith("<details>")]
    assert heads[0] == "<details><summary>what could not be read</summary>"
    assert heads[-1] == "<details><summary>1 exempted</summary>"
    assert "\n- broken.yaml:3:8: error: mapping values are not allowed here\n- error: no such context\n" in text
    assert "\n- PF202 tolerates-any-value: storage/csi-rdma-node tolerates any value: accepted until the move\n" in text
    assert "| `?` | `-/late` | 2 | 0? | 0? |  | `its namespace is not given` |\n" in text


def test_without_a_step_the_table_counts_the_findings_of_each_rule() -> None:
    wild = ("tolerates every taint", Severity.WARNING, "PF201", "tolerates-everything")
    lines = render(report(command="", findings=(finding(*wild), finding(*wild), finding(), finding(exempted="accepted")))).splitlines()
    assert lines[5:9] == [
        "|  | rule | findings |",
        "| --- | --- | --: |",
        "| error | `PF102 lost-on-recreation` | 1 |",
        "| warning | `PF201 tolerates-everything` | 2 |",
    ]


@pytest.mark.parametrize(("counts", "cells"), [((2, 0, None), "2 | 0 | -"), ((2, 1, 0), "2 | 1 | 0")], ids=["not asked", "all asked"])
def test_what_was_not_asked_is_a_dash(counts: tuple[int, int, int | None], cells: str) -> None:
    now, recreated, replaced = counts
    columns = ("NOW", "AFTER REBOOT", "AFTER REPLACEMENT")
    lost = covered("a/b", Outcome.LOST_ON_RECREATION, now=now, recreated=recreated, replaced=replaced)
    text = render(report(step(lost, columns=columns)))
    assert "|  | DaemonSet | nodes | now | after reboot | after replacement | tolerates | why |\n" in text
    assert f"| `x` | `a/b` | 2 | {cells} |  |  |\n" in text


def test_a_step_without_a_daemonset() -> None:
    assert "\nno DaemonSet to check\n" in render(report(step()))
    assert "\n1 DaemonSet left out by selector\n" in render(report(step(covered("a/b", Outcome.EXCLUDED))))


def test_a_step_shows_twenty_notes_and_counts_the_rest() -> None:
    text = render(report(step(notes=tuple(f"changed {number}" for number in range(21)))))
    assert "\n- `changed 19`\n- 1 more note\n\n" in text
    assert "changed 20" not in text
    assert "more note" not in render(report(step(notes=("changed",) * 20)))


def test_a_table_has_thirty_rows_unless_all_are_asked_for() -> None:
    given = report(step(*(covered(name, Outcome.LOST_NOW, NO, tolerates=(how("no"),)) for name in NAMES[:40])))
    assert "\n10 more DaemonSets not shown\n" in render(given)
    assert Page(render(given)).tags.count("tr") == 31
    assert Page(render(given, all_rows=True)).tags.count("tr") == 41


def lost(name: str) -> Finding:
    namespace, _, short = name.partition("/")
    return finding(
        "loses rdma-1", subject=Subject("DaemonSet", namespace, short), location=Location("a.yaml", 3, 1, "", "spec:"), key=(name,)
    )


def large(findings: int = 2000, steps: int = 1) -> Report:
    found = map(lost, NAMES[:findings])
    each = step(*(covered(name, Outcome.LOST_NOW, NO) for name in NAMES))
    return report(*(each,) * steps, findings=(*found, finding("is worse than a note", Severity.NOTE), finding(exempted="accepted")))


@pytest.mark.parametrize("all_rows", [False, True])
@pytest.mark.parametrize("steps", [0, 1, 9])
def test_a_comment_has_room_for_it_and_what_was_cut_is_said(steps: int, all_rows: bool) -> None:
    text = render(large(steps=steps), all_rows=all_rows)
    assert MOST - 1000 < len(text) <= MOST
    page = Page(text)
    shown = sum(code.startswith("error[PF102]") for code in page.code)
    assert f"Cut here: {2001 - shown} findings more, since a comment has room for 60,000 characters. " in page.prose
    assert shown > 50
    assert "1 exempted" in page.prose
    assert page.code[-1].startswith("2000 errors, 1 note, 1 exempted. Checked")
    assert page.tags.count("details") == shown + 1


def test_tables_leave_room_for_findings_and_steps_that_are_not_shown_are_counted() -> None:
    text = render(large(findings=1, steps=30))
    assert Page(text).tags.count("details") == 3
    shown = sum(line.startswith("step ") for line in text.splitlines())
    assert f"**Cut here: {30 - shown} more steps. `-o json` has all.**" in text
    assert text.count("1970 more DaemonSets not shown") == shown - 1


def test_what_fits_is_not_cut() -> None:
    assert "Cut here" not in render(large(findings=10))
    assert all("Cut here" not in render(report) for report in ALL.values())


def test_a_long_finding_is_cut_too() -> None:
    text = render(report(findings=(finding("x" * 9000, notes=(("then", "y"),) * 50),)))
    assert len(text) < 3000
    assert "\n... 31 more lines\n" in text


def test_a_name_outside_of_code_would_be_noticed() -> None:
    page = Page("| a |\n| --- |\n| forged `code` |\n")
    assert "forged" in page.prose
    assert page.code == ["code"]
    with pytest.raises(AssertionError):
        Page("[a](forged)")
    with pytest.raises(AssertionError):
        Page("see www.forged.example")
