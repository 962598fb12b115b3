"""What pods ask of nodes and what nodes have: legal, modest, and some of everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from preflight.kubectl.parser import parse_command
from tests.truth import changes, demands, worlds
from tests.truth.drawing import Object
from tests.truth.state import Key, State

WORLDS = [worlds.draw_tight(Random(seed), 40, 14, owned=True) for seed in range(20)]
SPECS = [each["spec"]["template"]["spec"] for world in WORLDS for each in (*world.daemonsets, *world.applied)]
OCCUPANTS = [each["spec"] for world in WORLDS for each in world.occupants]
CONTAINERS = [container for pod in (*SPECS, *OCCUPANTS) for container in pod["containers"]]
ROOM = {"cpu": "64", "memory": "256Gi", "pods": "1000"}


def test_about_a_fifth_of_the_nodes_have_little_room() -> None:
    nodes = [node["status"]["allocatable"] for world in WORLDS for node in world.nodes]
    tight = Counter(name for room in nodes for name, plenty in ROOM.items() if room[name] != plenty)
    assert set(tight) == set(ROOM)
    assert 0.15 < tight.total() / len(nodes) < 0.3


ASKS: list[tuple[str, Callable[[Object], bool]]] = [
    ("cpu", lambda pod: any("cpu" in each.get("resources", {}).get("requests", {}) for each in pod["containers"])),
    ("memory", lambda pod: any("memory" in each.get("resources", {}).get("requests", {}) for each in pod["containers"])),
    ("a limit alone", lambda pod: any("cpu" in each.get("resources", {}).get("limits", {}) for each in pod["containers"])),
    ("a device", lambda pod: any(demands.DEVICE in each.get("resources", {}).get("limits", {}) for each in pod["containers"])),
    ("a port", lambda pod: any(port["hostPort"] in demands.PORTS for each in pod["containers"] for port in each.get("ports", ()))),
    ("a port by UDP", lambda pod: any(port.get("protocol") == "UDP" for each in pod["containers"] for port in each.get("ports", ()))),
    ("a port at an address", lambda pod: any("hostIP" in port for each in pod["containers"] for port in each.get("ports", ()))),
    ("a priority", lambda pod: "priorityClassName" in pod),
    ("a critical priority", lambda pod: pod.get("priorityClassName") == "system-node-critical"),
]


@pytest.mark.parametrize("asks", [pytest.param(each, id=name) for name, each in ASKS])
def test_some_daemonsets_ask_for_something_and_most_do_not(asks: Callable[[Object], bool]) -> None:
    assert 0 < sum(map(asks, SPECS)) < len(SPECS) / 3


def test_in_the_network_of_its_node_a_container_has_the_port_that_it_takes() -> None:
    here = [port for pod in SPECS if pod.get("hostNetwork") for each in pod["containers"] for port in each.get("ports", ())]
    assert here
    assert [port for port in here if port["containerPort"] != port["hostPort"]] == []


def test_every_priority_class_that_is_named_is_there() -> None:
    named = {pod["priorityClassName"] for pod in (*SPECS, *OCCUPANTS) if "priorityClassName" in pod}
    assert named == {*(each["metadata"]["name"] for each in demands.priority_classes()), "system-node-critical"}


def test_a_pod_without_an_owner_is_told_from_others_by_its_name_and_stays_on_a_silent_node() -> None:
    for world in WORLDS:
        for pod in world.occupants:
            assert pod["metadata"]["name"].rpartition("-")[0] == pod["metadata"]["labels"]["app"]
            assert pod["spec"]["tolerations"] == demands.STAYS or {"operator": "Exists"} in pod["spec"]["tolerations"]


def test_few_nodes_are_silent() -> None:
    silent = Counter(len(world.silent) for world in WORLDS)
    assert set(silent) == {0, 1, 2}


def test_what_pods_ask_for_is_drawn_apart() -> None:
    """A seed has the taints, labels, tolerations and selections that it had before pods asked for anything."""
    names = ("tolerations", "nodeSelector", "affinity", "hostNetwork")
    plain, tight = worlds.draw(Random(3), 40, 14, owned=True), worlds.draw_tight(Random(3), 40, 14, owned=True)
    for one, other in zip((*plain.daemonsets, *plain.applied), (*tight.daemonsets, *tight.applied), strict=True):
        first, second = (each["spec"]["template"]["spec"] for each in (one, other))
        assert [first.get(name) for name in names] == [second.get(name) for name in names]
    assert [each["spec"] for each in plain.nodes] == [each["spec"] for each in tight.nodes]


UNREACHABLE = "node.kubernetes.io/unreachable"


@pytest.fixture
def state() -> State:
    """A cluster in which the kubelet of n00 is silent."""
    world = WORLDS[0]
    daemonsets = [*world.daemonsets, *world.applied]
    nodes = [{**node, "status": {**node["status"]}} for node in world.nodes]
    nodes[0]["status"]["conditions"] = [{"type": "Ready", "status": "Unknown"}]
    nodes[0]["spec"] = {"taints": [{"key": UNREACHABLE, "effect": effect} for effect in ("NoExecute", "NoSchedule")]}
    pods = [
        {"kind": "Pod", "metadata": {**each["metadata"], "name": f"{name}-x", "ownerReferences": [{"name": name}]}}
        for each in daemonsets
        if (name := each["metadata"]["name"])
    ]
    manifests: dict[Key, Object] = {(each["metadata"]["namespace"], each["metadata"]["name"]): each for each in daemonsets}
    return State([*nodes, *daemonsets, *pods], manifests, silent=frozenset(["n00"]))


def test_a_silent_node_is_never_rebooted(state: State) -> None:
    drawn = [changes.reboot(Random(seed), state) for seed in range(50)]
    assert {"n00"}.isdisjoint(name for move in drawn if move for name in move.rebooted)
    assert {"--graceful" in move.lines[0] for move in drawn if move} == {True, False}


def test_nobody_waits_for_a_pod_on_a_silent_node(state: State) -> None:
    lines = [move.lines[0] for seed in range(20) if (move := changes.delete_pod(Random(seed), state))]
    assert lines
    assert [line for line in lines if "--wait=false" not in line] == []


def test_the_taints_of_a_silent_node_are_left_to_the_cluster(state: State) -> None:
    state.taints |= {name: {} for name in state.nodes if name != "n00"}
    assert changes.untaint(Random(1), state) is None
    patches = [changes.KINDS["patch node"](Random(seed), state) for seed in range(200)]
    whole = [move.lines[0][-1] for move in patches if move and "n00" in move.lines[0] and "taints" in move.lines[0][-1]]
    assert whole
    assert [patch for patch in whole if patch.count(UNREACHABLE) != 2] == []


@pytest.mark.parametrize("kind", ["apply: requests", "apply: port", "apply: priority"])
def test_a_manifest_asks_for_something_else(kind: str, state: State) -> None:
    changed = 0
    for seed in range(20):
        move = changes.OF_TIGHT[kind](Random(seed), state)
        assert move is not None
        parse_command(move.lines[0])
        ((applied, *_),) = move.files.values()
        changed += applied != state.manifests[applied["metadata"]["namespace"], applied["metadata"]["name"]]
    assert changed > 5


def test_a_silent_node_is_put_out_of_service_once(state: State) -> None:
    move = changes.out_of_service(Random(1), state)
    assert move is not None
    assert move.lines == [["taint", "nodes", "n00", "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"]]
    assert changes.out_of_service(Random(1), state) is None
