"""The chain of one loss, link by link."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from msgspec.structs import replace

from preflight.coverage.explain import explain_loss
from preflight.coverage.model import CoverageGroup, Impact
from preflight.dependents.explain import explain_dependents
from preflight.messages.loss_chain import describe_link
from preflight.model.apps import DaemonSet
from preflight.model.batch import Job
from preflight.model.core import Node
from preflight.model.loss_chain import LossLink
from tests.builders import read_object
from tests.coverage.impacts import NAMESPACE, daemonset, node, pod, rolling, run, world

EMPTY = {"key": "dedicated", "effect": "NoSchedule"}
FOLDER = "/var/lib/kubelet/device-plugins"
PLUGIN: dict[str, Any] = {
    "containers": [{"name": "c", "image": "registry.example/c:1", "volumeMounts": [{"name": "d", "mountPath": FOLDER}]}],
    "volumes": [{"name": "d", "hostPath": {"path": FOLDER}}],
}
LIST = "check", "kubectl -n truth get pods -o wide --field-selector spec.nodeName=n1"
TAINTS = "check", "kubectl get node n1 -o jsonpath='{.spec.taints}'"
LABELS = "check", "kubectl get node n1 --show-labels"
COUNTS = "looks fine", "kubectl -n truth get daemonset d: DESIRED counts only the nodes that tolerate and match, so READY equals it"
STATUS = "looks fine", "kubectl -n truth rollout status daemonset/d: reports that it was successfully rolled out"
READY = {"type": "Ready", "status": "True"}
EVENTS = "looks fine", "kubectl -n truth get events: no pod is Pending, so there is no warning"


def chain(impact: Impact, group: CoverageGroup, on: str = "n1", dependents: Iterable[LossLink] = ()) -> list[tuple[str, str]]:
    return [describe_link(link) for link in explain_loss(impact, group, on, dependents)]


def links(d: DaemonSet, *lines: str, on: str = "n1") -> list[tuple[str, str]]:
    impact = run(world([node("n1", pool="rdma"), node("n2")], [d]), *lines)[-1]
    (group,) = (group for group in impact.groups if group.key.name == "d" and on in group.nodes)
    return chain(impact, group, on, dependents=explain_dependents(impact, group, on))


def test_a_pod_that_stays_has_nothing_to_show() -> None:
    assert links(daemonset("d"), "taint nodes n1 t:PreferNoSchedule") == [
        ("change", "taint nodes n1 t:PreferNoSchedule"),
        ("node", "n1 gets the taint t:PreferNoSchedule"),
        ("controller", "a pod should run on n1 and may stay"),
        ("outcome", "the pod stays, and comes back when it is re-created"),
    ]


def test_the_toleration_that_comes_nearest_is_named_and_why_it_is_not_enough() -> None:
    assert links(daemonset("d", EMPTY), "taint nodes n1 dedicated=rdma:NoSchedule") == [
        ("change", "taint nodes n1 dedicated=rdma:NoSchedule"),
        ("node", "n1 gets the taint dedicated=rdma:NoSchedule"),
        (
            "toleration",
            "{key: dedicated, effect: NoSchedule} comes closest to dedicated=rdma:NoSchedule but does not match: "
            'its toleration of "dedicated" has no operator and no value, so it matches only an empty value',
        ),
        ("controller", "no new pod should run on n1, but an existing pod may stay: only NoSchedule taints are in the way"),
        ("outcome", "the pod keeps running, and does not come back once an update, a deletion, an eviction or a new node re-creates it"),
        LIST,
        TAINTS,
        COUNTS,
        STATUS,
        EVENTS,
    ]


def test_the_update_that_sets_the_bomb_off() -> None:
    assert links(daemonset("d"), "taint nodes n1 t:NoSchedule", "rollout restart ds/d -n truth")[:5] == [
        ("change", "rollout restart ds/d -n truth"),
        ("DaemonSet", "truth/d gets a new template: its pods are re-created"),
        ("toleration", "no toleration of the template matches t:NoSchedule: none has the key t"),
        ("controller", "no new pod should run on n1, but an existing pod may stay: only NoSchedule taints are in the way"),
        ("outcome", "the pod is removed now, and no new one is created"),
    ]


def test_a_label_that_goes_is_shown_by_the_labels() -> None:
    assert links(daemonset("d", nodeSelector={"pool": "rdma"}), "label nodes n1 pool-") == [
        ("change", "label nodes n1 pool-"),
        ("node", "n1 loses the label pool"),
        ("selection", "its nodeSelector requires pool=rdma (the node does not have the label)"),
        ("controller", "no pod should run on n1, and an existing pod may not stay: the controller deletes it"),
        ("outcome", "the pod is removed now, and no new one is created"),
        LIST,
        LABELS,
        COUNTS,
        STATUS,
        EVENTS,
    ]


def test_seconds_make_a_loop() -> None:
    seconds = {"key": "m", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    assert links(daemonset("d", seconds), "taint nodes n1 m:NoExecute")[2:5] == [
        ("toleration", "{key: m, operator: Exists, effect: NoExecute, tolerationSeconds: 300} tolerates m:NoExecute for 300 s only"),
        ("controller", "a pod should run on n1 and may stay"),
        ("outcome", "tolerates m:NoExecute for 300 s only: its pod is deleted and re-created every 300 s, without end"),
    ]


def test_what_the_daemonset_is_tells_what_breaks() -> None:
    found = links(daemonset("d", **PLUGIN), "taint nodes n1 t:NoSchedule")
    assert [text for heading, text in found if heading == "impact"] == [
        "truth/d is a device plugin: the node stops offering its devices: new pods stay Pending, running pods keep theirs"
    ]
    assert ("check", "kubectl get node n1 -o jsonpath='{.status.allocatable}'") in found


def test_on_delete_has_no_rollout_status() -> None:
    assert STATUS not in links(daemonset("d", strategy={"type": "OnDelete"}), "taint nodes n1 t:NoSchedule")


def silent(name: str) -> Node:
    """A node whose kubelet is silent, before it gets the taints for it."""
    return read_object({"metadata": {"name": name}, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}, Node)


def test_a_pod_that_hangs_is_deleted_and_nothing_is_created_beside_it() -> None:
    (impact,) = run(
        world([node("n2"), silent("n1")], [daemonset("d", strategy=rolling(maxUnavailable=2))]), "rollout restart ds/d -n truth"
    )
    (group,) = (group for group in impact.groups if "n1" in group.nodes)
    assert chain(impact, group) == [
        ("change", "rollout restart ds/d -n truth"),
        ("DaemonSet", "truth/d gets a new template: its pods are re-created"),
        ("controller", "a pod should run on n1 and may stay"),
        ("outcome", "the pod is deleted and hangs in Terminating, and no new one is created until the kubelet responds again"),
        LIST,
    ]


def test_an_update_that_stops_is_never_called_successful() -> None:
    pods = [pod("d", "n1", conditions=[READY]), pod("d", "n2")]
    start = world([node("n1", "t:NoSchedule"), silent("n2")], [daemonset("d")], pods)
    (impact,) = run(start, "rollout restart ds/d -n truth")
    (group,) = (group for group in impact.groups if "n1" in group.nodes)
    told = chain(impact, group)
    assert (
        "outcome",
        "the pod keeps running, and does not come back once an update, a deletion, an eviction or a new node re-creates it",
    ) in told
    assert STATUS not in told
    assert COUNTS in told


def test_where_the_order_of_nodes_decides_a_kept_pod_may_be_the_old_one_or_a_new_one() -> None:
    start = world([node("n1"), silent("n2")], [daemonset("d")], [pod("d", "n1"), pod("d", "n2", conditions=[READY])])
    (impact,) = run(start, "rollout restart ds/d -n truth")
    (group,) = (group for group in impact.groups if "n1" in group.nodes)
    why = "0 to 1 of n1, n2 keep the old pod, because the update stops once 1 node has no available pod (n2)"
    assert ("outcome", f"a pod stays, the old one or a new one: unknown which nodes: {why}") in chain(impact, group)


def test_an_unknown_outcome_says_what_is_not_known() -> None:
    (impact,) = run(world([], [daemonset("d", nodeSelector={"pool": "a"})]), "taint nodes n1 t:NoExecute")
    (group,) = impact.groups
    assert [text for heading, text in chain(impact, group) if heading == "outcome"] == [
        "cannot be determined: if its selector matches: lost-now, no toleration for t:NoExecute; unknown node label pool"
    ]


def test_a_missing_pod_does_not_look_fine() -> None:
    (impact,) = run(world([node("n1")], [daemonset("d")], [pod("other", "n1")]), "reboot n1")
    (group,) = impact.groups
    assert [text for heading, text in chain(impact, group) if heading in ("outcome", "looks fine")] == ["a pod should exist, and none does"]


@pytest.mark.parametrize("cascade", ["", " --cascade=orphan"])
def test_a_deleted_daemonset_creates_nothing_again(cascade: str) -> None:
    found = links(daemonset("d"), f"delete ds d -n truth{cascade}")
    assert ("DaemonSet", "truth/d is deleted") in found
    assert ("controller", "no DaemonSet exists any more that would re-create the pod") in found


def test_who_depends_on_it_is_named() -> None:
    job = read_object(
        {
            "metadata": {"name": "train", "namespace": NAMESPACE},
            "spec": {
                "template": {
                    "spec": {
                        "nodeSelector": {"pool": "rdma"},
                        "tolerations": [{"operator": "Exists"}],
                        "containers": [{"name": "w", "image": "w:1", "resources": {"limits": {"example.com/device": "1"}}}],
                    }
                }
            },
        },
        Job,
    )
    arguments = [PLUGIN["containers"][0] | {"args": ["--resource-name=example.com/device"]}]
    start = world([node("n1", pool="rdma")], [daemonset("d", containers=arguments, volumes=PLUGIN["volumes"])])
    (impact,) = run(replace(start, workloads=(job,)), "taint nodes n1 t:NoSchedule")
    (group,) = impact.groups
    breaks = [text for heading, text in chain(impact, group, dependents=explain_dependents(impact, group, "n1")) if heading == "impact"]
    assert breaks[1:] == ["Job truth/train needs example.com/device there"]
