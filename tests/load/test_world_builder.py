"""Objects that stand twice, keys, order."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest

from preflight.load import load_world
from preflight.model.behaviors import COMPARISON_GATE
from preflight.model.meta import ObjectKey
from preflight.model.releases import Version
from preflight.model.versions import VersionOptions, VersionSource
from tests.builders import make_list
from tests.load.plain_objects import ambiguous, daemonset, loaded, node, pod, problems, workload, write


@pytest.mark.parametrize("one_cluster", [True, False])
def test_equal_objects_are_one(folder: Path, one_cluster: bool) -> None:
    changed = daemonset() | {"status": {"currentNumberScheduled": 3}}
    changed["metadata"] = changed["metadata"] | {"resourceVersion": "7", "annotations": {"a": "b"}}
    result = loaded(node(), make_list(daemonset(), node()), changed, folder=folder, one_cluster=one_cluster)
    assert list(result.world.nodes) == ["n1"]
    assert list(result.world.daemonsets) == [ObjectKey("kube-system", "ds")]
    assert [workload.origin.file for workload in result.world.workloads] == ["1.yaml", "2.yaml"]  # hygiene judges each document
    assert (result.world.ambiguities, result.problems) == ((), ())


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_other_content_is_ambiguous_in_a_repository(folder: Path, order: tuple[int, ...]) -> None:
    objects = [daemonset(), daemonset(tolerations=[{"operator": "Exists"}]), daemonset("other")]
    write(folder, **{f"{index}_yaml": objects[index] for index in range(3)})
    result = load_world([f"{index}.yaml" for index in order], one_cluster=False)
    assert list(result.world.daemonsets) == [ObjectKey("kube-system", "other")]
    assert [workload.origin.file for workload in result.world.workloads] == ["0.yaml", "1.yaml", "2.yaml"]
    assert ambiguous(result) == ("DaemonSet kube-system/ds is in 0.yaml:1 and 1.yaml:1 with different content",)
    assert result.problems == ()


def test_other_content_is_a_problem_in_one_cluster(folder: Path) -> None:
    first, second = workload("Deployment"), workload("Deployment", hostNetwork=True)
    text = "\n---\n".join(json.dumps(each) for each in (node(), node(unschedulable=True), first))
    result = loaded(text, second, folder=folder)
    assert problems(result) == [
        "0.yaml:3:0: Node n1 is in 0.yaml:1 and 0.yaml:3 with different content",
        "1.yaml:1:0: Deployment default/w is in 0.yaml:5 and 1.yaml:1 with different content",
    ]
    assert ambiguous(result) == ("Node n1 is in 0.yaml:1 and 0.yaml:3 with different content",)
    assert result.world.nodes == {}
    assert len(result.nodes) == 2


def test_what_a_cluster_fills_in_is_no_other_content(folder: Path) -> None:
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "web"}}
    app, scaled = workload("Deployment"), workload("Deployment")
    scaled["spec"]["replicas"] = 7
    bound = {**claim, "spec": {"storageClassName": "fast", "volumeName": "pv-1"}}
    result = loaded(make_list({**claim, "spec": {"storageClassName": "fast"}}, app), make_list(bound, scaled), folder=folder)
    assert problems(result) == []
    assert [each.metadata.name for each in result.world.claims] == ["c"]


def test_many_places_are_not_all_named(folder: Path) -> None:
    result = loaded(make_list(*(node(taints=[{"key": f"k{index}", "effect": "NoSchedule"}]) for index in range(6))), folder=folder)
    assert ambiguous(result) == (
        "Node n1 is in 0.yaml:1 (items[0]), 0.yaml:1 (items[1]), 0.yaml:1 (items[2]) and 3 more places with different content",
    )


def test_an_object_without_a_namespace_is_known_by_its_file(folder: Path) -> None:
    result = loaded(daemonset("a", None), daemonset("a", None, hostNetwork=True), daemonset("a", "x"), folder=folder)
    assert list(result.world.daemonsets) == [ObjectKey("", "a", "0.yaml"), ObjectKey("", "a", "1.yaml"), ObjectKey("x", "a")]
    twice = loaded(make_list(daemonset("a", None), daemonset("a", None, hostNetwork=True)), folder=folder, one_cluster=False)
    assert twice.world.daemonsets == {}
    assert ambiguous(twice) == ("DaemonSet -/a is in 0.yaml:1 (items[0]) and 0.yaml:1 (items[1]) with different content",)


def test_everything_is_in_order(folder: Path) -> None:
    result = loaded(make_list(node("b"), daemonset("z"), daemonset("y", "a")), make_list(node("a"), daemonset("x")), folder=folder)
    assert list(result.world.nodes) == ["a", "b"]
    assert [str(key) for key in result.world.daemonsets] == ["a/y", "kube-system/x", "kube-system/z"]
    assert [workload.metadata.name for workload in result.world.workloads] == ["z", "y", "x"]


def test_the_gate_is_handed_on(folder: Path) -> None:
    write(folder, a_yaml=node())
    for gates, answer in (({}, None), ({COMPARISON_GATE: True}, True), ({COMPARISON_GATE: False}, False)):
        assert load_world(["."], one_cluster=True, versions=VersionOptions(gates=gates)).world.comparison_operators is answer


@pytest.mark.parametrize(
    ("kubelets", "server", "gate"),
    [
        pytest.param(["v1.30.4"], (Version(30, 0), Version(33, 9999)), False, id="a server of 1.30 to 1.33 does not know the gate"),
        pytest.param(["v1.32.9-eks-5d4a308", "v1.31.1"], (Version(32, 0), Version(34, 9999)), False, id="the newest and the oldest"),
        pytest.param(["v1.34.4"], (Version(34, 0), Version(37, 9999)), None, id="some versions know it"),
        pytest.param(["odd", ""], None, None, id="no version"),
    ],
)
def test_the_kubelets_bound_the_server(
    folder: Path, kubelets: list[str], server: tuple[Version, Version] | None, gate: bool | None
) -> None:
    nodes = [{**node(f"n{place}"), "status": {"nodeInfo": {"kubeletVersion": text}}} for place, text in enumerate(kubelets)]
    world = loaded(make_list(*nodes), folder=folder).world
    assert world.versions.server == server
    assert world.versions.source is (VersionSource.NONE if server is None else VersionSource.KUBELETS)
    assert world.comparison_operators is gate


def test_pods_that_two_lists_show_are_counted_once(folder: Path) -> None:
    first = make_list(pod("p", "a", "n1", "Running"), pod("q", "a", "n1"))
    second = make_list(pod("p", "a", "n1", "Failed"))
    result = loaded(first, second, make_list(pod("r", "b", "n1")), folder=folder)
    assert [each.metadata.name for each in result.world.pods] == ["p", "q", "r"]
    assert result.world.listed_namespaces == frozenset({"a", "b"})  # each list was of one namespace
    assert (result.problems, result.objects) == ((), 3)


def test_pods_that_moved_between_two_lists_are_a_problem(folder: Path) -> None:
    lists = (make_list(pod("p", "a", "n1"), pod("q", "a", "n1")), make_list(pod("p", "a", "n2"), pod("q", "a", "n2")))
    assert problems(loaded(*lists, folder=folder)) == [
        "0.yaml:0:0: pod a/p and 1 more: listed twice, on different nodes or with different owners"
    ]
    assert problems(loaded(*lists, folder=folder, one_cluster=False)) == []


def test_what_is_around_gets_no_findings(folder: Path) -> None:
    write(folder, a_yaml=daemonset(), b_yaml=node())
    result = load_world(["a.yaml"], context_paths=["b.yaml"], one_cluster=False)
    assert (result.sources, result.checked_files) == (frozenset({"a.yaml", "b.yaml"}), frozenset({"a.yaml"}))
    assert load_world(["."], one_cluster=False).checked_files is None


def test_an_object_of_the_judged_paths_stands_for_the_one_of_the_surroundings(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for folder, image in ((old, "c:1"), (new, "c:2")):
        folder.mkdir()
        spec = f"{{selector: {{}}, template: {{spec: {{containers: [{{name: c, image: {image}}}]}}}}}}"
        (folder / "d.yaml").write_text(f"{{apiVersion: apps/v1, kind: DaemonSet, metadata: {{name: d, namespace: n}}, spec: {spec}}}\n")
    loaded = load_world([str(new)], context_paths=[str(old)], one_cluster=False)
    assert loaded.world.ambiguities == ()
    assert [daemonset.spec.template.spec.containers[0].image for daemonset in loaded.world.daemonsets.values()] == ["c:2"]
