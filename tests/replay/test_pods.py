"""Recorded pods that fail, end or wait, and labels that go."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.replay.lifecycle import Seen, Story, covered, judged
from tests.replay.stories import apply, elsewhere, impacts, pods_after

NO_SCHEDULE = {"key": "dedicated", "value": "x", "effect": "NoSchedule"}


def test_pods_that_a_graceful_shutdown_fails_come_back_but_on_the_tainted_node(tmp_path: Path) -> None:
    story = Story("failed-time-bomb")
    taint, cordon, untaint = story.commands()
    shutdown = f"reboot --graceful {story.node(0)} {story.node(1)} {story.node(2)}"
    answer = judged(tmp_path, [taint, cordon, shutdown, untaint], [*story.nodes(), story.created("d")])
    assert covered([], answer.steps[:2]) | {("d", "1")} == story.there("before")
    assert answer.steps[2].outcomes == {("d", "0"): "lost-now", ("d", "1"): "kept", ("d", "2"): "kept"}
    assert covered([], answer.steps[:3]) == story.there("after")
    assert answer.steps[3].outcomes == {("d", "0"): "gained"}
    assert covered([], answer.steps) == story.there("taint removed")


def test_pods_that_end_by_themselves_come_back_but_on_the_tainted_node(tmp_path: Path) -> None:
    story = Story("succeeded-time-bomb")
    (taint,) = story.commands()
    again = f"reboot --graceful {story.node(0)} {story.node(1)}"
    answer = judged(tmp_path, [taint, again], [*story.nodes(), story.created("d")])
    assert covered([], answer.steps) == story.there("after")


def test_a_listed_pod_that_has_ended_covers_nothing(tmp_path: Path) -> None:
    story = Story("succeeded-time-bomb")
    nodes = story.nodes()
    nodes[0]["spec"]["taints"] = [NO_SCHEDULE]
    pods = [story.pod(Seen("d", str(node), "d", "p0, rev1, Succeeded"), node) for node in range(2)]
    answer = judged(tmp_path, [f"reboot {story.node(0)} {story.node(1)}"], [*nodes, story.created("d"), *pods])
    assert answer.steps[0].outcomes == {("d", "0"): "never", ("d", "1"): "missing"}


def test_a_pod_that_fails_again_and_again_is_created_and_is_missing_where_it_was_listed_as_failed(tmp_path: Path) -> None:
    story = Story("failed-loop")
    fails, succeeds = story.created("fails"), story.created("succeeds")
    deletions = story.commands()
    lines = [apply(tmp_path, fails), deletions[0], apply(tmp_path, succeeds), deletions[1]]
    answer = judged(tmp_path, lines, [*story.nodes(), elsewhere(story)])
    assert [step.outcomes for step in answer.steps] == [
        {("fails", "0"): "gained"},
        {("fails", "0"): "lost-now"},
        {("succeeds", "0"): "gained"},
        {("succeeds", "0"): "lost-now"},
    ]
    assert len(story.recorded["observed"]["fails: creations at about second"]) > 1
    failed = story.pod(Seen("fails", "0", "fails", "p0, rev1, Failed"))
    listed = judged(tmp_path, [f"reboot {story.node(0)}"], [*story.nodes(), fails, failed])
    assert listed.steps[0].outcomes == {("fails", "0"): "missing"}


def test_a_label_that_goes_takes_bound_pods_and_pods_that_wait(tmp_path: Path) -> None:
    story = Story("label-removed-pending")
    objects = [*story.nodes(), story.created("bound"), story.created("pending"), *story.pods("before")]
    answer = judged(tmp_path, story.commands("label"), objects)
    assert answer.steps[0].outcomes == {("bound", "0"): "lost-now", ("pending", "0"): "lost-now"}
    assert covered(story.there("before"), answer.steps) == story.there("label removed, 15 s later")
    waiting = {(seen.owner, seen.node) for seen in story.seen("after a write to the DaemonSet") if not seen.there}
    assert waiting == {("pending", "1")}
    assert "preflight does not check `kubectl annotate`" in judged(tmp_path, story.commands("annotate"), objects).err


@pytest.mark.parametrize(
    ("ready", "first", "last"),
    [("False", "lost-now", "gained"), ("True", "kept", "kept")],
    ids=["of a kubelet that is down, nobody puts it back", "a kubelet that is there puts it back"],
)
def test_the_label_of_the_architecture(tmp_path: Path, ready: str, first: str, last: str) -> None:
    story = Story("arch-label")
    objects = [*story.nodes({0: ready}), *(story.created(name) for name in ("arch", "ondelete", "other")), *story.pods("before")]
    answer = judged(tmp_path, story.commands(), objects)
    for name in ("arch", "ondelete"):
        assert [step.outcomes[name, "0"] for step in answer.steps] == [first, last]
    assert [step.outcomes["other", "0"] for step in answer.steps] == ["kept", "kept"]
    if ready == "False":
        assert covered(story.there("before"), answer.steps[:1]) == story.there("after")
    assert covered(story.there("before"), answer.steps) == story.there("put back by hand")
    assert [note for note in answer.steps[0].notes if "the kubelet sets kubernetes.io/arch again within minutes" in note]
    new = {(seen.owner, seen.node) for seen in story.seen("put back by hand") if seen.text.startswith("p1")}
    found = impacts(tmp_path, story.commands(), objects)
    assert {pair for impact in found for pair, pod in pods_after(impact).items() if pod == "new"} == new
