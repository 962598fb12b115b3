"""Recorded patches: tolerations that are lost, replaced or gained, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.builders import make_object
from tests.replay.lifecycle import RECORDED, Story, covered, judged
from tests.replay.stories import impacts, pods_after


def test_a_template_that_loses_a_toleration(tmp_path: Path) -> None:
    story = Story("toleration-dropped")
    answer = judged(tmp_path, story.commands(), [*story.nodes(), *story.listed(), *story.pods("before")])
    assert covered(story.there("before"), answer.steps) == story.there("after")
    by_strategy = {pair[0]: step.outcomes for step in answer.steps for pair in step.outcomes}
    assert by_strategy.pop("ondelete") == {
        ("ondelete", "0"): "lost-on-recreation",
        ("ondelete", "1"): "kept",
        ("ondelete", "2"): "lost-now",
    }
    for name, outcomes in by_strategy.items():
        assert outcomes == {(name, "0"): "lost-now", (name, "1"): "kept", (name, "2"): "lost-now"}


LISTS = [step for step in RECORDED["patch-tolerations"]["steps"] if isinstance(step, str) and step.startswith("DaemonSet ")]
PATCHED = [re.match(r"DaemonSet ([a-z-]+): tolerations (.*)", step) for step in LISTS]


@pytest.mark.parametrize("name", [match[1] for match in PATCHED if match])
def test_what_a_patch_makes_of_the_tolerations(tmp_path: Path, name: str) -> None:
    story = Story("patch-tolerations")
    recorded = story.recorded["observed"][name]
    spec = {"containers": [{"name": "c", "image": "registry.example/c:1"}], "tolerations": recorded["tolerations before"]}
    daemonset = {**make_object("DaemonSet", name, story.name), "spec": {"selector": {"matchLabels": {"app": name}}}}
    daemonset["spec"]["template"] = {"metadata": {"labels": {"app": name}}, "spec": spec}
    (line,) = [command for command in story.commands() if f"patch ds {name} " in command]
    (step,) = (each for each in story.steps if isinstance(each, dict) and each["command"] == line.removesuffix(f" -n {story.name}"))
    objects = [*story.nodes(), daemonset]
    answer = judged(tmp_path, [line], objects)
    if step["exitCode"]:
        assert answer.code == 2
        assert step["stderr"] in answer.err
        return
    (impact,) = impacts(tmp_path, [line], objects)
    (after,) = impact.change.after.daemonsets.values()
    assert (after.data["spec"]["template"]["spec"].get("tolerations") or None) == recorded["after"]
    there = {seen.owner for seen in story.seen("pods on node 0 (tainted a=x:NoSchedule) afterwards")}
    assert covered([], answer.steps) == ({(name, "0")} if name in there else set())


def test_a_template_that_gains_a_toleration_gets_a_pod_at_once_whatever_else_is_held_up(tmp_path: Path) -> None:
    story = Story("toleration-gained")
    lines, objects = story.commands("patch"), [*story.nodes(), *story.listed(), *story.pods("before")]
    answer = judged(tmp_path, lines, objects)
    names = ("ondelete", "stalled-u1", "stalled-s1")
    assert [step.outcomes[name, "0"] for step, name in zip(answer.steps, names, strict=True)] == ["gained", "gained", "gained"]
    assert covered(story.there("before"), answer.steps) == story.there("after")
    found = pods_after(impacts(tmp_path, lines, objects)[0])
    assert [found["ondelete", node] for node in "0123"] == ["new", "same", "same", "same"]


@pytest.mark.parametrize("number", [0, 1], ids=["the selector cannot be changed", "the labels of the template must match it"])
def test_a_patch_of_the_selector_or_against_it_is_refused(tmp_path: Path, number: int) -> None:
    story = Story("selector-immutable")
    step = [each for each in story.steps if isinstance(each, dict) and "command" in each][number]
    answer = judged(tmp_path, [story.commands()[number]], [*story.nodes(), story.created("d")])
    assert (answer.code, answer.steps) == (2, ())
    assert step["stderr"] in answer.err
    assert story.there("after") == {("d", "0")}


def test_a_template_that_goes_there_and_back_while_nothing_moves_replaces_nothing(tmp_path: Path) -> None:
    story = Story("stale-template-hash")
    objects = [*story.nodes(), story.created("d")]
    answer = judged(tmp_path, story.commands(), objects)
    assert covered([], answer.steps) == story.there("back on the first template, then RollingUpdate")
    for impact in impacts(tmp_path, story.commands(), objects):
        assert pods_after(impact) == {("d", "0"): "same", ("d", "1"): "same"}
