"""apply -f and delete -f: what is new, updated, unchanged, refused; DaemonSets as a real API server took them."""

from __future__ import annotations

import copy
import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from preflight.change.model import Change
from preflight.errors import InputError, UsageError
from preflight.kubectl.apiserver.defaults import LAST_APPLIED, get_generation
from preflight.kubectl.apiserver.normalize import normalize_spec
from preflight.load import Other
from preflight.model.apps import DaemonSet, Deployment
from preflight.model.core import Namespace, Node, Taint
from preflight.model.meta import Metadata, ObjectKey, Origin
from preflight.model.world import ClusterListing, ClusterState
from tests.change.changes import daemonset, manifest, node, run, typed, world

D1 = ObjectKey("default", "d1")
RECORDED = [json.loads(line) for line in gzip.decompress((Path(__file__).parent / "recorded-applies.jsonl.gz").read_bytes()).splitlines()]
TOLERATION = {"key": "a", "operator": "Exists"}


def applied(new: object, on: ClusterState, line: str = "apply -f x.yaml") -> Change:
    return run(line, on, {"x.yaml": [new] if not isinstance(new, list) else new})


def live(data: dict[str, Any], last: dict[str, Any] | None = None) -> DaemonSet:
    """A DaemonSet as the cluster has it, with the manifest that was applied last."""
    data = copy.deepcopy(data)
    data["metadata"]["uid"] = "0-0"
    if last is not None:
        data["metadata"]["annotations"] = {LAST_APPLIED: json.dumps(last)}
    return typed(data, "live.json")


def pod_spec(change: Change, key: ObjectKey = D1) -> dict[str, Any]:
    spec: dict[str, Any] = change.after.daemonsets[key].data["spec"]["template"]["spec"]
    return spec


def test_the_same_manifest_changes_nothing() -> None:
    on = world(daemonset("d1", file="old.yaml"))
    change = applied(daemonset("d1"), on)
    assert change.after is on
    assert not change.updated_daemonsets
    assert change.daemonsets == {D1}
    assert change.notes == ("unchanged: default/d1",)
    assert change.headline == "apply x.yaml"


@pytest.mark.parametrize("case", RECORDED, ids=[f"{each['start']}-{place}" for place, each in enumerate(RECORDED)])
def test_as_a_real_api_server_took_it(case: dict[str, Any]) -> None:
    """Recorded: a manifest applied over a manifest, over a live object changed by hand, and over one that kubectl never applied."""
    old = typed(case["world"], "old.yaml")
    change = applied(typed(case["manifest"]), world(old))
    assert (old.key in change.updated_daemonsets) is case["updated"]
    if case["start"] != "manifest":
        assert normalize_spec(change.after.daemonsets[old.key].data["spec"]) == normalize_spec(case["spec"])


def test_a_manifest_takes_the_place_of_a_manifest_as_a_whole() -> None:
    on = world(daemonset("d1", tolerations=[TOLERATION], nodeSelector={"a": "b"}, file="old.yaml"))
    change = applied(daemonset("d1", nodeSelector={"a": "c"}), on)
    assert change.updated_daemonsets == {D1}
    assert pod_spec(change) == {"containers": [{"name": "c", "image": "c:1"}], "nodeSelector": {"a": "c"}}
    assert change.after.daemonsets[D1].origin == Origin("m.yaml")
    assert change.notes == ()


def test_what_the_last_manifest_stated_and_this_one_does_not_is_removed_from_a_live_object() -> None:
    last = manifest("d1", tolerations=[TOLERATION], nodeSelector={"a": "b"})
    hand = manifest("d1", tolerations=[TOLERATION], nodeSelector={"a": "b", "hand": "made"}, hostNetwork=True)
    change = applied(daemonset("d1"), world(live(hand, last)))
    assert change.updated_daemonsets == {D1}
    assert pod_spec(change) == {"containers": [{"name": "c", "image": "c:1"}], "hostNetwork": True}
    assert json.loads(change.after.daemonsets[D1].metadata.annotations[LAST_APPLIED]) == manifest("d1")


def test_what_no_manifest_stated_stays_on_a_live_object_and_is_said() -> None:
    change = applied(daemonset("d1"), world(live(manifest("d1", tolerations=[TOLERATION], nodeSelector={"a": "b"}))))
    assert change.updated_daemonsets == frozenset()
    assert change.notes == (
        "default/d1: not in the manifest, so unchanged in the cluster: tolerations, nodeSelector",
        "unchanged: default/d1",
    )


def test_tolerations_are_replaced_as_a_whole() -> None:
    other = {"key": "b", "operator": "Exists"}
    change = applied(daemonset("d1", tolerations=[other]), world(live(manifest("d1", tolerations=[TOLERATION]))))
    assert pod_spec(change)["tolerations"] == [other]


def test_an_apply_after_a_restart_is_no_update_and_one_after_an_image_is() -> None:
    on = world(daemonset("d1"))
    restarted = run("rollout restart ds/d1", on).after
    again = applied(daemonset("d1"), restarted)
    assert again.after.daemonsets[D1] is restarted.daemonsets[D1]
    assert again.updated_daemonsets == frozenset()
    back = applied(daemonset("d1"), run("set image ds/d1 c=c:2", on).after)
    assert back.updated_daemonsets == {D1}
    assert pod_spec(back) == {"containers": [{"name": "c", "image": "c:1"}]}


def test_what_was_patched_stays_through_an_apply_of_the_manifest_that_does_not_state_it() -> None:
    patched = run(
        'patch ds d1 -p \'{"spec":{"template":{"spec":{"tolerations":[{"key":"a","operator":"Exists"}]}}}}\'', world(daemonset("d1"))
    )
    change = applied(daemonset("d1"), patched.after)
    assert change.updated_daemonsets == frozenset()
    assert change.notes == ("default/d1: not in the manifest, so unchanged in the cluster: tolerations", "unchanged: default/d1")


def test_a_new_daemonset_has_its_first_template_and_each_later_one_the_next_number() -> None:
    first = applied(daemonset("d1"), world())
    assert get_generation(first.after.daemonsets[D1].data) == 1
    assert first.notes == ("new: default/d1",)
    second = applied(daemonset("d1", hostNetwork=True), first.after)
    assert get_generation(second.after.daemonsets[D1].data) == 2
    assert get_generation(applied(daemonset("d1", hostNetwork=True), second.after).after.daemonsets[D1].data) == 2


def test_an_annotation_that_cannot_be_read_is_none() -> None:
    old = manifest("d1", nodeSelector={"a": "b"})
    old["metadata"]["annotations"] = {LAST_APPLIED: "{"}
    assert applied(daemonset("d1"), world(typed(old))).updated_daemonsets == frozenset()


@pytest.mark.parametrize(
    ("change", "notes"),
    [
        ({"updateStrategy": {"type": "OnDelete"}}, ("changed, but not its template: no pod is replaced: default/d1",)),
        ({"minReadySeconds": 5}, ("changed, but not its template: no pod is replaced: default/d1",)),
        ({"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}}, ("unchanged: default/d1",)),
        ({"updateStrategy": None, "minReadySeconds": 0, "revisionHistoryLimit": 10}, ("unchanged: default/d1",)),
    ],
)
def test_what_is_no_part_of_the_template(change: dict[str, Any], notes: tuple[str, ...]) -> None:
    new = manifest("d1")
    new["spec"].update(change)
    done = applied(typed(new), world(daemonset("d1")))
    assert not done.updated_daemonsets
    assert done.notes == notes
    assert (done.after.daemonsets[D1] is done.before.daemonsets[D1]) is ("unchanged" in notes[0])


def test_a_new_daemonset_is_none_that_is_updated() -> None:
    change = applied(daemonset("d1", ""), world(daemonset("z", "a")))
    assert list(change.after.daemonsets) == [ObjectKey("a", "z"), D1]
    assert change.after.daemonsets[D1].metadata.namespace == "default"
    assert [workload.key for workload in change.after.workloads if isinstance(workload, DaemonSet)] == [ObjectKey("a", "z"), D1]
    assert not change.updated_daemonsets
    assert change.daemonsets == {D1}
    assert change.notes == ("new: default/d1",)


@pytest.mark.parametrize(
    ("line", "world_namespace", "key"),
    [
        ("apply -f x.yaml", "default", ObjectKey("default", "d1")),
        ("apply -f x.yaml", "", ObjectKey("", "d1", "old.yaml")),
        ("apply -f x.yaml -n storage", "storage", ObjectKey("storage", "d1")),
        ("apply -f x.yaml -n storage", "", ObjectKey("", "d1", "old.yaml")),
    ],
)
def test_a_manifest_without_a_namespace_finds_its_object(line: str, world_namespace: str, key: ObjectKey) -> None:
    on = world(daemonset("d1", world_namespace, file="old.yaml"))
    change = applied(daemonset("d1", "", nodeSelector={"a": "b"}), on, line)
    assert list(change.after.daemonsets) == [key]
    assert change.updated_daemonsets == {key}
    assert change.after.daemonsets[key].metadata.namespace == world_namespace


def test_a_selector_cannot_be_changed() -> None:
    new = manifest("d1")
    new["spec"]["selector"] = {"matchLabels": {"app": "other"}}
    says = 'The DaemonSet "d1" is invalid: spec.selector: Invalid value: {"matchLabels":{"app":"other"}}: field is immutable'
    for old in (daemonset("d1"), live(manifest("d1"))):
        with pytest.raises(UsageError) as refused:
            applied(typed(new), world(old))
        assert str(refused.value) == says


def rolling(**limits: int | str) -> dict[str, Any]:
    new = manifest("d1")
    new["spec"]["updateStrategy"] = {"type": "RollingUpdate", "rollingUpdate": limits}
    return new


def test_a_limit_that_goes_with_the_last_manifest_is_no_obstacle_to_the_other() -> None:
    before = rolling(maxUnavailable=0, maxSurge=2)
    change = applied(typed(rolling(maxUnavailable=3)), world(live(before, before)))
    assert change.after.daemonsets[D1].data["spec"]["updateStrategy"]["rollingUpdate"] == {"maxUnavailable": 3}


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        pytest.param({"maxUnavailable": 3}, 'maxSurge: Invalid value: "30%": may not be set when maxUnavailable is non-zero', id="both"),
        pytest.param({"maxUnavailable": 0, "maxSurge": 0}, "maxUnavailable: Required value: cannot be 0 when maxSurge is 0", id="neither"),
    ],
)
def test_limits_that_stay_in_the_cluster_beside_those_of_the_manifest_are_refused(limits: dict[str, int | str], reason: str) -> None:
    """Seen on a real API server: an object that was created, not applied, keeps the maxSurge that the manifest does not state."""
    on = world(live(rolling(maxUnavailable=0, maxSurge="30%")))
    with pytest.raises(UsageError) as refused:
        applied(typed(rolling(**limits)), on)
    assert str(refused.value) == f'The DaemonSet "d1" is invalid: spec.updateStrategy.rollingUpdate.{reason}'


def asking(**resources: dict[str, Any]) -> dict[str, Any]:
    new = manifest("d1")
    new["spec"]["template"]["spec"]["containers"][0]["resources"] = resources
    return new


@pytest.mark.parametrize(
    ("limits", "requests", "reason"),
    [
        pytest.param({"memory": "64Mi"}, {"memory": "1Gi"}, '"1Gi": must be less than or equal to memory limit of 64Mi', id="memory"),
        pytest.param({"cpu": 1}, {"cpu": "1500m"}, '"1500m": must be less than or equal to cpu limit of 1', id="cpu"),
        pytest.param({"rdma/hca": "2"}, {"rdma/hca": "1"}, '"1": must be equal to rdma/hca limit of 2', id="an extended resource"),
    ],
)
def test_a_request_above_the_limit_that_stays_in_the_cluster_is_refused(
    limits: dict[str, Any], requests: dict[str, Any], reason: str
) -> None:
    """Seen on a real API server: an object that was created, not applied, keeps the limits that the manifest does not state."""
    with pytest.raises(UsageError) as refused:
        applied(typed(asking(requests=requests)), world(live(asking(limits=limits))))
    path = "spec.template.spec.containers[0].resources.requests"
    assert str(refused.value) == f'The DaemonSet "d1" is invalid: {path}: Invalid value: {reason}'


def test_a_limit_that_the_manifest_takes_away_is_no_obstacle() -> None:
    before = asking(limits={"memory": "64Mi"})
    change = applied(typed(asking(requests={"memory": "1Gi"})), world(live(before, before)))
    assert change.updated_daemonsets == {D1}


def test_another_namespace_than_the_manifest_states_is_refused() -> None:
    with pytest.raises(UsageError) as refused:
        applied(daemonset("d1", "a"), ClusterState(), "apply -f x.yaml -n b")
    assert str(refused.value) == (
        'the namespace from the provided object "a" does not match the namespace "b". '
        "You must pass '--namespace=a' to perform this operation."
    )


def test_files_without_objects_are_nothing_to_judge() -> None:
    for line in ("apply -f x.yaml", "delete -f x.yaml"):
        with pytest.raises(InputError, match=r"^nothing to check: no Kubernetes objects in x.yaml$"):
            applied([], ClusterState(), line)


def test_objects_of_other_kinds_are_counted() -> None:
    others: list[object] = [Deployment(metadata=Metadata(name="a")), Deployment(metadata=Metadata(name="b"))]
    assert applied(others, ClusterState()).notes == ("not checked for coverage: 2 objects of other kinds (2 Deployment)",)
    assert applied(others, ClusterState(), "delete -f x.yaml").notes == (
        "nothing changes: no such DaemonSet exists",
        "not checked for coverage: 2 objects of other kinds (2 Deployment)",
    )


def test_objects_of_kinds_that_are_not_read_are_counted_by_their_kind() -> None:
    others: list[object] = [
        Other("v1", kind, "a", name, Origin("x.yaml")) for kind, name in (("ConfigMap", "x"), ("Secret", "y"), ("Secret", "z"))
    ]
    assert applied(others, ClusterState()).notes == ("not checked for coverage: 3 objects of other kinds (1 ConfigMap, 2 Secret)",)


def test_a_selector_chooses_among_the_objects() -> None:
    objects: list[object] = [daemonset("d1"), daemonset("d2")]
    assert applied(objects, ClusterState(), "apply -f x.yaml -l app=d2").daemonsets == {ObjectKey("default", "d2")}


def test_an_object_twice_is_applied_twice() -> None:
    change = applied([daemonset("d1", nodeSelector={"a": "b"}), daemonset("d1", nodeSelector={"a": "c"})], world(daemonset("d1")))
    assert pod_spec(change)["nodeSelector"] == {"a": "c"}


def test_a_node_gets_the_labels_and_taints_that_the_manifest_states() -> None:
    on = world(node("n1", "a:NoSchedule", pool="a", x="y"), node("n2"))
    change = applied(node("n1", "b:NoExecute", pool="b"), on)
    after = change.after.nodes["n1"]
    assert (dict(after.metadata.labels), [str(taint) for taint in after.spec.taints]) == ({"pool": "b", "x": "y"}, ["b:NoExecute"])
    assert change.before is on
    assert change.nodes == {"n1"}
    assert change.notes == ()
    assert change.after.nodes["n2"] is on.nodes["n2"]


def test_a_node_whose_manifest_states_no_taints_keeps_them() -> None:
    on = world(node("n1", "a:NoSchedule"))
    change = applied(node("n1"), on)
    assert change.after is on
    assert change.notes == ("n1: its manifest has no taints, so the current taints stay",)


def test_a_cordon_by_manifest() -> None:
    new = Node(metadata=Metadata(name="n1"), spec=run("cordon n1", world(node("n1"))).after.nodes["n1"].spec)
    assert applied(new, world(node("n1"))).after.nodes["n1"].spec == new.spec


def test_a_node_of_a_manifest_that_is_not_given() -> None:
    change = applied([node("n9", pool="a"), daemonset("d1")], world(node("n1")))
    assert change.before.nodes["n9"].is_partial
    assert change.after.nodes["n9"].metadata.labels == {"pool": "a"}
    assert change.notes == ("n9 is not among the 1 node in the input: treated as a partly known node", "new: default/d1")


def test_a_node_that_a_listed_cluster_lacks_is_created() -> None:
    on = msgspec.structs.replace(world(node("n1")), listing=ClusterListing(live=True))
    change = applied(node("n9", "a:NoSchedule", pool="a"), on)
    assert list(change.before.nodes) == ["n1"]
    assert change.after.nodes["n9"].spec.taints == (Taint("a", "", "NoSchedule"),)
    assert not change.after.nodes["n9"].is_partial
    assert change.nodes == {"n9"}
    assert change.notes == ("new: n9",)


def test_a_node_that_a_listing_without_nodes_lacks_is_partly_known() -> None:
    on = msgspec.structs.replace(world(node("n1")), listing=ClusterListing(nodes=False))
    assert applied(node("n9"), on).before.nodes["n9"].is_partial


def test_a_deletion_by_file() -> None:
    on = world(daemonset("d1"), daemonset("d2"), node("n1", "a:NoSchedule"))
    change = applied([daemonset("d1", ""), node("n1")], on, "delete -f x.yaml --cascade=orphan")
    assert change.deleted_daemonsets == {D1: "orphan"}
    assert list(change.after.daemonsets) == [ObjectKey("default", "d2")]
    assert change.recreation_nodes == {"n1"}
    assert change.headline == "delete x.yaml"


def test_a_deletion_by_file_of_what_is_not_there() -> None:
    with pytest.raises(UsageError, match=r'^daemonsets.apps "d1" not found in namespace default \(the input has no DaemonSet\)$'):
        applied(daemonset("d1"), ClusterState(), "delete -f x.yaml")
    assert applied(daemonset("d1"), ClusterState(), "delete -f x.yaml --ignore-not-found").deleted_daemonsets == {}


def test_a_deletion_by_file_of_namespaces_takes_the_daemonsets_in_them() -> None:
    on = world(daemonset("d1", "a"), daemonset("d2", "b"), daemonset("d3", "c"))
    spaces: list[object] = [Namespace(metadata=Metadata(name=name)) for name in ("a", "b", "a")]
    change = applied([*spaces, daemonset("d1", "a")], on, "delete -f x.yaml")
    assert list(change.deleted_daemonsets) == [ObjectKey("a", "d1"), ObjectKey("b", "d2")]
    assert list(change.after.daemonsets) == [ObjectKey("c", "d3")]
    assert change.notes == ()


def test_a_deletion_by_file_of_a_node_keeps_the_other_nodes() -> None:
    on = world(node("n1"), node("n2"), daemonset("d1"))
    change = applied([node("n1"), node("n1"), Deployment(metadata=Metadata(name="a"))], on, "delete -f x.yaml")
    assert change.recreation_nodes == {"n1"}
    assert sorted(change.after.nodes) == ["n1", "n2"]
    assert list(change.after.daemonsets) == [D1]
    assert change.deleted_daemonsets == {}
    assert change.notes[-1] == "not checked for coverage: 1 object of other kinds (1 Deployment)"


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param([("d1", "", "old.yaml")], ObjectKey("", "d1", "old.yaml"), id="the only one without a namespace"),
        pytest.param([("d1", "", "old.yaml"), ("d2", "", "old.yaml")], ObjectKey("", "d1", "old.yaml"), id="the one of its name"),
        pytest.param([("d1", "", "old.yaml"), ("d1", "", "m.yaml")], ObjectKey("", "d1", "m.yaml"), id="the one of its file"),
        pytest.param([("d1", "", "a.yaml"), ("d1", "", "b.yaml")], D1, id="none of two"),
        pytest.param([("d1", "", "old.yaml"), ("d1", "default", "old.yaml")], D1, id="the one in the namespace"),
        pytest.param([("d1", "other", "old.yaml")], D1, id="none of another namespace"),
    ],
)
def test_a_manifest_without_a_namespace_is(known: list[tuple[str, str, str]], expected: ObjectKey) -> None:
    on = world(*(daemonset(name, namespace, file=file) for name, namespace, file in known))
    assert applied(daemonset("d1", "", tolerations=[TOLERATION]), on).daemonsets == {expected}


def test_a_manifest_with_a_namespace_is_none_that_states_no_namespace() -> None:
    assert applied(daemonset("d1"), world(daemonset("d1", "", file="old.yaml"))).daemonsets == {D1}


def test_a_live_daemonset_keeps_its_namespace_over_a_manifest_without_one() -> None:
    bare = manifest("d1", tolerations=[TOLERATION])
    del bare["metadata"]["namespace"]
    (after,) = applied(typed(bare), world(live(manifest("d1"), manifest("d1")))).after.daemonsets.values()
    assert after.data["metadata"]["namespace"] == "default"
    assert after.key == D1


def test_what_was_applied_can_be_applied_again() -> None:
    first = applied(daemonset("d1", tolerations=[TOLERATION]), world(live(manifest("d1"), manifest("d1"))))
    second = applied(daemonset("d1"), first.after)
    assert "tolerations" not in pod_spec(second)
    assert second.updated_daemonsets == {D1}
