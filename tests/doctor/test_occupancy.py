"""What pods take of nodes is the same whether they are counted one by one or those that say the same together."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from preflight import load
from preflight.doctor.occupancy import compute_occupancy
from preflight.model.lazy_pods import LazyPods
from preflight.model.uncertainty import UncertaintyKind
from preflight.scheduling.occupancy import Occupancy, build_occupancy
from tests.capacity import snapshots
from tests.capacity.snapshots import snapshot
from tests.load.snapshot.marked_cluster import Data, cluster, save, write
from tests.paths import ROOT


def odd() -> list[Data]:
    """Pods of one template that take something else each, and the same pod many times."""
    first = next(item for item in cluster() if item["kind"] == "Pod" and item["metadata"]["name"] == "agent-rdma-1")
    term = {"labelSelector": {"matchLabels": {"a": "b"}}, "topologyKey": "kubernetes.io/hostname"}
    given = {"name": "agent", "resources": {"requests": {"cpu": "3"}}, "allocatedResources": {"cpu": "3"}}
    changes: list[dict[str, dict[str, Any]]] = [
        {},
        {},
        {"spec": {"priority": 7}},
        {"spec": {"overhead": {"cpu": "1"}}},
        {"spec": {"hostNetwork": True}},
        {"spec": {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}},
        {"spec": {"nodeName": ""}, "status": {"nominatedNodeName": "cpu-1"}},
        {"spec": {"containers": [{"name": "agent", "resources": {"requests": {"cpu": "two"}}}]}},
        {"spec": {"resources": {"requests": {"cpu": "5"}}}},
        {"status": {"containerStatuses": [given]}},
        {"status": {"containerStatuses": [{**given, "allocatedResources": {}}]}},
        {"status": {"phase": "Succeeded"}},
    ]
    found = []
    for number, change in enumerate(changes):
        pod = copy.deepcopy(first)
        pod["metadata"]["name"] = f"odd-{number:02}"
        for part, fields in change.items():
            pod[part] |= fields
        found.append(pod)
    return found


def both(path: str) -> tuple[Occupancy, Occupancy]:
    """What is counted together, and one by one."""
    world = load.load_world([path], one_cluster=True, wants_state=True).world
    assert world.pods_by_key is not None
    return compute_occupancy(world), build_occupancy(
        world.nodes.values(), world.pods_by_key.values(), all_pods=world.listed_namespaces is None
    )


@pytest.mark.parametrize("saved", [False, True], ids=["as kubectl prints it", "saved"])
def test_of_a_cluster(saved: bool, tmp_path: Path) -> None:
    path = write(tmp_path / "world.json", [*cluster(), *odd()])
    if saved:
        save(tmp_path / "w.json", path)
        path = str(tmp_path / "w.json")
    together, one_by_one = both(path)
    assert together == one_by_one
    assert len(together.nodes["rdma-1"].pod_usages) > len(odd()) - 2
    assert together.anti_affinities


@pytest.mark.parametrize("example", ["gpu-13-free/cluster.json", "drain/cluster.yaml", "rdma-incident/thursday.json"])
def test_of_the_examples(example: str) -> None:
    together, one_by_one = both(str(ROOT / "examples" / example))
    assert together == one_by_one


@pytest.mark.parametrize(
    ("survey", "expected"),
    [
        pytest.param({}, [], id="all of it"),
        pytest.param({"nodes": False}, [UncertaintyKind.NODES], id="a part of the nodes"),
        pytest.param({"listed": ["team"]}, [UncertaintyKind.PODS], id="a part of the pods"),
        pytest.param({"listed": ["team"], "nodes": False}, [UncertaintyKind.PODS, UncertaintyKind.NODES], id="a part of both"),
    ],
)
def test_of_a_part_of_a_cluster(survey: dict[str, Any], expected: list[UncertaintyKind], tmp_path: Path) -> None:
    path = tmp_path / "w.json"
    path.write_text(snapshot([snapshots.node("n1"), snapshots.pod("p", "n1", 1)], **survey))
    world = load.load_world([str(path)], one_cluster=True, wants_state=True).world
    assert isinstance(world.pods_by_key, LazyPods)
    found = compute_occupancy(world)
    assert [doubt.kind for doubt in found.uncertainties] == expected
    assert [usage.key for usage in found.nodes["n1"].pod_usages] == [("team", "p")]


def test_most_pods_are_not_decoded_for_it() -> None:
    world = load.load_world([str(ROOT / "examples/gpu-13-free/cluster.json")], one_cluster=True, wants_state=True).world
    assert isinstance(world.pods_by_key, LazyPods)
    compute_occupancy(world)
    assert len(world.pods_by_key._decoded) < len(world.pods_by_key) / 4
