"""Which listed pods are those of a DaemonSet, and what they say of its nodes: docs/semantics.md, "Why are counters not used?"."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.core import CoveragePod
from preflight.model.meta import ObjectKey
from tests.builders import make_owner, make_pod, read_object
from tests.coverage.impacts import NAMESPACE, daemonset, node, world

KEY = ObjectKey(NAMESPACE, "d")
UNSCHEDULABLE = {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]}


def listed(
    name: str, on: str = "", *, owner: Any = None, generation: str = "", revision: str = "", phase: str = "Running", **more: Any
) -> CoveragePod:
    labels = {"pod-template-generation": generation, "controller-revision-hash": revision}
    data = make_pod(
        name,
        more.pop("namespace", NAMESPACE),
        node=on,
        owner=make_owner("DaemonSet", "d") if owner is None else owner,
        labels={key: value for key, value in labels.items() if value},
        phase=phase,
        **more,
    )
    return msgspec.json.decode(msgspec.json.encode(data), type=CoveragePod)


def known(uid: str = "", generation: str = "", strategy: str = "") -> DaemonSet:
    data = daemonset("d", strategy={"type": strategy} if strategy else None).data
    metadata = {**data["metadata"], "uid": uid, "annotations": {TEMPLATE_GENERATION: generation} if generation else {}}
    return read_object({**data, "metadata": metadata}, DaemonSet)


def collect(*pods: CoveragePod, of: DaemonSet | None = None) -> DaemonSetPods:
    found = of or known()
    return collect_listed_pods(world([node("n1"), node("n2"), node("n3")], [found], pods))[KEY]


def nodes(found: DaemonSetPods) -> set[str]:
    return {name for group in found.groups for name in group.nodes}


@pytest.mark.parametrize(
    ("pod", "uid", "expected"),
    [
        pytest.param(listed("p", "n1"), "", {"n1"}, id="by its name"),
        pytest.param(listed("p", "n1", owner=make_owner("DaemonSet", "d", "u1")), "u1", {"n1"}, id="by its uid"),
        pytest.param(
            listed("p", "n1", owner=make_owner("DaemonSet", "d", "u0")), "u1", set(), id="not of another uid: one of that name before"
        ),
        pytest.param(listed("p", "n1", owner=make_owner("DaemonSet", "d", "u0")), "", {"n1"}, id="a manifest has no uid"),
        pytest.param(listed("p", "n1"), "u1", {"n1"}, id="a reference without a uid"),
        pytest.param(listed("p", "n1", owner=make_owner("DaemonSet", "other")), "", set(), id="not of another DaemonSet"),
        pytest.param(listed("p", "n1", owner=make_owner("ReplicaSet", "d")), "", set(), id="not of another kind"),
        pytest.param(listed("p", "n1", owner={**make_owner("DaemonSet", "d"), "controller": False}), "", set(), id="not of an owner alone"),
        pytest.param(listed("p", "n1", owner={}), "", set(), id="not without an owner"),
        pytest.param(listed("p", "n1", namespace="elsewhere"), "", set(), id="not of another namespace"),
        pytest.param(listed("p", "n9"), "", {"n9"}, id="on a node that was not given"),
    ],
)
def test_a_pod_is_of_the_daemonset(pod: CoveragePod, uid: str, expected: set[str]) -> None:
    found = collect(pod, of=known(uid))
    assert nodes(found) == expected
    assert found.decided_nodes == {"n1", "n2", "n3"} | ({"n9"} & expected)


@pytest.mark.parametrize(
    ("pod", "transit", "terminating", "waiting"),
    [
        pytest.param(listed("p", "n1"), set(), set(), set(), id="a live one"),
        pytest.param(listed("p", "n1", metadata={"deletionTimestamp": "2026-06-30T06:00:00Z"}), {"n1"}, {"n1"}, set(), id="terminating"),
        pytest.param(listed("p", "n1", phase="Failed"), {"n1"}, set(), set(), id="failed"),
        pytest.param(listed("p", "n1", phase="Succeeded"), {"n1"}, set(), set(), id="succeeded"),
        pytest.param(
            listed("p", "n1", phase="Failed", metadata={"deletionTimestamp": "2026-06-30T06:00:00Z"}),
            {"n1"},
            set(),
            set(),
            id="failed, and deleted",
        ),
        pytest.param(listed("p", phase="Pending"), {"n1", "n2", "n3"}, set(), set(), id="not bound, anywhere"),
        pytest.param(
            listed("p", phase="Pending", status=UNSCHEDULABLE),
            {"n1", "n2", "n3"},
            set(),
            set(),
            id="no room, on a node that it does not tell",
        ),
    ],
)
def test_a_pod_says_of_its_node(pod: CoveragePod, transit: set[str], terminating: set[str], waiting: set[str]) -> None:
    found = collect(pod)
    assert (set(found.nodes_in_transit) - {""}, set(found.terminating_nodes), set(found.waiting_nodes)) == (transit, terminating, waiting)
    assert nodes(found) == ({"n1"} if not transit else set())


def test_a_live_pod_counts_beside_one_on_its_way_out() -> None:
    found = collect(
        listed("old", "n1", metadata={"deletionTimestamp": "2026-06-30T06:00:00Z"}),
        listed("new", "n1"),
        listed("end", "n2", phase="Failed"),
    )
    assert (nodes(found), set(found.nodes_in_transit), set(found.terminating_nodes)) == ({"n1"}, {"n2"}, {"n1"})


def test_pods_with_the_same_tolerations_are_one_group() -> None:
    tolerant: dict[str, Any] = {"tolerations": [{"key": "a", "operator": "Exists"}]}
    found = collect(listed("p", "n1"), listed("q", "n2", **tolerant), listed("r", "n3"))
    assert sorted((sorted(group.nodes), len(group.tolerations)) for group in found.groups) == [(["n1", "n3"], 0), (["n2"], 1)]
    assert all(group.is_listed and not group.is_assumed and not group.is_old for group in found.groups)


@pytest.mark.parametrize(
    ("generation", "strategy", "pods", "old"),
    [
        pytest.param("", "", [("n1", "1", "a")], set(), id="a manifest has no number"),
        pytest.param("2", "", [("n1", "2", "b"), ("n2", "2", "b")], set(), id="all of its number"),
        pytest.param("2", "", [("n1", "1", "a"), ("n2", "2", "b")], {"n1"}, id="one of a number before"),
        pytest.param("3", "", [("n1", "1", "a"), ("n2", "2", "b"), ("n3", "3", "a")], {"n2"}, id="after a rollback, by the revision"),
        pytest.param("2", "", [("n1", "1", "a")], set(), id="none of its number: a rollback"),
        pytest.param("2", "OnDelete", [("n1", "1", "a")], {"n1"}, id="none of its number with OnDelete: all are old"),
        pytest.param("2", "", [("n1", "", ""), ("n2", "2", "b")], set(), id="one without a number"),
    ],
)
def test_a_pod_is_old(generation: str, strategy: str, pods: list[tuple[str, str, str]], old: set[str]) -> None:
    found = collect(
        *(listed(f"p-{on}", on, generation=number, revision=revision) for on, number, revision in pods), of=known("", generation, strategy)
    )
    assert {name for group in found.groups if group.is_old for name in group.nodes} == old
    assert {name for revision in found.revisions for name in revision.nodes} == old


def test_a_pod_on_its_way_shows_that_an_update_has_begun() -> None:
    new = listed("new", "n2", generation="2", revision="b", metadata={"deletionTimestamp": "2026-06-30T06:00:00Z"})
    found = collect(listed("old", "n1", generation="1", revision="a"), new, of=known("", "2"))
    assert [group.nodes for group in found.groups if group.is_old] == [{"n1"}]


def test_a_daemonset_whose_pods_were_not_listed_has_none() -> None:
    state = world([node("n1")], [known()], [listed("p", "n1")])
    assert collect_listed_pods(replace(state, listed_namespaces=frozenset({"elsewhere"}))) == {}
    assert collect_listed_pods(replace(state, listed_namespaces=None)).keys() == {KEY}
