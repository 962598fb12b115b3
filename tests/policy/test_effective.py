"""What a policy makes of a run: severities, taints, node pools, components."""

from __future__ import annotations

import json
from typing import Any

import pytest

from preflight.model.report import Severity, Subject
from preflight.policy import load
from preflight.policy.matching import MatchTarget
from tests.cli.program import program
from tests.policy.conftest import Write
from tests.policy.manifests import WILD, daemonset

AGENT = MatchTarget(Subject("DaemonSet", "ops", "agent"), "m/agent.yaml", {"team": "network"})
E, W, N = Severity.ERROR, Severity.WARNING, Severity.NOTE

# The policy's `rules`; the rule's own severity, and that of the hit where it has one; what comes of it.
SEVERITIES: dict[str, tuple[str, Severity, Severity | None, Severity | None]] = {
    "nothing is said": ("{}", W, None, W),
    "nothing is said, and the hit is milder": ("{}", W, N, N),
    "another rule is spoken of": ("{PF202: error}", W, None, W),
    "a severity": ("{PF201: error}", W, None, E),
    "off": ("{PF201: off}", W, None, None),
    "off for a milder hit too": ("{PF201: off}", W, N, None),
    "a worse one leaves a milder hit": ("{PF201: error}", W, N, N),
    "a milder one takes down the rule": ("{PF201: note}", W, None, N),
    "a milder one takes down a milder hit": ("{PF201: note}", E, W, N),
    "one between the two": ("{PF201: warning}", E, N, N),
    "a hit that is worse than its rule": ("{PF201: note}", W, E, N),
    "the match fits": ("{PF201: {severity: error, match: {name: agent}}}", W, None, E),
    "the match does not fit": ("{PF201: {severity: error, match: {name: other}}}", W, None, W),
    "a later one that fits": ("{PF201: [{severity: error}, {severity: note, match: {labels: {team: net*}}}]}", W, None, N),
    "a later one that does not": ("{PF201: [{severity: error}, {severity: note, match: {labels: {team: sto*}}}]}", W, None, E),
    "a later one over all": ("{PF201: [{severity: note, match: {name: agent}}, {severity: error}]}", W, None, E),
    "options alone say nothing of it": ("{PF201: [{severity: error}, {options: {kinds: [cni]}}]}", W, None, E),
    "by its name and by its id": ("{tolerates-everything: note, PF201: error}", W, None, E),
}


@pytest.mark.parametrize(("rules", "own", "given", "expected"), SEVERITIES.values(), ids=SEVERITIES)
def test_severity(rules: str, own: Severity, given: Severity | None, expected: Severity | None, write: Write) -> None:
    write("policy.yaml", f"rules: {rules}\n")
    assert load("policy.yaml").resolve_severity("PF201", own, given, AGENT) is expected


def test_a_policy_goes_over_what_it_extends(write: Write) -> None:
    write("base.yaml", "rules: {PF201: {severity: error, options: {kinds: [cni]}}}\nnoExecute: stay\nrequireExpires: true\n")
    write("policy.yaml", "extends: base.yaml\nrules: {PF201: note}\nnoExecute: leave\nrequireExpires: false\n")
    policy = load("policy.yaml")
    assert policy.resolve_severity("PF201", W, None, AGENT) is N
    assert str(policy.options["PF201"]) == "ToleratesEverythingOptions(kinds=('cni',))"
    assert (policy.no_execute, policy.requires_expires) == ("leave", False)


def test_lists_come_together_and_the_later_of_one_name_counts(write: Write) -> None:
    pool = "nodePools: [{name: a, count: 1}, {name: %s, count: 2}]\n"
    required = "required: [{name: r, match: {name: '*'}, tolerations: [{operator: Exists}], reason: %s}]\n"
    taint = "taints: [{key: a, values: [x], effects: NoSchedule, meaning: %s}, {key: a, values: %s, effects: NoSchedule}]\n"
    write("base.yaml", pool % "b" + required % "old" + taint % ("old", "p") + "mandatory: [PF205]\n")
    write("policy.yaml", "extends: base.yaml\n" + pool % "c" + required % "new" + taint % ("new", "q") + "mandatory: [PF206]\n")
    policy = load("policy.yaml")
    assert [(node_pool.name, node_pool.count, said.location) for node_pool, said in policy.node_pools] == [
        ("a", 1, "policy.yaml:2"),
        ("b", 2, "base.yaml:1"),
        ("c", 2, "policy.yaml:2"),
    ]
    assert [(each.name, each.reason) for each, _ in policy.required] == [("r", "new")]
    assert [(each.values, each.meaning) for each, _ in policy.taints] == [("p", ""), ("q", ""), (("x",), "new")]
    assert list(policy.mandatory) == ["PF205", "PF206"]


# In whole runs.


def report(*argv: str, stdin: bytes = b"") -> dict[str, Any]:
    result = program(*argv, "-o", "json", stdin=stdin)
    assert result.out, result.err
    read: dict[str, Any] = json.loads(result.out)
    return read


def findings(*argv: str) -> list[tuple[str, str, str]]:
    return [(finding["rule"], finding["severity"], finding["message"]) for finding in report(*argv)["findings"]]


def test_the_exit_code_is_that_of_the_policy(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", WILD))
    assert program("lint", "m").code == 0
    write(".preflight.yaml", "rules: {PF201: error}\n")
    assert program("lint", "m").code == 1
    assert program("lint", "m", "--no-policy").code == 0
    assert program("lint", "m", "--policy", "baseline").code == 0
    assert program("lint", "m", "--policy", "strict").code == 1


def test_the_found_policy_is_not_read_where_another_is_named(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", WILD))
    write(".preflight.yaml", "broken: [\n")
    assert program("lint", "m").code == 2
    assert program("lint", "m", "--policy", "strict").code == 1
    assert program("lint", "m", "--no-policy").code == 0


def test_a_wrong_policy_is_said_before_anything_is_read(write: Write) -> None:
    write(".preflight.yaml", "rulse: {}\n")
    said = 'error: .preflight.yaml:1:1: unknown key "rulse": did you mean "rules"?\n'
    for line in (["lint", "nowhere"], ["taint", "nodes", "n1", "a:NoSchedule", "--from", "nowhere"]):
        assert program(*line) == (2, "", said)


def test_a_milder_rule_no_longer_hides_a_worse_one_of_the_same_toleration(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", "{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 60}"))
    write("policy.yaml", "taints: [{key: a, values: x, effects: NoExecute}]\nrules: {PF204: off}\n")
    assert [finding[0] for finding in findings("lint", "m")] == ["PF204"]
    assert [each[0] for each in findings("lint", "m", "--policy", "policy.yaml")] == ["PF202"]


def test_a_declared_taint_is_known_though_no_node_is(write: Write) -> None:
    write("m/a.yaml", daemonset("agent", "{key: dedicated, operator: Exists, effect: NoSchedule}"))
    write("policy.yaml", "taints: [{key: dedicated, values: [rdma, gpu], effects: NoSchedule}]\n")
    assert findings("lint", "m") == []
    assert findings("lint", "m", "--policy", "policy.yaml") == [
        ("PF202", "note", "tolerates dedicated with any value, including dedicated=rdma:NoSchedule and dedicated=gpu:NoSchedule")
    ]


POOLS = """\
nodePools:
- {name: cpu, labels: {kubernetes.io/os: linux}}
- {name: rdma, labels: {kubernetes.io/os: linux, pool: rdma}, taints: [{key: dedicated, value: rdma, effect: NoSchedule}], count: 4}
"""


def test_node_pools_stand_in_where_no_node_is_given(write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    write("policy.yaml", POOLS)
    made = report("lint", "m", "--policy", "policy.yaml")
    rows = {(tuple(row["nodes"]), row["outcome"]) for row in made["coverage"]}
    assert rows == {(("(pool cpu)",), "kept"), (("(pool rdma)",), "never")}
    write("m/node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {kubernetes.io/os: linux}}\n")
    made = report("lint", "m", "--policy", "policy.yaml")
    assert {(tuple(row["nodes"]), row["outcome"]) for row in made["coverage"]} == {(("n1",), "kept")}


def test_node_pools_take_a_change(write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    write("policy.yaml", POOLS)
    made = report("taint", "nodes", "-l", "kubernetes.io/os=linux", "a=b:NoSchedule", "--from", "m", "--policy", "policy.yaml")
    assert {(tuple(row["nodes"]), row["outcome"]) for row in made["coverage"]} >= {(("(pool cpu)",), "lost-on-recreation")}


def test_a_label_that_a_pool_does_not_state_may_be_there(write: Write) -> None:
    write("m/a.yaml", daemonset("agent").replace("kubernetes.io/os: linux", "tier: gold"))
    write("policy.yaml", POOLS)
    made = report("lint", "m", "--policy", "policy.yaml")
    assert {(tuple(row["nodes"]), row["outcome"]) for row in made["coverage"]} == {(("(pool cpu)",), "kept"), (("(pool rdma)",), "never")}


def test_stated_components_count_wherever_components_do(write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    write("policy.yaml", "components: [{image: registry.example/*, kinds: [csi-node-driver], drivers: [csi.example.com]}]\n")
    assert ("PF214", "warning") in [finding[:2] for finding in findings("lint", "m", "--policy", "policy.yaml")]
    assert findings("lint", "m") == []


IMAGES = {
    "registry.example/agent:1": True,
    "registry.example/agent": True,
    "registry.example/*": True,
    "*/agent": True,
    "agent": False,
    "registry.example/agent:2": False,
}


@pytest.mark.parametrize(("image", "is_meant"), IMAGES.items(), ids=IMAGES)
def test_images(image: str, is_meant: bool, write: Write) -> None:
    write("m/a.yaml", daemonset("agent"))
    write("policy.yaml", f'components: [{{image: "{image}", kinds: [csi-node-driver]}}]\n')
    assert bool(findings("lint", "m", "--policy", "policy.yaml")) is is_meant
