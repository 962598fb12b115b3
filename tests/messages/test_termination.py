"""The words for pods that stay in Terminating: one case for each template."""

from __future__ import annotations

import pytest

from preflight.messages.evictions import describe_advice, describe_reason
from preflight.messages.termination import describe_stuck_pods, describe_waiting_owners
from preflight.model.eviction_reasons import EvictionFact, FreePods, WaitFlag
from preflight.model.owners import OwnerKey
from preflight.model.termination_reasons import HangReason, StaysTerminating

DAEMONSETS = ("storage/csi",)


def hang(cause: HangReason, *, certain: bool = True) -> StaysTerminating:
    is_about_volume = cause.value.endswith(("driver", "volume"))
    return StaysTerminating(cause, "n1", "x.io" if is_about_volume else "", DAEMONSETS if is_about_volume else (), "d", certain)


STAYS, UNKNOWN = "it stays in Terminating: ", "unknown whether it ends: "
ADD = "add the output of `kubectl get pv,pvc,storageclass -A -o json`"
OF_A_POD = [
    (hang(HangReason.SILENT_KUBELET), f"{STAYS}the kubelet of n1 does not respond"),
    (hang(HangReason.PAST_GRACE_PERIOD), f"{STAYS}it is already being deleted, and past its grace period"),
    (hang(HangReason.ASSUMED), f"{STAYS}it does not end"),
    (hang(HangReason.MISSING_DRIVER), f"{STAYS}no pod of storage/csi on n1 can unmount its volume d"),
    (hang(HangReason.LEAVING_DRIVER), f"{STAYS}the pod of storage/csi leaves n1 first, so nothing unmounts its volume d"),
    (
        hang(HangReason.MISSING_DRIVER, certain=False),
        f"{UNKNOWN}no pod of storage/csi on n1 can unmount its volume d, if that was ever mounted",
    ),
    (
        hang(HangReason.LEAVING_DRIVER, certain=False),
        f"{UNKNOWN}the pod of storage/csi leaves n1 too, possibly before its volume d is unmounted",
    ),
    (
        hang(HangReason.UNREADY_DRIVER, certain=False),
        f"{UNKNOWN}the pod of storage/csi on n1, which unmounts its volume d, is not Ready",
    ),
    (
        hang(HangReason.UNLISTED_DRIVER, certain=False),
        f"{UNKNOWN}storage/csi unmounts its volume d, but the input does not show whether it has a pod on n1",
    ),
    (
        hang(HangReason.UNKNOWN_VOLUME, certain=False),
        f"{UNKNOWN}the CSI driver of its volume d is not in the input ({ADD}), and storage/csi has no pod on n1",
    ),
]
OF_A_NODE = [
    (HangReason.SILENT_KUBELET, "its kubelet does not respond"),
    (HangReason.PAST_GRACE_PERIOD, "the grace period is already over"),
    (HangReason.ASSUMED, "as assumed"),
    (HangReason.MISSING_DRIVER, "no pod of storage/csi there can unmount volumes of x.io"),
    (HangReason.LEAVING_DRIVER, "the pod of storage/csi leaves the node, after which nothing unmounts volumes of x.io"),
    (HangReason.UNREADY_DRIVER, "the pod of storage/csi there, which unmounts volumes of x.io, is not Ready"),
    (HangReason.UNLISTED_DRIVER, "storage/csi unmounts volumes of x.io, but the input does not show whether it has a pod there"),
    (HangReason.UNKNOWN_VOLUME, "the CSI drivers of volumes are not in the input, and storage/csi has no pod there"),
]
HELP = [
    (
        HangReason.SILENT_KUBELET,
        "start the kubelet of n1; or, only if n1 is certainly shut down, `kubectl taint nodes n1 "
        "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute` or `kubectl delete node n1`",
    ),
    (HangReason.PAST_GRACE_PERIOD, "find the finalizer or the volume that blocks the pod with `kubectl describe pod`"),
    (HangReason.MISSING_DRIVER, "get a pod of storage/csi running on n1 first: stuck pods then end without further action"),
    (HangReason.LEAVING_DRIVER, "let storage/csi tolerate the change, or evict the pods before it leaves"),
    (HangReason.UNREADY_DRIVER, "get the pod of storage/csi on n1 Ready first"),
    (HangReason.UNLISTED_DRIVER, "add the output of `kubectl get pods -A -o json`"),
    (HangReason.UNKNOWN_VOLUME, ADD),
]


@pytest.mark.parametrize(("reason", "text"), [pytest.param(*case, id=case[1]) for case in OF_A_POD])
def test_a_reason(reason: StaysTerminating, text: str) -> None:
    assert describe_reason(reason) == text


@pytest.mark.parametrize(("cause", "text"), [pytest.param(*case, id=case[0].value) for case in OF_A_NODE])
def test_what_a_node_keeps(cause: HangReason, text: str) -> None:
    pods = ("shop/a", "shop/b")
    assert describe_stuck_pods(hang(cause), pods, does_kubectl_wait=True) == (
        f"keeps shop/a and shop/b in Terminating, so kubectl never ends: {text}"
    )
    assert describe_stuck_pods(hang(cause, certain=False), pods, does_kubectl_wait=False) == (
        f"may keep shop/a and shop/b in Terminating: {text}"
    )


@pytest.mark.parametrize(("cause", "text"), [pytest.param(*case, id=case[0].value) for case in HELP])
def test_what_helps(cause: HangReason, text: str) -> None:
    waits = "; with --skip-wait-for-delete-timeout=60 kubectl does not wait for them"
    assert describe_advice(FreePods(hang(cause), ("shop/a",))) == text
    assert describe_advice(FreePods(hang(cause), ("shop/a",), WaitFlag.SKIP_WAIT)) == f"{text}{waits}"


def test_who_waits_for_the_end() -> None:
    database, cache = OwnerKey("StatefulSet", "shop", "db"), OwnerKey("StatefulSet", "shop", "cache")
    assert describe_waiting_owners([database]) == "StatefulSet shop/db creates no new pod before the old one ends"
    assert describe_waiting_owners([database, cache]) == (
        "StatefulSet shop/db and StatefulSet shop/cache create no new pod before the old one ends"
    )
    assert describe_reason(EvictionFact.AWAITS_END) == "no replacement is created before it ends"
