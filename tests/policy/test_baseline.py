"""The baseline: what is accepted stays accepted while lines and files move, and only that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.program import Result, program
from tests.policy.conftest import Write
from tests.policy.manifests import WILD, daemonset

TODAY = ("--today", "2026-10-01")
LOOP = "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}"
HEAD = """\
# Findings that preflight accepts for now: they existed when `--write-baseline` wrote this file. New findings count.
# An entry is identified by its rule, object and key (tolerations, taints, fields, ...); messages, lines and files may change.
# `count` is the number of such findings that are accepted.
"""


def written(*argv: str) -> Result:
    return program("lint", "m", "--write-baseline", "b.yaml", *TODAY, *argv)


def lint(*argv: str) -> list[tuple[str, str, bool]]:
    """The findings against the baseline: rule, object, and whether it is accepted."""
    result = program("lint", "m", "--baseline", "b.yaml", *TODAY, "-o", "json", *argv)
    assert result.out, result.err
    found: list[dict[str, Any]] = json.loads(result.out)["findings"]
    assert {each["exempted"] for each in found} <= {None, "baseline b.yaml"}
    return [(each["rule"], each["subject"]["name"], each["exempted"] is not None) for each in found]


def test_nothing_to_accept(write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    result = written()
    assert (result.code, result.err) == (0, "wrote b.yaml: 0 findings accepted until 2026-12-30\n")
    assert Path("b.yaml").read_text(encoding="utf-8") == HEAD + 'version: 2\nexpires: "2026-12-30"\nfindings: []\n'
    assert lint() == []


def test_the_file_holds_what_was_found_sorted_and_the_same_again(write: Write) -> None:
    write("m/b.yaml", daemonset("two", LOOP, LOOP.replace("60", "30")) + "---\n" + daemonset("agent", WILD, namespace="a"))
    write("m/a.yaml", daemonset("two", WILD))
    result = written("--fail-on", "note")
    assert (result.code, result.err) == (0, "wrote b.yaml: 4 findings accepted until 2026-12-30\n")
    assert result.out.startswith("no findings\n\nNo findings, 4 exempted.")
    text = Path("b.yaml").read_text(encoding="utf-8")
    assert (
        text
        == HEAD
        + """\
version: 2
expires: "2026-12-30"
findings:
- rule: PF201
  subject: "DaemonSet a/agent"
  key: ["operator=Exists"]
- rule: PF201
  subject: "DaemonSet ops/two"
  key: ["operator=Exists"]
- rule: PF204
  subject: "DaemonSet ops/two"
  key: ["key=a operator=Exists effect=NoExecute seconds=60"]
- rule: PF210
  subject: "DaemonSet ops/two"
  key: ["key=a operator=Exists effect=NoExecute seconds=30", "key=a operator=Exists effect=NoExecute seconds=60"]
"""
    )
    written()
    assert Path("b.yaml").read_text(encoding="utf-8") == text


@pytest.fixture
def accepted(write: Write) -> Write:
    """One DaemonSet with two findings, accepted."""
    write("m/a.yaml", daemonset("agent", "{key: b, operator: Exists, effect: NoExecute}", LOOP))
    assert written().code == 0
    return write


@pytest.mark.usefixtures("accepted")
def test_the_same_is_accepted() -> None:
    assert lint("--fail-on", "note") == [("PF204", "agent", True), ("PF203", "agent", True)]


MOVED = {
    "lines above it": lambda text: "# one\n# two\n\n" + text,
    "tolerations in another order": lambda text: text.replace(f"        - {LOOP}\n", "").replace(
        "tolerations:\n", f"tolerations:\n        - {LOOP}\n"
    ),
    "another formatting": lambda text: json.dumps(yaml.safe_load(text), indent=4),
    "in a list with others": lambda text: "apiVersion: v1\nkind: List\nitems:\n- " + text.rstrip("\n").replace("\n", "\n  ") + "\n",
}


@pytest.mark.parametrize("move", MOVED.values(), ids=MOVED)
def test_it_may_move(move: Any, accepted: Write) -> None:
    text = Path("m/a.yaml").read_text(encoding="utf-8")
    Path("m/a.yaml").unlink()
    accepted("m/sub/moved.yaml", move(text))
    assert lint() == [("PF204", "agent", True), ("PF203", "agent", True)]


def test_what_is_new_counts(accepted: Write) -> None:
    accepted("m/b.yaml", daemonset("new", LOOP))
    assert lint() == [("PF204", "agent", True), ("PF204", "new", False), ("PF203", "agent", True)]
    assert program("lint", "m", "--baseline", "b.yaml", *TODAY, "--fail-on", "warning").code == 1


def test_one_more_of_the_same_counts(accepted: Write) -> None:
    copy = Path("m/a.yaml").read_text(encoding="utf-8")
    accepted("m/copy.yaml", copy)
    assert sorted(lint()) == sorted(
        [*[("PF203", "agent", True), ("PF204", "agent", True)], *[("PF203", "agent", False), ("PF204", "agent", False)]]
    )


def test_another_reason_counts(accepted: Write) -> None:
    text = Path("m/a.yaml").read_text(encoding="utf-8")
    accepted("m/a.yaml", text.replace("tolerationSeconds: 60", "tolerationSeconds: 5"))
    assert [each for each in lint() if each[0] == "PF204"] == [("PF204", "agent", False)]


def test_what_is_mended_leaves_a_note(accepted: Write) -> None:
    accepted("m/a.yaml", daemonset("agent", "{key: b, operator: Exists, effect: NoExecute}"))
    assert lint() == [("PF203", "agent", True), ("PF990", "b.yaml", False)]
    assert [each[0] for each in lint("--policy", "strict")] == ["PF203", "PF990"]


def test_of_one_file_nobody_can_tell_that_something_is_mended(accepted: Write) -> None:
    accepted("m/a.yaml", daemonset("agent", "{key: b, operator: Exists, effect: NoExecute}"))
    result = program("lint", "m/a.yaml", "--baseline", "b.yaml", *TODAY, "-o", "concise")
    assert result.out == ""


def test_names_of_nodes_are_no_reason(write: Write) -> None:
    node = (
        "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {kubernetes.io/os: linux}}\n"
        "spec: {taints: [{key: a, value: b, effect: NoSchedule}]}\n---\n"
    )
    write("m/a.yaml", node % "n1" + daemonset("agent"))
    written()
    assert "n1" not in Path("b.yaml").read_text(encoding="utf-8")
    write("m/a.yaml", node % "n1" + node % "n2" + daemonset("agent"))
    assert lint() == [("PF108", "agent", True)]


def test_lines_in_what_is_said_are_no_reason(write: Write) -> None:
    twice = "spec:\n  minReadySeconds: 1\n  minReadySeconds: 2\n"
    text = daemonset("agent").replace("spec:\n", twice, 1)
    write("m/a.yaml", text)
    written()
    write("m/a.yaml", "# more\n" + text)
    assert lint() == [("PF901", "agent", True)]


def test_a_mandatory_rule_is_not_accepted(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", WILD, LOOP))
    write(".preflight.yaml", "mandatory: [PF201]\n")
    written()
    assert "PF201" not in Path("b.yaml").read_text(encoding="utf-8")
    assert ("PF201", "agent", False) in lint()


def test_what_an_exemption_accepts_is_not_in_it(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", f"{WILD}  # preflight: exempt[PF201] because"))
    written()
    assert "findings: []" in Path("b.yaml").read_text(encoding="utf-8")


@pytest.mark.usefixtures("accepted")
def test_a_new_one_takes_no_notice_of_an_old_one() -> None:
    old = Path("b.yaml").read_text(encoding="utf-8")
    written("--baseline", "b.yaml", "--baseline-expires", "2027-01-31")
    assert Path("b.yaml").read_text(encoding="utf-8") == old.replace("2026-12-30", "2027-01-31")


EXPIRES = {"1": "2026-10-02", "365": "2027-10-01", "2030-06-30": "2030-06-30"}


@pytest.mark.parametrize(("given", "day"), EXPIRES.items(), ids=EXPIRES)
def test_how_long(given: str, day: str, write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    assert written("--baseline-expires", given).err == f"wrote b.yaml: 0 findings accepted until {day}\n"


@pytest.mark.parametrize("given", ["0", "-1", "never", "2026-13-01", "9999999999", "1.5", "٣"])
def test_no_such_time(given: str, write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    result = written(f"--baseline-expires={given}")
    says = f"error: --baseline-expires takes a number of days or a date like 2027-01-31, not {given!r}"
    assert result == (2, "", f"{says}\nSee 'preflight lint --help'\n")
    assert not Path("b.yaml").exists()


REFUSED = {
    "nothing": ("", "b.yaml:1:1: lacks version"),
    "another version": ('version: 3\nexpires: "2027-01-31"\n', "b.yaml:1:1: this preflight reads version 2"),
    "the version that held messages": (
        'version: 1\nexpires: "2027-01-31"\nfindings:\n- {rule: PF201, subject: x, message: z}\n',
        "b.yaml:1:1: version 1 holds messages, version 2 holds keys: write the file again by --write-baseline",
    ),
    "no day": ("version: 2\nexpires: soon\n", "b.yaml:2:1: is not a date: write it as 2027-01-31"),
    "an unknown key": ('version: 2\nexpires: "2027-01-31"\nfinding: []\n', 'b.yaml:3:1: unknown key "finding": did you mean "findings"?'),
    "an entry that lacks something": (
        'version: 2\nexpires: "2027-01-31"\nfindings:\n- {rule: PF201}\n',
        "b.yaml:4:3: lacks subject",
    ),
    "less than one": (
        'version: 2\nexpires: "2027-01-31"\nfindings:\n- {rule: PF201, subject: x, key: [z], count: 0}\n',
        "b.yaml:4:39: is less than 1",
    ),
}


@pytest.mark.parametrize(("text", "said"), REFUSED.values(), ids=REFUSED)
def test_no_baseline(text: str, said: str, write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    write("b.yaml", text)
    result = program("lint", "m", "--baseline", "b.yaml")
    assert (result.code, result.out) == (2, "")
    assert said in result.err


def test_no_exemptions_leaves_no_baseline(write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    for flag in ("--baseline", "--write-baseline"):
        assert program("lint", "m", "--no-exemptions", flag, "b.yaml").code == 2


def test_it_serves_a_change_too(write: Write) -> None:
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {kubernetes.io/os: linux}}\n---\n"
    write("m/a.yaml", node + daemonset("agent"))
    taint = ("taint", "nodes", "n1", "a=b:NoSchedule", "--from", "m", *TODAY)
    assert program(*taint).code == 1
    assert program(*taint, "--write-baseline", "b.yaml").code == 0
    assert program(*taint, "--baseline", "b.yaml").code == 0
