"""A part of a cluster is never taken for the whole: what is not served, not allowed, listed at another moment, or not asked for."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from preflight.load.live import connection, pages
from tests.builders import make_budget, make_deployment, make_owner, make_pod
from tests.cli.program import Result, program
from tests.load.live.api_server import ApiServer, Asked, Fault, kubeconfig, serving, status
from tests.load.live.listed_objects import cluster, daemonset, node, pod

_DRAIN = "drain a-0 --ignore-daemonsets --force"
_WEB = make_pod("web", "shop", labels={"app": "web"}, node="a-0", owner=make_owner("ReplicaSet", "web-1", "u"))
_BUDGET = make_budget("web", "shop", selector={"matchLabels": {"app": "web"}}, minAvailable=1)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "_LONGEST_WAIT", 0.0)


def _run(server: ApiServer, line: str, folder: Path, namespace: str = "") -> Result:
    with serving(server, folder) as config:
        kubeconfig(config, server.url, namespace=namespace)
        return program(*shlex.split(line), "--kubeconfig", str(config))


def _read(server: ApiServer, line: str, folder: Path, namespace: str = "") -> dict[str, Any]:
    result = _run(server, f"{line} -o json", folder, namespace)
    assert result.out, result.err
    report: dict[str, Any] = json.loads(result.out)
    assert report["exit"] == result.code
    return report


def _forbid(*resources: str) -> Fault:
    return lambda asked: status(403, "forbidden") if asked.resource in resources else None


def _list_problem_kinds(report: dict[str, Any]) -> list[str]:
    return [problem.get("kind", "") for problem in report["problems"]]


# Rights


@pytest.mark.parametrize(
    "line",
    [
        _DRAIN,
        "drain -l pool=a --ignore-daemonsets",
        "taint nodes a-0 x=y:PreferNoSchedule",
        "taint nodes a-0 x=y:NoExecute",
        "delete node a-0",
        "doctor",
        "lint --live",
        "capacity --request cpu=1",
    ],
)
def test_without_the_right_to_list_pods_no_answer_is_whole(line: str, tmp_path: Path) -> None:
    result = _run(ApiServer([*cluster(), _WEB], _forbid("pods")), line, tmp_path)
    assert result.code == 3
    assert "not all Pods are checked: no permission to list pods: `preflight rbac` prints the role" in result.out + result.err


def test_the_kind_that_is_missing_is_told_apart_from_other_problems(tmp_path: Path) -> None:
    report = _read(ApiServer([*cluster(), _WEB], _forbid("pods")), _DRAIN, tmp_path)
    assert _list_problem_kinds(report) == ["Pod"]
    assert "Pods" not in [check["what"] for check in report["skipped"]]


def test_a_snapshot_of_a_part_says_so_and_so_does_what_is_read_from_it(tmp_path: Path) -> None:
    saved = tmp_path / "world.snapshot"
    result = _run(ApiServer([*cluster(), _WEB], _forbid("pods", "jobs")), f"snapshot -o {saved}", tmp_path)
    assert result.code == 3
    assert [line.partition(":")[0] for line in result.err.splitlines()[1:]] == ["not in it"] * 2 or "Pod" in result.err
    drain = json.loads(program(*_DRAIN.split(), "--from", str(saved), "-o", "json").out)
    assert (drain["exit"], _list_problem_kinds(drain)) == (3, ["Pod"])
    assert "Jobs" in [check["what"] for check in drain["skipped"]]


def test_a_right_that_somebody_chose_not_to_give_leaves_the_answer_on_coverage_whole(tmp_path: Path) -> None:
    fault = _forbid("deployments", "statefulsets", "jobs", "cronjobs", "jobsets", "persistentvolumes", "storageclasses")
    report = _read(ApiServer(cluster(), fault), "taint nodes a-0 team=x:NoSchedule", tmp_path)
    assert (report["exit"], report["problems"]) == (1, [])
    assert "Deployments" in [check["what"] for check in report["skipped"]]


def _allow(namespace: str) -> Fault:
    def fault(asked: Asked) -> tuple[int, bytes] | None:
        is_allowed = asked.namespace == namespace or asked.resource in ("version", "apis", "nodes")
        return None if is_allowed else status(403, "forbidden")

    return fault


@pytest.mark.parametrize("line", ["delete ds csi -n storage", "set image ds/csi main=c:2 -n storage", "rollout restart ds -n storage"])
def test_the_namespace_of_the_line_is_tried_where_the_context_has_another(line: str, tmp_path: Path) -> None:
    report = _read(ApiServer(cluster(), _allow("storage")), line, tmp_path, namespace="default")
    assert {row["daemonset"] for row in report["coverage"]} == {"storage/csi"}
    assert report["exit"] == 3


@pytest.mark.parametrize(
    "line",
    [
        "delete ds agent -n logging",
        "delete ds agent -n logging --ignore-not-found",
        "set image ds/agent main=c:2 -n logging",
        "rollout restart ds -n logging",
        "patch ds agent -n logging -p 'spec: {minReadySeconds: 5}'",
    ],
)
def test_a_daemonset_of_a_namespace_that_may_not_be_listed_is_not_said_to_be_missing(line: str, tmp_path: Path) -> None:
    result = _run(ApiServer(cluster(), _allow("storage")), line, tmp_path, namespace="storage")
    assert (result.code, result.out) == (3, "")
    assert result.err.startswith(
        "error: the DaemonSets of namespace logging could not be listed: only those in namespace storage: no permission"
    )


def test_a_name_that_no_daemonset_of_a_listed_namespace_has_is_not_found(tmp_path: Path) -> None:
    result = _run(ApiServer(cluster(), _allow("storage")), "delete ds nope -n storage", tmp_path, namespace="storage")
    assert result.code == 2
    assert 'daemonsets.apps "nope" not found' in result.err


def test_a_pod_of_a_namespace_that_may_not_be_listed_is_not_said_to_be_missing(tmp_path: Path) -> None:
    result = _run(ApiServer(cluster(), _allow("storage")), "delete pod agent-a-0 -n logging", tmp_path, namespace="storage")
    assert result.code == 3
    assert "the pods of namespace logging could not be listed: " in result.err


# Discovery


def _serve(server: ApiServer, resource: str, version: str | None) -> None:
    """Let the server have a resource at another version, or not at all."""
    kind = server.kinds.pop(resource)[1]
    if version is not None:
        server.kinds[resource] = (version, kind)


@pytest.mark.parametrize("is_aggregated", [True, False])
def test_an_old_server_is_asked_for_the_budgets_that_it_has(is_aggregated: bool, tmp_path: Path) -> None:
    server = ApiServer([*cluster(), _WEB, _BUDGET])
    server.is_discovery_aggregated = is_aggregated
    _serve(server, "poddisruptionbudgets", "policy/v1beta1")
    _serve(server, "cronjobs", "batch/v1beta1")
    _serve(server, "runtimeclasses", "node.k8s.io/v1beta1")
    report = _read(server, _DRAIN, tmp_path)
    assert {asked.version for asked in server.asked if asked.resource == "poddisruptionbudgets"} == {"policy/v1beta1"}
    assert report["problems"] == []
    assert "shop/web" in json.dumps(report["change"]["steps"][0]["evictions"])


def test_an_empty_selector_of_an_old_budget_selects_nothing(tmp_path: Path) -> None:
    """In policy/v1 it selects every pod of the namespace."""
    server = ApiServer([*cluster(), _WEB, make_budget("all", "shop", selector={}, maxUnavailable=0)])
    new = _read(server, _DRAIN, tmp_path)["change"]["steps"][0]["evictions"]
    _serve(server, "poddisruptionbudgets", "policy/v1beta1")
    old = _read(server, _DRAIN, tmp_path)["change"]["steps"][0]["evictions"]
    assert ("shop/all" in json.dumps(new), "shop/all" in json.dumps(old)) == (True, False)


def test_a_workload_whose_capacity_is_asked_for_is_found_at_the_version_that_is_served(tmp_path: Path) -> None:
    template = {"spec": {"containers": [{"name": "c", "image": "c:1"}]}}
    spec = {"schedule": "@daily", "jobTemplate": {"spec": {"template": template}}}
    job = {"apiVersion": "batch/v1beta1", "kind": "CronJob", "metadata": {"name": "nightly", "namespace": "shop"}, "spec": spec}
    server = ApiServer([*cluster(), job])
    _serve(server, "cronjobs", "batch/v1beta1")
    assert "nightly" in _run(server, "capacity --like cronjob/nightly -n shop", tmp_path).out
    _serve(server, "cronjobs", None)
    assert "the server does not serve them" in _run(server, "capacity --like cronjob/nightly -n shop", tmp_path).err


@pytest.mark.parametrize("is_aggregated", [True, False])
@pytest.mark.parametrize(
    ("resource", "line", "plural"),
    [
        ("poddisruptionbudgets", _DRAIN, "PodDisruptionBudgets"),
        ("runtimeclasses", "rollout restart ds -n storage", "RuntimeClasses"),
        ("cronjobs", "taint nodes a-0 x=y:NoSchedule", "CronJobs"),
    ],
)
def test_what_the_server_does_not_serve_is_not_judged(resource: str, line: str, plural: str, is_aggregated: bool, tmp_path: Path) -> None:
    server = ApiServer([*cluster(), _WEB])
    server.is_discovery_aggregated = is_aggregated
    _serve(server, resource, None)
    report = _read(server, line, tmp_path)
    assert report["exit"] == 3
    assert [problem["message"] for problem in report["problems"]] == [f"not all {plural} are checked: the server does not serve them"]


@pytest.mark.parametrize("is_aggregated", [True, False])
def test_a_custom_resource_that_is_not_installed_has_no_objects(is_aggregated: bool, tmp_path: Path) -> None:
    server = ApiServer([*cluster(), _WEB])
    server.is_discovery_aggregated = is_aggregated
    _serve(server, "jobsets", None)
    report = _read(server, _DRAIN, tmp_path)
    assert report["problems"] == []
    assert "jobsets" not in {asked.resource for asked in server.asked}


def test_a_server_that_does_not_find_what_it_serves_is_broken(tmp_path: Path) -> None:
    fault: Fault = lambda asked: status(404, "not found") if asked.resource == "jobsets" else None  # noqa: E731 (of a type)
    report = _read(ApiServer([*cluster(), _WEB], fault), _DRAIN, tmp_path)
    assert (report["exit"], _list_problem_kinds(report)) == (3, ["JobSet"])


@pytest.mark.parametrize("code", [403, 404, 406])
def test_a_server_that_refuses_to_say_what_it_serves_is_asked_for_the_usual_versions(code: int, tmp_path: Path) -> None:
    fault: Fault = lambda asked: status(code, "no") if asked.resource == "apis" else None  # noqa: E731 (of a type)
    whole = _read(ApiServer([*cluster(), _WEB], fault), _DRAIN, tmp_path)
    server = ApiServer([*cluster(), _WEB], fault)
    _serve(server, "poddisruptionbudgets", "policy/v1beta1")
    part = _read(server, _DRAIN, tmp_path)
    assert (whole["problems"], _list_problem_kinds(part), part["exit"]) == ([], ["PodDisruptionBudget"], 3)


# Other moments


def _appear(resource: str, hidden: Callable[[dict[str, Any]], bool], objects: list[dict[str, Any]]) -> ApiServer:
    """A server whose first list of a resource lacks some objects, which others already have as their owner."""
    server = ApiServer(objects)
    lists = [0]

    def fault(asked: Asked) -> tuple[int, bytes] | None:
        if asked.resource != resource:
            return None
        lists[0] += 1
        if lists[0] > 1:
            return None
        rest = ApiServer([item for item in objects if not hidden(item)])
        return rest.answer(asked)

    server.fault = fault
    return server


def test_a_daemonset_that_is_made_between_two_lists_is_asked_for_once_more(tmp_path: Path) -> None:
    objects = cluster()
    server = _appear("daemonsets", lambda item: item["kind"] == "DaemonSet" and item["metadata"]["name"] == "csi", objects)
    late = _read(server, _DRAIN, tmp_path)
    usual = _read(ApiServer(objects), _DRAIN, tmp_path)
    assert late["coverage"] == usual["coverage"]
    assert late["change"]["steps"][0]["evictions"] == usual["change"]["steps"][0]["evictions"]
    assert [str(asked) for asked in server.asked if asked.resource == "daemonsets"] == [
        "daemonsets",
        "daemonsets -n storage fieldSelector=metadata.name=csi",
    ]


def test_a_job_that_is_made_between_two_lists_is_asked_for_once_more(tmp_path: Path) -> None:
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "train", "namespace": "shop", "uid": "j"}, "spec": {}}
    objects = [*cluster(), job, make_pod("train-1", "shop", node="a-0", owner=make_owner("Job", "train", "j"))]
    late = _read(_appear("jobs", lambda item: item["kind"] == "Job", objects), _DRAIN, tmp_path)
    assert late["change"] == _read(ApiServer(objects), _DRAIN, tmp_path)["change"]


def test_a_daemonset_that_is_gone_is_gone_and_kubectl_needs_force(tmp_path: Path) -> None:
    objects = [item for item in cluster() if item["kind"] != "DaemonSet" or item["metadata"]["name"] != "csi"]
    server = ApiServer(objects)
    result = _run(server, "drain a-0 --ignore-daemonsets", tmp_path)
    assert 'daemonsets.apps "csi" not found' in result.out
    assert [str(asked) for asked in server.asked if asked.resource == "daemonsets"][1:] == [
        "daemonsets -n storage fieldSelector=metadata.name=csi"
    ]


@pytest.mark.parametrize("taint", ["x=y:NoSchedule", "x=y:NoExecute"])
def test_a_node_that_has_just_joined_loses_the_pods_that_are_not_made_yet(taint: str, tmp_path: Path) -> None:
    report = _read(ApiServer([*cluster(), node("new")]), f"taint nodes new {taint}", tmp_path)
    assert {row["daemonset"]: row["outcome"] for row in report["coverage"]}["storage/csi"] == "lost-now"
    assert report["exit"] == 1


def test_a_resource_that_another_node_may_have_is_not_said_to_be_missing(tmp_path: Path) -> None:
    """Of a cluster, only the nodes of the change are listed; by file, all of them are there."""
    sockets = "/var/lib/kubelet/device-plugins"
    plugin = daemonset(
        "devices", "plugin", image="registry.example/k8s-rdma-shared-dev-plugin:1", volumes=[{"name": "s", "hostPath": {"path": sockets}}]
    )
    plugin["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [{"name": "s", "mountPath": sockets}]
    asking = [{"name": "c", "image": "c:1", "resources": {"limits": {"rdma/hca": "1"}}}]
    objects = [node("a-0"), node("a-1"), plugin, pod(plugin, "a-0"), pod(plugin, "a-1")]
    objects.append(make_deployment("train", "research", containers=asking, tolerations=[{"operator": "Exists"}]))
    live = _read(ApiServer(objects), "taint nodes a-0 x=y:NoSchedule", tmp_path)
    every = _read(ApiServer(objects), "taint nodes --all x=y:NoSchedule", tmp_path)
    found = {name: [item for item in report["findings"] if item["rule"] == "PF110"] for name, report in (("live", live), ("all", every))}
    assert [(item["severity"], item["message"].rpartition(": ")[2]) for item in found["live"]] == [
        ("warning", "Deployment research/train may then stay Pending")
    ]
    assert any("only the nodes of the change were listed" in note["text"] for note in found["live"][0]["notes"])
    assert [(item["severity"], item["message"].rpartition(": ")[2]) for item in found["all"]] == [
        ("error", "Deployment research/train then stays Pending")
    ]


# Lists without an end


def _endless(make: Callable[[int], dict[str, Any]]) -> Fault:
    count = [0]

    def fault(asked: Asked) -> tuple[int, bytes] | None:
        if asked.resource != "pods":
            return None
        count[0] += 1
        return 200, json.dumps({"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": f"t{count[0]}"}, **make(count[0])}).encode()

    return fault


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda _: {"items": [_WEB]}, id="the same item, again and again"),
        pytest.param(lambda _: {"items": []}, id="no item, again and again"),
        pytest.param(lambda _: {"items": None}, id="null, again and again"),
        pytest.param(lambda n: {"items": [{**_WEB, "metadata": {"name": f"p{n % 3}", "resourceVersion": str(n)}}]}, id="a circle of three"),
    ],
)
def test_a_list_whose_token_changes_for_ever_ends(make: Callable[[int], dict[str, Any]], tmp_path: Path) -> None:
    server = ApiServer(cluster(), _endless(make))
    result = _run(server, _DRAIN, tmp_path)
    assert result.code == 3
    assert "the list of pods does not end: the server starts it again" in result.err
    assert len(server.asked) < 40


def test_a_list_of_ever_new_items_ends_with_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "_TIMEOUTS_PER_LIST", 0.01)
    fault = _endless(lambda number: {"items": [{**_WEB, "metadata": {"name": f"p{number}"}}]})
    result = _run(ApiServer(cluster(), fault), f"{_DRAIN} --request-timeout 20s", tmp_path)
    assert result.code == 3
    assert "the list of pods is not complete after 0.2 seconds" in result.err


@pytest.mark.parametrize("items", [None, []])
def test_a_list_without_an_item_is_one(items: object, tmp_path: Path) -> None:
    body = json.dumps({"kind": "PodDisruptionBudgetList", "apiVersion": "policy/v1", "metadata": {}, "items": items}).encode()
    fault: Fault = lambda asked: (200, body) if asked.resource == "poddisruptionbudgets" else None  # noqa: E731 (of a type)
    assert _read(ApiServer([*cluster(), _WEB], fault), _DRAIN, tmp_path)["problems"] == []


# Answers about a part


@pytest.mark.parametrize(
    "line",
    [
        "taint nodes -l pool=nope x=y:NoSchedule",
        "label nodes -l pool=nope a=b",
        "cordon -l pool=nope",
        "drain -l pool=nope --ignore-daemonsets",
        "delete node -l pool=nope",
    ],
)
def test_a_selector_that_matches_no_node_is_refused_with_one_line(line: str, tmp_path: Path) -> None:
    for flag in ("", " --allow-empty"):
        assert _run(ApiServer(cluster()), f"{line}{flag}", tmp_path) == (2, "", "error: no node matches -l pool=nope\n")


def test_doctor_of_a_node_judges_the_pairs_of_that_node(tmp_path: Path) -> None:
    every = _read(ApiServer(cluster()), "doctor", tmp_path)
    one = _read(ApiServer(cluster()), "doctor --node a-0", tmp_path)
    assert (every["judged"]["pairs"], one["judged"]["pairs"]) == (10, 2)


def test_findings_of_what_a_manifest_does_not_state_are_not_gone(tmp_path: Path) -> None:
    everything = [{"operator": "Exists"}]
    objects = [*cluster(), daemonset("kube-system", "other", tolerations=everything)]
    manifest = tmp_path / "csi.json"
    manifest.write_text(json.dumps(daemonset("storage", "csi", image="example.com/agent:2")))
    result = _run(ApiServer(objects), f"diff live {manifest}", tmp_path)
    assert "untouched" in result.out
    assert "are gone" not in result.out
