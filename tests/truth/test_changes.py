"""The random clusters and changes: legal, and the same for the same seed."""

from __future__ import annotations

from random import Random

import pytest

from preflight.kubectl.parser import parse_command
from preflight.model.apps import DaemonSet
from preflight.model.core import Node
from preflight.scheduling.validation import validate_node_selection, validate_taints, validate_tolerations, validate_update_strategy
from tests.builders import read_object
from tests.truth import changes, drawing, worlds
from tests.truth.drawing import Object
from tests.truth.state import Key, State


def cluster(seed: int) -> tuple[worlds.World, State]:
    drawn = worlds.draw_tight(Random(seed), 12, 8, owned=True)
    daemonsets = [*drawn.daemonsets, *drawn.applied]
    pods = [
        {
            "kind": "Pod",
            "metadata": {
                "namespace": daemonset["metadata"]["namespace"],
                "name": f"{daemonset['metadata']['name']}-x",
                "ownerReferences": [{"name": daemonset["metadata"]["name"]}],
            },
        }
        for daemonset in daemonsets
    ]
    manifests: dict[Key, Object] = {(each["metadata"]["namespace"], each["metadata"]["name"]): each for each in daemonsets}
    return drawn, State([*drawn.nodes, *daemonsets, *pods], manifests)


def test_the_same_seed_draws_the_same_cluster() -> None:
    assert worlds.draw_tight(Random(7), 20, 10, owned=True) == worlds.draw_tight(Random(7), 20, 10, owned=True)


@pytest.mark.parametrize("seed", range(10))
def test_the_server_would_take_every_object(seed: int) -> None:
    drawn, _ = cluster(seed)
    refusals = []
    for each in (*drawn.daemonsets, *drawn.applied):
        daemonset = read_object(each, DaemonSet)
        pod = daemonset.spec.template.spec
        refusals += [*validate_tolerations(pod.tolerations, (), comparison_operators=False), *validate_node_selection(pod, ())]
        refusals += validate_update_strategy(daemonset.spec.updateStrategy)
    for node in drawn.nodes:
        refusals += validate_taints(read_object(node, Node).spec.taints)
    assert refusals == []


def test_taints_of_the_node_lifecycle_controller_are_left_to_it() -> None:
    drawn = worlds.draw_tight(Random(1), 5, 200, owned=False)
    assert {taint["key"] for node in drawn.nodes for taint in node["spec"].get("taints", ())} == set(drawing.TAINTS)


@pytest.mark.parametrize("kind", changes.OF_TIGHT)
def test_every_line_is_one_that_the_program_reads(kind: str) -> None:
    drawn = 0
    for seed in range(20):
        _, state = cluster(seed)
        state.cordoned.add("n00")
        state.silent = frozenset(["n01"])
        if kind == "apply: new":
            state.delete(next(iter(state.daemonsets)))
        move = changes.OF_TIGHT[kind](Random(seed), state)
        if move is not None:
            drawn += 1
            for line in move.lines:
                parse_command(line)
    assert drawn


def test_a_plan_takes_off_no_taint_that_a_line_before_has_taken_off() -> None:
    _, state = cluster(3)
    name = state.nodes[0]
    state.taints = {node: {} for node in state.nodes} | {name: {("team", "NoSchedule"): "red"}}
    assert changes.untaint(Random(1), state) is not None
    assert changes.untaint(Random(1), state) is None


@pytest.mark.parametrize(
    ("strategy", "name"),
    [
        pytest.param({}, "unavailable-number", id="the default"),
        pytest.param(
            {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1, "maxSurge": 0}},
            "unavailable-number",
            id="as the server stores it",
        ),
        pytest.param({"rollingUpdate": {"maxUnavailable": "30%"}}, "unavailable-percent", id="a percentage"),
        pytest.param({"rollingUpdate": {"maxUnavailable": 0, "maxSurge": 3}}, "surge-number", id="a surge"),
        pytest.param({"rollingUpdate": {"maxUnavailable": 0, "maxSurge": "5%"}}, "surge-percent", id="a surge as a percentage"),
        pytest.param({"type": "OnDelete"}, "on-delete", id="none"),
    ],
)
def test_strategies_have_names(strategy: Object, name: str) -> None:
    assert drawing.strategy_name({"spec": {"updateStrategy": strategy}}) == name
