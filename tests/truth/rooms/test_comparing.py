"""The comparison of a world that was filled: what is equal, what differs, and how a pod is asked about in words."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.truth.rooms.batch import Compared, compared, words
from tests.truth.rooms.worlds import draw_tight


def said(**copies: int) -> dict[str, Any]:
    """What the command says where it is certain."""
    total = sum(copies.values())
    nodes = [{"node": name, "copies": count} for name, count in {**copies, "full": 0}.items()]
    return {"copies": total, "atMost": total, "nodes": nodes, "message": "0/3 nodes are available: 3 Insufficient cpu."}


@pytest.mark.parametrize(
    ("report", "bound", "messages", "differs"),
    [
        pytest.param(said(a=2, b=1), {"a": 2, "b": 1}, ["0/3 ..."], [], id="as many as were said, where they were said"),
        pytest.param(said(), {}, ["0/3 nodes are available: 3 Insufficient cpu."], [], id="none, with the words that were said"),
        pytest.param(said(a=2), {"a": 1}, [], ["copies", "at most", "nodes"], id="fewer"),
        pytest.param(said(a=2), {"b": 2}, [], ["nodes"], id="as many, elsewhere"),
        pytest.param({**said(a=2), "atMost": None}, {"a": 2}, [], ["at most"], id="nothing bounds what was said"),
        pytest.param(said(), {}, ["0/3 nodes are available: 3 node(s) were unschedulable."], ["message"], id="none, with other words"),
        pytest.param(said(), {}, [], ["message"], id="none, with no word at all"),
    ],
)
def test_what_differs(report: dict[str, Any], bound: dict[str, int], messages: list[str], differs: list[str]) -> None:
    assert [each.what for each in compared(report, bound, messages) if each.said != each.seen] == differs


def test_the_words_are_only_compared_where_none_fits() -> None:
    assert [each.what for each in compared(said(a=1), {"a": 1}, ["anything"])] == ["copies", "at most", "nodes"]
    assert compared(said(), {}, [])[-1] == Compared("message", ["0/3 nodes are available: 3 Insufficient cpu."], [])


@pytest.mark.parametrize(
    ("bound", "differs"),
    [
        pytest.param({"a": 2}, [], id="as many as were said"),
        pytest.param({"a": 3, "full": 1}, [], id="more, for others had to go"),
        pytest.param({"a": 1, "full": 2}, ["nodes, at least"], id="fewer on a node that has the room"),
    ],
)
def test_where_others_are_preempted_no_node_has_fewer(bound: dict[str, int], differs: list[str]) -> None:
    assert [each.what for each in compared(said(a=2), bound, ["anything"], preempts=True) if each.said != each.seen] == differs


def test_some_nodes_are_silent_some_ports_are_taken_and_few_pods_preempt() -> None:
    worlds = [draw_tight(Random(f"1 {at}"), "w") for at in range(60)]
    silent = [node for world in worlds for node in world.nodes if node["metadata"].get("annotations")]
    ports = [pod for world in worlds for pod in world.bound if "ports" in pod["spec"]["containers"][0]]
    assert 0 < len(silent) < len(worlds)
    assert 0 < len(ports) < sum(len(world.bound) for world in worlds) / 3
    assert 0 < sum(world.preempts for world in worlds) < 12


def test_a_pod_in_words() -> None:
    spec = {
        "containers": [{"resources": {"requests": {"cpu": "1", "example.com/gpu": "2"}}}],
        "nodeSelector": {"zone": "a"},
        "tolerations": [{"key": "spot", "operator": "Exists"}, {"key": "dedicated", "value": "gpu"}],
    }
    flags = ["--tolerate", "spot", "--tolerate", "dedicated=gpu"]
    assert words(spec) == ["--request", "cpu=1,example.com/gpu=2", "-l", "zone=a", *flags]
    assert words({"containers": [{"resources": {}}], "tolerations": []}) == ["--request", "cpu=0"]


def test_a_seed_draws_the_same_world_each_time_and_every_way_comes() -> None:
    assert draw_tight(Random("1 0"), "w0") == draw_tight(Random("1 0"), "w0")
    assert {draw_tight(Random(f"1 {at}"), "w").way for at in range(40)} == {"file", "workload", "like", "request"}
