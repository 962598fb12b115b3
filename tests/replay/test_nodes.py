"""Recorded nodes that are deleted, and that register again."""

from __future__ import annotations

from pathlib import Path

from tests.builders import Object
from tests.replay.lifecycle import Story, covered, judged
from tests.replay.stories import impacts, pods_after


def with_hand_made(story: Story) -> list[Object]:
    nodes = story.nodes()
    nodes[0]["metadata"]["labels"]["hand"] = "yes"
    return [*nodes, *(story.created(name) for name in ("d", "byhand", "pending")), *story.pods("before")]


def test_a_node_that_registers_again_without_its_taint_keeps_the_pods_that_its_labels_still_want(tmp_path: Path) -> None:
    story = Story("node-deleted-back-before-gc")
    taint, _ = story.commands()
    back = f"replace {story.node(0)} --labels exp={story.name} --taint="
    answer = judged(tmp_path, [taint, back], with_hand_made(story))
    assert answer.steps[0].outcomes == {
        ("byhand", "0"): "lost-on-recreation",
        ("d", "0"): "lost-on-recreation",
        ("pending", "0"): "lost-now",
    }
    assert answer.steps[1].outcomes[("d", "0")] == "kept"
    assert answer.steps[1].outcomes[("byhand", "0")] == "lost-now"
    assert covered(story.there("before"), answer.steps) - {("pending", "0")} == story.there("after") == story.there("50 s later")


def test_a_deleted_node_is_judged_as_if_it_came_back_as_it_is_and_that_is_said(tmp_path: Path) -> None:
    story = Story("node-deleted-back-before-gc")
    answer = judged(tmp_path, story.commands(), with_hand_made(story))
    assert answer.steps[1].outcomes == {("byhand", "0"): "lost-now", ("d", "0"): "lost-now", ("pending", "0"): "never"}
    assert [note for note in answer.steps[1].notes if "assumed: the node registers again" in note and "those set by hand are lost" in note]


def test_a_node_that_registers_after_its_pods_were_collected_gets_a_new_one(tmp_path: Path) -> None:
    story = Story("node-deleted-gc")
    objects = [*story.nodes(), story.created("d"), *story.pods("before")]
    (step,) = judged(tmp_path, story.commands(), objects).steps
    assert step.outcomes == {("d", "0"): "kept"}
    assert covered(story.there("before"), [step]) == story.there("registered again")
    assert pods_after(impacts(tmp_path, story.commands(), objects)[0]) == {("d", "0"): "new"}
    assert story.there("after PodGC") == {("d", "1")}


def test_an_update_while_a_node_is_gone_reaches_the_others(tmp_path: Path) -> None:
    story = Story("node-deleted-terminating")
    objects = [*story.nodes(), story.created("d")]
    _, update = judged(tmp_path, story.commands(), objects).steps
    there = story.there("update with maxUnavailable 1 while node 0 is deleted")
    assert {pair for pair, outcome in update.outcomes.items() if outcome == "kept"} - {("d", "0")} == there
    after = pods_after(impacts(tmp_path, story.commands(), objects)[1])
    assert {after[pair] for pair in there} == {"new"}


def test_an_update_while_a_dead_machine_is_gone_reaches_the_others_once_its_pods_are_collected(tmp_path: Path) -> None:
    story = Story("node-deleted-update")
    answer = judged(tmp_path, story.commands(), [*story.nodes(), *story.listed()])
    last = covered([], answer.steps)
    assert {pair for pair in last if pair[1] != "0"} == story.there("after PodGC removed the pods of node 0")
    assert [note for note in answer.steps[0].notes if "assumed: the node registers again" in note]
