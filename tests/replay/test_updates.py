"""Recorded updates that stop, and those that should stop and do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.builders import Object
from tests.replay.lifecycle import Said, Story, covered, judged
from tests.replay.stories import impacts, pods_after, running

SILENT = [{"key": "node.kubernetes.io/unreachable", "effect": effect} for effect in ("NoSchedule", "NoExecute")]


def test_a_bad_image_is_not_known_and_going_back_covers_every_node(tmp_path: Path) -> None:
    story = Story("rollback-stalled")
    daemonsets = [story.created("u2"), story.created("s2")]
    images = story.commands("set image")
    back = [line.replace("c:bad", "c:1") for line in images]
    answer = judged(tmp_path, [*images, *back], [*story.nodes(), *daemonsets, *story.pods("before")])
    assert covered(story.there("before"), answer.steps) == story.there("undone")
    stalled = [*story.nodes(), *daemonsets, *story.pods("stalled")]
    for daemonset in daemonsets:
        daemonset["spec"]["template"]["spec"]["containers"][0]["image"] = "registry.example/c:bad"
    again = judged(tmp_path, back, stalled)
    assert covered(story.there("stalled"), again.steps) == story.there("undone")


def test_an_update_with_surge_and_a_port_of_the_node_stops_and_covers_every_node(tmp_path: Path) -> None:
    story = Story("surge-hostport")
    daemonsets = [story.created("s1"), story.created("s2")]
    answer = judged(tmp_path, story.commands(), [*story.nodes(), *daemonsets])
    assert answer.of("PF105") == {"s1": ["0", "1", "2", "3"], "s2": ["0", "1", "2", "3"]}
    assert covered([], answer.steps) == story.there("stalled")
    assert {(seen.owner, seen.node) for seen in story.seen("stalled") if seen.text.startswith("p0")} == story.there("stalled")
    unready = [("s1", "1")]
    objects = [*story.nodes(), *daemonsets, *running(story, daemonsets, range(4), unready)]
    found = pods_after(impacts(tmp_path, story.commands()[:1], objects)[0])
    assert found == {("s1", "0"): "same", ("s1", "1"): "new", ("s1", "2"): "same", ("s1", "3"): "same"}
    after = "old pod not Ready on the node where its extra waits"
    assert {each.node for each in story.seen(after) if each.owner == "s1" and each.text.startswith("p1") and each.there} == {"1"}
    last = "old pod not Ready on the node where no extra waits"
    assert {each.node for each in story.seen(last) if each.owner == "s1" and each.text.startswith("p1") and each.there} == {"0", "1"}


def test_where_no_node_should_run_it_a_percentage_keeps_the_available_pod(tmp_path: Path) -> None:
    story = Story("desired-zero")
    answer = judged(tmp_path, story.commands(), [*story.nodes(), *story.listed(), *story.pods("before")])
    assert covered(story.there("before"), answer.steps) == story.there("updated")


@pytest.mark.parametrize("name", ["s1", "s1-bad", "s1-one-sick", "s100pct-bad", "u1-bad"])
def test_an_update_takes_old_pods_from_nodes_that_should_not_run_it(tmp_path: Path, name: str) -> None:
    """A bad image is nothing that anybody knows before: then as many old pods stay as the update has not come to."""
    story = Story("surge-should-not-run")
    (daemonset,) = [each for each in story.listed() if each["metadata"]["name"] == name]
    sick = [(name, "4")] if "sick" in name else []
    (image,) = [line for line in story.commands("set image") if f"daemonset/{name} " in line]
    objects = [*story.nodes(), daemonset, *running(story, [daemonset], range(5), sick)]
    answer = judged(tmp_path, [*story.commands("taint"), image], objects)
    assert answer.steps[2].outcomes == {(name, node): "lost-now" if node in "01" else "kept" for node in "01234"}
    there = {pair for pair in story.there("updated") if pair[0] == name}
    if "bad" in image:
        assert covered([], answer.steps) <= there
    else:
        assert covered([], answer.steps) == there


STALLED = {"u1", "u2", "u50pct", "u1-tolerates-twin"}


def unreachable(story: Story) -> list[Object]:
    """The nodes, of which the first two are silent."""
    nodes = story.nodes({0: "Unknown", 1: "Unknown"})
    for node in nodes[:2]:
        node["spec"]["taints"] = SILENT
    return nodes


def test_unreachable_nodes_stop_an_update_and_lose_their_pods(tmp_path: Path) -> None:
    story = Story("unknown-node-blocks")
    daemonsets = story.listed()
    for daemonset in daemonsets:
        if "twin" in daemonset["metadata"]["name"]:
            twin = {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoSchedule"}
            daemonset["spec"]["template"]["spec"]["tolerations"] = [twin]
    names = [each["metadata"]["name"] for each in daemonsets]
    sick = [(name, node) for name in names for node in "01"]
    assert story.recorded["observed"]["taints of node 0"] == [f"{each['key']}=:{each['effect']}" for each in SILENT]
    objects = [*unreachable(story), *daemonsets, *running(story, daemonsets, range(6), sick)]
    answer = judged(tmp_path, story.commands("set image"), objects)
    observed = story.recorded["observed"]["updated"]["pods"]
    assert {name for name, counts in observed.items() if counts.get("well old")} == STALLED
    assert answer.stopped == STALLED
    there = covered([], answer.steps)
    for name in names:
        assert {node for owner, node in there if owner == name} == set("012345" if "sick new not Ready" in observed[name] else "2345")
    assert all(set(counts) == {"sick new", "well new"} for counts in story.recorded["observed"]["back"]["pods"].values())


def test_a_percentage_of_the_nodes_that_are_left_stops_an_update_too(tmp_path: Path) -> None:
    story = Story("percentage-blocked")
    objects = [*unreachable(story), *story.listed(), *story.pods("unreachable")]
    answer = judged(tmp_path, story.commands("set image"), objects)
    assert covered([], answer.steps) == story.there("updated")
    held = {seen.owner for seen in story.seen("updated") if seen.there and seen.text.startswith("p0")}
    assert held == {"u100pct", "u50pct"}
    assert answer.stopped == held
    once = {each.owner for each in story.seen("pods of node 0 force-deleted") if each.there and each.text.startswith("p0")}
    assert once == {"u50pct"}


def test_pods_of_a_silent_node_go_and_those_of_one_that_reports_not_ready_wait(tmp_path: Path) -> None:
    story = Story("not-ready-and-unreachable")
    nodes = story.nodes({0: "Unknown", 1: "Unknown", 2: "False"})
    when = "node 0 Unknown after False"
    for number, taints in story.recorded["observed"][when]["taints"].items():
        pairs = [(taint.partition("=")[0], taint.rpartition(":")[2]) for taint in taints]
        nodes[int(number[-1])]["spec"]["taints"] = [{"key": key, "effect": effect} for key, effect in pairs]
    answer = judged(tmp_path, story.commands(), [*nodes, *story.listed(), *story.pods(when)])
    (step,) = answer.steps
    assert {pair[0] for pair in step.outcomes} == {"d"}
    assert (step.outcomes["d", "1"], step.outcomes["d", "3"]) == ("lost-now", "kept")
    assert ("d", "1") not in story.there("d updated (maxUnavailable 1)")
    assert set(answer.of("PF105")) == {"d"}
    assert {step.outcomes["d", node] for node in "02"} <= {"lost-now", "already-fragile", "unknown"}
    last = story.there("node 0 and 1 well again, node 2 still Ready=False")
    assert {pair for pair in last if pair[0] == "d"} == {("d", "0"), ("d", "1"), ("d", "3")}
    assert {pair for pair in last if pair[0] == "o"} == {("o", node) for node in "0123"}


def surging(story: Story) -> tuple[list[Object], list[Object]]:
    daemonsets = story.listed()
    for daemonset in daemonsets:
        daemonset["spec"]["minReadySeconds"] = 10
    return daemonsets, [*story.nodes(), *daemonsets, *running(story, daemonsets, range(2))]


def test_a_lost_wake_up_of_the_controller_leaves_every_node_covered(tmp_path: Path) -> None:
    """Which update stops is no question of the objects: a later one of two wake-ups is lost, and any write is another."""
    story = Story("surge-min-ready")
    _, objects = surging(story)
    answer = judged(tmp_path, story.commands("set image"), objects)
    for when in ("before", "75 s later", "105 s later", "after any write to the DaemonSet"):
        assert covered([], answer.steps) == story.there(when)
    assert {outcome for step in answer.steps for outcome in step.outcomes.values()} == {"kept"}


def test_without_the_lost_wake_up_every_pod_is_new(tmp_path: Path) -> None:
    story = Story("surge-min-ready-control")
    _, objects = surging(story)
    answer: Said = judged(tmp_path, story.commands(), objects)
    assert covered([], answer.steps) == story.there("45 s later")
    found = [pods_after(impact) for impact in impacts(tmp_path, story.commands(), objects)]
    assert {pod for after in found for pod in after.values()} == {"new"}
    assert {seen.text[:2] for seen in story.seen("45 s later")} == {"p1"}
