"""Lists, as kubectl and the API write them: the quick way, the slow way and YAML must say the same."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from preflight.load import LoadResult, json_stream, load_world
from preflight.load.kinds import CHECKED_KINDS
from preflight.load.kubectl_list_schema import RawItem
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, Taint
from preflight.model.meta import Origin
from tests.builders import Object, make_list
from tests.load.plain_objects import daemonset, node, pod, problems, skipped, workload, write

UNKNOWN: Object = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "t"}}
SERVICE: Object = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"selector": {"a": "b"}}}


def quick(folder: Path, data: Object) -> LoadResult:
    write(folder, a_json=data)
    return load_world(["a.json"], one_cluster=True)


def indented(folder: Path, data: Object) -> LoadResult:
    write(folder, a_json=json.dumps(data, indent=4))
    return load_world(["a.json"], one_cluster=True)


def with_a_kind_to_learn(folder: Path, data: Object) -> LoadResult:
    """A kind that nobody knows: the quick way learns it."""
    write(folder, a_json={**data, "items": [*data["items"], UNKNOWN]})
    return load_world(["a.json"], one_cluster=True)


def one_by_one(folder: Path, data: Object) -> LoadResult:
    """A null where none belongs makes the quick way give up."""
    write(folder, a_json={**data, "items": [*data["items"], UNKNOWN, {"kind": None}]})
    return load_world(["a.json"], one_cluster=True)


def as_yaml(folder: Path, data: Object) -> LoadResult:
    write(folder, a_yaml=yaml.safe_dump(data))
    return load_world(["a.yaml"], one_cluster=True)


def as_a_list_in_a_list(folder: Path, data: Object) -> LoadResult:
    write(folder, a_json=make_list(data))
    return load_world(["a.json"], one_cluster=True)


WAYS = pytest.mark.parametrize("way", [quick, indented, with_a_kind_to_learn, one_by_one, as_yaml, as_a_list_in_a_list])
Way = Callable[[Path, Object], LoadResult]


def pods_of(result: LoadResult) -> list[tuple[str, str, str, str]]:
    return [(pod.metadata.namespace, pod.metadata.name, pod.spec.nodeName, pod.status.phase) for pod in result.world.pods]


@WAYS
def test_an_empty_list(folder: Path, way: Way) -> None:
    result = way(folder, make_list())
    assert (result.objects, result.problems, result.world.listed_namespaces) == (0, (), frozenset())


@WAYS
def test_a_list_of_everything(folder: Path, way: Way) -> None:
    taint = {"key": "a", "value": "b", "effect": "NoSchedule", "timeAdded": "2024-01-01T00:00:00Z"}
    data = make_list(
        node("n1", taints=[taint], unschedulable=True),
        daemonset("ds", tolerations=[{"key": "a", "operator": "Exists"}]),
        workload("Deployment", "d"),
        pod("p", "kube-system", "n1", "Running"),
    )
    result = way(folder, data)
    world = result.world
    assert {name: (value.spec.taints, value.spec.unschedulable) for name, value in world.nodes.items()} == {
        "n1": ((Taint("a", "b", "NoSchedule"),), True)
    }
    (value,) = world.daemonsets.values()
    assert value.data == data["items"][1]
    assert [each.metadata.name for each in world.workloads] == ["ds", "d"]
    assert pods_of(result) == [("kube-system", "p", "n1", "Running")]
    assert world.listed_namespaces == frozenset({"kube-system"})
    assert (result.problems, result.objects) == ((), 4)


def test_each_way_gives_the_same_objects(folder: Path) -> None:
    data = make_list(node("n2"), daemonset("b"), daemonset("a", None), node("n1", taints=[{"key": "a", "effect": "NoExecute"}]))
    first, *others = [way(folder, data) for way in (quick, indented, with_a_kind_to_learn, one_by_one)]
    assert [value.origin.path for value in first.world.nodes.values()] == [("items", 3), ("items", 0)]
    assert all(other.world == first.world for other in others)
    in_yaml = as_yaml(folder, data).world
    assert [value.data for value in in_yaml.daemonsets.values()] == [value.data for value in first.world.daemonsets.values()]
    assert [value.spec for value in in_yaml.nodes.values()] == [value.spec for value in first.world.nodes.values()]


@WAYS
def test_pods_of_two_namespaces_beside_their_nodes_were_listed_everywhere(folder: Path, way: Way) -> None:
    result = way(folder, make_list(node("n1"), pod("p", "a", "n1"), pod("p", "b", "n1")))
    assert result.world.listed_namespaces is None
    assert result.world.are_pods_listed("c")


@WAYS
def test_a_list_of_nothing_but_pods_may_be_two_namespaces_put_together(folder: Path, way: Way) -> None:
    result = way(folder, make_list(pod("p", "a", "n1"), pod("p", "b", "n1")))
    assert result.world.listed_namespaces == frozenset({"a", "b"})
    assert not result.world.are_pods_listed("c")


@WAYS
def test_a_pod_that_waits_is_evidence_and_one_that_nobody_started_is_a_manifest(folder: Path, way: Way) -> None:
    result = way(folder, make_list(pod("waits", phase="Pending"), pod("manifest"), pod("bound", node="n1")))
    assert [name for _, name, _, _ in pods_of(result)] == ["waits", "bound"]
    assert [workload.metadata.name for workload in result.world.workloads] == ["manifest"]
    assert result.world.listed_namespaces == frozenset({"default"})


@WAYS
@pytest.mark.parametrize("left_out", ["containers", "apiVersion"])
def test_a_listed_pod_that_was_made_smaller_is_still_evidence(folder: Path, way: Way, left_out: str) -> None:
    small = pod("p", node="n1")
    small.pop(left_out, None)
    small["spec"].pop(left_out, None)
    assert pods_of(way(folder, make_list(small))) == [("default", "p", "n1", "")]


@WAYS
def test_a_pod_without_a_name_is_no_evidence(folder: Path, way: Way) -> None:
    nameless = pod("", node="n1", phase="Running")
    assert pods_of(way(folder, make_list(nameless, node()))) == []


@WAYS
def test_other_kinds_are_counted(folder: Path, way: Way) -> None:
    result = way(folder, make_list(SERVICE, node(), UNKNOWN, SERVICE))
    things = 1 if way in (quick, indented, as_yaml, as_a_list_in_a_list) else 2
    assert skipped(result)[:2] == [
        "2 objects: kind Service is not checked",
        f"{things} object{'s' if things > 1 else ''}: kind Thing is not checked",
    ]
    assert list(result.world.nodes) == ["n1"]


@WAYS
def test_config_maps_count_where_they_say_something_of_what_is_judged(folder: Path, way: Way) -> None:
    def config(name: str, text: str) -> Object:
        return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "ops"}, "data": {"a": text}}

    result = way(folder, make_list(config("prose", "log-level: info"), config("plugin", '{"configList": []}'), config("empty", ""), node()))
    assert result.world.config_maps == {("ops", "plugin"): {"a": '{"configList": []}'}}
    assert "2 objects: ConfigMap without a field that preflight checks" in skipped(result)


@WAYS
def test_a_storage_class_and_a_claim(folder: Path, way: Way) -> None:
    storage: Object = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": "csi.example.com",
    }
    claim: Object = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": {"storageClassName": ""}}
    world = way(folder, make_list(storage, claim, {**claim, "metadata": {"name": "d"}, "spec": {}})).world
    assert [node_class.provisioner for node_class in world.storage_classes] == ["csi.example.com"]
    assert [each.spec.storageClassName for each in world.claims] == ["", None]


@WAYS
def test_a_kind_of_another_group_is_not_ours(folder: Path, way: Way) -> None:
    result = way(folder, make_list(node() | {"apiVersion": "longhorn.io/v1beta2"}, node("n2")))
    assert list(result.world.nodes) == ["n2"]
    assert "1 object: kind Node of longhorn.io is not checked" in skipped(result)


@WAYS
def test_null_is_absent(folder: Path, way: Way) -> None:
    bound = pod("p", node="n1", phase="Running")
    bound["metadata"]["ownerReferences"] = None
    bound["metadata"]["labels"] = None
    bare = node("n1", taints=None)
    bare["metadata"]["labels"] = {"a": None}
    result = way(folder, make_list(bound, bare, daemonset("ds", tolerations=None, nodeSelector=None)))
    assert pods_of(result) == [("default", "p", "n1", "Running")]
    assert result.world.nodes["n1"].metadata.labels == {"a": ""}
    assert len(result.world.daemonsets) == 1
    assert result.problems == ()


@WAYS
def test_what_the_api_refuses_is_noted_with_its_path(folder: Path, way: Way) -> None:
    result = way(folder, make_list(node("n1", taints=[{"key": "a", "vlaue": "x"}]), daemonset(tolerations=[{"value": True}])))
    refused = [(refusal.path, refusal.reason) for value in result.nodes for refusal in value.refusals]
    assert refused == [(("spec", "taints", 0, "vlaue"), 'unknown field "vlaue": did you mean "value"?')]
    (value,) = result.world.daemonsets.values()
    assert [each.reason for each in value.refusals] == ["value must be a string: true is a boolean; quote it"]


@WAYS
@pytest.mark.parametrize("item", [5, None, "x", [], [[]], {}, {"kind": 5}, {"kind": "Node", "metadata": {}}, {"kind": "Pod", "spec": 5}])
def test_an_odd_item_hurts_nobody_else(folder: Path, way: Way, item: Any) -> None:
    result = way(folder, make_list(item, node()))
    assert list(result.world.nodes) == ["n1"]
    assert result.objects == 1


@WAYS
def test_an_item_without_sense_is_a_problem(folder: Path, way: Way) -> None:
    result = way(folder, make_list(node() | {"metadata": []}, node("n2")))
    assert [problem.message for problem in result.problems] == ["Node cannot be checked: metadata must be a map: it is a list"]
    assert list(result.world.nodes) == ["n2"]


@pytest.mark.parametrize("kind_comes", ["first", "last"])
def test_lists_of_the_api_leave_the_kind_of_their_items_out(folder: Path, kind_comes: str) -> None:
    def bare(data: Object) -> Object:
        return {key: value for key, value in data.items() if key not in {"kind", "apiVersion"}}

    def of(kind: str, *items: Object, api_version: str = "v1") -> Object:
        head = {"kind": kind, "apiVersion": api_version}
        body = {"items": [bare(item) for item in items]}
        return head | body if kind_comes == "first" else body | head

    write(
        folder,
        a_json=of("NodeList", node("n1"), node("n2", taints=[{"key": "a", "effect": "NoSchedule"}])),
        b_json=of("PodList", pod("p", "a", "n1"), pod("q", "a", "n2")),
        c_json=of("DaemonSetList", daemonset(), api_version="apps/v1"),
        d_yaml=yaml.safe_dump(of("DeploymentList", workload("Deployment", "d"), api_version="apps/v1")),
        e_json=of("NodeList", node("n3", taints=None)),
        f_json=of("ServiceList", SERVICE),
    )
    result = load_world(["."], one_cluster=True)
    assert list(result.world.nodes) == ["n1", "n2", "n3"]
    assert [name for _, name, _, _ in pods_of(result)] == ["p", "q"]
    assert [type(each).__name__ for each in result.world.workloads] == ["DaemonSet", "Deployment"]
    assert result.world.workloads[0].origin == Origin("c.json", 0, 1, ("items", 0))
    assert skipped(result) == ["1 document: kind ServiceList is not checked"]
    assert result.problems == ()


@pytest.mark.parametrize("between", ["\n", "", " ", "\n\n"], ids=["lines", "nothing", "a blank", "empty lines"])
def test_values_one_after_another(folder: Path, between: str) -> None:
    values: list[Any] = [node("n1"), SERVICE, daemonset(), node("n2"), [], 5]
    texts = [json.dumps(value) for value in values]
    write(folder, a_json=between.join(texts) + "\n")
    result = load_world(["a.json"], one_cluster=True)
    assert list(result.world.nodes) == ["n1", "n2"]
    lines = {"\n": 4, "": 1, " ": 1, "\n\n": 7}
    assert result.world.nodes["n2"].origin == Origin("a.json", 3, lines[between])
    assert skipped(result) == ["1 document: kind Service is not checked", "2 documents: not Kubernetes objects"]
    assert result.locate(result.world.nodes["n2"].origin, ("metadata", "name")).line == lines[between]


def test_indented_values_one_after_another(folder: Path) -> None:
    write(folder, a_json=json.dumps(make_list(node("n1")), indent=4) + "\n" + json.dumps(make_list(node("n2")), indent=4) + "\n")
    result = load_world(["a.json"], one_cluster=True)
    assert [value.origin for value in result.nodes] == [
        Origin("a.json", 0, 1, ("items", 0)),
        Origin("a.json", 1, 15, ("items", 0)),
    ]


def test_two_pods_one_after_another_are_evidence_and_one_is_a_manifest(folder: Path) -> None:
    first, second, manifest = pod("p", node="n1"), pod("q", phase="Pending"), pod("r")
    write(folder, a_json="\n".join(json.dumps(each) for each in (first, second, manifest)), b_json=json.dumps(first) + json.dumps(node()))
    result = load_world(["a.json"], one_cluster=True)
    assert [name for _, name, _, _ in pods_of(result)] == ["p", "q"]
    assert [workload.metadata.name for workload in result.world.workloads] == ["r"]
    assert result.world.listed_namespaces == frozenset({"default"})
    alone = load_world(["b.json"], one_cluster=True)
    assert (alone.world.pods, alone.world.listed_namespaces) == ((), frozenset())
    assert [each.metadata.name for each in alone.world.workloads] == ["p"]


@pytest.mark.parametrize("cap", [0, 1 << 20], ids=["large", "small"])
def test_a_broken_value_is_a_problem_and_reading_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch, cap: int) -> None:
    monkeypatch.setattr(json_stream, "MAX_LOCATED", cap)
    write(folder, a_json=f'{json.dumps(node("n1"))}\n{{"a": x}}\n{json.dumps(node("n2"))}\n{{"kind": "No')
    result = load_world(["a.json"], one_cluster=True)
    assert problems(result) == ["a.json:2:7: broken JSON: invalid character", "a.json:4:12: broken JSON: the text ends too early"]
    assert list(result.world.nodes) == ["n1", "n2"]


def test_a_broken_first_line_of_json_lines(folder: Path) -> None:
    write(folder, a_jsonl="{'a'}\n" + json.dumps(node()))
    result = load_world(["."], one_cluster=True)
    assert problems(result) == ["a.jsonl:1:2: broken JSON: expected '\"'"]
    assert list(result.world.nodes) == ["n1"]


def test_json_before_yaml(folder: Path) -> None:
    write(folder, a_yaml=f"{json.dumps(node())}\n---\nkind: Node\napiVersion: v1\nmetadata: {{name: n2}}\n")
    assert list(load_world(["a.yaml"], one_cluster=True).world.nodes) == ["n1", "n2"]


def test_yaml_that_looks_like_json(folder: Path) -> None:
    write(folder, a_yaml="{apiVersion: v1, kind: Node, metadata: {name: n1}}\n")
    assert list(load_world(["a.yaml"], one_cluster=True).world.nodes) == ["n1"]


@pytest.mark.parametrize("cap", [0, 1 << 20], ids=["large", "small"])
@pytest.mark.parametrize(
    "text",
    [
        '{"apiVersion": "v1", "kind": "List", "items": [',
        '{"apiVersion": "v1", "kind": "List", "items": ' + "[" * 5000 + "]" * 5000 + "}",
        '{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "labels": {"a": 1e999}}}',
        '{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": 1e999}}]}',
        '{"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": 1e999}}]}',
    ],
    ids=["cut off", "too deep", "a huge number", "a huge number in an item", "a huge number in an item that is read late"],
)
def test_what_cannot_be_read_is_a_problem(folder: Path, monkeypatch: pytest.MonkeyPatch, text: str, cap: int) -> None:
    monkeypatch.setattr(json_stream, "MAX_LOCATED", cap)
    write(folder, a_json=text)
    result = load_world(["a.json"], one_cluster=True)
    assert len(result.problems) == 1 or [value.refusals for value in result.nodes]
    assert all(len(problem.message) < 200 for problem in result.problems)


def test_types_of_what_is_listed(folder: Path) -> None:
    result = quick(folder, make_list(node(), daemonset()))
    assert [type(value) for value in result.nodes] == [Node]
    assert [type(value) for value in result.world.daemonsets.values()] == [DaemonSet]


@WAYS
def test_a_list_that_goes_on_elsewhere_is_a_problem(folder: Path, way: Way) -> None:
    result = way(folder, make_list(node("n1")) | {"metadata": {"continue": "abc", "resourceVersion": ""}})
    assert [problem.message for problem in result.problems] == [
        "this List is part of a longer list (metadata.continue): get the whole list"
    ]
    assert list(result.world.nodes) == ["n1"]


@WAYS
def test_a_list_that_is_whole_is_none(folder: Path, way: Way) -> None:
    assert way(folder, make_list(node("n1")) | {"metadata": {"continue": "", "resourceVersion": "7"}}).problems == ()


def test_a_list_keeps_every_field_that_is_read_of_a_kind() -> None:
    read_of = {name for kind in CHECKED_KINDS.values() for name in kind.type.__struct_encode_fields__ if name[:1] != "\ue000"}
    assert read_of - set(RawItem.__struct_fields__) == set()


@WAYS
def test_what_a_runtime_class_adds_is_read_of_a_list(way: Way, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runtime = {
        "apiVersion": "node.k8s.io/v1",
        "kind": "RuntimeClass",
        "metadata": {"name": "r"},
        "scheduling": {"nodeSelector": {"a": "b"}},
    }
    (found,) = way(tmp_path, make_list(runtime)).world.runtime_classes
    assert found.scheduling is not None
    assert found.scheduling.nodeSelector == {"a": "b"}
