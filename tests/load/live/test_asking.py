"""What a command asks a cluster for, and that the answer is the one that a dump of the cluster gives."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.builders import write_list
from tests.cli.program import program
from tests.load.live.api_server import ApiServer, Asked, serving
from tests.load.live.listed_objects import cluster, daemonset, node, pod

_UPDATE = ["daemonsets", "namespaces", "nodes", "pods -n storage labelSelector=app=csi", "resourcequotas", "runtimeclasses"]
_COVERAGE = {
    "one node by its name": (
        "taint nodes a-1 team=x:PreferNoSchedule",
        [
            "daemonsets",
            "nodes fieldSelector=metadata.name=a-1",
            "pods fieldSelector=spec.nodeName=",
            "pods fieldSelector=spec.nodeName=a-1",
        ],
    ),
    "nodes by a selector, which the server applies": (
        "label nodes -l pool=b x=y",
        [
            *("daemonsets", "nodes labelSelector=pool=b", "pods fieldSelector=spec.nodeName="),
            *("pods fieldSelector=spec.nodeName=b-0", "pods fieldSelector=spec.nodeName=b-1"),
        ],
    ),
    "all nodes: one list of nodes and one of pods": ("taint nodes --all team=x:PreferNoSchedule", ["daemonsets", "nodes", "pods"]),
    "a drain: the node and its pods, budgets, and what controls pods": (
        "drain a-0 --ignore-daemonsets",
        [
            *("daemonsets", "deployments", "jobs", "jobsets", "nodes fieldSelector=metadata.name=a-0", "poddisruptionbudgets"),
            *("pods fieldSelector=spec.nodeName=", "pods fieldSelector=spec.nodeName=a-0", "statefulsets"),
        ],
    ),
    "a drain of nodes by a selector: these": (
        "drain -l pool --ignore-daemonsets",
        [
            *("daemonsets", "deployments", "jobs", "jobsets", "nodes labelSelector=pool", "poddisruptionbudgets"),
            *(f"pods fieldSelector=spec.nodeName={name}" for name in ("", "a-0", "a-1", "a-2", "b-0", "b-1")),
            "statefulsets",
        ],
    ),
    "a NoExecute taint lets pods go too; where one of a DaemonSet does, all nodes count": (
        "taint nodes a-0 team=x:NoExecute --exit-zero",
        [
            *("cronjobs", "daemonsets", "deployments", "jobs", "jobsets", "nodes", "nodes fieldSelector=metadata.name=a-0"),
            *("persistentvolumeclaims", "persistentvolumes", "poddisruptionbudgets", "pods fieldSelector=spec.nodeName="),
            *("pods fieldSelector=spec.nodeName=a-0", "statefulsets", "storageclasses"),
        ],
    ),
    "an update: all nodes, and the pods of this DaemonSet": (
        "set image -n storage ds/csi main=example.com/agent:2",
        _UPDATE,
    ),
    "a patch of a DaemonSet: the same": ('patch ds csi -n storage -p \'{"spec":{"minReadySeconds":5}}\'', _UPDATE),
    "an update of what a selector chooses: all pods": (
        "rollout restart ds -n storage -l app=csi",
        [*_UPDATE[:3], "pods", *_UPDATE[4:]],
    ),
    "a patch of nodes: these nodes": (
        "patch node a-1 -p 'spec: {unschedulable: true}'",
        [
            *("daemonsets", "nodes fieldSelector=metadata.name=a-1"),
            *("pods fieldSelector=spec.nodeName=", "pods fieldSelector=spec.nodeName=a-1"),
        ],
    ),
    "the pods of a node: this node": (
        "delete pod -n storage --field-selector spec.nodeName=a-1",
        [
            *("daemonsets", "nodes fieldSelector=metadata.name=a-1"),
            *("pods fieldSelector=spec.nodeName=", "pods fieldSelector=spec.nodeName=a-1"),
        ],
    ),
    "a pod by its name: its node": (
        "delete pod csi-a-1 -n storage",
        [
            *("daemonsets", "nodes fieldSelector=metadata.name=a-1", "pods -n storage fieldSelector=metadata.name=csi-a-1"),
            *("pods fieldSelector=spec.nodeName=", "pods fieldSelector=spec.nodeName=a-1"),
        ],
    ),
}


@pytest.mark.parametrize(("line", "asked"), [pytest.param(*case, id=name) for name, case in _COVERAGE.items()])
def test_what_is_asked(line: str, asked: list[str], tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        result = program(*shlex.split(line), "--kubeconfig", str(config))
    assert result.err == ""
    assert server.questions() == asked
    assert {request.method for request in server.asked} == {"GET"}


def test_a_namespace_is_deleted_with_all_pods_known(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        result = program("delete", "namespace", "other", "--kubeconfig", str(config))
    assert (result.code, result.err) == (3, "error: no DaemonSet is affected: the change cannot cost coverage\n")
    assert server.questions() == ["daemonsets", "nodes", "pods"]


@pytest.mark.parametrize(
    ("effect", "line"), [("NoExecute", "taint nodes a-0 team=x:NoExecute"), ("NoSchedule", "taint nodes a-0 team=x:NoSchedule")]
)
def test_a_node_in_a_file_is_asked_for_as_a_taint_of_it_is(effect: str, line: str, tmp_path: Path) -> None:
    file = tmp_path / "node.json"
    file.write_text(json.dumps(node("a-0", ({"key": "team", "value": "x", "effect": effect},), pool="a")))
    asked = []
    for words in (shlex.split(line), ["apply", "-f", str(file)]):
        server = ApiServer(cluster())
        with serving(server, tmp_path) as config:
            program(*words, "--exit-zero", "--kubeconfig", str(config))
        asked.append([question for question in server.questions() if question != "runtimeclasses"])
    assert asked[0] == asked[1]
    assert ("poddisruptionbudgets" in asked[1]) is (effect == "NoExecute")


def test_who_depends_is_asked_only_where_something_is_lost(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        result = program("taint", "nodes", "a-1", "team=x:NoSchedule", "--kubeconfig", str(config))
    assert result.code == 1
    more = {"deployments", "statefulsets", "jobs", "cronjobs", "jobsets", "persistentvolumeclaims", "persistentvolumes", "storageclasses"}
    assert more < set(server.questions())


def test_only_the_configmaps_that_say_what_a_daemonset_provides_are_asked_for(tmp_path: Path) -> None:
    mounted = [{"name": "v", "configMap": {"name": "plugin-config"}}]
    objects = [*cluster(), daemonset("gpu", "plugin", volumes=mounted)]
    server = ApiServer(objects)
    with serving(server, tmp_path) as config:
        program("taint", "nodes", "a-1", "team=x:NoSchedule", "--kubeconfig", str(config))
    assert [question for question in server.questions() if "configmaps" in question] == [
        "configmaps -n gpu fieldSelector=metadata.name=plugin-config"
    ]


_LINES = (
    "taint nodes a-1 team=x:NoSchedule",
    "taint nodes -l pool=a team=x:NoExecute",
    "taint nodes --all team=x:NoSchedule",
    "label nodes b-0 pool-",
    "cordon a-0",
    "drain a-0 --ignore-daemonsets",
    "set image -n storage ds/csi main=example.com/agent:2",
    "rollout restart ds -n storage",
    "delete ds csi -n storage",
    "delete node b-1",
    "reboot a-2",
    "replace a-2",
)


@pytest.mark.parametrize("line", _LINES)
def test_the_answer_is_that_of_a_dump(line: str, tmp_path: Path) -> None:
    """Coverage and findings are equal; a dump knows more nodes, and a file has places."""
    objects = [*cluster(), node("tainted", ({"key": "old", "effect": "NoSchedule"},), pool="a")]
    objects += [pod(objects[5], "tainted"), pod(objects[6], "tainted"), pod(objects[5], "")]
    dump = tmp_path / "dump.json"
    dump.write_text(write_list(objects))
    with serving(ApiServer(objects, page=2), tmp_path) as config:
        live = program(*shlex.split(line), "-o", "json", "--kubeconfig", str(config))
    files = program(*shlex.split(line), "-o", "json", "--from", str(dump))
    assert live.err == ""
    assert live.code == files.code
    assert _said(json.loads(live.out)) == _said(json.loads(files.out))


def test_a_pod_that_is_bound_while_the_lists_are_asked_for_is_not_missing(tmp_path: Path) -> None:
    """It is on a node in the one list, or on none in the other: that one is asked for first, and the bound pod counts."""
    objects = cluster()
    bound = next(item for item in objects if item["kind"] == "Pod" and item["metadata"]["name"] == "csi-a-1")
    bound["spec"]["nodeName"] = ""

    def fault(asked: Asked) -> tuple[int, bytes] | None:
        if asked.query.get("fieldSelector") != "spec.nodeName=":
            return None
        answer = server.answer(asked)
        bound["spec"]["nodeName"] = "a-1"
        return answer

    server = ApiServer(objects, fault)
    with serving(server, tmp_path) as config:
        result = program("cordon", "a-1", "--kubeconfig", str(config), "-o", "json")
    assert [load["outcome"] for load in json.loads(result.out)["coverage"]] == ["kept", "kept"]
    assert [request.query["fieldSelector"] for request in server.asked if request.resource == "pods"] == [
        "spec.nodeName=",
        "spec.nodeName=a-1",
    ]


def test_a_pod_that_is_deleted_is_judged_on_its_node(tmp_path: Path) -> None:
    objects = [*cluster(), node("tainted", ({"key": "old", "effect": "NoSchedule"},))]
    objects.append(pod(objects[5], "tainted"))
    with serving(ApiServer(objects), tmp_path) as config:
        result = program("delete", "pod", "csi-tainted", "-n", "storage", "--kubeconfig", str(config), "-o", "json")
    judged = [load for load in json.loads(result.out)["coverage"] if load["daemonset"] == "storage/csi"]
    assert [(each["nodes"], each["outcome"]) for each in judged] == [(["tainted"], "lost-now")]


def _said(report: dict[str, Any]) -> object:
    findings = [(finding["rule"], finding["subject"], finding["nodes"], finding["message"]) for finding in report["findings"]]
    return report["change"], report["coverage"], sorted(map(repr, findings))


def test_a_report_begins_with_the_context_and_the_server(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        result = program("cordon", "a-0", "--kubeconfig", str(config), "-v")
        data = json.loads(program("cordon", "a-0", "--kubeconfig", str(config), "-o", "json").out)
    assert result.out.splitlines()[0] == f"cluster test ({server.url}), Kubernetes v1.37.2"
    assert result.err.startswith(f"asked test ({server.url}): 6 requests, ")
    assert data["cluster"] == {"context": "test", "server": server.url, "version": "v1.37.2"}


def test_a_node_that_the_cluster_lacks_is_refused_in_kubectls_words(tmp_path: Path) -> None:
    with serving(ApiServer(cluster()), tmp_path) as config:
        result = program("taint", "nodes", "c-9", "team=x:NoSchedule", "--kubeconfig", str(config))
    assert (result.code, result.err) == (2, 'error: nodes "c-9" not found\n')


def test_a_selector_that_selects_nothing_is_refused(tmp_path: Path) -> None:
    with serving(ApiServer(cluster()), tmp_path) as config:
        result = program("taint", "nodes", "-l", "pool=z", "team=x:NoSchedule", "--kubeconfig", str(config))
    assert result == (2, "", "error: no node matches -l pool=z\n")


def test_the_namespace_of_the_context_is_meant_where_none_is_given(tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        data = json.loads(config.read_text())
        data["contexts"][0]["context"]["namespace"] = "storage"
        config.write_text(json.dumps(data))
        result = program("rollout", "restart", "ds/csi", "--kubeconfig", str(config))
    assert (result.code, result.err) == (0, "")
    assert "pods -n storage labelSelector=app=csi" in server.questions()


def test_files_are_judged_with_the_cluster_around_them(tmp_path: Path) -> None:
    manifest = tmp_path / "agent.yaml"
    manifest.write_text(json.dumps(daemonset("storage", "csi", nodeSelector={"pool": "b"})))
    with serving(ApiServer(cluster()), tmp_path) as config:
        result = program("lint", str(manifest), "--kubeconfig", str(config), "-o", "json")
    report = json.loads(result.out)
    assert {finding["location"]["file"] for finding in report["findings"]} <= {str(manifest)}
    assert [row["nodes"] for row in report["coverage"] if row["daemonset"] == "storage/csi" and row["outcome"] == "kept"] == [
        ["b-0", "b-1"]
    ]


_ELSEWHERE = [
    *("--as-uid 7", "--as-user-extra a=b", "--certificate-authority ca", "--client-certificate c", "--client-key k", "--cluster prod"),
    *("--insecure-skip-tls-verify", "--password x", "--proxy-url http://p", "--server https://prod", "-s https://prod"),
    *("--tls-server-name n", "--token x", "--user bob", "--username bob"),
]


@pytest.mark.parametrize("flag", _ELSEWHERE)
def test_a_flag_that_chooses_another_cluster_or_person_is_not_ignored(flag: str, tmp_path: Path) -> None:
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        result = program("cordon", "a-1", "--kubeconfig", str(config), *flag.split())
    name = "server" if flag.startswith("-s ") else flag.partition(" ")[0].removeprefix("--")
    words = "choose the cluster and the user with --context, --kubeconfig, --as and --as-group"
    assert (result.code, result.err) == (2, f"error: --{name} is not supported: {words}\nSee 'preflight cordon --help'\n")
    assert server.asked == []


@pytest.mark.parametrize(
    ("flag", "advice"),
    [
        ("--context prod", "give --context to preflight too"),
        ("--kubeconfig prod", "give --kubeconfig to preflight too"),
        ("--cluster prod", "give its --context instead"),
        ("--server prod", "give its --context instead"),
    ],
)
@pytest.mark.parametrize("name", ["plan.yaml", "plan.sh"])
def test_a_plan_about_another_cluster_than_the_one_that_is_asked_is_refused(name: str, flag: str, advice: str, tmp_path: Path) -> None:
    plan = tmp_path / name
    plan.write_text(f"{'- ' if name == 'plan.yaml' else ''}kubectl cordon a-1 {flag}\n")
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        result = program("plan", str(plan), "--kubeconfig", str(config))
    what = f"`cordon a-1 {flag}` uses {flag.removeprefix('--')}, but preflight reads context test ({server.url})"
    assert (result.code, result.err) == (2, f"error: {what}: {advice}\n")
    assert server.asked == []


def test_a_plan_may_name_the_cluster_that_is_asked(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    with serving(ApiServer(cluster()), tmp_path) as config:
        plan.write_text(f"- cordon a-1 --context test --kubeconfig {config} --token secret --password=secret\n")
        result = program("plan", str(plan), "--kubeconfig", str(config), "-o", "json")
    assert result.code == 0
    assert "secret" not in result.out
    assert "--token ... --password=..." in result.out


def test_a_plan_asks_for_what_all_its_lines_need(tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("- taint nodes a-0 x=y:PreferNoSchedule\n- cordon b-1\n")
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        program("plan", str(plan), "--kubeconfig", str(config))
    assert [question for question in server.questions() if question.startswith("nodes")] == [
        "nodes fieldSelector=metadata.name=a-0",
        "nodes fieldSelector=metadata.name=b-1",
    ]


def test_a_script_that_chooses_another_context_than_the_one_that_is_asked_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "runbook.sh"
    script.write_text("kubectl config use-context prod\nkubectl cordon b-1\n")
    server = ApiServer(cluster())
    with serving(server, tmp_path) as config:
        other = program("plan", str(script), "--kubeconfig", str(config))
        asked = list(server.asked)
        script.write_text("kubectl config use-context test\nkubectl cordon b-1\n")
        same = program("plan", str(script), "--kubeconfig", str(config))
    assert (other.code, asked) == (2, [])
    assert other.err == f"error: {script} uses context prod, but preflight reads context test: give --context prod\n"
    assert (same.code, same.err) == (0, "")


def test_a_folder_is_compared_with_the_cluster(tmp_path: Path) -> None:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "csi.yaml").write_text(json.dumps(daemonset("storage", "csi", nodeSelector={"pool": "b"})))
    with serving(ApiServer(cluster()), tmp_path) as config:
        result = program("diff", "live", str(folder), "--kubeconfig", str(config), "-o", "json")
    lost = [load["nodes"] for load in json.loads(result.out)["coverage"] if load["outcome"] == "lost-now"]
    assert lost == [["a-0", "a-1", "a-2"]]


def test_components_asks_for_daemonsets_and_their_configuration_only(tmp_path: Path) -> None:
    server = ApiServer([*cluster(), daemonset("gpu", "plugin", volumes=[{"name": "v", "configMap": {"name": "plugin-config"}}])])
    with serving(server, tmp_path) as config:
        result = program("components", "--kubeconfig", str(config), "-o", "json")
        both = program("components", str(tmp_path), "--live")
    assert [load["name"] for load in json.loads(result.out)["daemonsets"]] == ["plugin", "agent", "csi"]
    assert server.questions() == ["configmaps -n gpu fieldSelector=metadata.name=plugin-config", "daemonsets"]
    assert (both.code, both.err) == (2, "error: PATH and --live exclude each other\nSee 'preflight components --help'\n")


@pytest.mark.parametrize(("version", "code"), [("v1.30.4-gke.1", 2), ("v1.34.4", 2), ("v1.37.2", 3)])
def test_a_file_with_an_operator_that_the_server_does_not_know(version: str, code: int, tmp_path: Path) -> None:
    tolerations = [{"key": "level", "operator": "Gt", "value": "5", "effect": "NoSchedule"}]
    (tmp_path / "ds.json").write_text(json.dumps(daemonset("x", "gated", tolerations=tolerations)))
    server = ApiServer([node("a-0", ({"key": "level", "value": "7", "effect": "NoSchedule"},)), daemonset("x", "other")])
    server.version["gitVersion"] = version
    with serving(server, tmp_path) as config:
        result = program("apply", "-f", str(tmp_path / "ds.json"), "--kubeconfig", str(config))
    assert result.code == code, result.out + result.err


@pytest.mark.parametrize(
    ("minor", "metrics", "outcome"),
    [
        pytest.param("34", "", "lost-on-recreation", id="before 1.35 there is no such operator"),
        pytest.param("37", 'kubernetes_feature_enabled{name="TaintTolerationComparisonOperators",stage="ALPHA"} 1', "kept", id="on"),
        pytest.param(
            "37", 'kubernetes_feature_enabled{name="TaintTolerationComparisonOperators",stage="ALPHA"} 0', "lost-on-recreation", id="off"
        ),
        pytest.param("37", "", "unknown", id="not said"),
    ],
)
def test_the_gate_of_lt_and_gt_is_read_where_it_can_be(minor: str, metrics: str, outcome: str, tmp_path: Path) -> None:
    tolerations = [{"key": "level", "operator": "Gt", "value": "5", "effect": "NoSchedule"}]
    owner = daemonset("x", "gated", tolerations=tolerations)
    server = ApiServer([node("a-0"), owner, pod(owner, "a-0")])
    server.version["gitVersion"], server.metrics = f"v1.{minor}.0", metrics
    with serving(server, tmp_path) as config:
        result = program("taint", "nodes", "a-0", "level=7:NoSchedule", "--kubeconfig", str(config), "-o", "json")
    assert [load["outcome"] for load in json.loads(result.out)["coverage"]] == [outcome]
