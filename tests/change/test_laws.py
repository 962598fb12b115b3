"""Laws of changes: what is put on and taken off again leaves the world as it was."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from preflight.change.apply_command import perform_command
from preflight.errors import PreflightError
from preflight.kubectl.parser import parse_command
from preflight.kubectl.taint_args import is_same_taint
from preflight.model.core import Node, NodeSpec, Taint
from preflight.model.meta import Metadata
from preflight.model.world import ClusterState
from tests.change.changes import daemonset, world

KEYS = st.sampled_from(["a", "b", "x.example/c", "node.kubernetes.io/unschedulable"])
TAINTS = st.builds(Taint, KEYS, st.sampled_from(["", "v", "w"]), st.sampled_from(["NoSchedule", "NoExecute", "PreferNoSchedule"]))
SOME = "nodes n0 n1 n9 --all -l a a=v b!=w k=v:NoSchedule a- b:NoExecute- --overwrite"
WORDS = st.sampled_from(SOME.split())
LABELS = st.dictionaries(KEYS, st.sampled_from(["", "v", "w"]), max_size=3)


def unique(taints: list[Taint]) -> tuple[Taint, ...]:
    """The first of the taints that have a key and an effect in common."""
    return tuple(taint for place, taint in enumerate(taints) if not any(is_same_taint(taint, other) for other in taints[:place]))


@st.composite
def worlds(draw: st.DrawFn) -> ClusterState:
    nodes = {}
    for place in range(draw(st.integers(1, 3))):
        taints, labels = unique(draw(st.lists(TAINTS, max_size=3))), draw(LABELS)
        cordoned, partial = draw(st.booleans()), draw(st.booleans())
        nodes[f"n{place}"] = Node(metadata=Metadata(name=f"n{place}", labels=labels), spec=NodeSpec(taints, cordoned), is_partial=partial)
    return ClusterState(nodes=nodes)


def after(on: ClusterState, *argv: str) -> ClusterState:
    return perform_command(parse_command(argv), on, lambda _: ()).after


@given(worlds(), TAINTS)
def test_taint_then_untaint_is_the_identity(on: ClusterState, taint: Taint) -> None:
    key = f"{taint.key}:{taint.effect}-"
    try:
        tainted = after(on, "taint", "nodes", "--all", str(taint))
    except PreflightError:
        return
    assert after(tainted, "taint", "nodes", "--all", key).nodes == on.nodes


@given(worlds(), TAINTS)
def test_a_taint_twice_with_overwrite_is_the_taint_once(on: ClusterState, taint: Taint) -> None:
    once = after(on, "taint", "nodes", "--all", "--overwrite", str(taint))
    assert after(once, "taint", "nodes", "--all", "--overwrite", str(taint)) is once


@given(worlds(), KEYS)
def test_label_then_unlabel_leaves_no_other_label(on: ClusterState, key: str) -> None:
    there = {name: {label: value for label, value in node.metadata.labels.items() if label != key} for name, node in on.nodes.items()}
    done = after(after(on, "label", "nodes", "--all", "--overwrite", f"{key}=z"), "label", "nodes", "--all", f"{key}-")
    assert {name: node.metadata.labels for name, node in done.nodes.items()} == there


@given(worlds())
def test_a_cordon_twice_is_a_cordon_once_and_an_uncordon_takes_it_away(on: ClusterState) -> None:
    names = list(on.nodes)
    open_ = after(on, "uncordon", *names)
    cordoned = after(open_, "cordon", *names)
    assert after(cordoned, "cordon", *names) is cordoned
    assert after(cordoned, "uncordon", *names).nodes == open_.nodes


@given(st.sampled_from(["a", "c:2", "x/y@sha256:1"]), st.sampled_from(["a", "c:2", "c:1"]))
def test_the_last_image_counts(first: str, second: str) -> None:
    on = world(daemonset("d1"))
    both = after(after(on, "set", "image", "ds/d1", f"c={first}"), "set", "image", "ds/d1", f"c={second}")
    once = after(on, "set", "image", "ds/d1", f"c={second}")
    assert [each.data["spec"] for each in both.daemonsets.values()] == [each.data["spec"] for each in once.daemonsets.values()]


@given(
    worlds(),
    st.lists(WORDS, max_size=7),
)
def test_any_line_over_any_world_is_performed_or_refused(on: ClusterState, words: list[str]) -> None:
    before = dict(on.nodes)
    try:
        change = perform_command(parse_command(["taint", *words]), on, lambda _: ())
    except PreflightError:
        return
    assert dict(on.nodes) == before
    assert change.nodes <= set(change.before.nodes) == set(change.after.nodes)
    assert list(change.after.nodes) == sorted(change.after.nodes)
    assert all(change.after.nodes[name] is change.before.nodes[name] for name in change.after.nodes if name not in change.nodes)
