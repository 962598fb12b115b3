"""taint, label, cordon, uncordon and drain on a world: nodes after, notes, what nobody knows."""

from __future__ import annotations

import pytest

from preflight.change.model import Change
from preflight.errors import InputError, UsageError
from preflight.model.core import Node, Taint
from preflight.model.meta import ObjectKey, Origin
from preflight.model.world import Ambiguity, ClusterState
from tests.change.changes import node, partial, run, world

CORDON = "node.kubernetes.io/unschedulable:NoSchedule"
REMOVES = "the node lifecycle controller removes"
K = Taint("k", "v", "NoSchedule")
SIX = world(*(node(f"n{number}", pool="ab"[number % 2]) for number in range(6)))


def taints(change: Change, name: str, *, before: bool = False) -> list[str]:
    return [str(taint) for taint in (change.before if before else change.after).nodes[name].spec.taints]


def test_a_taint_that_is_there_already_changes_nothing() -> None:
    on = world(node("n1", "k=v:NoSchedule"))
    change = run("taint nodes n1 k=v:NoSchedule --overwrite", on)
    assert change.after is on
    assert change.before is on
    assert change.notes == ("nothing changes: the taints are already set like this",)


def test_a_label_that_is_there_already_changes_nothing() -> None:
    on = world(node("n1", pool="a"))
    change = run("label nodes n1 pool=a", on)
    assert change.after is on
    assert change.notes == ("nothing changes: the labels are already set like this",)


def test_a_label_that_is_not_there_is_a_note_in_the_words_of_kubectl() -> None:
    change = run("label nodes n1 pool-", world(node("n1")))
    assert change.notes == ('label "pool" not found.', "nothing changes: the labels are already set like this")


def test_a_label_that_is_not_there_on_some_nodes_names_them() -> None:
    change = run("label nodes n1 n2 pool-", world(node("n1", pool="a"), node("n2")))
    assert change.notes == ('label "pool" not found on n2.',)
    assert change.after.nodes["n1"].metadata.labels == {}


@pytest.mark.parametrize(
    ("line", "headline", "names"),
    [
        ("taint nodes n1 k=v:NoSchedule", "taint k=v:NoSchedule on n1", {"n1"}),
        ("taint nodes n2 n1 k=v:NoSchedule x:NoExecute", "taint k=v:NoSchedule x:NoExecute on n1, n2", {"n1", "n2"}),
        ("taint nodes -l pool=a k=v:NoSchedule", "taint k=v:NoSchedule on n0, n2, n4", {"n0", "n2", "n4"}),
        ("taint nodes --all k=v:NoSchedule", "taint k=v:NoSchedule on n0, n1, n2 and 3 more", {"n0", "n1", "n2", "n3", "n4", "n5"}),
        ("label nodes n1 a=b pool-", "label a=b pool- on n1", {"n1"}),
        ("cordon n1", "cordon n1", {"n1"}),
        ("uncordon n1", "uncordon n1", {"n1"}),
        ("drain n1 --ignore-daemonsets", "drain n1", {"n1"}),
    ],
)
def test_headline_and_nodes(line: str, headline: str, names: set[str]) -> None:
    change = run(line, SIX)
    assert change.headline == headline
    assert change.nodes == names
    assert change.command == line


def test_only_the_named_nodes_are_other_objects() -> None:
    change = run("taint nodes -l pool=a k=v:NoSchedule", SIX)
    assert change.before is SIX
    assert [name for name, node in change.after.nodes.items() if node is not SIX.nodes[name]] == ["n0", "n2", "n4"]
    assert list(change.after.nodes) == list(SIX.nodes)
    assert change.taints == (K,)


def test_taints_are_what_is_added_and_what_is_removed() -> None:
    on = world(node("n1", "k=old:NoSchedule", "x=y:NoExecute", "x:NoSchedule"))
    change = run("taint nodes n1 k=v:NoSchedule x- --overwrite", on)
    assert change.taints == (K, Taint("x", "y", "NoExecute"), Taint("x", "", "NoSchedule"))
    assert taints(change, "n1") == ["k=v:NoSchedule"]
    assert change.headline == "taint k=v:NoSchedule and remove x on n1"


def test_a_removal_has_a_headline_of_its_own() -> None:
    assert (
        run("taint nodes n1 k:NoSchedule- x-", world(node("n1", "k:NoSchedule", "x:NoExecute"))).headline
        == "remove taint k:NoSchedule x from n1"
    )


def test_a_refused_node_among_many_refuses_the_command_and_is_named() -> None:
    on = world(node("n1", "k:NoSchedule"), node("n2"))
    with pytest.raises(UsageError, match=r'^node n2: taint "k" not found$'):
        run("taint nodes --all k-", on)
    with pytest.raises(UsageError, match=r"^node n1 already has k taint\(s\) with same effect\(s\) and --overwrite is false$"):
        run("taint nodes --all k=v:NoSchedule", on)
    with pytest.raises(UsageError, match=r"^node n2: 'a' already has a value \(x\), and --overwrite is false$"):
        run("label nodes --all a=b", world(node("n1"), node("n2", a="x")))


def test_a_node_that_is_not_given_is_partly_known_before_and_after() -> None:
    change = run("taint nodes rdma-9 n1 k=v:NoSchedule", SIX)
    before, after = change.before.nodes["rdma-9"], change.after.nodes["rdma-9"]
    assert (before.is_partial, before.metadata.labels, before.spec.taints) == (True, {}, ())
    assert (after.is_partial, after.spec.taints) == (True, (K,))
    assert change.notes == ("rdma-9 is not among the 6 nodes in the input: treated as a partly known node",)
    assert list(change.before.nodes) == ["n0", "n1", "n2", "n3", "n4", "n5", "rdma-9"]
    assert change.unknowns == ()


@pytest.mark.parametrize(
    ("line", "on", "note"),
    [
        ("cordon x y", SIX, "x, y are not among the 6 nodes in the input: treated as partly known nodes"),
        ("cordon x", ClusterState(), "no nodes in the input: x is treated as a partly known node"),
        ("cordon x y", ClusterState(), "no nodes in the input: x, y are treated as partly known nodes"),
        ("cordon x", world(node("n1")), "x is not among the 1 node in the input: treated as a partly known node"),
        ("taint nodes --all k=v:NoSchedule", ClusterState(), "no nodes in the input: all nodes are treated as one partly known node"),
        ("cordon -l pool=c", SIX, "none of the 6 nodes in the input matches pool=c: treated as a partly known node"),
        ("cordon -l pool=c", ClusterState(), "no nodes in the input: treated as a partly known node"),
    ],
)
def test_notes_on_nodes_that_are_not_given(line: str, on: ClusterState, note: str) -> None:
    assert run(line, on).notes == (note,)


def test_a_selector_of_no_node_states_its_labels() -> None:
    change = run("taint nodes -l 'pool=rdma, !x, y in (1,2)' k=v:NoSchedule", SIX)
    name = "(pool=rdma,!x,y in (1,2))"
    assert change.nodes == {name}
    before = change.before.nodes[name]
    assert before.metadata.labels == {"pool": "rdma"}
    assert before.absent_labels == {"x"}
    assert before.is_partial
    assert taints(change, name) == ["k=v:NoSchedule"]


def test_a_selector_that_no_node_can_match_is_nothing_to_judge() -> None:
    with pytest.raises(InputError, match=r"^nothing to check: no node can match a=1,a=2$"):
        run("cordon -l a=1,a=2", SIX)


def test_all_nodes_of_a_world_without_nodes() -> None:
    change = run("taint nodes --all k=v:NoSchedule", ClusterState())
    assert change.nodes == {"(all nodes)"}
    assert change.after.nodes["(all nodes)"].is_partial


def test_a_partly_known_node_that_may_match_is_judged_as_if_it_does() -> None:
    on = world(node("n1", pool="b"), partial("(pool gpu)"), partial("(pool cpu)", pool="b"))
    change = run("taint nodes -l pool=a k=v:NoSchedule", on)
    assert change.nodes == {"(pool gpu)"}
    assert change.notes == ("unknown: whether (pool gpu) matches pool=a (assumed to match)",)


def test_a_step_finds_the_partly_known_node_of_the_step_before() -> None:
    first = run("taint nodes -l pool=rdma k=v:NoSchedule", SIX)
    second = run("taint nodes -l pool=rdma k-", first.after)
    assert second.nodes == {"(pool=rdma)"}
    assert taints(second, "(pool=rdma)") == []
    assert (second.notes, second.unknowns) == ((), ())


@pytest.mark.parametrize(
    ("line", "before", "unknown"),
    [
        ("taint nodes x k=v:NoSchedule-", ["k=v:NoSchedule"], ()),
        ("taint nodes x k:NoSchedule-", ["k:NoSchedule"], ("the value of the taint k:NoSchedule on x (treated as empty)",)),
        ("taint nodes x k-", [], ("which taints k- removes from x: name the effect, as in k:NoSchedule-",)),
    ],
)
def test_a_removal_from_a_partly_known_node(line: str, before: list[str], unknown: tuple[str, ...]) -> None:
    change = run(line, world(node("n1")))
    assert taints(change, "x", before=True) == before
    assert taints(change, "x") == []
    assert change.unknowns == unknown
    assert [str(taint) for taint in change.taints] == before


def test_every_taint_that_is_removed_from_a_partly_known_node_counts() -> None:
    unclear = run("taint nodes x k- j=v:NoSchedule-", world(node("n1")))
    assert taints(unclear, "x", before=True) == ["j=v:NoSchedule"]
    there = run("taint nodes x k=v:NoSchedule- j=v:NoSchedule-", world(node("n1"), partial("x", K)))
    assert taints(there, "x", before=True) == ["k=v:NoSchedule", "j=v:NoSchedule"]
    assert taints(there, "x") == []
    two = run("taint nodes n1 x y j=v:NoSchedule-", world(node("n1", "j=v:NoSchedule")))
    assert [taints(two, name, before=True) for name in ("x", "y")] == [["j=v:NoSchedule"]] * 2


def test_a_removed_label_is_absent_from_a_partly_known_node() -> None:
    removed = run("label nodes x pool- zone-", ClusterState())
    assert removed.after.nodes["x"].absent_labels == {"pool", "zone"}
    assert removed.notes == ("no nodes in the input: x is treated as a partly known node",)
    again = run("label nodes x pool=a", removed.after)
    assert again.after.nodes["x"].absent_labels == {"zone"}
    assert again.after.nodes["x"].metadata.labels == {"pool": "a"}


def test_a_name_that_no_node_can_have_is_not_found() -> None:
    with pytest.raises(UsageError, match=r'^nodes "RDMA_1" not found: a lowercase RFC 1123 subdomain must consist of'):
        run("cordon RDMA_1", SIX)


def test_a_node_that_stands_twice_is_unknown() -> None:
    sentence = "Node n1 is in a.yaml:1 and b.yaml:1 with different content"
    twice = Ambiguity("Node", ObjectKey("", "n1"), (Origin("a.yaml", line=1), Origin("b.yaml", line=1)), is_namespaced=False)
    change = run("cordon n1 n2", ClusterState(nodes={"n2": node("n2")}, ambiguities=(twice,)))
    assert change.nodes == {"n2"}
    assert change.unknowns == (sentence,)


@pytest.mark.parametrize(
    ("line", "on", "notes"),
    [
        (
            "taint nodes n1 node.kubernetes.io/not-ready:NoSchedule",
            node("n1"),
            [f"{REMOVES} node.kubernetes.io/not-ready:NoSchedule from a healthy node within seconds if it is set by hand"],
        ),
        (
            "taint nodes n1 node.kubernetes.io/unreachable:NoExecute",
            node("n1"),
            [f"{REMOVES} node.kubernetes.io/unreachable:NoExecute from a healthy node within seconds if it is set by hand"],
        ),
        ("taint nodes n1 node.kubernetes.io/disk-pressure:NoExecute", node("n1"), []),
        ("taint nodes n1 node.kubernetes.io/not-ready:PreferNoSchedule", node("n1"), []),
        ("taint nodes n1 node.kubernetes.io/out-of-service:NoExecute", node("n1"), []),
        (
            f"taint nodes n1 {CORDON}",
            node("n1"),
            [f"{REMOVES} {CORDON} from a healthy node within seconds if it is set by hand"],
        ),
        (
            "taint nodes n1 node.kubernetes.io/not-ready-",
            node("n1", "node.kubernetes.io/not-ready:NoSchedule", ready=False),
            ["the node lifecycle controller adds node.kubernetes.io/not-ready again while n1 is not Ready"],
        ),
        ("taint nodes n1 node.kubernetes.io/not-ready-", node("n1", "node.kubernetes.io/not-ready:NoSchedule", ready=True), []),
        (
            "label nodes n1 kubernetes.io/os-",
            node("n1", labels={"kubernetes.io/os": "linux"}),
            ["the kubelet sets kubernetes.io/os again within minutes: pods deleted because of it are then re-created"],
        ),
        (
            "label nodes n1 kubernetes.io/hostname=x --overwrite",
            node("n1", labels={"kubernetes.io/hostname": "n1"}),
            ["the kubelet sets kubernetes.io/hostname again when it restarts"],
        ),
        ("label nodes n1 kubernetes.io/os=linux", node("n1"), []),
    ],
)
def test_what_is_put_back_or_taken_away_again(line: str, on: Node, notes: list[str]) -> None:
    assert list(run(line, world(on)).notes) == notes


def test_a_taint_of_the_controller_stays_in_the_world_after() -> None:
    assert taints(run("taint nodes n1 node.kubernetes.io/not-ready:NoSchedule", world(node("n1"))), "n1") == [
        "node.kubernetes.io/not-ready:NoSchedule"
    ]


def test_a_cordon_sets_the_field_and_the_taint_and_an_uncordon_takes_both_away() -> None:
    cordoned = run("cordon n1", world(node("n1", "a:NoSchedule")))
    assert taints(cordoned, "n1") == ["a:NoSchedule", CORDON]
    assert cordoned.after.nodes["n1"].spec.unschedulable
    assert [str(taint) for taint in cordoned.taints] == [CORDON]
    back = run("uncordon n1", cordoned.after)
    assert back.after.nodes == cordoned.before.nodes


@pytest.mark.parametrize(
    "line", ["taint nodes n1 k=v:NoSchedule", "taint nodes n1 k-", "label nodes n1 k=v", "label nodes n1 k-", "cordon n1"]
)
def test_a_node_of_which_two_contents_are_given_is_not_said_to_stay_as_it_is(line: str) -> None:
    twice = Ambiguity("Node", ObjectKey("", "n1"), (Origin("a.yaml", line=1), Origin("b.yaml", line=1)), is_namespaced=False)
    change = run(line, ClusterState(ambiguities=(twice,)))
    assert (change.nodes, change.notes) == (frozenset(), ())
    assert change.unknowns == ("Node n1 is in a.yaml:1 and b.yaml:1 with different content",)


def test_only_nodes_that_are_cordoned_already_are_said_to_be() -> None:
    cordoned = run("cordon n2", world(node("n1"), node("n2"), node("n3"))).after
    assert run("cordon n1 n3", cordoned).notes == ()
    (note,) = run("cordon n1 n2 n3", cordoned).notes
    assert ("n1" in note, "n2" in note, "n3" in note) == (False, True, False)
    (note,) = run("uncordon n1 n2", cordoned).notes
    assert ("n1" in note, "n2" in note) == (True, False)


def test_a_cordoned_node_stays_as_it_is() -> None:
    cordoned = run("cordon n1", world(node("n1"), node("n2"))).after
    again = run("cordon n1", cordoned)
    assert again.after is cordoned
    assert again.notes == ("n1: already cordoned",)
    assert run("uncordon n2", cordoned).notes == ("n2: already uncordoned",)


def test_the_taint_of_a_cordoned_node_is_put_back() -> None:
    cordoned = run("cordon n1", world(node("n1"))).after
    change = run("taint nodes n1 node.kubernetes.io/unschedulable-", cordoned)
    assert change.notes == (f"the node lifecycle controller adds {CORDON} again while n1 is cordoned: use uncordon",)


def test_a_drain_cordons_and_knows_the_replacement() -> None:
    on = world(node("n1", "a:NoSchedule", pool="a"), node("n2"))
    change = run("drain n1 --ignore-daemonsets", on)
    assert taints(change, "n1") == ["a:NoSchedule", CORDON]
    assert change.drained_nodes == {"n1"}
    assert change.replacements == {"n1": on.nodes["n1"]}
    assert change.notes == ()
    assert change.unknowns == (
        "which pods are evicted, and what blocks the drain: no pods in the input: add the output of `kubectl get pods,pdb -A -o yaml`",
    )
    assert change.after.nodes["n2"] is on.nodes["n2"]


def test_a_drain_that_gives_up_at_once_is_not_judged() -> None:
    with pytest.raises(InputError, match=r"^--timeout is below 0: kubectl gives up before it asks for one eviction"):
        run("drain n1 --timeout=-1s", world(node("n1")))


def test_a_drain_without_the_flag_says_what_kubectl_does() -> None:
    cordoned = run("cordon n1", world(node("n1"))).after
    change = run("drain n1", cordoned)
    assert change.notes == (
        "without --ignore-daemonsets kubectl refuses a node that has DaemonSet pods, and leaves it cordoned",
        "n1: already cordoned",
    )
    assert not change.replacements["n1"].spec.unschedulable
    assert change.replacements["n1"].spec.taints == ()
