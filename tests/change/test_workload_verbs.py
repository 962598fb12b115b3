"""set image, rollout restart, deletions of DaemonSets and pods: how they are found, what is updated, deleted, ended."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from preflight.change.workload_verbs import RESTARTED
from preflight.errors import InputError, UsageError
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey, Origin
from preflight.model.world import Ambiguity, ClusterState
from tests.change.changes import daemonset, node, pod, run, world

D1 = ObjectKey("default", "d1")
CSI = ObjectKey("storage", "csi")
ON = world(daemonset("d1", init=True), daemonset("csi", "storage"), daemonset("loose", "", file="a.yaml"))
LOOSE = ObjectKey("", "loose", "a.yaml")


def images(found: DaemonSet) -> dict[str, str]:
    pods = found.spec.template.spec
    return {container.name: container.image for container in (*pods.initContainers, *pods.containers)}


def test_the_same_image_is_no_update() -> None:
    change = run("set image ds/d1 c=c:1", ON)
    assert change.after is ON
    assert change.updated_daemonsets == frozenset()
    assert change.daemonsets == {D1}
    assert change.notes == ("default/d1: the images are already set, so nothing is updated",)


@pytest.mark.parametrize(
    ("line", "key", "wanted"),
    [
        ("set image ds/d1 c=c:2", D1, {"i": "i:1", "c": "c:2"}),
        ("set image ds/d1 i=c:2", D1, {"i": "c:2", "c": "c:1"}),
        ("set image ds d1 i=a c=b", D1, {"i": "a", "c": "b"}),
        ("set image ds/d1 *=c:2", D1, {"i": "c:2", "c": "c:2"}),
        ("set image -n storage ds/csi c=c:2", CSI, {"c": "c:2"}),
        ("set image ds/loose c=c:2", LOOSE, {"c": "c:2"}),
        ("set image ds/loose -n storage c=c:2", LOOSE, {"c": "c:2"}),
        ("set image ds -l app=d1 c=c:2", D1, {"i": "i:1", "c": "c:2"}),
    ],
)
def test_set_image(line: str, key: ObjectKey, wanted: dict[str, str]) -> None:
    change = run(line, ON)
    assert images(change.after.daemonsets[key]) == wanted
    assert change.updated_daemonsets == change.daemonsets == {key}
    assert [other for other in ON.daemonsets if change.after.daemonsets[other] is not ON.daemonsets[other]] == [key]
    assert change.after.daemonsets[key].origin == ON.daemonsets[key].origin
    assert change.after.daemonsets[key].key == key
    assert list(change.after.workloads) == [
        change.after.daemonsets.get(workload.key) for workload in ON.workloads if isinstance(workload, DaemonSet)
    ]


def test_all_of_a_namespace_are_those_that_state_it_and_those_that_state_none() -> None:
    assert run("set image ds --all c=c:2", ON).updated_daemonsets == {D1, LOOSE}
    assert run("rollout restart ds -n storage", ON).updated_daemonsets == {CSI, LOOSE}


def test_plain_data_is_never_changed_in_place() -> None:
    before = copy.deepcopy(ON.daemonsets[D1].data)
    change = run("set image ds/d1 c=c:2", ON)
    assert ON.daemonsets[D1].data == before
    after = change.after.daemonsets[D1].data
    assert after["spec"]["template"]["spec"]["containers"] == [{"name": "c", "image": "c:2"}]
    assert after["spec"]["selector"] == before["spec"]["selector"]


def test_a_daemonset_without_plain_data_can_be_updated_too() -> None:
    read = daemonset("d1")
    change = run("set image ds/d1 c=c:2", world(DaemonSet(origin=read.origin, metadata=read.metadata, spec=read.spec)))
    assert images(change.after.daemonsets[D1]) == {"c": "c:2"}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("set image ds/d1 x=y", 'unable to find container named "x"'),
        ("set image ds/d1 x=y c=z w=z", 'unable to find container named "x"\nunable to find container named "w"'),
        ("set image ds/d1 c=", "failed to patch image update to pod template: image: Required value"),
        ("set image ds/csi c=z", 'daemonsets.apps "csi" not found: did you mean -n storage?'),
        ("set image ds/csi c=z -n kube-system", 'daemonsets.apps "csi" not found in namespace kube-system: did you mean -n storage?'),
        ("rollout restart ds/d9", 'daemonsets.apps "d9" not found (the input has -/loose, default/d1, storage/csi)'),
        ("delete ds d1 d9", 'daemonsets.apps "d9" not found (the input has -/loose, default/d1, storage/csi)'),
    ],
)
def test_is_refused(line: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        run(line, ON)
    assert str(refused.value) == says


@pytest.mark.parametrize(
    ("line", "on", "says"),
    [
        ("rollout restart ds", ClusterState(), "nothing to check: no DaemonSet in namespace default (the input has no DaemonSet)"),
        (
            "rollout restart ds -l app=x -n storage",
            ON,
            "nothing to check: no DaemonSet that matches app=x in namespace storage (the input has -/loose, default/d1, storage/csi)",
        ),
        (
            "rollout restart ds/d",
            world(daemonset("d", "", file="a.yaml"), daemonset("d", "", file="b.yaml")),
            "daemonset d without a namespace is in a.yaml and b.yaml: state its namespace",
        ),
        (
            "rollout restart ds/d",
            ClusterState(ambiguities=(Ambiguity("DaemonSet", ObjectKey("default", "d"), (Origin("a", line=1), Origin("b", line=1))),)),
            "DaemonSet default/d is in a:1 and b:1 with different content",
        ),
    ],
)
def test_is_not_to_be_judged(line: str, on: ClusterState, says: str) -> None:
    with pytest.raises(InputError) as refused:
        run(line, on)
    assert str(refused.value) == says


def test_a_name_in_two_other_namespaces() -> None:
    with pytest.raises(UsageError) as refused:
        run("rollout restart ds/d", world(daemonset("d", "a"), daemonset("d", "b")))
    assert str(refused.value) == 'daemonsets.apps "d" not found: it exists in the namespaces a, b; choose one with -n'


def test_a_restart_is_an_annotation_of_the_template_and_every_restart_another() -> None:
    once = run("rollout restart ds/d1", ON)
    assert once.updated_daemonsets == {D1}
    assert once.headline == "restart default/d1"
    template: dict[str, Any] = once.after.daemonsets[D1].data["spec"]["template"]
    assert template["metadata"] == {"labels": {"app": "d1"}, "annotations": {RESTARTED: "now"}}
    twice = run("rollout restart ds/d1", once.after)
    assert twice.updated_daemonsets == {D1}


@pytest.mark.parametrize(
    ("line", "cascade", "headline"),
    [
        ("delete ds d1", "background", "delete default/d1 and their pods"),
        ("delete ds d1 --cascade=foreground", "foreground", "delete default/d1 after their pods"),
        ("delete ds d1 --cascade=orphan", "orphan", "delete default/d1, and leave their pods"),
    ],
)
def test_a_deletion(line: str, cascade: str, headline: str) -> None:
    change = run(line, ON)
    assert change.deleted_daemonsets == {D1: cascade}
    assert change.daemonsets == {D1}
    assert list(change.after.daemonsets) == [LOOSE, CSI]
    assert [workload.key for workload in change.after.workloads if isinstance(workload, DaemonSet)] == [CSI, LOOSE]
    assert change.headline == headline
    assert change.before is ON


def test_a_deletion_of_nothing() -> None:
    change = run("delete ds d9 --ignore-not-found", ON)
    assert change.after is ON
    assert (change.deleted_daemonsets, change.notes) == ({}, ("nothing changes: no such DaemonSet exists",))


PODS = world(
    node("n1"),
    daemonset("d1"),
    daemonset("csi", "storage"),
    daemonset("loose", ""),
    pod("d1-a", "d1", "n1", labels={"app": "d1"}),
    pod("d1-b", "d1", "n2"),
    pod("csi-a", "csi", "n1", "storage"),
    pod("loose-a", "loose", "n1", "storage"),
    pod("gone-a", "gone", "n1"),
    pod("d1-p", "d1", ""),
    pod("web", "web", "n1", kind="ReplicaSet"),
    pod("bare", "", "n1"),
    listed=["default", "storage"],
)


@pytest.mark.parametrize(
    ("line", "ended", "notes"),
    [
        ("delete pod d1-a", {D1: {"n1"}}, []),
        ("delete pods d1-b d1-a", {D1: {"n1", "n2"}}, []),
        ("delete pod -l app=d1", {D1: {"n1"}}, []),
        ("delete pod csi-a loose-a -n storage", {CSI: {"n1"}, ObjectKey("", "loose", "m.yaml"): {"n1"}}, []),
        ("delete pod web", {}, ["1 pod not checked (not controlled by a DaemonSet): default/web"]),
        ("delete pod web bare d1-a", {D1: {"n1"}}, ["2 pods not checked (not controlled by a DaemonSet): default/bare, default/web"]),
        ("delete pod gone-a", {}, ["pod default/gone-a: its DaemonSet default/gone is not in the input"]),
        ("delete pod d1-p", {}, ["pod default/d1-p is not bound to a node"]),
        ("delete pod -l app=x", {}, ["nothing changes: no such pod exists"]),
        ("delete pod nope --ignore-not-found", {}, ["nothing changes: no such pod exists"]),
        ("delete pods -A -l app", {D1: {"n1"}}, []),
        ("delete pod --field-selector spec.nodeName=n2", {D1: {"n2"}}, []),
        ("delete pod --field-selector spec.nodeName=n9 -l app", {}, ["nothing changes: no such pod exists"]),
        ("delete pods --all -n storage", {CSI: {"n1"}, ObjectKey("", "loose", "m.yaml"): {"n1"}}, []),
    ],
)
def test_a_deletion_of_pods(line: str, ended: dict[ObjectKey, set[str]], notes: list[str]) -> None:
    change = run(line, PODS)
    assert change.deleted_pod_nodes == ended
    assert list(change.notes) == notes
    assert change.before is PODS
    assert (change.after.nodes, change.after.daemonsets) == (PODS.nodes, PODS.daemonsets)
    assert change.daemonsets == frozenset(ended)
    assert change.nodes == {name for names in ended.values() for name in names}


def test_a_deleted_pod_of_no_daemonset_is_gone_from_its_node() -> None:
    there = {pod.metadata.name for pod in PODS.pods}
    after = run("delete pod web bare d1-a", PODS).after
    assert {pod.metadata.name for pod in after.pods} == there - {"web", "bare"}
    assert after.has_displaced_pods


def test_a_deletion_of_a_namespace_where_nothing_is_given() -> None:
    change = run("delete namespace other", PODS)
    assert change.after is PODS
    assert change.deleted_daemonsets == {}
    assert change.notes == ("no DaemonSet of namespace other in the input",)


def test_a_deletion_of_a_namespace_takes_its_daemonsets_and_what_another_left_there() -> None:
    orphaned = run("delete ds csi -n storage --cascade=orphan", PODS).after
    assert [str(key) for key in orphaned.orphaned_daemonsets] == ["storage/csi"]
    change = run("delete ns/storage", orphaned)
    assert change.after.orphaned_daemonsets == {}
    assert change.notes == ("no DaemonSet of namespace storage in the input",)
    whole = run("delete ns storage other", PODS)
    assert whole.deleted_daemonsets == {CSI: "background"}
    assert whole.headline == "delete namespace storage, other"
    assert whole.notes == ("no DaemonSet of namespace other in the input",)


def test_a_namespace_that_may_not_be_deleted() -> None:
    with pytest.raises(UsageError, match=r'^namespaces "default" is forbidden: this namespace may not be deleted$'):
        run("delete ns default", PODS)


def test_a_pod_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r'^pods "csi-a" not found: did you mean -n storage\?$'):
        run("delete pod csi-a", PODS)
    with pytest.raises(UsageError, match=r'^pods "x" not found$'):
        run("delete pod x", PODS)


def test_the_first_of_several_pods_that_are_not_there_is_named() -> None:
    on = world(node("n1"), daemonset("d1"), pod("web-1", "", "n1"), pod("api-1", "", "n1"), listed=["default"])
    with pytest.raises(UsageError) as refused:
        run("delete pods web-2 api-2 web-1", on)
    assert str(refused.value).startswith('pods "web-2" not found')
    assert "api-1" not in str(refused.value)


@pytest.mark.parametrize("line", ["delete pod x", "delete pods --all", "delete pods --all -n x"])
def test_pods_that_were_not_listed(line: str) -> None:
    with pytest.raises(
        InputError, match=r"^the pods of namespace \w+ are not in the input: add the output of `kubectl get pods -A -o json` with --from"
    ):
        run(line, world(node("n1"), daemonset("d1")))


def test_pods_of_all_namespaces_that_were_not_listed() -> None:
    with pytest.raises(InputError, match=r"^no pods in the input: add the output of"):
        run("delete pods --all -A", world(node("n1")))
