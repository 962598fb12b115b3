"""Recorded RuntimeClasses, default node selectors, quotas and schedulers: what they make of pods that are created."""

from __future__ import annotations

from pathlib import Path

from tests.builders import Object, make_object
from tests.replay.lifecycle import Story, covered, judged
from tests.replay.stories import apply, elsewhere, running

RUNTIME = make_object("RuntimeClass", "rc") | {
    "scheduling": {"nodeSelector": {"rc": "yes"}, "tolerations": [{"key": "rc", "operator": "Exists"}]}
}


def test_a_runtime_class_leaves_pods_waiting_or_refused_and_places_none(tmp_path: Path) -> None:
    story = Story("runtime-class")
    names = ("plain", "tolerates", "conflict", "missing")
    lines = [*(apply(tmp_path, story.created(name)) for name in names), *story.commands()]
    answer = judged(tmp_path, lines, [*story.nodes(), RUNTIME, elsewhere(story)])
    created = covered([], answer.steps[:4])
    waiting = {(seen.owner, seen.node) for seen in story.seen("after") if not seen.there}
    refused = {pair for pair in created if pair[0] in ("conflict", "missing")}
    assert created - waiting - refused == story.there("after")
    assert waiting == {(name, node) for name in ("plain", "tolerates") for node in ("2", "4")}
    said_of = [(name, nodes) for rule, name, nodes, _ in answer.findings if rule == "PF219"]
    assert set(said_of) == {("plain", ("2", "4")), ("plain", ("0", "3")), ("tolerates", ("2", "4")), ("conflict", ("4",)), ("missing", ())}
    last = answer.steps[-1].outcomes
    assert (last["plain", "1"], last["tolerates", "1"]) == ("lost-now", "kept")
    assert {("plain", "1"), ("tolerates", "1")} & story.there("node 1 gets rc=x:NoSchedule and rc=x:NoExecute") == {("tolerates", "1")}


def test_the_default_node_selector_of_a_namespace_leaves_pods_waiting_or_refused(tmp_path: Path) -> None:
    story = Story("pod-node-selector")
    namespace = make_object("Namespace", story.name)
    namespace["metadata"]["annotations"] = {"scheduler.alpha.kubernetes.io/node-selector": "pns=yes"}
    lines = [apply(tmp_path, story.created(name)) for name in ("plain", "same", "conflict")]
    answer = judged(tmp_path, lines, [*story.nodes(), namespace, elsewhere(story)])
    waiting = {(seen.owner, seen.node) for seen in story.seen("after") if not seen.there}
    assert covered([], answer.steps) - waiting - {("conflict", "2")} == story.there("after")
    assert answer.of("PF218") == {"plain": ["1", "2"], "conflict": ["2"]}
    objects = [*story.nodes(), namespace, *(story.created(name) for name in ("plain", "same", "conflict")), *story.pods("after")]
    updated = judged(tmp_path, story.commands("set image"), objects)
    assert updated.steps[0].outcomes["plain", "0"] == "kept"
    assert {pair for pair in story.there("plain updated (maxUnavailable 1)") if pair[0] == "plain"} == {("plain", "0")}
    free = [*story.nodes(), *(story.created(name) for name in ("plain", "same")), *story.pods("annotation removed")]
    deleted = judged(tmp_path, [story.commands("delete pod")[0]], free)
    assert deleted.of("PF218") == {}
    assert {pair[1]: outcome for pair, outcome in deleted.steps[0].outcomes.items() if pair[0] == "plain"} == {
        "0": "kept",
        "1": "missing",
        "2": "missing",
    }
    assert story.there("plain's pods deleted") == {("plain", "0"), ("plain", "1"), ("plain", "2"), ("same", "0")}


def of_quota(story: Story, pods: int, used: int) -> Object:
    return make_object("ResourceQuota", "q", story.name) | {"spec": {"hard": {"pods": str(pods)}}, "status": {"used": {"pods": str(used)}}}


def test_a_quota_without_room_is_said_of_creations_updates_and_updates_with_surge(tmp_path: Path) -> None:
    story = Story("quota")
    d = story.created("d")
    all_run = running(story, [d], range(4))
    created = judged(tmp_path, [apply(tmp_path, d)], [*story.nodes(), of_quota(story, 2, 0), elsewhere(story)])
    assert created.of("PF121") == {"d": ["0", "1", "2", "3"]}
    assert len(story.there("created")) == 2
    images = story.commands("set image")
    enough = judged(tmp_path, images[:1], [*story.nodes(), of_quota(story, 4, 4), d, *all_run])
    assert enough.of("PF121") == {}
    assert covered([], enough.steps) == story.there("update with maxUnavailable 1 and quota 4")
    surging = story.commands("patch daemonset")[0]
    surge = judged(tmp_path, [surging, images[1]], [*story.nodes(), of_quota(story, 4, 4), d, *all_run])
    assert surge.of("PF121") == {"d": ["0", "1", "2", "3"]}
    assert covered([], surge.steps) == story.there("update with maxSurge 1 and quota 4")
    lowered = judged(tmp_path, [story.commands("patch daemonset")[1], images[2]], [*story.nodes(), of_quota(story, 2, 4), d, *all_run])
    assert lowered.of("PF121") == {"d": ["0", "1", "2", "3"]}
    assert len(story.there("quota lowered to 2, update with maxUnavailable 2")) == 2
    assert judged(tmp_path, story.commands("resourcequota")[:1], [*story.nodes(), d]).code == 2


def test_a_scheduler_that_nobody_knows_is_said_and_going_back_replaces_what_waits(tmp_path: Path) -> None:
    story = Story("scheduler-missing")
    daemonsets = [story.created(name) for name in ("start", "u1", "s1")]
    answer = judged(tmp_path, story.commands("patch"), [*story.nodes(), *daemonsets, *story.pods("created")])
    assert answer.of("PF120") == {"u1": ["0", "1", "2"], "s1": ["0", "1", "2"]}
    new = judged(tmp_path, [apply(tmp_path, daemonsets[0])], [*story.nodes(), elsewhere(story)])
    assert new.of("PF120") == {"start": ["0", "1", "2"]}
    assert not {pair for pair in story.there("created") if pair[0] == "start"}
    back = [line.replace("nobody", "default-scheduler") for line in story.commands("patch")]
    undone = judged(tmp_path, [*story.commands("patch"), *back], [*story.nodes(), *daemonsets[1:], *story.pods("created")])
    assert covered([], undone.steps) == {pair for pair in story.there("rollout undo") if pair[0] != "start"}
    assert "rollout undo" in judged(tmp_path, story.commands("undo")[:1], [*story.nodes(), *daemonsets]).err
