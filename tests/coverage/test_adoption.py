"""Pods that a deletion leaves, who adopts them, and pods that are of the new template already."""

from __future__ import annotations

import copy
import json
import shlex
from collections.abc import Mapping

import msgspec
import pytest

from preflight.change.apply_command import perform_command
from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.kubectl.parser import parse_command
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.core import CoveragePod
from preflight.model.meta import ObjectKey
from preflight.model.world import ClusterState
from tests.builders import make_pod, read_object
from tests.coverage.impacts import NAMESPACE, daemonset, node, outcomes, pod, pods_after, world

TIME_BOMB = [node("n1"), node("n2", "t:NoSchedule")]
ORPHAN = f"delete ds d --cascade=orphan -n {NAMESPACE}"
APPLY = f"apply -f new -n {NAMESPACE}"
FIRST, SECOND = (f"set image ds/d c={image} -n {NAMESPACE}" for image in ("registry.example/c:1", "c:2"))
RESTART = f"rollout restart ds/d -n {NAMESPACE}"


def numbered(found: DaemonSet, number: int = 1) -> DaemonSet:
    """The DaemonSet as a cluster has it, with the number of its template."""
    data = copy.deepcopy(found.data)
    data["metadata"]["annotations"] = {TEMPLATE_GENERATION: str(number)}
    return read_object(data, DaemonSet)


def steps(start: ClusterState, *lines: str, new: DaemonSet | None = None) -> list[Impact]:
    """The impact of each command line, over the world that the one before leaves; `apply -f new` applies the DaemonSet."""
    pods: Mapping[ObjectKey, DaemonSetPods] = collect_listed_pods(start)
    found: list[Impact] = []
    for line in lines:
        found.append(predict_impact(perform_command(parse_command(shlex.split(line)), start, lambda _: [new] if new else []), pods))
        start, pods = found[-1].change.after, found[-1].pods_after
    return found


def image(name: str) -> DaemonSet:
    return daemonset("d", containers=[{"name": "c", "image": name}])


def bare(name: str, on: str, phase: str = "Running", **labels: str) -> CoveragePod:
    """A listed pod that nothing controls; `_` in a label stands for `-`."""
    data = make_pod(name, NAMESPACE, node=on, phase=phase, labels={key.replace("_", "-"): value for key, value in labels.items()})
    return msgspec.json.decode(json.dumps(data), type=CoveragePod)


def test_an_orphan_that_is_evicted_later_is_there_until_then() -> None:
    tolerations = [{"key": "t", "operator": "Exists", "tolerationSeconds": 3600, "effect": "NoExecute"}]
    start = world([node("n1", "t:NoExecute")], [daemonset("d", *tolerations)], [pod("d", "n1", tolerations)])
    change = perform_command(parse_command(shlex.split(ORPHAN)), start, lambda _: [])
    assert pods_after(predict_impact(change, collect_listed_pods(start))) == {("d", "n1"): "none"}
    assert pods_after(predict_impact(change, collect_listed_pods(start), horizon=60)) == {("d", "n1"): "same"}


def test_a_new_daemonset_that_selects_nothing_of_them_adopts_nothing() -> None:
    _, new = steps(world(TIME_BOMB, [daemonset("d")]), ORPHAN, APPLY, new=daemonset("other"))
    assert outcomes(new) == {("other", "n1"): "gained", ("other", "n2"): "never"}
    assert list(new.change.after.orphaned_daemonsets) != []


def test_a_daemonset_of_the_same_template_adopts_them_as_they_are() -> None:
    start = world(TIME_BOMB, [daemonset("d")], [pod("d", "n1"), pod("d", "n2")])
    _, new = steps(start, ORPHAN, APPLY, new=daemonset("d"))
    assert pods_after(new) == {("d", "n1"): "same", ("d", "n2"): "same"}
    assert outcomes(new) == {("d", "n1"): "kept", ("d", "n2"): "lost-on-recreation"}
    assert new.change.after.orphaned_daemonsets == {}


def test_steps_between_leave_orphans_as_they_are() -> None:
    start = world(TIME_BOMB, [daemonset("d"), daemonset("other")], [pod("d", "n1"), pod("d", "n2")])
    for between in ([f"rollout restart ds/other -n {NAMESPACE}"], ["label nodes n1 color=red", "label nodes n2 color=blue"]):
        *_, new = steps(start, ORPHAN, *between, APPLY, new=daemonset("d"))
        assert pods_after(new) == {("d", "n1"): "same", ("d", "n2"): "same"}


@pytest.mark.parametrize(
    ("old", "new", "want"),
    [
        (numbered(image("c:1")), image("c:2"), "same"),
        (numbered(image("c:1"), 2), image("c:2"), "replaced"),
        (image("c:1"), image("c:2"), "replaced"),
        (numbered(image("c:1"), 2), image("c:1"), "same"),
    ],
    ids=[
        "both templates are the first",
        "the old one is the second",
        "the number of the old one is not known",
        "the template is the same",
    ],
)
def test_an_update_replaces_adopted_pods_of_another_template_unless_the_number_is_the_same(
    old: DaemonSet, new: DaemonSet, want: str
) -> None:
    start = world(TIME_BOMB, [old], [pod("d", "n1"), pod("d", "n2")])
    _, adopted = steps(start, ORPHAN, APPLY, new=new)
    healthy, tainted, outcome = {"same": ("same", "same", "lost-on-recreation"), "replaced": ("new", "none", "lost-now")}[want]
    assert pods_after(adopted) == {("d", "n1"): healthy, ("d", "n2"): tainted}
    assert outcomes(adopted) == {("d", "n1"): "kept", ("d", "n2"): outcome}


def test_under_on_delete_they_stay_until_the_strategy_lets_them_go() -> None:
    start = world(TIME_BOMB, [numbered(image("c:1"), 2)], [pod("d", "n1"), pod("d", "n2")])
    waiting = daemonset("d", strategy={"type": "OnDelete"}, containers=[{"name": "c", "image": "c:2"}])
    rolling = f'patch ds d -n {NAMESPACE} -p \'{{"spec":{{"updateStrategy":{{"type":"RollingUpdate"}}}}}}\''
    _, adopted, patched = steps(start, ORPHAN, APPLY, rolling, new=waiting)
    assert pods_after(adopted) == {("d", "n1"): "same", ("d", "n2"): "same"}
    assert pods_after(patched) == {("d", "n1"): "new", ("d", "n2"): "none"}


def test_taints_end_pods_that_nobody_owns_and_nothing_else_is_new_to_them() -> None:
    start = world([node("n1"), node("n2"), node("n3")], [daemonset("d")])
    _, schedule, execute, label = steps(
        start, ORPHAN, "taint nodes n1 t:NoSchedule", "taint nodes n2 t:NoExecute", "label nodes n1 n2 n3 a=b"
    )
    assert outcomes(schedule) == {("d", "n1"): "already-fragile"}
    assert outcomes(execute) == {("d", "n2"): "lost-now"}
    assert outcomes(label) == {("d", "n1"): "already-fragile", ("d", "n3"): "already-fragile"}


def test_what_they_tolerate_for_some_seconds_ends_them_for_good() -> None:
    seconds = daemonset("d", {"key": "t", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5})
    _, execute = steps(world([node("n1")], [seconds]), ORPHAN, "taint nodes n1 t:NoExecute")
    assert outcomes(execute) == {("d", "n1"): "lost-now"}


def test_bare_pods_of_a_listing_are_adopted_and_their_label_says_of_which_template_they_are() -> None:
    listed = [bare("a", "n1", app="d", pod_template_generation="1"), bare("b", "n2", app="d"), bare("x", "n3", app="x")]
    nodes = [node("n1", "t:NoSchedule"), node("n2", "t:NoSchedule"), node("n3"), node("n4", only="a")]
    (new,) = steps(world(nodes, [], listed), APPLY, new=daemonset("d"))
    assert outcomes(new) == {("d", "n1"): "lost-on-recreation", ("d", "n2"): "lost-now", ("d", "n3"): "gained", ("d", "n4"): "gained"}


def test_pods_that_somebody_controls_or_that_have_ended_are_not_adopted() -> None:
    ended = bare("e", "n1", "Failed", app="d")
    (new,) = steps(world([node("n1")], [], [pod("other", "n1"), ended]), APPLY, new=daemonset("d"))
    assert outcomes(new) == {("d", "n1"): "gained"}


def test_who_adopts_at_once_is_said_and_nothing_is_left_without_an_owner() -> None:
    both = [
        daemonset("d"),
        read_object({**copy.deepcopy(daemonset("d").data), "metadata": {"name": "e", "namespace": NAMESPACE}}, DaemonSet),
    ]
    (deleted,) = steps(world([node("n1")], both), ORPHAN)
    assert deleted.change.notes == (
        "truth/e adopts the pods of truth/d, which its selector matches: on a node with a pod of both, the older pod stays",
    )
    assert deleted.change.after.orphaned_daemonsets == {}


def test_a_rollback_to_the_template_of_pods_that_are_there_replaces_none() -> None:
    held = daemonset("d", strategy={"type": "OnDelete"})
    start = world(TIME_BOMB, [held], [pod("d", "n1"), pod("d", "n2")])
    rolling = f'patch ds d -n {NAMESPACE} -p \'{{"spec":{{"updateStrategy":{{"type":"RollingUpdate"}}}}}}\''
    ahead, back, patched = steps(start, SECOND, FIRST, rolling)
    for impact in (ahead, back, patched):
        assert pods_after(impact) == {("d", "n1"): "same", ("d", "n2"): "same"}
    assert outcomes(patched) == {("d", "n1"): "kept", ("d", "n2"): "already-fragile"}
    *_, held_up, gone = steps(start, RESTART, SECOND, rolling)
    assert pods_after(held_up) == {("d", "n1"): "same", ("d", "n2"): "same"}
    assert pods_after(gone) == {("d", "n1"): "new", ("d", "n2"): "none"}
