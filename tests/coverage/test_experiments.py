"""Every statement of the recorded experiments, predicted through the front door: a command line, a change, an impact."""

from __future__ import annotations

import json
from typing import Any

import pytest

from preflight.change.node_lifecycle import is_controller_owned
from preflight.coverage.outcome import PodAfter
from preflight.model.apps import DaemonSet
from preflight.model.core import Taint, Toleration
from preflight.model.world import ClusterState
from preflight.scheduling.tolerations import add_implicit_tolerations
from tests.coverage.impacts import daemonset, node, outcomes, pods_after, rolling, run, strings, world
from tests.paths import VECTORS

RECORDED: dict[str, dict[str, Any]] = {load["experiment"]: load for load in json.loads((VECTORS / "experiments.json").read_text())}
SAID = {"same": "same", "new": "new", "ABSENT": "none"}
STRATEGIES = {
    "ru-100pct": rolling(maxUnavailable="100%"),
    "ru-1": rolling(maxUnavailable=1),
    "ru-default": {},
    "ru-50pct": rolling(maxUnavailable="50%"),
    "surge-1": rolling(maxSurge=1, maxUnavailable=0),
    "surge-100pct": rolling(maxSurge="100%", maxUnavailable=0),
    "ondelete": {"type": "OnDelete"},
}


def recorded(start: str) -> dict[str, Any]:
    """The experiment whose name starts so."""
    (found,) = (each for name, each in RECORDED.items() if name.startswith(start))
    return found


def e1_world() -> ClusterState:
    """One DaemonSet a strategy on one node, and the same on four nodes."""
    narrow = [daemonset(name, strategy=strategy, nodeSelector={"only": "n00"}) for name, strategy in STRATEGIES.items()]
    wide = [daemonset(f"wide-{name}", strategy=strategy) for name, strategy in STRATEGIES.items()]
    nodes = [node("n00", only="n00"), node("n01"), node("n02"), node("n03")]
    return world(nodes, [*narrow, *wide])


def restarts(start: ClusterState) -> list[str]:
    """A rollout restart of every DaemonSet."""
    return [f"rollout restart ds/{key.name} -n truth" for key in start.daemonsets]


def test_e1_a_no_schedule_taint_keeps_every_running_pod() -> None:
    (impact,) = run(e1_world(), "taint nodes n00 t:NoSchedule")
    after = pods_after(impact)
    assert {name: after[name, "n00"] == "same" for name, _ in after} == recorded("E1a")["kept"]
    assert {outcome for (name, on), outcome in outcomes(impact).items() if on == "n00"} == {"lost-on-recreation"}


def test_e1_a_restart_on_the_tainted_node_ends_as_recorded_for_each_strategy() -> None:
    start = e1_world()
    _, *impacts = run(start, "taint nodes n00 t:NoSchedule", *restarts(start))
    for key, impact in zip(start.daemonsets, impacts, strict=True):
        after = {on: state for (name, on), state in pods_after(impact).items() if name == key.name}
        want = {on: SAID[state] for on, state in recorded("E1b")["pods"][key.name].items()}
        assert {on: after[on] for on in want} == want, key.name


def test_e1_once_the_taint_is_removed_every_pod_is_there_again() -> None:
    start = e1_world()
    last = run(start, "taint nodes n00 t:NoSchedule", *restarts(start), "taint nodes n00 t:NoSchedule-")[-1]
    for name, nodes in recorded("E1c")["pods"].items():
        (pods,) = (pods for key, pods in last.pods_after.items() if key.name == name)
        assert sorted(on for group in pods.groups for on in group.nodes) == nodes, name


FIVE = {"key": "ne", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
FOR_EVER = {"key": "ne", "operator": "Exists", "effect": "NoExecute"}
E2 = {
    "t5": daemonset("t5", FIVE),
    "t0": daemonset("t0", FIVE | {"tolerationSeconds": 0}),
    "tneg": daemonset("tneg", FIVE | {"tolerationSeconds": -5}),
    "t5-then-forever": daemonset("t5-then-forever", FIVE, FOR_EVER),
    "forever-then-t5": daemonset("forever-then-t5", FOR_EVER, FIVE),
    "none": daemonset("none"),
    "t5-surge": daemonset("t5-surge", FIVE, strategy=rolling(maxSurge=1, maxUnavailable=0)),
    "t5-ondelete": daemonset("t5-ondelete", FIVE, strategy={"type": "OnDelete"}),
    "noexec-prefer": daemonset("noexec-prefer", {"key": "ne", "operator": "Exists", "effect": "PreferNoSchedule"}),
}


@pytest.mark.parametrize("name", E2)
def test_e2_a_no_execute_taint_for_twenty_seconds(name: str) -> None:
    (impact,) = run(world([node("n00")], [E2[name]]), "taint nodes n00 ne:NoExecute")
    (group,) = impact.groups
    seen = recorded("E2 taint")
    born = seen["newPods"][name]
    if born > 20:
        assert (group.outcome, group.forecast.loop_seconds) == ("loop", 0)
    elif born:
        assert (group.outcome, group.forecast.loop_seconds) == ("loop", 5)
    else:
        assert group.outcome == ("kept" if seen["present"][name] else "lost-now")


@pytest.mark.parametrize("name", E2)
def test_e2_all_are_there_again_once_the_taint_is_gone(name: str) -> None:
    impact = run(world([node("n00")], [E2[name]]), "taint nodes n00 ne:NoExecute", "taint nodes n00 ne-")[-1]
    there = any("n00" in group.nodes for pods in impact.pods_after.values() for group in pods.groups)
    assert there is recorded("E2 after removal")["present"][name]


NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute", "tolerationSeconds": 5}
E3: dict[str, DaemonSet] = {
    "e3-same": daemonset("e3-same", NOT_READY | {"operator": "Exists"}),
    "e3-anyeffect": daemonset("e3-anyeffect", {"key": "node.kubernetes.io/not-ready", "operator": "Exists"}),
    "e3-equal": daemonset("e3-equal", NOT_READY | {"operator": "Equal"}),
}


@pytest.mark.parametrize("name", E3)
def test_e3_the_tolerations_of_new_pods_are_those_recorded(name: str) -> None:
    want = tuple(Toleration(**toleration) for toleration in recorded("E3")["podTolerations"][name])
    assert add_implicit_tolerations(E3[name].spec.template.spec) == want


@pytest.mark.parametrize("name", E3)
def test_e3_only_equal_with_seconds_is_evicted_from_a_node_that_is_not_ready(name: str) -> None:
    (impact,) = run(world([node("n00")], [E3[name]]), "taint nodes n00 node.kubernetes.io/not-ready:NoExecute")
    (group,) = impact.groups
    assert group.outcome == ("loop" if recorded("E3")["newPods"][name] else "kept")


@pytest.mark.parametrize("line", ["cordon n01", "drain n01 --ignore-daemonsets", "drain n01"])
def test_e4_cordon_and_drain_keep_every_daemonset_pod(line: str) -> None:
    (impact,) = run(e1_world(), line)
    assert recorded("E4 cordon: pods stay")["same"]
    assert recorded("E4 drain n01 --ignore-daemonsets")["same"]
    assert set(outcomes(impact).values()) == {"kept", "excluded"}
    assert {group.forecast.pod_after for group in impact.groups if group.outcome == "kept"} == {PodAfter.SAME}


def test_e4_a_drain_without_ignore_daemonsets_is_refused_by_kubectl_and_said_so() -> None:
    (impact,) = run(e1_world(), "drain n01")
    assert recorded("E4 drain n01 without flags")["rc"] == 1
    assert [note for note in impact.change.notes if "--ignore-daemonsets" in note]
    (ignoring,) = run(e1_world(), "drain n01 --ignore-daemonsets")
    assert not [note for note in ignoring.change.notes if "--ignore-daemonsets" in note]


def test_e4_a_pod_deleted_on_the_cordoned_node_is_created_again() -> None:
    (impact,) = run(e1_world(), "cordon n01")
    assert recorded("E4 DaemonSet pod deleted")["recreated"]
    assert all(group.forecast.is_recreated for group in impact.groups if group.outcome == "kept")


E9_LIMITS = {
    "1": rolling(maxUnavailable=1),
    "3": rolling(maxUnavailable=3),
    "34pct": rolling(maxUnavailable="34%"),
    "100pct": rolling(maxUnavailable="100%"),
    "surge1": rolling(maxSurge=1, maxUnavailable=0),
    "surge50pct": rolling(maxSurge="50%", maxUnavailable=0),
}


@pytest.mark.parametrize("limits", E9_LIMITS)
@pytest.mark.parametrize("kind", ["m", "allm"])
def test_e9_a_restart_where_all_or_most_pods_may_not_start_again(kind: str, limits: str) -> None:
    """m runs on six nodes that are all tainted afterwards, allm on six of which four are."""
    name = f"{kind}-{limits}"
    tainted = ["n02", "n03", "n04", "n05", "n06", "n07"][: 6 if kind == "m" else 4]
    start = world([node(f"n0{number}") for number in range(2, 8)], [daemonset(name, strategy=E9_LIMITS[limits])])
    kept, restarted = run(start, f"taint nodes {' '.join(tainted)} t:NoSchedule", f"rollout restart ds/{name} -n truth")
    want = recorded("E9")
    assert {state == "same" for state in pods_after(kept).values()} == {want["keptBefore"][name]}
    assert pods_after(restarted) == {(name, on): SAID[state] for on, state in want["pods"][name].items()}


def test_l1_a_cordon_sets_the_taint_and_an_uncordon_takes_it_away() -> None:
    start = world([node("n00")], [daemonset("d")])
    cordon, uncordon = run(start, "cordon n00", "uncordon n00")
    after = cordon.change.after.nodes["n00"]
    want = recorded("L1 kubectl cordon")
    assert after.spec.unschedulable is want["spec"]["unschedulable"]
    assert strings(after.spec.taints) == [f"{taint['key']}:{taint['effect']}" for taint in want["taints"]]
    assert strings(uncordon.change.after.nodes["n00"].spec.taints) == recorded("L2 kubectl uncordon")["taints"]


def test_l1b_the_taint_of_a_cordon_removed_by_hand_is_put_back_and_said_so() -> None:
    start = world([node("n00")], [daemonset("d")])
    _, removal = run(start, "cordon n00", "taint nodes n00 node.kubernetes.io/unschedulable:NoSchedule-")
    assert recorded("L1b")["taints"]
    assert any("adds node.kubernetes.io/unschedulable:NoSchedule again" in note for note in removal.change.notes)


def test_l3_of_the_taints_set_by_hand_on_a_ready_node_just_the_recorded_ones_are_left() -> None:
    keys = ["out-of-service", "network-unavailable", "pid-pressure", "memory-pressure", "disk-pressure", "unreachable", "not-ready"]
    every = [
        Taint(f"node.kubernetes.io/{key}", "", effect)
        for key in (*keys, "unschedulable")
        for effect in ("NoSchedule", "PreferNoSchedule", "NoExecute")
    ]
    left = [str(taint) for taint in every if not is_controller_owned(taint)]
    assert sorted(left) == sorted(recorded("L3")["taints"])


def test_l3_a_pod_on_the_node_that_got_them_is_gone_and_comes_back_no_more() -> None:
    start = world([node("n00"), node("n01"), node("n02")], [daemonset("d")])
    (impact,) = run(start, "taint nodes n01 node.kubernetes.io/out-of-service:NoExecute")
    assert outcomes(impact) == {("d", "n01"): "lost-now"}
    assert recorded("L3")["pods"] == recorded("L5")["pods"] == ["n00", "n02"]


def test_l4_the_taints_of_an_ill_node_leave_its_running_pod() -> None:
    start = world([node("n00", ready=False), node("n02")], [daemonset("d", hostNetwork=True)])
    lines = [f"taint nodes n00 {taint['key']}:{taint['effect']}" for taint in recorded("L4")["taints"]]
    last = run(start, *lines)[-1]
    assert pods_after(last) == {("d", "n00"): "same"}
    assert "n00" in recorded("L4")["pods"]
