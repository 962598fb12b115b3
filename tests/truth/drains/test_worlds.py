"""The random worlds and flags: legal, rich, and the same for the same seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from preflight.kubectl.parser import parse_command
from tests.truth import demands
from tests.truth.drains import worlds
from tests.truth.drains.resting import is_moving, is_waiting
from tests.truth.drawing import Object
from tests.truth.worlds import PLAY

SEEDS = range(40)


def test_a_seed_draws_one_world() -> None:
    assert worlds.draw(Random(7)) == worlds.draw(Random(7)) != worlds.draw(Random(8))


def test_a_budget_is_in_a_namespace_that_has_pods_or_workloads() -> None:
    for seed in SEEDS:
        drawn = worlds.draw(Random(seed))
        there = {each["metadata"].get("namespace") for each in drawn.objects}
        assert {budget["metadata"]["namespace"] for budget in drawn.budgets} <= there


def test_a_mirror_pod_is_bound_as_the_server_wants_it() -> None:
    mirrors = [
        item
        for seed in SEEDS
        for item in worlds.draw(Random(seed)).objects
        if item["kind"] == "Pod" and "kubernetes.io/config.mirror" in item["metadata"]["annotations"]
    ]
    assert mirrors
    assert [mirror for mirror in mirrors if "nodeName" not in mirror["spec"]] == []


def budgets() -> list[Object]:
    return [budget["spec"] for seed in SEEDS for budget in worlds.draw(Random(seed)).budgets]


RICH: list[tuple[str, Callable[[Object], bool]]] = [
    ("of a number", lambda spec: isinstance(spec.get("minAvailable"), int)),
    ("of a percentage", lambda spec: isinstance(spec.get("maxUnavailable"), str)),
    ("that lets go what is not Ready", lambda spec: spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow"),
    ("without a selector", lambda spec: spec["selector"] is None),
    ("of everything", lambda spec: spec["selector"] == {}),
    ("of nothing", lambda spec: spec["selector"] == {"matchLabels": {"app": "nobody"}}),
]


@pytest.mark.parametrize("wanted", [pytest.param(each, id=name) for name, each in RICH])
def test_there_are_budgets(wanted: Callable[[Object], bool]) -> None:
    assert any(map(wanted, budgets()))


def test_there_are_workloads_of_every_kind() -> None:
    kinds = {item["kind"] for seed in SEEDS for item in worlds.draw(Random(seed)).objects}
    assert kinds == {"Node", "PriorityClass", *worlds.KINDS}


def specs() -> list[Object]:
    return [
        item["spec"] if item["kind"] == "Pod" else item["spec"]["template"]["spec"]
        for seed in SEEDS
        for item in worlds.draw(Random(seed)).objects
        if item["kind"] in worlds.KINDS
    ]


ASKING: list[tuple[str, Callable[[Object], bool]]] = [
    ("memory", lambda spec: "memory" in spec["containers"][0]["resources"]["requests"]),
    ("a device", lambda spec: demands.DEVICE in spec["containers"][0]["resources"].get("limits", {})),
    ("a port of the node", lambda spec: "ports" in spec["containers"][0]),
    ("a priority", lambda spec: "priorityClassName" in spec),
]


@pytest.mark.parametrize("asks", [pytest.param(each, id=name) for name, each in ASKING])
def test_some_pods_ask_for_more_than_cpu_and_most_do_not(asks: Callable[[Object], bool]) -> None:
    drawn = specs()
    assert 0 < sum(map(asks, drawn)) < len(drawn) / 3


def test_a_node_of_some_worlds_is_silent_and_no_lively_one_has_any() -> None:
    silent = [worlds.draw(Random(seed)).silent for seed in range(100)]
    assert 10 < sum(map(len, silent)) < 40


def test_every_flag_is_one_that_the_program_takes() -> None:
    used = set()
    for seed in SEEDS:
        flags = worlds.flags(Random(seed))
        parse_command(["drain", "n0", *flags])
        used |= {flag.partition("=")[0] for flag in flags}
    assert used == {
        *("--ignore-daemonsets", "--delete-emptydir-data", "--force", "--disable-eviction"),
        *("--grace-period", "--pod-selector", "--timeout"),
    }


def pod(node: str = "n1", phase: str = "Running", plays: str = "", deleted: str = "", image: str = "c:1", **conditions: str) -> Object:
    metadata = {"namespace": "shop", "name": "web-1", "annotations": {PLAY: plays}, **({"deletionTimestamp": deleted} if deleted else {})}
    status = {"phase": phase, "conditions": [{"type": name, "status": value} for name, value in conditions.items()]}
    spec: Object = {"containers": [{"image": image}], **({"nodeName": node} if node else {})}
    return {"metadata": metadata, "spec": spec, "status": status}


MOVING: list[tuple[str, Object, bool]] = [
    ("a pod that is Ready", pod(Ready="True"), False),
    ("a pod that never gets Ready", pod(plays="never-ready", Ready="False"), False),
    ("a pod that never gets Ready here", pod(plays="never-ready@n1,n2", Ready="False"), False),
    ("a pod whose image is not there", pod(phase="Pending", plays="image-fails", Ready="False"), False),
    ("a pod of an update whose image is not there", pod(phase="Pending", image=worlds.BAD, Ready="False"), False),
    ("a pod that has ended", pod(phase="Succeeded", plays="succeed", Ready="False"), False),
    ("a pod that fits nowhere", pod(node="", phase="Pending", PodScheduled="False"), False),
    ("a pod that nobody has looked at", pod(node="", phase="Pending"), True),
    ("a pod that is not Ready yet", pod(Ready="False"), True),
    ("a pod that never gets Ready elsewhere", pod(plays="never-ready@n2", Ready="False"), True),
    ("a pod that has not started", pod(phase="Pending"), True),
    ("a pod that is going to end", pod(plays="succeed", Ready="True"), True),
    ("a pod that is being deleted", pod(deleted="2026-01-01T00:00:00Z", Ready="True"), True),
]


@pytest.mark.parametrize(("one", "moves"), [pytest.param(*each, id=name) for name, *each in MOVING])
def test_what_moves(one: Object, moves: bool) -> None:
    assert is_moving(one, ()) is moves


def test_a_pod_that_was_deleted_on_purpose_does_not_count_as_moving() -> None:
    assert is_moving(pod(deleted="2026-01-01T00:00:00Z", Ready="True"), ["shop/web-1"]) is False


WAITING: list[tuple[str, Object, bool]] = [
    ("all its pods are there", {"active": 2}, False),
    ("one is missing", {"active": 1}, True),
    ("one is on its way out", {"active": 2, "terminating": 1}, True),
    ("no more are wanted", {"active": 1, "succeeded": 2}, False),
    ("it is over", {"conditions": [{"type": "Failed", "status": "True"}]}, False),
]


@pytest.mark.parametrize(("status", "waits"), [pytest.param(*each, id=name) for name, *each in WAITING])
def test_a_job_that_has_yet_to_create_pods(status: Object, waits: bool) -> None:
    assert is_waiting({"spec": {"parallelism": 2, "completions": 3}, "status": status}) is waits
