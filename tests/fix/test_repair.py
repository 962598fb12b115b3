"""What `preflight fix` repairs: the incident, and every rule that has a fix."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from preflight.rules.select_rules import load_all_rules
from tests.cli.program import program
from tests.fix.example_folder import AGENT, CONTAINERS, NODES, TAINT, fix, pods, world
from tests.paths import ROOT

EXAMPLE = ROOT / "examples" / "rdma-incident"


def test_the_incident_is_repaired_by_a_diff_that_git_takes() -> None:
    shutil.copytree(EXAMPLE, "example")
    diff = program("fix", "example/cluster", "--for", TAINT)
    assert diff.code == 0
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "apply", "-"], input=diff.out, text=True, check=True)
    plan = program("plan", "--from", "example/cluster", "example/plan.yaml", "-o", "json")
    assert [finding["severity"] for finding in json.loads(plan.out)["findings"]] == ["note", "note"]
    assert plan.code == 0
    again = program("fix", "example/cluster", "--plan", "example/plan.yaml")
    assert (again.code, again.out, again.err) == (0, "", "nothing to fix\n")


def test_the_incident_is_repaired_in_place() -> None:
    shutil.copytree(EXAMPLE, "example")
    written = program("fix", "example/cluster", "--for", TAINT, "--write")
    assert written.out.splitlines() == [
        "fixed 3 DaemonSets:",
        "  storage/csi-rdma-node in example/cluster/csi-rdma-node.yaml (PF102): "
        "adds {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}",
        "  logging/log-agent in example/cluster/log-agent.yaml (PF102): sets operator: Equal, value: rdma in its toleration of dedicated",
        "  kube-system/rdma-device-plugin in example/cluster/rdma-device-plugin.yaml (PF102): "
        "adds {key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}",
        "in this order:",
        "  1. kubectl apply -f example/cluster/csi-rdma-node.yaml -f example/cluster/log-agent.yaml"
        " -f example/cluster/rdma-device-plugin.yaml",
        "     each patch starts an update that replaces pods: wait for it (kubectl rollout status)",
        "  2. kubectl taint nodes -l pool=rdma dedicated=rdma:NoSchedule",
        "the rollout of the fix removes no pod from any node (assumed: no pods in the input)",
    ]
    assert (written.code, written.err) == (0, "")
    taint = program(*shlex.split(TAINT), "--from", "example/cluster")
    assert taint.code == 0


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch here")
def test_patch_takes_the_diff_and_odd_bytes_stay() -> None:
    world("      tolerations:\r\n      - key: a # \u00e9\r\n", name="a b.yaml")
    diff = fix("--for", TAINT)
    before = Path("m/a b.yaml").read_bytes()
    subprocess.run(["patch", "-p1", "--binary"], input=diff.out.encode(), check=True, capture_output=True)
    after = Path("m/a b.yaml").read_bytes()
    added = b"      - key: dedicated\r\n        operator: Equal\r\n        value: rdma\r\n        effect: NoSchedule\r\n"
    assert after == before.replace(b"\xc3\xa9\r\n", b"\xc3\xa9\r\n" + added)


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")
def test_git_takes_a_diff_of_a_file_without_a_line_end_and_with_an_odd_name() -> None:
    Path("m").mkdir()
    name = 'm/t\t"\u00e9".yaml'
    Path(name).write_text(AGENT + CONTAINERS + "      tolerations:\n      - key: a", encoding="utf-8")
    Path("nodes.yaml").write_text(NODES % "", encoding="utf-8")
    diff = fix("--for", TAINT)
    subprocess.run(["git", "init", "-q", "."], check=True)
    subprocess.run(["git", "apply", "-"], input=diff.out, text=True, check=True)
    assert (
        Path(name)
        .read_text(encoding="utf-8")
        .endswith("- key: a\n      - key: dedicated\n        operator: Equal\n        value: rdma\n        effect: NoSchedule")
    )


RULES = {rule.id for rule in load_all_rules()}

TOLERATED = {
    "PF101": ("", "{key: drain, value: now, effect: NoExecute}", ["--from", "pods.json"]),
    "PF106": ("", "{key: dedicated, value: rdma, effect: NoSchedule}", ["--from", "pods.json"]),
    "PF108": ("      nodeSelector: {pool: rdma}\n", "{key: dedicated, value: rdma, effect: NoSchedule}", []),
    "PF109": ("      nodeSelector: {unheard: of}\n", "", ["--for", "taint nodes n9 dedicated=rdma:NoSchedule"]),
    "PF102": ("", "", ["--for", TAINT]),
    "PF201": ("      tolerations: [{operator: Exists}]\n", "{key: dedicated, value: rdma, effect: NoSchedule}", []),
    "PF202": ("      tolerations: [{key: dedicated, operator: Exists}]\n", "{key: dedicated, value: rdma, effect: NoSchedule}", []),
    "PF204": ("      tolerations: [{key: drain, operator: Exists, effect: NoExecute, tolerationSeconds: 9}]\n", "", []),
    "PF208": ("      tolerations: [{key: dedicated, effect: NoSchedule}]\n", "{key: dedicated, value: rdma, effect: NoSchedule}", []),
    "PF209": (
        "      tolerations: [{key: node-role.kubernetes.io/master, operator: Exists, effect: NoSchedule}]\n",
        "{key: node-role.kubernetes.io/control-plane, effect: NoSchedule}",
        [],
    ),
    "PF211": (
        "      tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 9}]\n",
        "",
        [],
    ),
    "PF212": (
        "      tolerations: [{key: dedicated, operator: Exists, effect: NoSchedule}]\n",
        "{key: dedicated, value: rdma, effect: NoSchedule}, {key: dedicated, value: rdma, effect: NoExecute}",
        [],
    ),
    "PF103": (
        "      tolerations: [{key: drain, operator: Exists, effect: NoExecute, tolerationSeconds: 9}]\n",
        "{key: drain, effect: NoExecute}",
        [],
    ),
}


def findings(more: list[str]) -> list[tuple[str, str]]:
    change = shlex.split(more[1]) if more[:1] == ["--for"] else ["lint", "m"]
    around = [] if more[:1] == ["--for"] else more
    sources = ["--from", "m", "--from", "nodes.yaml"] if more[:1] == ["--for"] else ["--from", "nodes.yaml", *around]
    report = json.loads(program(*change, *sources, "-o", "json").out)
    return [(finding["rule"], finding["severity"]) for finding in report["findings"]]


@pytest.mark.parametrize(("rule", "given"), [pytest.param(rule, given, id=rule) for rule, given in TOLERATED.items() if rule in RULES])
def test_the_finding_goes_and_no_other_comes(rule: str, given: tuple[str, str, list[str]]) -> None:
    tolerations, taint, more = given
    world(tolerations, taint)
    pods("n1", "n2")
    before = findings(more)
    assert rule in [found for found, _ in before]
    result = fix(*more, "--rule", rule, "--write")
    assert result.code == 0, result.out
    after = findings(more)
    assert (rule, "note") in after if rule == "PF209" else rule not in [found for found, _ in after]
    assert {found for found, severity in after if severity != "note"} <= {found for found, _ in before}
    again = fix(*more, "--rule", rule, "--write")
    assert (again.code, again.out) == (0, "nothing to fix\n")


@pytest.mark.parametrize(
    ("rule", "after"),
    [
        ("PF201", "[{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}]"),
        ("PF202", "[{key: dedicated, operator: Equal, value: rdma, effect: NoSchedule}]"),
        ("PF204", "[{key: drain, operator: Exists, effect: NoExecute}]"),
    ],
)
def test_what_becomes_of_the_toleration(rule: str, after: str) -> None:
    tolerations, taint, more = TOLERATED[rule]
    world(tolerations, taint)
    fix(*more, "--rule", rule, "--write")
    assert Path("m/agent.yaml").read_text(encoding="utf-8") == f"{AGENT}      tolerations: {after}\n{CONTAINERS}"
