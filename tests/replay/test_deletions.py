"""Recorded deletions of DaemonSets and namespaces: what goes, what is left without an owner, and who adopts it."""

from __future__ import annotations

from pathlib import Path

from tests.builders import Object, make_object
from tests.cli.program import program
from tests.replay.lifecycle import Seen, Story, covered, judged, said, write
from tests.replay.stories import apply, impacts, pods_after

NOTHING_OWNS = ("its pods no longer have an owner",)


def test_a_deletion_in_the_background_takes_every_pod_whatever_a_budget_says(tmp_path: Path) -> None:
    story = Story("cascade-background")
    budget = make_object("PodDisruptionBudget", "b", story.name)
    budget["spec"] = {"minAvailable": 3, "selector": {"matchLabels": {"app": "d"}}}
    answer = judged(tmp_path, story.commands("delete"), [*story.nodes(), story.created("d"), budget, *story.pods("before")])
    assert answer.steps[0].outcomes == dict.fromkeys(story.there("before"), "lost-now")
    assert covered(story.there("before"), answer.steps) == story.there("after") == set()


def test_a_deletion_in_the_foreground_takes_every_pod_and_the_dead_kubelets_one_once_it_is_back(tmp_path: Path) -> None:
    story = Story("cascade-foreground")
    before = [story.pod(Seen("d", str(node), "d", "p0, rev1, Running, Ready"), node) for node in range(3)]
    delete, delete_pod = story.commands()
    answer = judged(tmp_path, [delete], [*story.nodes(), story.created("d"), *before])
    assert answer.steps[0].outcomes == {("d", node): "lost-now" for node in "012"}
    assert story.there("after 3 s") == story.there("then") == story.there("after") == set()
    left = [*story.nodes(), story.created("d"), *story.pods("after 3 s")]
    (nothing,) = judged(tmp_path, [delete_pod], left).steps
    assert nothing.outcomes == {}
    assert nothing.notes == ("nothing changes: no such pod exists",)


def adopting(story: Story, folder: Path) -> tuple[list[str], list[Object]]:
    return [*story.commands(), apply(folder, story.created("d2"))], [*story.nodes(), story.created("d"), *story.pods("before")]


def test_orphans_stay_until_a_hand_or_no_execute_ends_them_and_a_new_daemonset_adopts_the_rest(tmp_path: Path) -> None:
    story = Story("cascade-orphan-adopt-same")
    lines, objects = adopting(story, tmp_path)
    answer = judged(tmp_path, lines, objects)
    orphan, by_hand, schedule, execute, adopted = answer.steps
    assert orphan.outcomes == dict.fromkeys(story.there("before"), "lost-on-recreation")
    assert set(orphan.reasons.values()) == {NOTHING_OWNS}
    assert {node for _, node in covered(story.there("before"), [orphan])} == {seen.node for seen in story.seen("orphaned")}
    assert by_hand.outcomes == {("d", "0"): "lost-now"}
    assert schedule.outcomes == {("d", "1"): "already-fragile"}
    assert execute.outcomes == {("d", "2"): "lost-now"}
    assert execute.reasons == {("d", "2"): ("no toleration for ne=x:NoExecute",)}
    left = "one pod deleted, node 1 tainted NoSchedule, node 2 NoExecute"
    assert {node for _, node in covered(story.there("before"), answer.steps[:4])} == {each.node for each in story.seen(left)}
    assert adopted.outcomes == {("d2", "0"): "gained", ("d2", "1"): "lost-on-recreation", ("d2", "2"): "never", ("d2", "3"): "kept"}
    assert covered([], [adopted]) == story.there("adopted")


def test_adopted_pods_of_the_same_template_are_the_same_pods(tmp_path: Path) -> None:
    story = Story("cascade-orphan-adopt-same")
    last = impacts(tmp_path, *adopting(story, tmp_path))[-1]
    seen = {("d2", each.node): "same" if each.text.startswith("p0") else "new" for each in story.seen("adopted")}
    assert pods_after(last) == {**seen, ("d2", "2"): "none"}


def test_adopted_pods_of_another_template_stay_while_both_templates_are_the_first(tmp_path: Path) -> None:
    story = Story("cascade-orphan-adopt-other")
    orphan, taint, strategy = story.commands()
    lines = [orphan, taint, apply(tmp_path, story.created("d", 1)), strategy]
    objects = [*story.nodes(), story.created("d")]
    answer = judged(tmp_path, lines, objects)
    whens = [None, "orphaned, node 1 tainted NoSchedule", "new DaemonSet OnDelete, image c:2", "strategy changed to RollingUpdate"]
    for number, when in enumerate(whens, 1):
        if when:
            assert {node for _, node in covered([], answer.steps[:number])} == {seen.node for seen in story.seen(when)}
    assert answer.steps[2].outcomes == {("d", "0"): "kept", ("d", "1"): "lost-on-recreation", ("d", "2"): "kept"}
    assert answer.steps[3].outcomes == {("d", "0"): "kept", ("d", "1"): "already-fragile", ("d", "2"): "kept"}
    for impact in impacts(tmp_path, lines, objects)[2:]:
        assert set(pods_after(impact).values()) == {"same"}


def test_an_adopted_pod_that_the_new_selector_leaves_out_is_deleted_at_once(tmp_path: Path) -> None:
    story = Story("cascade-orphan-adopt-selector")
    nodes = story.nodes()
    nodes[0]["metadata"]["labels"]["pool"] = "a"
    answer = judged(tmp_path, [*story.commands(), apply(tmp_path, story.created("d", 1))], [*nodes, story.created("d")])
    assert answer.steps[1].outcomes == {("d", "0"): "kept", ("d", "1"): "lost-now", ("d", "2"): "lost-now"}
    assert covered([], answer.steps) == story.there("new DaemonSet (OnDelete) with nodeSelector pool=a adopted")


def test_the_number_of_the_template_decides_whether_adopted_pods_are_replaced(tmp_path: Path) -> None:
    story = Story("adopt-generation")
    names = ("never-updated", "updated-once", "reaches-2")
    images, created = story.commands()[:5], [apply(tmp_path, story.created(name, 1)) for name in names]
    lines = [*images, *created, *story.commands()[5:]]
    objects = [*story.nodes(), *(story.created(name) for name in names)]
    answer = judged(tmp_path, lines, objects)
    assert covered([], answer.steps) == story.there("kubectl rollout restart of never-updated")
    assert {outcome for step in answer.steps[5:] for outcome in step.outcomes.values()} == {"kept"}
    found = [pods_after(impact) for impact in impacts(tmp_path, lines, objects)]
    new = "new DaemonSets (template generation 1; image c:9, RollingUpdate maxUnavailable 1; reaches-2: c:8, OnDelete)"
    wanted = {seen.owner: "new" if seen.text.startswith("p2") else "same" for seen in story.seen(new)}
    assert wanted == {"never-updated": "same", "updated-once": "new", "reaches-2": "same"}
    for name, after in zip(names, found[5:8], strict=True):
        assert after == {(name, "0"): wanted[name], (name, "1"): wanted[name]}
    assert found[8] == found[9] == {("reaches-2", "0"): "same", ("reaches-2", "1"): "same"}
    assert found[10] == {("never-updated", "0"): "new", ("never-updated", "1"): "new"}


def test_another_daemonset_with_the_same_selector_adopts_at_once_and_that_is_said(tmp_path: Path) -> None:
    story = Story("two-daemonsets-one-selector")
    objects = [*story.nodes(), story.created("a"), story.created("b")]
    pods = [story.pod(Seen("same", seen.node, seen.owner, seen.text), place) for place, seen in enumerate(story.seen("both"))]
    answer = judged(tmp_path, story.commands(), [*objects, *pods])
    name = story.name
    assert answer.steps[0].outcomes == {("a", "0"): "lost-on-recreation", ("a", "1"): "lost-on-recreation"}
    assert answer.steps[0].notes == (
        f"{name}/b adopts the pods of {name}/a, which its selector matches: on a node with a pod of both, the older pod stays",
    )
    assert story.there("a deleted with orphan: b adopts its pods") == {("b", "0"), ("b", "1")}
    lint = program("lint", write(tmp_path, "lint.json", objects), "-o", "json")
    assert said(lint).of("PF217") == {"a": [], "b": []}


def test_a_namespace_takes_every_daemonset_in_it(tmp_path: Path) -> None:
    story = Story("namespace-deleted")
    answer = judged(tmp_path, story.commands(), [*story.nodes(), story.created("d")])
    assert answer.steps[0].outcomes == {("d", "0"): "lost-now", ("d", "1"): "lost-now"}
    assert covered([], answer.steps) == story.there("after") == set()
