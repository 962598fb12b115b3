"""Laws that hold for every world: adding a toleration never shrinks coverage, taint then untaint is the identity, and so on."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.evaluate import evaluate_change, make_empty_change
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, Taint, Toleration
from preflight.model.meta import Origin
from preflight.model.world import ClusterState
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import NEVER, add_implicit_tolerations, find_eviction_delay, tolerates
from tests.coverage.impacts import daemonset, node, outcomes, pod, run, world

KEYS = st.sampled_from(["dedicated", "gpu", "node.kubernetes.io/not-ready", "node.kubernetes.io/unschedulable"])
VALUES = st.sampled_from(["", "rdma", "5", "12", "007"])
EFFECTS = st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"])
TAINTS = st.builds(Taint, KEYS, VALUES, EFFECTS)
TOLERATIONS = st.builds(
    Toleration,
    st.one_of(KEYS, st.just("")),
    st.sampled_from(["", "Equal", "Exists", "Lt", "Gt", "nonsense"]),
    VALUES,
    st.one_of(EFFECTS, st.just("")),
    st.none(),
)
SELECTORS = st.dictionaries(st.sampled_from(["pool", "zone"]), st.sampled_from(["a", "b"]), max_size=2)
GATES = st.sampled_from([True, False, None])


def as_data(toleration: Toleration) -> dict[str, Any]:
    return {"key": toleration.key, "operator": toleration.operator, "value": toleration.value, "effect": toleration.effect}


@st.composite
def nodes(draw: st.DrawFn) -> list[Node]:
    found = []
    for number in range(draw(st.integers(1, 5))):
        taints = {(taint.key, taint.effect): str(taint) for taint in draw(st.lists(TAINTS, max_size=3))}
        found.append(node(f"n{number}", *taints.values(), labels=draw(SELECTORS)))
    return found


@st.composite
def daemonsets(draw: st.DrawFn) -> list[DaemonSet]:
    found = []
    for number in range(draw(st.integers(1, 3))):
        tolerations = [as_data(toleration) for toleration in draw(st.lists(TOLERATIONS, max_size=3))]
        found.append(daemonset(f"d{number}", *tolerations, nodeSelector=draw(SELECTORS)))
    return found


@st.composite
def worlds(draw: st.DrawFn) -> ClusterState:
    every, sets = draw(nodes()), draw(daemonsets())
    pods = None
    if draw(st.booleans()):
        pods = [pod(daemonset.metadata.name, on.name) for daemonset in sets for on in every if draw(st.booleans())]
    return world(every, sets, pods)


@given(TAINTS, GATES)
def test_a_wildcard_tolerates_every_taint_for_ever(taint: Taint, gate: bool | None) -> None:
    wildcard = Toleration(operator="Exists")
    assert tolerates(wildcard, taint, gate) is True
    assert find_eviction_delay((wildcard,), (taint,), gate) == NEVER


@given(st.lists(TOLERATIONS, max_size=4), TOLERATIONS, st.lists(TAINTS, max_size=3), SELECTORS, st.booleans())
def test_adding_a_toleration_never_shrinks_coverage(
    own: list[Toleration], more: Toleration, taints: list[Taint], selector: dict[str, str], gate: bool
) -> None:
    on = node("n", *map(str, taints), pool="a")
    few = daemonset("d", *map(as_data, own), nodeSelector=selector).spec.template.spec
    many = daemonset("d", *map(as_data, [*own, more]), nodeSelector=selector).spec.template.spec
    before = evaluate_placement(few, add_implicit_tolerations(few), on, gate)
    after = evaluate_placement(many, add_implicit_tolerations(many), on, gate)
    assert bool(after.should_run) >= bool(before.should_run)
    assert bool(after.may_stay) >= bool(before.may_stay)


@given(worlds())
@settings(max_examples=60)
def test_taint_then_untaint_leaves_the_world_and_its_coverage_as_they_were_but_for_what_was_lost_on_the_way(start: ClusterState) -> None:
    tainted, untainted = run(start, "taint nodes n0 law=x:NoSchedule", "taint nodes n0 law=x:NoSchedule-")
    assert untainted.change.after.nodes == start.nodes
    states = outcomes(untainted)
    for pair, outcome in outcomes(tainted).items():
        if outcome == "lost-on-recreation":
            assert states[pair] == "kept"
        if outcome == "kept":
            assert states[pair] in ("kept", "loop")


@given(worlds())
@settings(max_examples=60)
def test_a_change_that_changes_nothing_changes_no_outcome(start: ClusterState) -> None:
    for line in ("label nodes n0 pool=a --overwrite", "uncordon n0", "reboot n0"):
        (impact,) = run(start, line)
        if impact.change.after.nodes["n0"] == start.nodes["n0"]:
            assert all(group.outcome_before is group.outcome for group in impact.groups)


@given(worlds())
@settings(max_examples=60)
def test_lint_and_a_change_of_nothing_say_the_same_of_each_pair(start: ClusterState) -> None:
    whole = outcomes(evaluate_change(make_empty_change(start), collect_listed_pods(start)))
    (impact,) = run(start, "reboot n0")
    part = outcomes(impact)
    assert part == {pair: outcome for pair, outcome in whole.items() if pair[1] == "n0"}


@given(worlds(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_the_order_of_nodes_and_daemonsets_changes_nothing(start: ClusterState, random: Any) -> None:
    every, sets, pods = list(start.nodes.values()), list(start.daemonsets.values()), list(start.pods)
    for each in (every, sets, pods):
        random.shuffle(each)
    turned = world(every, sets, pods if start.listed_namespaces else None)
    line = "taint nodes n0 law=x:NoExecute"
    ((first,), (second,)) = (run(start, line), run(turned, line))
    assert [(group.key, group.node_names, group.outcome) for group in first.groups] == [
        (group.key, group.node_names, group.outcome) for group in second.groups
    ]


@given(worlds(), st.lists(TAINTS, min_size=1, max_size=2))
@settings(max_examples=60)
def test_a_covered_node_is_never_said_to_be_fine_where_the_controller_would_not_run_the_pod(
    start: ClusterState, taints: list[Taint]
) -> None:
    lines = {(taint.key, taint.effect): f"taint nodes n0 {taint} --overwrite" for taint in taints}
    impact = run(start, *lines.values())[-1]
    for group in impact.groups:
        assert group.placement_after is not None
        if not group.placement_after.should_run:
            assert group.outcome not in ("kept", "gained", "missing")


def test_an_origin_of_a_test_object_names_no_file() -> None:
    assert daemonset("d").origin == Origin("<test>")
