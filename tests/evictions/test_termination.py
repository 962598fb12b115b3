"""Which pods that are let go stay in Terminating: a driver that is missing, a kubelet that is silent, a node out of service."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.messages.evictions import describe_reason
from preflight.model.eviction_reasons import EvictionFact
from preflight.model.evictions import Eviction
from preflight.model.termination_reasons import HangReason, StaysTerminating
from tests.evictions.clusters import budget, evaluated, evicted, job, node, owned, pod, pods, world
from tests.evictions.storage import (
    ANY,
    DRIVER,
    KEPT_OUT,
    NODES,
    claim,
    claimed,
    csi_node,
    csi_pod,
    database,
    storage_class,
    tainted,
    volume,
)

Objects = tuple[dict[str, Any], ...]
SILENT, PAST, MISSING, LEAVING, UNREADY, UNLISTED, UNKNOWN = (
    *(HangReason.SILENT_KUBELET, HangReason.PAST_GRACE_PERIOD, HangReason.MISSING_DRIVER, HangReason.LEAVING_DRIVER),
    *(HangReason.UNREADY_DRIVER, HangReason.UNLISTED_DRIVER, HangReason.UNKNOWN_VOLUME),
)
DRAIN, SET_TAINT = "drain n1 --ignore-daemonsets", "taint nodes n1 a=b:NoExecute"
DEAD = (tainted("n1", ready="Unknown"), node("n2"))


def cause_of(found: Eviction) -> tuple[HangReason, bool] | None:
    return (found.hang.cause, found.hang.certain) if found.hang is not None else None


def selecting(**labels: str) -> Objects:
    """Two nodes of which a nodeSelector of the driver takes the second only."""
    daemonset = csi_node(nodeSelector=labels)
    return (node("n1"), node("n2", labels=labels), daemonset, csi_pod("n2", daemonset), claim(), volume(), ANY)


def with_volume(**source: Any) -> Objects:
    """The database with another volume."""
    return database(spec={"tolerations": [{"operator": "Exists"}], "volumes": [{"name": "d", **source}]})


WORKING = (*NODES, csi_node(), csi_pod("n1"), csi_pod("n2"), claim(), volume(), ANY)

# What hangs of shop/db-0: a sentence, the command line, the objects, and why it stays in Terminating.
HANGS: list[tuple[str, str, Objects, tuple[HangReason, bool] | None]] = [
    ("the driver has a pod on the node", DRAIN, (*WORKING, *database()), None),
    ("a taint keeps the driver out", DRAIN, (*KEPT_OUT, *database()), (MISSING, True)),
    ("a nodeSelector keeps the driver out", DRAIN, (*selecting(disk="yes"), *database()), (MISSING, True)),
    ("the pod is on the node that has the driver", "drain n2 --ignore-daemonsets", (*KEPT_OUT, *database("n2")), None),
    ("another DaemonSet provides the driver there", DRAIN, (*KEPT_OUT, csi_node("b"), csi_pod("n1", csi_node("b")), *database()), None),
    ("the driver's pod is not Ready", DRAIN, (*WORKING[:3], csi_pod("n1", ready="False"), *WORKING[4:], *database()), (UNREADY, False)),
    (
        "the driver's pod is being deleted",
        DRAIN,
        (*WORKING[:3], csi_pod("n1", metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}), *WORKING[4:], *database()),
        (UNREADY, False),
    ),
    ("the driver's pod has failed", DRAIN, (*KEPT_OUT, csi_pod("n1", phase="Failed"), *database()), (UNREADY, False)),
    (
        "a virtual node has no DaemonSets",
        DRAIN,
        (tainted("n1", "hold=x:NoSchedule", labels={"type": "virtual-kubelet"}), *KEPT_OUT[1:], *database()),
        None,
    ),
    ("without a grace period it is gone at once", f"{DRAIN} --grace-period=0 --force", (*KEPT_OUT, *database()), None),
    ("--disable-eviction deletes it, and it hangs all the same", f"{DRAIN} --disable-eviction", (*KEPT_OUT, *database()), (MISSING, True)),
    ("one that never ran may have mounted nothing", DRAIN, (*KEPT_OUT, *database(phase="Pending")), (MISSING, False)),
    ("one that has ended is gone at once", DRAIN, (*KEPT_OUT, *database(phase="Succeeded")), None),
    # volumes
    ("an emptyDir needs no driver", f"{DRAIN} --delete-emptydir-data", (*KEPT_OUT, *with_volume(emptyDir={})), None),
    ("a ConfigMap needs none", DRAIN, (*KEPT_OUT, *with_volume(configMap={"name": "x"})), None),
    ("a hostPath needs none", DRAIN, (*KEPT_OUT, *with_volume(hostPath={"path": "/x"})), None),
    ("an inline CSI volume needs it", DRAIN, (*KEPT_OUT, *with_volume(csi={"driver": DRIVER})), (MISSING, True)),
    ("an inline volume of another driver", DRAIN, (*KEPT_OUT, *with_volume(csi={"driver": "other.example.com"})), None),
    ("a volume of the node itself needs none", DRAIN, (*KEPT_OUT[:5], volume(hostPath={"path": "/x"}), ANY, *database()), None),
    (
        "a volume that is migrated to the driver",
        DRAIN,
        (*KEPT_OUT[:5], volume(nfs={}, metadata={"annotations": {"pv.kubernetes.io/migrated-to": DRIVER}}), ANY, *database()),
        (MISSING, True),
    ),
    (
        "a claim that waits for its first consumer names the driver by its class",
        DRAIN,
        (*KEPT_OUT[:4], claim(storageClassName="fast"), storage_class(volumeBindingMode="WaitForFirstConsumer"), ANY, *database()),
        (MISSING, True),
    ),
    (
        "a class of another driver",
        DRAIN,
        (*KEPT_OUT[:4], claim(storageClassName="slow"), storage_class("slow", "other.example.com"), ANY, *database()),
        None,
    ),
    ("the volume was not given", DRAIN, (*KEPT_OUT[:5], ANY, *database()), (UNKNOWN, False)),
    ("the claim was not given", DRAIN, (*KEPT_OUT[:4], ANY, *database()), (UNKNOWN, False)),
    ("nor was the class", DRAIN, (*KEPT_OUT[:4], claim(storageClassName="fast"), ANY, *database()), (UNKNOWN, False)),
    ("a claim that was not given, where no driver is missing", DRAIN, (*WORKING[:5], ANY, *database()), None),
    (
        "a generic ephemeral volume is known by its claim",
        DRAIN,
        (*KEPT_OUT[:4], claim("db-0-d"), volume(bound_to="db-0-d"), ANY, *with_volume(ephemeral={"volumeClaimTemplate": {"spec": {}}})),
        (MISSING, True),
    ),
    # a silent kubelet
    ("a silent kubelet", DRAIN, (*DEAD, ANY, *database()), (SILENT, True)),
    ("a kubelet that reports that it is not Ready", DRAIN, (tainted("n1", ready="False"), node("n2"), ANY, *database()), None),
    (
        "a silent kubelet, out of service",
        DRAIN,
        (tainted("n1", "node.kubernetes.io/out-of-service:NoExecute", ready="Unknown"), node("n2"), ANY, *database()),
        None,
    ),
    (
        "out of service with NoSchedule",
        DRAIN,
        (tainted("n1", "node.kubernetes.io/out-of-service=x:NoSchedule", ready="False"), *KEPT_OUT[1:], *database()),
        None,
    ),
    (
        "out of service, and Ready",
        DRAIN,
        (tainted("n1", "node.kubernetes.io/out-of-service:NoSchedule"), *KEPT_OUT[1:], *database()),
        (MISSING, True),
    ),
    (
        "past its grace period, by the times of other pods",
        DRAIN,
        (
            *NODES,
            ANY,
            *database(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
            pod("x-1", "n2", metadata={"creationTimestamp": "2026-01-01T01:00:00Z"}),
        ),
        (PAST, True),
    ),
    (
        "deleted a moment ago",
        DRAIN,
        (
            *NODES,
            ANY,
            *database(metadata={"deletionTimestamp": "2026-01-01T00:00:00Z"}),
            pod("x-1", "n2", metadata={"creationTimestamp": "2026-01-01T00:00:30Z"}),
        ),
        None,
    ),
    # NoExecute
    ("a taint deletes it", SET_TAINT, (*KEPT_OUT, *database(spec=claimed(tolerations=[]))), (MISSING, True)),
    ("a taint deletes it from a dead node", SET_TAINT, (*DEAD, *database(spec=claimed(tolerations=[]))), (SILENT, True)),
    (
        "the taint takes the driver at the same time",
        SET_TAINT,
        (node("n1"), *WORKING[1:], *database(spec=claimed(tolerations=[]))),
        (LEAVING, False),
    ),
    (
        "the taint takes the driver first",
        SET_TAINT,
        (node("n1"), *WORKING[1:], *database(spec=claimed(tolerations=[{"key": "a", "operator": "Exists", "tolerationSeconds": 600}]))),
        (LEAVING, True),
    ),
    (
        "the taint takes the driver long after",
        SET_TAINT,
        (
            *(node("n1"), node("n2"), claim(), volume(), ANY),
            csi_node(tolerations=(late := [{"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 600}])),
            csi_pod("n1", csi_node(tolerations=late)),
            *database(spec=claimed(tolerations=[])),
        ),
        None,
    ),
    # a deletion by name
    ("a deletion by name", "delete pod db-0 -n shop", (*KEPT_OUT, *database()), (MISSING, True)),
    ("a deletion by name, where the driver works", "delete pod db-0 -n shop", (*WORKING, *database()), None),
    ("a deletion by name on a dead node", "delete pod db-0 -n shop", (*DEAD, ANY, *database()), (SILENT, True)),
    ("a forced deletion forgets the pod", "delete pod db-0 -n shop --force", (*KEPT_OUT, *database()), None),
    ("--grace-period=0 without --force is a second", "delete pod db-0 -n shop --grace-period=0", (*KEPT_OUT, *database()), (MISSING, True)),
    ("--now is a second too", "delete pod db-0 -n shop --now", (*DEAD, ANY, *database()), (SILENT, True)),
    # what ends with its node
    ("a node that shuts down takes its mounts with it", "reboot n1 --graceful", (*KEPT_OUT, *database()), None),
    ("the pods of a node that is deleted are collected", "delete node n1", (*DEAD, ANY, *database()), None),
]


@pytest.mark.parametrize(("line", "objects", "wanted"), [pytest.param(*case, id=name) for name, *case in HANGS])
def test_what_stays_in_terminating(line: str, objects: Objects, wanted: tuple[HangReason, bool] | None) -> None:
    assert cause_of(pods(line, *objects)["db-0"]) == wanted


def test_the_facts_are_typed_and_said() -> None:
    found = pods(DRAIN, *KEPT_OUT, *database())["db-0"]
    assert found.hang == StaysTerminating(MISSING, "n1", DRIVER, ("storage/csi-node",), "d")
    assert found.reasons[0] is found.hang
    assert describe_reason(found.hang) == "it stays in Terminating: no pod of storage/csi-node on n1 can unmount its volume d"


@pytest.mark.parametrize(
    ("line", "objects", "ends", "codes"),
    [
        pytest.param(DRAIN, (*KEPT_OUT, *database()), False, (), id="kubectl never ends"),
        pytest.param(f"{DRAIN} --timeout=8s", (*KEPT_OUT, *database()), True, (1,), id="it gives up at its timeout"),
        pytest.param(f"{DRAIN} --skip-wait-for-delete-timeout=5", (*KEPT_OUT, *database()), True, (0,), id="it waits no longer"),
        pytest.param(DRAIN, (*KEPT_OUT[:5], ANY, *database()), None, (0,), id="unknown where the driver is"),
        pytest.param(DRAIN, (*WORKING, *database()), True, (0,), id="nothing hangs"),
        pytest.param(DRAIN, (*DEAD, ANY, *database()), False, (), id="a dead node"),
        pytest.param(f"{DRAIN} --grace-period=0", (*DEAD, ANY, *database()), True, (0,), id="a dead node, without a grace period"),
    ],
)
def test_how_kubectl_ends(line: str, objects: Objects, ends: bool | None, codes: tuple[int, ...]) -> None:
    found = evicted(line, world(*objects)).evictions
    assert (found.ends, found.nodes[0].exitCodes) == (ends, codes)
    assert found.has_unknown_pods is (ends is None)


def test_the_node_after_one_where_a_pod_hangs_is_not_reached() -> None:
    web = (owned("ReplicaSet", "web"), pod("web-1", "n2", "ReplicaSet/web"))
    nodes = evicted("drain n1 n2 --ignore-daemonsets", world(*KEPT_OUT, node("n3"), *database(), *web)).evictions.nodes
    assert [(found.node, found.ends, found.reached) for found in nodes] == [("n1", False, True), ("n2", True, False)]


def test_a_pod_that_waits_for_a_replacement_first_hangs_then() -> None:
    both = [pod(f"web-{place}", "n1", "ReplicaSet/web", spec=claimed(tolerations=[])) for place in (1, 2)]
    found = pods(DRAIN, *KEPT_OUT[:6], budget("web", "web", maxUnavailable=1), owned("ReplicaSet", "web", 2), *both)
    assert {name: (pod.verdict, cause_of(pod)) for name, pod in found.items()} == {
        "web-1": ("evicted", (MISSING, True)),
        "web-2": ("waits", (MISSING, True)),
    }


@pytest.mark.parametrize(
    ("line", "objects", "ends"),
    [
        pytest.param("delete pod db-0 -n shop", (*KEPT_OUT, *database()), False, id="kubectl never ends"),
        pytest.param("delete pod db-0 -n shop --wait=false", (*KEPT_OUT, *database()), True, id="it does not wait"),
        pytest.param("delete pod db-0 -n shop --timeout=9s", (*KEPT_OUT, *database()), True, id="it gives up"),
        pytest.param("delete pod db-0 -n shop --timeout=0s", (*KEPT_OUT, *database()), False, id="a timeout of 0 is none"),
        pytest.param("delete pod db-0 -n shop", (*KEPT_OUT[:5], ANY, *database()), None, id="unknown where the driver is"),
        pytest.param("delete pod db-0 -n shop", (*WORKING, *database()), True, id="nothing hangs"),
    ],
)
def test_how_a_deletion_by_name_ends(line: str, objects: Objects, ends: bool | None) -> None:
    found = evicted(line, world(*objects)).evictions
    assert (found.way, found.ends, found.nodes[0].ends) == ("delete", ends, ends)


def test_a_deletion_by_name_of_daemonset_pods_alone_is_for_coverage() -> None:
    assert evaluated("delete pod csi-node-n2 -n storage", world(*KEPT_OUT)) is None


def test_a_driver_that_is_deleted_with_the_pod_comes_back() -> None:
    found = evicted("delete pods -A --all", world(*WORKING[1:2], tainted("n1"), *WORKING[2:], *database())).evictions
    assert {pod.pod: pod.hang for node in found.nodes for pod in node.pods if node.node} == {"shop/db-0": None}


REPLACING = [
    ("a StatefulSet waits for the end", database(), "none", True),
    (
        "a ReplicaSet does not",
        (owned("ReplicaSet", "db"), pod("db-0", "n1", "ReplicaSet/db", spec=claimed(tolerations=[]))),
        "fits",
        False,
    ),
    ("nor does a Job", (job("db", backoffLimit=6), pod("db-0", "n1", "Job/db", spec=claimed(tolerations=[]))), "fits", False),
    (
        "a Job that replaces failed pods alone does",
        (job("db", backoffLimit=6, podReplacementPolicy="Failed"), pod("db-0", "n1", "Job/db", spec=claimed(tolerations=[]))),
        "none",
        True,
    ),
]


@pytest.mark.parametrize(("owner", "replacement", "waits"), [pytest.param(*case, id=name) for name, *case in REPLACING])
def test_who_creates_no_pod_before_the_old_one_is_gone(owner: Objects, replacement: str, waits: bool) -> None:
    found = pods(DRAIN, *KEPT_OUT, *owner)["db-0"]
    assert (found.replacement, EvictionFact.AWAITS_END in found.reasons) == (replacement, waits)


def test_a_driver_whose_pods_were_not_listed_is_unknown() -> None:
    """Pods of one namespace alone, as `kubectl -n shop get pods` lists them: nobody knows what runs in storage."""
    from msgspec.structs import replace

    on = world(*KEPT_OUT[:3], *KEPT_OUT[4:], *database())
    on = replace(on, listed_namespaces=frozenset({"shop"}))
    (found,) = evicted(DRAIN, on).evictions.nodes[0].pods
    assert cause_of(found) == (UNLISTED, False)


OUT = "node.kubernetes.io/out-of-service"
GOING = {"deletionTimestamp": "2026-01-01T00:00:00Z"}
WEB = (owned("ReplicaSet", "web"), pod("web-1", "n1", "ReplicaSet/web", metadata=GOING))

# Who goes by the taint out-of-service: a sentence, its effect, whether the node is Ready, the objects; why, and what becomes of it.
COLLECTED: list[tuple[str, str, str, Objects, dict[str, tuple[str, str]]]] = [
    ("a pod of a StatefulSet comes back", "NoExecute", "Unknown", database(metadata=GOING), {"db-0": ("out-of-service", "fits")}),
    (
        "whatever it tolerates, and whatever the effect",
        "NoSchedule",
        "False",
        database(metadata=GOING),
        {"db-0": ("out-of-service", "fits")},
    ),
    ("one of a ReplicaSet was replaced before", "NoExecute", "Unknown", WEB, {"web-1": ("out-of-service", "")}),
    ("a bare one is lost", "NoSchedule", "Unknown", (pod("bare-1", "n1", metadata=GOING),), {"bare-1": ("out-of-service", "none")}),
    ("one that is not being deleted, and tolerates it, stays", "NoExecute", "Unknown", database(), {}),
    (
        "one that does not tolerate it is deleted, and then collected",
        "NoExecute",
        "Unknown",
        database(spec={}),
        {"db-0": ("taint", "fits")},
    ),
    ("nothing is collected from a node that is Ready", "NoExecute", "True", database(metadata=GOING), {}),
]


@pytest.mark.parametrize(("effect", "ready", "objects", "wanted"), [pytest.param(*case, id=name) for name, *case in COLLECTED])
def test_who_goes_with_a_node_out_of_service(effect: str, ready: str, objects: Objects, wanted: dict[str, tuple[str, str]]) -> None:
    volumes = (claim(), volume(), ANY)
    found = pods(f"taint nodes n1 {OUT}=nodeshutdown:{effect}", tainted("n1", ready=ready), node("n2"), *volumes, *objects)
    assert {name: (pod.why, pod.replacement) for name, pod in found.items()} == wanted
    assert all(pod.hang is None for pod in found.values())


def test_noschedule_out_of_service_of_a_ready_node_lets_none_go() -> None:
    assert evaluated(f"taint nodes n1 {OUT}:NoSchedule", world(*NODES, ANY, *database(metadata=GOING))) is None


def test_a_node_that_is_out_of_service_already_is_no_news() -> None:
    dead = tainted("n1", f"{OUT}:NoExecute", ready="Unknown")
    assert pods(SET_TAINT, dead, node("n2"), ANY, *database(metadata=GOING)) == {}
