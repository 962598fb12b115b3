"""`preflight alerts`: what becomes of a world, in which form, and what is left out and said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.alerting import promtool
from tests.builders import Object, write_list
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, Asked, serving, status
from tests.load.live.listed_objects import daemonset, node

GENERAL = {
    *("PreflightMetricsAbsent", "PreflightDaemonSetPodGone", "PreflightDaemonSetMisscheduled", "PreflightUpdateStalled"),
    "PreflightNodePodPending",
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def made(*items: Object, words: tuple[str, ...] = ()) -> tuple[list[Object], str]:
    """The rules of a world, which a real promtool takes where there is one, and what is said on standard error."""
    Path("world.json").write_text(write_list(items))
    result = program("alerts", "--from", "world.json", *words)
    assert result.code == 0, result.err
    return [rule for group in yaml.safe_load(result.out)["groups"] for rule in group["rules"]], result.err


def of(rules: list[Object], alert: str, name: str = "") -> list[str]:
    """The expressions of an alert, of a DaemonSet or resource where one is named; each in one line."""
    named = [
        rule for rule in rules if rule["alert"] == alert and name in ("", rule["labels"].get("daemonset"), rule["labels"].get("resource"))
    ]
    return [" ".join(each["expr"].split()) for each in named]


# Nothing to say.


def test_without_nodes_there_are_only_the_rules_that_need_none() -> None:
    rules, said = made(daemonset("a", "agent"))
    assert {rule["alert"] for rule in rules} == GENERAL
    assert said == "not in the rules: rules for single nodes (no nodes in the input)\n"


def test_a_daemonset_that_must_be_nowhere_has_no_rule() -> None:
    rules, said = made(node("n", pool="b"), daemonset("a", "agent", nodeSelector={"pool": "a"}))
    assert ({rule["alert"] for rule in rules}, said) == (GENERAL, "")


def test_no_daemonset_at_all() -> None:
    Path("world.json").write_text(json.dumps(node("n")))
    said = program("alerts", "--from", "world.json")
    why = "no DaemonSets in the input: nothing to watch (--allow-empty writes the rules that need none)"
    assert said == (3, "", f"error: {why}\n")
    assert {each["alert"] for each in made(node("n"), words=("--allow-empty",))[0]} == GENERAL


def test_a_file_that_cannot_be_read_is_why_there_is_no_daemonset() -> None:
    Path("broken.yaml").write_text("kind: DaemonSet\n  metadata: [\n")
    code, out, err = program("alerts", "--from", "broken.yaml")
    assert (code, out) == (3, "")
    assert err.startswith("error: no DaemonSets in the input: ")
    assert err.endswith(": broken.yaml:2:11: a key's `: ` cannot stand here: check the indentation, or quote the value\n")


# Which nodes.


def test_what_selects_its_nodes_is_watched_on_these() -> None:
    rules, _ = made(
        node("a-1.x", pool="a"), node("a-2", pool="a"), node("b", pool="b"), daemonset("a", "agent", nodeSelector={"pool": "a"})
    )
    (expr,) = of(rules, "PreflightDaemonSetNotCovering")
    assert expr.startswith('(kube_node_status_condition{condition="Ready", status="true", node=~"a-1\\\\.x|a-2"} == 1) unless on (node) (')


def test_what_selects_none_is_watched_on_all_others_and_on_later_ones() -> None:
    keep = {"key": "keep", "value": "out", "effect": "NoSchedule"}
    rules, _ = made(node("a"), node("b"), node("c", (keep,)), daemonset("a", "agent"))
    (expr,) = of(rules, "PreflightDaemonSetNotCovering")
    assert expr.startswith(
        '(kube_node_status_condition{condition="Ready", status="true", node!~"c"} == 1) '
        'unless on (node) kube_node_spec_taint{key="keep", value="out", effect="NoSchedule"} unless on (node) ('
    )
    (threat,) = of(rules, "PreflightTaintNotTolerated")
    assert 'node!~"c"}' in threat
    assert threat.endswith('unless on (node, key, value, effect) kube_node_spec_taint{key="keep", value="out", effect="NoSchedule"}')


def test_a_node_that_is_not_ready_today_is_watched_once_it_is() -> None:
    down = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}
    keep = {"key": "keep", "value": "out", "effect": "NoSchedule"}
    nodes = (node("a", pool="a"), node("b", (down,), pool="a"), node("c", (down, keep), pool="a"), node("d", (down,), pool="d"))
    rules, _ = made(*nodes, daemonset("a", "agent"), daemonset("a", "chosen", nodeSelector={"pool": "a"}))
    (every,), (chosen,) = (of(rules, "PreflightDaemonSetNotCovering", name) for name in ("agent", "chosen"))
    assert every.startswith('(kube_node_status_condition{condition="Ready", status="true", node!~"c"} == 1) ')
    assert chosen.startswith('(kube_node_status_condition{condition="Ready", status="true", node=~"a|b"} == 1) ')


@pytest.mark.parametrize(
    ("toleration", "tolerated"),
    [
        ({"key": "k", "operator": "Exists"}, 'kube_node_spec_taint{key="k"}'),
        ({"key": "k", "operator": "Exists", "effect": "NoSchedule"}, 'kube_node_spec_taint{key="k", effect="NoSchedule"}'),
        ({"key": "k", "value": "v"}, 'kube_node_spec_taint{key="k", value="v"}'),
        ({"key": "k", "effect": "NoSchedule"}, 'kube_node_spec_taint{key="k", value="", effect="NoSchedule"}'),
        ({"operator": "Exists", "effect": "NoExecute"}, 'kube_node_spec_taint{effect="NoExecute"}'),
    ],
)
def test_what_a_toleration_tolerates_is_no_threat(toleration: Object, tolerated: str) -> None:
    rules, _ = made(node("n"), daemonset("a", "agent", tolerations=[toleration]))
    (threat,) = of(rules, "PreflightTaintNotTolerated")
    assert f"unless on (node, key, value, effect) {tolerated} " in f"{threat} "


@pytest.mark.parametrize(
    "toleration",
    [
        pytest.param({"operator": "Exists"}, id="it tolerates everything"),
        pytest.param({"key": "k", "operator": "Gt", "value": "5", "effect": "NoSchedule"}, id="only a comparison decides"),
    ],
)
def test_no_taint_is_a_threat_that_metrics_can_tell(toleration: Object) -> None:
    rules, _ = made(node("n"), daemonset("a", "agent", tolerations=[toleration]))
    assert of(rules, "PreflightTaintNotTolerated") == []
    assert len(of(rules, "PreflightDaemonSetNotCovering")) == 1


def test_on_delete_is_an_update_that_waits_for_somebody() -> None:
    waiting = daemonset("a", "slow")
    waiting["spec"]["updateStrategy"] = {"type": "OnDelete"}
    rules, _ = made(node("n"), daemonset("a", "agent"), waiting)
    (expr,) = of(rules, "PreflightUpdateStalled")
    assert expr.endswith(') unless on (namespace, daemonset) kube_daemonset_created{namespace="a", daemonset="slow"}')


def test_resources_that_nodes_have_and_those_that_a_plugin_provides_where_they_do_not_say() -> None:
    has = {**node("a"), "status": {"allocatable": {"example.com/gpu": "2", "cpu": "4", "hugepages-2Mi": "0", "example.com/none": "0"}}}
    plugin = daemonset("kube-system", "plugin", image="nvcr.io/nvidia/k8s-device-plugin:v0.17.0")
    mount = {"name": "plugins", "mountPath": "/var/lib/kubelet/device-plugins"}
    plugin["spec"]["template"]["spec"]["containers"][0] |= {"command": ["nvidia-device-plugin"], "volumeMounts": [mount]}
    plugin["spec"]["template"]["spec"]["volumes"] = [{"name": "plugins", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}]
    rules, _ = made(has, node("silent"), plugin)
    assert [rule["labels"]["resource"] for rule in rules if rule["alert"] == "PreflightResourceGone"] == [
        "example.com/gpu",
        "nvidia.com/gpu",
    ]
    (gpu,) = of(rules, "PreflightResourceGone", "nvidia.com/gpu")
    assert 'node=~"silent"' in gpu
    assert gpu.endswith('(kube_node_status_allocatable{resource="nvidia_com_gpu"} > 0)')
    (said,) = [each["annotations"]["description"] for each in rules if each["labels"].get("resource") == "nvidia.com/gpu"]
    assert said.endswith("; kube-system/plugin provides it")


def test_amounts_of_nothing_and_names_that_no_server_takes_are_no_resource() -> None:
    odd = {"example.com/a": "0k", "example.com/b": "00", "example.com/c": "many", "x/{{ .Evil }}": "1", "x/\n- evil: 1": "1"}
    has = {**node("a"), "status": {"allocatable": {"example.com/gpu": "1", **odd}}}
    rules, _ = made(has, daemonset("a", "agent"))
    assert [rule["labels"]["resource"] for rule in rules if rule["alert"] == "PreflightResourceGone"] == ["example.com/gpu"]
    assert "evil" not in program("alerts", "--from", "world.json").out.lower()


# What is left out is said.


def test_a_daemonset_without_a_namespace_and_nodes_of_a_pool() -> None:
    nameless = daemonset("", "agent")
    pool = {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": "p"}, "spec": {"template": {}}}
    rules, said = made(node("n"), nameless, daemonset("a", "other"), pool)
    assert [rule["labels"]["daemonset"] for rule in rules if rule["alert"] == "PreflightDaemonSetNotCovering"] == ["other"]
    assert said.splitlines() == [
        "not in the rules: DaemonSet -/agent (its manifest has no namespace)",
        "not in the rules: 1 node known only in part, such as the next nodes of a pool",
    ]
    out = program("alerts", "--from", "world.json").out.splitlines()
    assert out[1] == "# Not included: DaemonSet -/agent (its manifest has no namespace)."


def test_names_that_no_server_takes_are_in_no_rule() -> None:
    bad = 'x"} or vector(1) # Evil\n'
    rules, said = made(node(bad), node("n"), daemonset("a", bad), daemonset("a", "agent"))
    assert "Evil" not in json.dumps(rules)
    assert [rule["labels"]["daemonset"] for rule in rules if "daemonset" in rule["labels"]] == ["agent", "agent"]
    assert said.count("the API server does not accept its name)") == 1
    assert "not in the rules: 1 node with a name that the API server does not accept\n" in said
    assert "\n#" not in program("alerts", "--from", "world.json").out.partition("groups:")[2]


def test_what_cannot_be_read_makes_it_3_and_the_rest_is_written() -> None:
    Path("broken.yaml").write_text("kind: Node\na: [1\n")
    Path("world.json").write_text(write_list([node("n"), daemonset("a", "agent")]))
    said = program("alerts", "--from", "world.json", "--from", "broken.yaml", "-o", "rules.yaml")
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("wrote rules.yaml: 7 rules, from 1 DaemonSet on 1 node, 0 extended resources\n")
    assert "broken.yaml:2" in said.err


# Forms.


def test_both_forms_hold_the_same_rules() -> None:
    rules, _ = made(node("n"), daemonset("a", "agent"))
    words = ("--format", "prometheusrule", "--label", "release=kube", "-n", "monitoring")
    found = yaml.safe_load(program("alerts", "--from", "world.json", *words).out)
    assert [rule for group in found["spec"]["groups"] for rule in group["rules"]] == rules
    assert {key: found[key] for key in ("apiVersion", "kind", "metadata")} == {
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "PrometheusRule",
        "metadata": {"name": "preflight", "namespace": "monitoring", "labels": {"release": "kube"}},
    }


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--format", "json"), 'invalid value "json" for --format: must be one of prometheus, prometheusrule'),
        (("--label", "a=b"), "--label and -n need --format prometheusrule"),
        (("--label", "a", "--format", "prometheusrule"), 'invalid value "a" for --label: must be KEY=VALUE'),
    ],
)
def test_what_is_no_command_line(words: tuple[str, ...], says: str) -> None:
    assert program("alerts", *words, "--from", "world.json") == (2, "", f"error: {says}\nSee 'preflight alerts --help'\n")


def test_the_order_of_the_input_changes_nothing() -> None:
    items = [node("a"), node("b", pool="x"), daemonset("a", "agent"), daemonset("b", "other", nodeSelector={"pool": "x"})]
    assert made(*items) == made(*reversed(items))


# Live.


def test_a_cluster_is_asked_for_nodes_daemonsets_and_pods(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = ApiServer([node("n"), daemonset("a", "agent")])
    with serving(server, here) as config:
        monkeypatch.setenv("KUBECONFIG", str(config))
        said = program("alerts", "-o", "rules.yaml")
    assert (said.code, said.err) == (0, "wrote rules.yaml: 7 rules, from 1 DaemonSet on 1 node, 0 extended resources\n")
    assert server.questions() == ["daemonsets", "nodes", "pods"]


def test_nodes_that_may_not_be_listed_are_missed(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        return status(403, "no") if asked.resource == "nodes" else None

    with serving(ApiServer([daemonset("a", "agent")], fault), here) as config:
        monkeypatch.setenv("KUBECONFIG", str(config))
        said = program("alerts", "-o", "rules.yaml")
    assert "not in the rules: Node: no permission to list nodes: `preflight rbac` prints the role" in said.err.splitlines()


# A promtool that is not there.


def test_without_promtool_a_test_is_skipped_here_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch, here: Path) -> None:
    monkeypatch.setenv("PATH", str(here))
    monkeypatch.setattr(promtool, "_FETCHED", here / "none")
    monkeypatch.delenv("PREFLIGHT_NEEDS_PROMTOOL", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no promtool"):
        promtool.promtool()
    monkeypatch.setenv("PREFLIGHT_NEEDS_PROMTOOL", "1")
    with pytest.raises(pytest.fail.Exception, match="no promtool"):
        promtool.promtool()
