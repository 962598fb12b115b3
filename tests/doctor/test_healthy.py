"""A world in which all is well gives no finding: worlds of random DaemonSets and nodes, and those that people really run."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preflight import load
from preflight.model.apps import DaemonSet
from preflight.model.convert import convert
from preflight.model.core import Node
from preflight.model.meta import Origin
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations
from tests.builders import Object, make_node, make_owner, make_pod, write_list
from tests.cli.program import program
from tests.corpus import OWN, PUBLIC, needs_public

AT, OLD = "2026-03-01T12:00:00Z", "2026-01-01T00:00:00Z"
CONTROL_PLANE = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}


def node(name: str, labels: Object, taints: list[Object]) -> Object:
    """A node that is Ready and has been there for long."""
    ready = {"type": "Ready", "status": "True", "lastHeartbeatTime": AT, "lastTransitionTime": OLD}
    size = {"cpu": "64", "memory": "256Gi", "pods": "200"}
    labels = {"kubernetes.io/os": "linux", "kubernetes.io/hostname": name, **labels}
    metadata = {"creationTimestamp": OLD}
    return make_node(name, *taints, labels=labels, metadata=metadata, allocatable=size, capacity=size, conditions=[ready])


def pods_of(daemonset: Object, nodes: list[Object]) -> list[Object]:
    """A pod that runs, on every node where the DaemonSet should run."""
    origin = Origin("<none>")
    made = convert(daemonset, DaemonSet, origin)[0]
    assert made is not None
    spec = made.spec.template.spec
    found = []
    for each in nodes:
        one = convert(each, Node, origin)[0]
        assert one is not None
        if evaluate_placement(spec, add_implicit_tolerations(spec), one, None).should_run:
            name, namespace = made.metadata.name, made.metadata.namespace
            owner = make_owner("DaemonSet", name)
            pod_name, metadata = f"{name}-{one.name}"[:200], {"creationTimestamp": OLD}
            found.append(make_pod(pod_name, namespace, node=one.name, owner=owner, ready="True", metadata=metadata))
    return found


def diagnosed(objects: list[Object], path: Path) -> list[tuple[str, str, str, str]]:
    """The findings on a world in which every namespace was listed."""
    other = make_pod("p", "", node="n1", phase="", containers=[])
    others = [{**other, "metadata": {"name": "p", "namespace": namespace}, "status": {"phase": "Running"}} for namespace in ("a", "b")]
    path.write_text(write_list([*objects, *others]), encoding="utf-8")
    result = program("doctor", "--from", str(path), "--no-policy", "-o", "json")
    return [(load["rule"], load["severity"], load["subject"]["name"], load["message"]) for load in json.loads(result.out)["findings"]]


KEYS = st.sampled_from(["a", "b"])
TAINTS = st.lists(
    st.builds(lambda key, effect: {"key": key, "effect": effect}, KEYS, st.sampled_from(["NoSchedule", "NoExecute"])), max_size=1
)
LABELS = st.dictionaries(KEYS, st.sampled_from(["1", "2"]), max_size=2)
TOLERATIONS = st.lists(st.builds(lambda key: {"key": key, "operator": "Exists"}, KEYS), max_size=2)


@given(st.lists(st.tuples(LABELS, TAINTS), min_size=1, max_size=5), st.lists(TOLERATIONS, min_size=1, max_size=3))
def test_a_pod_wherever_one_should_be_is_well(nodes: list[tuple[Object, list[Object]]], daemonsets: list[list[Object]]) -> None:
    every = [node(f"n{number}", labels, taints) for number, (labels, taints) in enumerate(nodes, 1)]
    made = []
    for number, tolerations in enumerate(daemonsets):
        spec = {"tolerations": tolerations, "containers": [{"name": "c", "image": "registry.example/agent:1"}]}
        template = {"metadata": {"labels": {"app": f"d{number}"}}, "spec": spec}
        selector = {"matchLabels": {"app": f"d{number}"}}
        made.append(
            {
                "apiVersion": "apps/v1",
                "kind": "DaemonSet",
                "metadata": {"name": f"d{number}", "namespace": "a"},
                "spec": {"selector": selector, "template": template},
            }
        )
    with tempfile.TemporaryDirectory() as folder:
        pods = [pod for each in made for pod in pods_of(each, every)]
        assert diagnosed([*every, *made, *pods], Path(folder) / "world.json") == []


@pytest.mark.parametrize(
    ("corpus", "at_least"), [pytest.param(OWN, 12, id="own"), pytest.param(PUBLIC, 41, id="public", marks=needs_public)]
)
def test_what_people_run_is_well_where_it_runs(corpus: Path, at_least: int, tmp_path: Path) -> None:
    daemonsets: dict[tuple[str, str], Object] = {}
    for workload in load.load_world([str(corpus / "manifests")], one_cluster=False).world.workloads:
        if isinstance(workload, DaemonSet) and not workload.refusals:
            namespace = workload.metadata.namespace or "default"
            data = {**workload.data, "apiVersion": "apps/v1", "metadata": {"name": workload.metadata.name, "namespace": namespace}}
            daemonsets.setdefault((namespace, workload.metadata.name), {key: value for key, value in data.items() if key != "status"})
    assert len(daemonsets) >= at_least
    nodes = [node("n1", {}, []), node("n2", {}, []), node("cp", {"node-role.kubernetes.io/control-plane": ""}, [CONTROL_PLANE])]
    wrong = {}
    for key, daemonset in daemonsets.items():
        found = diagnosed([*nodes, daemonset, *pods_of(daemonset, nodes)], tmp_path / "world.json")
        if found:
            wrong["/".join(key)] = found
    assert wrong == {}
