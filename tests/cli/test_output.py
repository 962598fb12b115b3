"""Where a report goes, and in which format: findings to standard output or a file, everything else to standard error."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import program

TAINT = ("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "calm")
CONCISE = (
    "calm/agent.yaml:8:5: error[PF102] lost-on-recreation: storage/agent will not come back on n1 when its pods are re-created: "
    "no toleration for dedicated=rdma:NoSchedule\n"
)
TEXT = """\
taint dedicated=rdma:NoSchedule on n1
x storage/agent loses n1 when its pods are re-created

  DAEMONSET     NODES  NOW  RE-CREATED  TOLERATES
x storage/agent     1    1           0  no

error[PF102] lost-on-recreation: storage/agent will not come back on n1 when its pods are re-created: no toleration for \
dedicated=rdma:NoSchedule
 --> calm/agent.yaml:8:5
  |
8 |     spec:
  |     ^^^^ no toleration here matches dedicated=rdma:NoSchedule
  = fix:  - {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}

Next:
  preflight fix calm --for "taint nodes n1 dedicated=rdma:NoSchedule"  # prints the edits and their order
  # apply the fixed manifests, and wait for each rollout: kubectl rollout status
  kubectl taint nodes n1 dedicated=rdma:NoSchedule
  preflight explain PF102

"""


def test_text_is_the_default() -> None:
    result = program(*TAINT)
    assert result.out.startswith(TEXT)
    assert result.out.count("\n\n") == TEXT.count("\n\n")
    assert result.err == ""
    assert program(*TAINT, "-o", "text") == result


@pytest.mark.parametrize("words", [["-o", "concise"], ["-oconcise"], ["-o=concise"], ["--output", "concise"], ["--output=concise"]])
def test_the_ways_to_ask_for_a_format(words: list[str]) -> None:
    assert program(*TAINT, *words) == (1, CONCISE, "")
    assert program(*words, *TAINT) == (1, CONCISE, "")


def test_json() -> None:
    result = program(*TAINT, "-o", "json")
    report = json.loads(result.out)
    assert report["exit"] == result.code == 1
    assert report["change"]["command"] == "taint nodes n1 dedicated=rdma:NoSchedule"
    assert [finding["rule"] for finding in report["findings"]] == ["PF102"]


def test_several_formats_each_to_its_place() -> None:
    result = program(*TAINT, "-o", "json=report.json", "-o", "concise", "-o", "text=report=1.txt")
    assert result == (1, CONCISE, "")
    assert json.loads(Path("report.json").read_text(encoding="utf-8")) == json.loads(program(*TAINT, "-o", "json").out)
    assert Path("report=1.txt").read_text(encoding="utf-8") == program(*TAINT).out


def test_a_report_that_goes_to_a_file_alone_leaves_standard_output_empty() -> None:
    assert program(*TAINT, "-o", "concise=report.txt") == (1, "", "")
    assert Path("report.txt").read_text(encoding="utf-8") == CONCISE


KNOWN = ": must be one of text, concise, json, sarif, junit, github, gitlab, markdown, html"
OURS = f"{KNOWN} (-o chooses the format of the report; kubectl's formats of objects do not apply)"


@pytest.mark.parametrize(
    ("word", "says"),
    [
        pytest.param("xml", KNOWN, id="a format that is none"),
        pytest.param("", KNOWN, id="no format"),
        pytest.param("yaml", OURS, id="kubectl's yaml"),
        pytest.param("name", OURS, id="kubectl's name"),
        pytest.param("wide", OURS, id="kubectl's wide"),
        pytest.param("JSON", ": did you mean json?", id="another case"),
    ],
)
def test_an_unknown_format_is_said_before_anything_is_read(word: str, says: str) -> None:
    result = program("lint", "missing", "-o", word)
    assert result == (
        2,
        "",
        f"error: unknown output format \"{word}\"{says}\nSee 'preflight lint --help'\n",
    )


def test_two_formats_for_standard_output() -> None:
    says = "error: only one -o can go to standard output: give the others a path, as in -o json=report.json\nSee 'preflight taint --help'\n"
    assert program(*TAINT, "-o", "json", "-o", "text") == (2, "", says)


def test_a_file_that_cannot_be_written() -> None:
    says = "error: cannot write missing/report.txt: No such file or directory\n"
    assert program(*TAINT, "-o", "text=missing/report.txt") == (3, "", says)


def test_what_cannot_be_read_goes_to_standard_error_and_the_rest_is_judged() -> None:
    result = program("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "broken", "-o", "concise")
    assert result.code == 3
    assert result.out == CONCISE.replace("calm", "broken")
    where, _, message = result.err.partition(" error: ")
    assert where == "broken/broken.yaml:2:4:"
    assert message.count("\n") == 1


def test_a_terminal_gets_colour_and_a_pipe_none() -> None:
    assert "\x1b[" in program(*TAINT, terminal=True).out
    assert "\x1b[" not in program(*TAINT).out


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("CI", "true"), ("TERM", "dumb")])
def test_who_wants_no_colour_gets_none(name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    assert program(*TAINT, terminal=True).out == program(*TAINT).out


@pytest.mark.parametrize("name", ["NO_COLOR", "CI"])
def test_an_empty_word_of_the_environment_is_none(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "")
    assert "\x1b[" in program(*TAINT, terminal=True).out


def test_a_file_gets_no_colour_from_a_terminal() -> None:
    program(*TAINT, "-o", "text=report.txt", terminal=True)
    assert Path("report.txt").read_text(encoding="utf-8") == program(*TAINT).out


def test_all_rows_cuts_nothing() -> None:
    nodes = "".join(f"---\n{{apiVersion: v1, kind: Node, metadata: {{name: m{n}, labels: {{x: true}}}}}}\n" for n in range(11))
    Path("calm/more.yaml").write_text(nodes, encoding="utf-8")
    cut, whole = program("lint", "calm"), program("lint", "calm", "--all-rows")
    assert [line.split()[0] for line in cut.out.splitlines() if line.startswith("  m")] == [f"m{n}" for n in (0, 1, 10, 2, 3, 4, 5, 6)]
    assert "\n  and 3 more (--all-rows lists them)\n" in cut.out
    assert sum(line.startswith("  m") for line in whole.out.splitlines()) == 11
    assert "--all-rows" not in whole.out


def test_why_prints_the_chain_of_one_pair_in_the_place_of_tables_and_findings() -> None:
    result = program("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "calm", "--why", "storage/agent/n1")
    assert result.code == 1
    chain, summary = result.out.split("\n\n")
    assert chain.splitlines()[:4] == [
        "change      taint nodes n1 dedicated=rdma:NoSchedule",
        "node        n1 gets the taint dedicated=rdma:NoSchedule",
        "toleration  no toleration of the template matches dedicated=rdma:NoSchedule: none has the key dedicated",
        "controller  no new pod should run on n1, but an existing pod may stay: only NoSchedule taints are in the way",
    ]
    assert summary.startswith("1 error. Checked")


def test_why_of_a_pair_that_was_not_judged_is_refused() -> None:
    result = program("taint", "nodes", "n1", "dedicated=rdma:NoSchedule", "--from", "calm", "--why", "agent/n2")
    assert (result.code, result.out) == (2, "")
    assert "--why agent/n2: no such pair was checked" in result.err
