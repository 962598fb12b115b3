"""0 judged, 1 findings, 2 the command line, 3 unread or unknown or nothing, 4 a bug; the highest applies."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest

from preflight.rules.api import Context, Hit, Rule
from preflight.rules.select_rules import common_rules
from tests.cli.program import program

TAINT = "taint nodes n1 dedicated=rdma:NoSchedule"


@pytest.fixture
def crash(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rule that crashes: PF104, which finds nothing in these clusters."""

    def check(_: Context) -> Iterator[Hit]:
        raise ZeroDivisionError("planted")

    rules = tuple(
        Rule(rule.id, rule.name, rule.severity, check, module=rule.module) if rule.id == "PF104" else rule for rule in common_rules()
    )
    monkeypatch.setattr("preflight.engine.rule_runner.select_rules", lambda _: rules)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param("lint calm", 0, id="lint and nothing to find"),
        pytest.param("cordon n1 --from calm", 0, id="a change and nothing to find"),
        pytest.param("lint wild", 0, id="a warning is below the default"),
        pytest.param(f"{TAINT} --from wild", 0, id="so it is under a change"),
        pytest.param("lint wild --fail-on warning", 1, id="a warning where warnings fail"),
        pytest.param("lint wild --fail-on note", 1, id="a warning where notes fail"),
        pytest.param(f"{TAINT} --from calm", 1, id="an error"),
        pytest.param(f"{TAINT} --from calm --fail-on note", 1, id="an error where notes fail"),
        pytest.param("taint nodes n1 soft=x:PreferNoSchedule --from calm --fail-on note", 0, id="no finding at all"),
        pytest.param(f"{TAINT} --from calm --exit-zero", 0, id="only reporting"),
        pytest.param("lint wild --fail-on warning --exit-zero", 0, id="only reporting, though warnings fail"),
        pytest.param("lint broken", 3, id="a file that cannot be read"),
        pytest.param("lint broken --exit-zero", 3, id="a file that cannot be read is no finding"),
        pytest.param("lint missing", 3, id="a path that is not there"),
        pytest.param(f"{TAINT} --from broken", 3, id="an error and a file that cannot be read"),
        pytest.param("lint empty", 3, id="nothing to judge"),
        pytest.param("lint empty --allow-empty", 0, id="nothing to judge, and that is fine"),
        pytest.param(f"{TAINT} --from empty", 3, id="no DaemonSet for a change"),
        pytest.param(f"{TAINT} --from empty --allow-empty", 0, id="no DaemonSet for a change, and that is fine"),
        pytest.param("delete ds agent -n storage --from calm/agent.yaml", 3, id="no node for a change of a DaemonSet"),
        pytest.param("delete ds agent -n storage --from calm/agent.yaml --allow-empty", 0, id="no node for a change, and that is fine"),
        pytest.param("lint broken --allow-empty", 3, id="what cannot be read is not fine"),
        pytest.param("lint chart/ds.yaml", 3, id="a chart's template that is named"),
        pytest.param("lint chart/ds.yaml --allow-empty", 0, id="a chart's template that a hook names"),
        pytest.param(
            f"{TAINT} --from calm --from chart/ds.yaml --allow-empty --exit-zero", 3, id="a chart's template is not left out of a change"
        ),
        pytest.param("", 2, id="no command"),
        pytest.param("lint --bogus", 2, id="no such option"),
        pytest.param("lint --fail-on fatal", 2, id="no such severity"),
        pytest.param("paint nodes n1", 2, id="no such command"),
        pytest.param("taint nodes n1 a=b:Never --from calm", 2, id="what kubectl refuses"),
        pytest.param("lint --feature-gates DynamicResourceAllocation=true", 2, id="a gate that decides nothing here"),
        pytest.param("lint --feature-gates TaintTolerationComparisonOperators=maybe", 2, id="a gate that is neither on nor off"),
        pytest.param("set image ds/agent x=y -n storage --from calm", 2, id="a container that is not there"),
        pytest.param("plan missing.yaml --from calm", 3, id="a plan that is not there"),
        pytest.param(TAINT, 3, id="no --from"),
        pytest.param("plan plan.yaml", 3, id="no --from for a plan"),
        pytest.param("rules", 0, id="the rules"),
        pytest.param("explain PF102", 0, id="a rule"),
        pytest.param("explain PF000", 2, id="no such rule"),
        pytest.param("--version", 0, id="the version"),
        pytest.param("--help", 0, id="help"),
    ],
)
def test_exit_code(line: str, code: int) -> None:
    result = program(*shlex.split(line))
    assert result.code == code, result.err or result.out


LEVEL = "taint nodes n1 level=7:NoSchedule --from calm"
GREATER = "      tolerations: [{key: level, operator: Gt, value: '5', effect: NoSchedule}]\n"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        pytest.param(LEVEL, 3, id="a change, and a pair that it touches is unknown"),
        pytest.param(f"{LEVEL} --fail-on warning", 3, id="unknown is above a finding"),
        pytest.param(f"{LEVEL} --exit-zero", 0, id="only reporting"),
        pytest.param(f"{LEVEL} --feature-gates TaintTolerationComparisonOperators=true", 0, id="known by its gate, and kept"),
        pytest.param(f"{LEVEL} --feature-gates=TaintTolerationComparisonOperators=False", 1, id="known by its gate, and lost"),
        pytest.param("taint nodes n2 other=x:PreferNoSchedule --from calm", 0, id="a change that does not touch the comparison"),
    ],
)
def test_exit_code_where_something_is_unknown(line: str, code: int) -> None:
    with open("calm/agent.yaml", "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(GREATER)
    result = program(*shlex.split(line))
    assert result.code == code, result.err or result.out


POD = """\
apiVersion: v1
kind: List
items:
  - apiVersion: v1
    kind: Pod
    metadata: {name: shell, namespace: storage}
    spec: {nodeName: n1}
    status: {phase: Running}
"""


def test_lint_calls_unknown_a_fault_only_where_it_is_strict() -> None:
    with open("calm/agent.yaml", "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(GREATER)
    with open("calm/nodes.yaml", "a", encoding="utf-8") as file:  # noqa: PTH123
        file.write(
            "---\n{apiVersion: v1, kind: Node, metadata: {name: n3}, spec: {taints: [{key: level, value: '7', effect: NoSchedule}]}}\n"
        )
    with open("calm/pods.yaml", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write(POD)
    assert program("lint", "calm").code == 0
    assert program("lint", "calm", "--strict").code == 3


def test_lint_calls_what_stands_twice_a_fault_only_where_it_is_strict() -> None:
    with open("calm/other.yaml", "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {pool: gpu}}}\n")
    assert program("lint", "calm").code == 0
    assert program("lint", "calm", "--strict").code == 3
    assert program("cordon", "n2", "--from", "calm").code == 3


@pytest.mark.usefixtures("crash")
@pytest.mark.parametrize("line", ["lint calm", "lint broken", "lint empty", f"{TAINT} --from calm", f"{TAINT} --from broken --exit-zero"])
def test_a_rule_that_crashes_is_above_everything(line: str) -> None:
    result = program(*shlex.split(line), "-o", "concise")
    assert result.code == 4
    assert "-/PF104: error[PF900] rule-crashed: -/PF104 crashed: ZeroDivisionError: planted\n" in result.out


@pytest.mark.usefixtures("crash")
def test_the_other_rules_go_on_and_the_traceback_is_there_for_who_asks() -> None:
    quiet, loud = program(*shlex.split(TAINT), "--from", "calm"), program(*shlex.split(TAINT), "--from", "calm", "-v")
    assert "error[PF102] lost-on-recreation: storage/agent will not come back on n1" in quiet.out
    assert quiet.err == ""
    assert quiet.out == loud.out
    assert loud.err.startswith("Traceback (most recent call last):\n")
    assert "ZeroDivisionError: planted" in loud.err


@pytest.mark.parametrize("name", ["text", "concise", "json"])
@pytest.mark.parametrize("line", ["lint calm", "lint wild --fail-on warning", f"{TAINT} --from calm", f"{TAINT} --from broken"])
def test_the_format_never_changes_the_exit_code(line: str, name: str) -> None:
    words = shlex.split(line)
    assert program(*words, "-o", name).code == program(*words).code
