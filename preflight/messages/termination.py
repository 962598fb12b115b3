"""Texts about pods that stay in Terminating after their eviction or deletion."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.lists import join_and, join_limited
from preflight.model.eviction_reasons import FreePods
from preflight.model.owners import OwnerKey
from preflight.model.termination_reasons import HangReason, StaysTerminating

_OUT_OF_SERVICE = "node.kubernetes.io/out-of-service=nodeshutdown:NoExecute"

# Of one pod: what keeps it in Terminating, or may keep it.
_POD_TEXTS = {
    HangReason.SILENT_KUBELET: "the kubelet of {node} does not respond",
    HangReason.PAST_GRACE_PERIOD: "it is already being deleted, and past its grace period",
    HangReason.REMOVED_NODE: "{node} does not exist",
    HangReason.ASSUMED: "it does not end",
    HangReason.MISSING_DRIVER: "no pod of {daemonsets} on {node} can unmount its volume {volume}",
    HangReason.LEAVING_DRIVER: "the pod of {daemonsets} leaves {node} first, so nothing unmounts its volume {volume}",
}
_DOUBT_TEXTS = {
    HangReason.MISSING_DRIVER: "no pod of {daemonsets} on {node} can unmount its volume {volume}, if that was ever mounted",
    HangReason.LEAVING_DRIVER: "the pod of {daemonsets} leaves {node} too, possibly before its volume {volume} is unmounted",
    HangReason.UNREADY_DRIVER: "the pod of {daemonsets} on {node}, which unmounts its volume {volume}, is not Ready",
    HangReason.UNLISTED_DRIVER: "{daemonsets} unmounts its volume {volume}, but the input does not show whether it has a pod on {node}",
    HangReason.UNKNOWN_VOLUME: (
        "the CSI driver of its volume {volume} is not in the input (add the output of `kubectl get pv,pvc,storageclass -A -o json`), and "
        "{daemonsets} has no pod on {node}"
    ),
}

# Of all pods of a node that stay in Terminating for one reason.
_NODE_TEXTS = {
    HangReason.SILENT_KUBELET: "its kubelet does not respond",
    HangReason.PAST_GRACE_PERIOD: "the grace period is already over",
    HangReason.REMOVED_NODE: "the node does not exist",
    HangReason.ASSUMED: "as assumed",
    HangReason.MISSING_DRIVER: "no pod of {daemonsets} there can unmount volumes of {driver}",
    HangReason.LEAVING_DRIVER: "the pod of {daemonsets} leaves the node, after which nothing unmounts volumes of {driver}",
    HangReason.UNREADY_DRIVER: "the pod of {daemonsets} there, which unmounts volumes of {driver}, is not Ready",
    HangReason.UNLISTED_DRIVER: "{daemonsets} unmounts volumes of {driver}, but the input does not show whether it has a pod there",
    HangReason.UNKNOWN_VOLUME: "the CSI drivers of volumes are not in the input, and {daemonsets} has no pod there",
}

# Of pods that are stuck today.
_STANDING_TEXTS = {
    HangReason.SILENT_KUBELET: "the kubelet of {node} does not respond",
    HangReason.PAST_GRACE_PERIOD: "past its grace period",
    HangReason.REMOVED_NODE: "node {node} does not exist, and pod garbage collection has not deleted it: a finalizer may block it",
    HangReason.MISSING_DRIVER: "no pod of {daemonsets} on {node} can unmount volumes of {driver}",
}
_HELP_TEXTS = {
    HangReason.SILENT_KUBELET: (
        "start the kubelet of {node}; or, only if {node} is certainly shut down, `kubectl taint nodes {node} " + _OUT_OF_SERVICE + "` or "
        "`kubectl delete node {node}`"
    ),
    HangReason.MISSING_DRIVER: "get a pod of {daemonsets} running on {node} first: stuck pods then end without further action",
    HangReason.LEAVING_DRIVER: "let {daemonsets} tolerate the change, or evict the pods before it leaves",
    HangReason.UNREADY_DRIVER: "get the pod of {daemonsets} on {node} Ready first",
    HangReason.UNKNOWN_VOLUME: "add the output of `kubectl get pv,pvc,storageclass -A -o json`",
    HangReason.UNLISTED_DRIVER: "add the output of `kubectl get pods -A -o json`",
}
_OTHER_HELP_TEXT = "find the finalizer or the volume that blocks the pod with `kubectl describe pod`"


def describe_hang(hang: StaysTerminating) -> str:
    """Why a pod stays in Terminating, or may."""
    if hang.certain:
        return f"it stays in Terminating: {_fill(_POD_TEXTS[hang.cause], hang)}"
    return f"unknown whether it ends: {_fill(_DOUBT_TEXTS.get(hang.cause) or _POD_TEXTS[hang.cause], hang)}"


def explain_hang(hang: StaysTerminating) -> str:
    """Why pods are stuck on a node, for use after a colon: `the kubelet of n1 does not respond`."""
    return _fill(_STANDING_TEXTS[hang.cause], hang)


def describe_stuck_pods(hang: StaysTerminating, pods: Sequence[str], *, does_kubectl_wait: bool) -> str:
    """That a node keeps pods in Terminating, for use after its name."""
    verb = "keeps" if hang.certain else "may keep"
    end = ", so kubectl never ends" if does_kubectl_wait else ""
    return f"{verb} {join_limited(pods, 'pods')} in Terminating{end}: {_fill(_NODE_TEXTS[hang.cause], hang)}"


def describe_waiting_owners(owners: Sequence[OwnerKey]) -> str:
    """Which owners create no pod before the old one ends."""
    verb = "creates" if len(owners) == 1 else "create"
    return f"{join_and(map(str, owners))} {verb} no new pod before the old one ends"


def describe_help(advice: FreePods) -> str:
    """What lets the pods end, or at least kubectl."""
    text = _fill(_HELP_TEXTS.get(advice.hang.cause, _OTHER_HELP_TEXT), advice.hang)
    return f"{text}; with {advice.flag} kubectl does not wait for them" if advice.flag is not None else text


def _fill(text: str, hang: StaysTerminating) -> str:
    return text.format(node=hang.node, daemonsets=join_and(hang.daemonsets), driver=hang.driver, volume=hang.volume)
