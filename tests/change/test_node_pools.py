"""A node pool that is declared anew: its next nodes, and those that are there."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from preflight.change.model import Change
from preflight.change.node_pools import list_pool_nodes
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.model.core import Node, NodeSpec, PoolTemplate, Taint
from preflight.model.meta import Metadata
from preflight.model.report import Outcome
from preflight.model.world import ClusterState
from tests.builders import make_taint
from tests.change.changes import daemonset, node, run, world

MEMBER = "karpenter.sh/nodepool"
HERE = "changes n1 and new nodes"
LATER = "changes new nodes only; existing nodes (n1) stay as they are until they are replaced: somebody replaces them"


def taint(text: str) -> Taint:
    return Taint(**make_taint(text))


def pool(*taints: str, kept: bool = False, startup: Sequence[str] = (), cluster: str = "", count: str = "", **labels: str) -> Node:
    """The template of a pool `p`; `kept`: its labels and taints are kept up to date on existing nodes."""
    declared = tuple(map(taint, taints))
    return Node(
        metadata=Metadata(name="(pool p)", labels={MEMBER: "p", **labels}),
        spec=NodeSpec(taints=declared),
        is_partial=True,
        startup_taints=tuple(map(taint, startup)),
        pool=PoolTemplate(
            kind="NodePool",
            name="p",
            cluster=cluster,
            member_labels={MEMBER: "p"},
            synced_labels=labels if kept else {},
            synced_taints=declared if kept else (),
            replacement_trigger=": somebody replaces them",
            node_count=count,
        ),
    )


def live(name: str, *taints: str, **labels: str) -> Node:
    return Node(metadata=Metadata(name=name, labels={**labels, MEMBER: "p"}), spec=NodeSpec(taints=tuple(map(taint, taints))))


def applied(new: Node, on: ClusterState) -> Change:
    return run("apply -f pool.yaml", on, {"pool.yaml": [new]})


def outcomes(change: Change) -> dict[str, Outcome]:
    impact = predict_impact(change, collect_listed_pods(change.before))
    return {name: group.outcome for group in impact.groups for name in group.node_names}


def test_a_pool_that_is_declared_as_before_changes_nothing() -> None:
    on = world(pool("a=b:NoSchedule"), live("n1", "a=b:NoSchedule"), daemonset("d"))
    change = applied(pool("a=b:NoSchedule"), on)
    assert change.after is on
    assert (change.taints, change.delayed_pools, change.recreation_nodes) == ((), {}, frozenset())
    assert change.notes == ("unchanged: (pool p)",)


def test_a_count_that_differs_changes_no_node() -> None:
    on = world(pool(count="2"))
    assert applied(pool(count="3"), on).notes == ("unchanged: (pool p)",)


def test_a_new_pool_is_a_new_partly_known_node() -> None:
    change = applied(pool("a=b:NoSchedule"), world(node("n1"), daemonset("d"), daemonset("t", tolerations=[{"operator": "Exists"}])))
    assert list(change.before.nodes) == ["n1"]
    assert list(change.after.nodes) == ["(pool p)", "n1"]
    assert change.notes == ("new: (pool p)",)
    impact = predict_impact(change, {})
    found = [(group.key.name, group.node_names, group.outcome) for group in impact.groups]
    assert found == [("d", ("(pool p)",), Outcome.NEVER), ("t", ("(pool p)",), Outcome.GAINED)]


def test_nodes_of_a_pool_that_nobody_declared_before_are_said() -> None:
    change = applied(pool("a=b:NoSchedule", kept=True), world(live("n1"), daemonset("d")))
    assert change.notes == (
        "(pool p) is not in the input, but n1 belongs to it: checked without its earlier declaration",
        "new: (pool p)",
    )
    assert [str(each) for each in change.after.nodes["n1"].spec.taints] == ["a=b:NoSchedule"]


@pytest.mark.parametrize(
    ("old", "new", "there", "expected", "notes"),
    [
        ((), ("a:NoSchedule",), False, {"(pool p)": Outcome.LOST_ON_RECREATION}, [LATER]),
        ((), ("a:NoExecute",), False, {"(pool p)": Outcome.LOST_ON_RECREATION}, [LATER]),
        ((), ("a:NoSchedule",), True, {"(pool p)": Outcome.LOST_ON_RECREATION, "n1": Outcome.LOST_ON_RECREATION}, [HERE]),
        ((), ("a:NoExecute",), True, {"(pool p)": Outcome.LOST_NOW, "n1": Outcome.LOST_NOW}, [HERE]),
        (("a:NoExecute",), (), False, {"(pool p)": Outcome.GAINED}, [LATER]),
        (("a:NoExecute",), (), True, {"(pool p)": Outcome.GAINED, "n1": Outcome.GAINED}, [HERE]),
        ((), ("a:PreferNoSchedule",), True, {"(pool p)": Outcome.KEPT, "n1": Outcome.KEPT}, [HERE]),
    ],
    ids=[
        "NoSchedule for new nodes: lost with the nodes",
        "NoExecute for new nodes: lost with the nodes, and no pod is evicted now",
        "NoSchedule on existing nodes: a time bomb",
        "NoExecute on existing nodes: lost now",
        "a taint that goes for new nodes",
        "a taint that goes from existing nodes",
        "PreferNoSchedule keeps nobody away",
    ],
)
def test_a_taint_of_a_pool(old: tuple[str, ...], new: tuple[str, ...], there: bool, expected: dict[str, Outcome], notes: list[str]) -> None:
    change = applied(pool(*new, kept=there), world(pool(*old, kept=there), live("n1", *old), daemonset("d")))
    assert outcomes(change) == expected
    assert [str(each) for each in change.taints] == list(new or old)
    assert list(change.notes) == [f"(pool p): {note}" for note in notes]


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (False, {"(pool p)": Outcome.LOST_ON_RECREATION}),
        (True, {"(pool p)": Outcome.LOST_NOW, "n1": Outcome.LOST_NOW}),
    ],
    ids=["for new nodes it is lost with the nodes", "on existing nodes it is lost now"],
)
def test_a_label_that_a_pool_declares_otherwise(there: bool, expected: dict[str, Outcome]) -> None:
    on = world(pool(team="a", kept=there), live("n1", team="a"), daemonset("d", nodeSelector={"team": "a"}))
    assert outcomes(applied(pool(team="b", kept=there), on)) == expected


def test_a_label_that_a_pool_no_longer_declares_goes_from_its_nodes_where_it_is_the_declared_one() -> None:
    on = world(pool(team="a", kept=True), live("n1", team="a"), live("n2", team="by-hand"))
    after = applied(pool(kept=True), on).after
    assert [after.nodes[name].metadata.labels.get("team") for name in ("(pool p)", "n1", "n2")] == [None, None, "by-hand"]


def test_what_is_set_once_and_what_is_kept_are_told_apart() -> None:
    old, both = pool("k:NoSchedule", kept=True), pool("k:NoSchedule", "once:NoExecute")
    assert both.pool is not None
    mixed = Node(
        metadata=both.metadata,
        spec=both.spec,
        is_partial=True,
        pool=PoolTemplate("NodePool", "p", member_labels={MEMBER: "p"}, synced_taints=(taint("k:NoSchedule"),)),
    )
    change = applied(mixed, world(old, live("n1", "k:NoSchedule"), daemonset("d", tolerations=[{"key": "k", "operator": "Exists"}])))
    assert change.after.nodes["n1"] is change.before.nodes["n1"]
    assert outcomes(change) == {"(pool p)": Outcome.LOST_ON_RECREATION}


def test_the_next_step_goes_on_from_the_new_template() -> None:
    on = world(pool(), daemonset("d"))
    impact = predict_impact(applied(pool("a:NoExecute"), on), {})
    assert [group.outcome for group in impact.groups] == [Outcome.LOST_ON_RECREATION]
    after = predict_impact(run("rollout restart ds/d", impact.change.after), impact.pods_after)
    assert [(group.outcome, group.outcome_before) for group in after.groups] == [(Outcome.NEVER, Outcome.NEVER)]


def test_a_startup_taint_that_differs_is_not_judged() -> None:
    change = applied(pool(startup=["s:NoExecute"]), world(pool(), daemonset("d")))
    assert change.notes == ("(pool p): s:NoExecute is a startup taint, removed during node startup: not checked",)
    assert outcomes(change) == {"(pool p)": Outcome.KEPT}


def test_a_pool_keeps_the_name_that_the_world_knows_it_by() -> None:
    known = Node(metadata=Metadata(name="(pool p of c)"), is_partial=True, pool=PoolTemplate("NodePool", "p", "c"))
    other = Node(metadata=Metadata(name="(pool p of d)"), is_partial=True, pool=PoolTemplate("NodePool", "p", "d"))
    change = applied(pool("a:NoSchedule", cluster="c"), world(known, other))
    assert list(change.after.nodes) == ["(pool p of c)", "(pool p of d)"]
    assert change.after.nodes["(pool p of d)"] is other


def test_the_nodes_of_a_pool_of_cluster_api_are_told_by_their_owner() -> None:
    def machine(name: str, owner: str, kind: str = "MachineSet") -> Node:
        return Node(metadata=Metadata(name=name, annotations={"cluster.x-k8s.io/owner-kind": kind, "cluster.x-k8s.io/owner-name": owner}))

    nodes = [
        machine("a", "md-0-5d8f6"),
        machine("b", "md-0"),
        machine("c", "md-0-gpu-5d8f6"),
        machine("d", "md-0-5d8f6", "Other"),
        node("e"),
    ]
    assert list_pool_nodes(world(*nodes), PoolTemplate("MachineDeployment", "md-0", owner_annotations=("MachineSet", "md-0"))) == ("a", "b")
    assert list_pool_nodes(world(*nodes), PoolTemplate("Config", "x")) == ()


def test_a_deleted_pool_takes_its_nodes_with_it() -> None:
    on = world(pool(), live("n1"), daemonset("d"))
    change = run("delete -f pool.yaml", on, {"pool.yaml": [pool()]})
    assert change.after == on
    assert change.notes == ("(pool p): not checked: its nodes are deleted with it",)


@pytest.mark.parametrize(
    ("line", "there", "names"),
    [
        ("taint nodes --all a:NoSchedule", True, {"n1", "n2"}),
        ("taint nodes --all a:NoSchedule", False, {"(pool p)"}),
        ("taint nodes -l team=a a:NoSchedule", True, {"n1"}),
        ("taint nodes -l team=a a:NoSchedule", False, {"(pool p)"}),
        ("taint nodes -l other=a a:NoSchedule", False, {"(other=a)"}),
        ("taint nodes '(pool p)' a:NoSchedule", True, {"(pool p)"}),
    ],
    ids=[
        "all nodes are those that are there",
        "without any the pools stand for them",
        "so it is with a selector",
        "and without nodes",
        "a label that no pool states is nobody's",
        "a pool can be named",
    ],
)
def test_kubectl_reaches_nodes_and_not_pools(line: str, there: bool, names: set[str]) -> None:
    nodes = [live("n1", team="a"), live("n2", team="b")] if there else []
    assert run(line, world(pool(team="a"), *nodes, daemonset("d"))).nodes == names


@pytest.mark.parametrize(
    ("line", "notes"),
    [
        (
            "taint nodes n1 a:NoSchedule",
            ("new nodes of (pool p) get the labels and taints that the pool declares: kubectl does not change pools",),
        ),
        ("label nodes n1 a=b", ("new nodes of (pool p) get the labels and taints that the pool declares: kubectl does not change pools",)),
        (
            "taint nodes n1 n3 a:NoSchedule",
            ("new nodes of (pool p) get the labels and taints that the pool declares: kubectl does not change pools",),
        ),
        ("taint nodes n2 a:NoSchedule", ()),
        ("taint nodes '(pool p)' n1 a:NoSchedule", ()),
    ],
    ids=["a taint of a node of a pool", "a label of one", "all nodes of a pool", "a node of no pool", "the pool itself is meant"],
)
def test_a_change_by_hand_says_that_the_pool_stays_as_it_is(line: str, notes: tuple[str, ...]) -> None:
    assert run(line, world(pool(), live("n1"), node("n2"), live("n3"), daemonset("d"))).notes == notes
