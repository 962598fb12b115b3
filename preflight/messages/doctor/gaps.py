"""Texts about DaemonSets that do not work on some nodes."""

from __future__ import annotations

from preflight.components import Component
from preflight.doctor.belonging import BelongingSign, SignKind
from preflight.doctor.cluster_messages import normalize_message
from preflight.doctor.coverage_gaps import CoverageGap, CoverageReason, GapKind, GapReason
from preflight.doctor.pod_health import (
    CrashLoop,
    FailedContainer,
    NotStarted,
    RunningInitContainer,
    StartingPod,
    StatedReason,
    WaitingContainer,
    WrongPlatform,
)
from preflight.doctor.stalled_rollouts import OngoingUpdate, RecreationTrigger
from preflight.messages.coverage import describe_reasons
from preflight.messages.empty_selection import describe_empty_selection
from preflight.messages.lists import join_and, join_node_names
from preflight.messages.times import format_since
from preflight.model.reasons import SelectsNoNode
from preflight.model.runtime_state import Event

RECREATION_NOTE = "triggered by an update of the DaemonSet, deletion or eviction of the pod, a graceful reboot or a replacement of the node"

ADD_EVENTS = "add the output of `kubectl get events -A -o json`"

_GAP_TEXTS = {
    GapKind.MISSING: "it should run there but has no pod; no event gives a reason",
    GapKind.REFUSED: "creation of its pods is refused: {why}",
    GapKind.KEPT_OUT: "{why}",
    GapKind.NOT_SELECTED: "{why}",
    GapKind.LOOP: "{why}",
    GapKind.PENDING: "its pod is Pending: {why}",
    GapKind.WAITING: "its pod does not start: {why}",
    GapKind.CRASHING: "{why}",
    GapKind.NOT_READY: "its pod is not Ready: {why}",
    GapKind.TERMINATING: "its pod is stuck in Terminating {why}",
}


def describe_component(component: Component) -> str:
    """What a DaemonSet provides, in a few words: `the device plugin of rdma/hca`."""
    names = component.resources or component.drivers
    return f"the {component.kind.title}{f' of {join_and(names[:3])}' if names else ''}"


def describe_provider(gap: CoverageGap) -> str:
    """The DaemonSet of a gap, with what it provides: `the pod network (CNI) (DaemonSet kube-system/kube-flannel)`."""
    name = f"DaemonSet {gap.daemonset.key}"
    return name if gap.component is None else f"{describe_component(gap.component)} ({name})"


def explain_gap(gap: CoverageGap) -> str:
    """Why a DaemonSet does not work on a node, for use after a colon."""
    reason = describe_gap_reason(gap.reason) or ("no reason reported" if gap.kind is not GapKind.TERMINATING else "")
    return _GAP_TEXTS[gap.kind].format(why=reason).rstrip(" :")


def describe_gap_reason(reason: GapReason | None) -> str:
    """The reason of a gap or of an unhealthy pod; "" without one."""
    match reason:
        case None:
            return ""
        case StatedReason(text):
            return text
        case CrashLoop():
            return _describe_crash_loop(reason)
        case FailedContainer(container, exit_code, restarts):
            return f"container {container} exited with code {exit_code} ({_format_restarts(restarts)})"
        case WaitingContainer(container, state, message):
            return f"container {container}: {state}" + (f": {message}" if message else "")
        case WrongPlatform():
            return _describe_wrong_platform(reason)
        case RunningInitContainer(container):
            return f"init container {container} is still running"
        case StartingPod(state):
            return state
        case NotStarted():
            return "the kubelet has not started it"
        case CoverageReason(reasons):
            return "; ".join(describe_reasons(reasons))
        case SelectsNoNode():
            return describe_empty_selection(reason)


def _describe_wrong_platform(reason: WrongPlatform) -> str:
    text = f"container {reason.container}: its image has no manifest for {reason.platform}"
    if not reason.is_stated:
        text = f"container {reason.container}: {reason.state}, and its image may not be made for {reason.platform}"
    if reason.label:
        text += f"; its pods work only on nodes with {reason.label}={' or '.join(reason.working_values)}"
        text += "" if reason.is_selected else ", and it does not select on that label"
    return text


def describe_platform_fix(reason: WrongPlatform) -> str:
    """PF414: how to keep the pods off the nodes."""
    return f"set `nodeSelector: {{{reason.label}: {reason.working_values[0]}}}`, or use an image for {reason.platform} too"


def _describe_crash_loop(reason: CrashLoop) -> str:
    restarts = f": {_format_restarts(reason.restarts)}" if reason.restarts is not None else ""
    last = f", last exit: {reason.last_reason or 'exit code'} ({reason.last_exit_code})" if reason.last_exit_code is not None else ""
    return f"container {reason.container} is crash looping{restarts}{last}"


def _format_restarts(restarts: int) -> str:
    return f"{restarts} restart{'s' if restarts != 1 else ''}"


def describe_sign(sign: BelongingSign) -> str:
    """Why a DaemonSet belongs on a node."""
    match sign.kind:
        case SignKind.SELECTS_NODES:
            return "its nodeSelector or node affinity selects these nodes"
        case SignKind.RUNS_ON_PEERS:
            return f"its pod still runs on {join_node_names(sign.names)} with the same taint"
        case SignKind.RESOURCE_REQUESTED:
            return f"pods are waiting for {join_and(sign.names)}"
        case SignKind.VOLUMES_MOUNTED:
            return "pods there mount its volumes"
        case SignKind.REMOVES_TAINTS:
            return f"the startup taint {join_and(sign.names)} stays without it"
        case SignKind.NEEDED_BY_EVERY_POD:
            return "every pod on a node needs it"
        case SignKind.NEARLY_TOLERATED:
            return f"it has a toleration for {join_and(sign.names)}, which matches no taint of any other node"
        case SignKind.FORMER_KEY_TOLERATED:
            return f"it tolerates {join_and(sign.names)}, the former key of this taint"
        case SignKind.TOLERATES_OTHER_VALUE:
            return f"it tolerates {join_and(sign.names)} with a value that no node has"
        case SignKind.VOLUMES_REQUESTED:
            return f"pods are waiting for claims of {join_and(sign.names)}, and fit only on nodes without this driver"
        case SignKind.DEVICES_REQUESTED:
            return "pods are waiting for ResourceClaims, and it is the only DRA driver"
        case SignKind.LABELS_REQUESTED:
            return f"it sets {join_and(sign.names)}, which pods are waiting for and no node has"
        case SignKind.NETWORK_MISSING:
            return "its kubelet reports that the network for pods is missing"
        case SignKind.LABEL_BACKED_UP:
            return f"the label was moved to the annotation {join_and(sign.names)} of the node"


def describe_event(event: Event) -> str:
    """The text of an event, and which component reports it."""
    return f"{event.reporter or 'an event'} reports: {event.reason}: {normalize_message(event.message)}"


def describe_update(update: OngoingUpdate) -> str:
    """That an update of a DaemonSet is in progress, and how far it is."""
    text = "its template has changed and OnDelete waits for deletions" if update.waits_for_deletion else "an update is in progress"
    return f"{text}: {update.old_nodes} of {update.all_nodes} nodes still have a pod from an older template"


def describe_trigger(trigger: RecreationTrigger) -> str:
    """What is in progress that ends pods."""
    if isinstance(trigger, OngoingUpdate):
        return describe_update(trigger)
    verb = "is" if len(trigger.nodes) == 1 else "are"
    return f"{join_node_names(trigger.nodes)} {verb} cordoned, possibly for a reboot or a replacement"


def describe_missing_pod(gap: CoverageGap) -> str:
    """PF410: no pod where one should run."""
    return f"has no pod on {join_node_names(gap.nodes)}, where it should run"


def describe_missing_events(*, has_events: bool) -> str:
    """PF410: why nothing reports what refused the pod."""
    if has_events:
        return "no event reports a refused creation (events expire after about an hour)"
    return f"unknown: whether its creation was refused (no events in the input: {ADD_EVENTS})"


def describe_kept_out_pod(gap: CoverageGap) -> str:
    """PF411: only a taint keeps the DaemonSet off."""
    taints = "taints keep" if len(gap.taints) > 1 else "a taint keeps"
    return f"does not run on {join_node_names(gap.nodes)}, and only {taints} it off: {describe_gap_reason(gap.reason)}"


def describe_sign_note(sign: BelongingSign) -> str:
    """PF411: why it belongs there."""
    return f"evidence that it belongs there: {describe_sign(sign)}"


def describe_unselected_pod(gap: CoverageGap) -> str:
    """PF448: only the selector keeps the DaemonSet off."""
    if not gap.nodes:
        return f"runs nowhere although it is needed: {describe_gap_reason(gap.reason)}"
    return f"does not run on {join_node_names(gap.nodes)}, and only its selector keeps it off: {describe_gap_reason(gap.reason)}"


def label_untolerated_taints(gap: CoverageGap) -> str:
    """PF411: the label under the tolerations."""
    return f"no toleration here matches {join_and(gap.taints)}"


def describe_pending_pod(gap: CoverageGap, latest_time: str) -> str:
    """PF412: a pod of a DaemonSet is Pending."""
    where = f" for {join_node_names(gap.nodes)}" if gap.nodes else ""
    reason = describe_gap_reason(gap.reason) or "no scheduler has reported on it"
    return f"has a Pending pod{where}{_format_start(gap, latest_time)}: {reason}"


def describe_refused_pod(gap: CoverageGap) -> str:
    """PF413: the creation of a pod is refused."""
    if not gap.nodes:
        return f"creates no new pods because the API server refuses them: {describe_gap_reason(gap.reason)}"
    return f"has no pod on {join_node_names(gap.nodes)} because its creation is refused: {describe_gap_reason(gap.reason)}"


def describe_refusal_time(gap: CoverageGap) -> str:
    """PF413: when the creation was refused last."""
    return f"last refused at {gap.since}" if gap.since else "reported by an event of the DaemonSet"


def describe_pod_not_starting(gap: CoverageGap, latest_time: str) -> str:
    """PF414: a pod does not start, or is not Ready."""
    since, reason = _format_start(gap, latest_time), describe_gap_reason(gap.reason)
    verb = "has not started" if gap.kind is GapKind.WAITING else "has not been Ready" if since else "is not Ready"
    return f"has a pod on {join_node_names(gap.nodes)} that {verb}{since}{f': {reason}' if reason else ''}"


def describe_pod_loop(gap: CoverageGap) -> str:
    """PF415: a pod is deleted and re-created in a loop."""
    return f"cannot stay on {join_node_names(gap.nodes)}: {describe_gap_reason(gap.reason)}"


def describe_crashing_pod(gap: CoverageGap, latest_time: str) -> str:
    """PF415: a pod does not stay up."""
    reason = describe_gap_reason(gap.reason) or "it failed, no reason reported"
    since = format_since(gap.since, latest_time)
    return f"has a pod on {join_node_names(gap.nodes)} that does not stay up{f', {since}' if since else ''}: {reason}"


def describe_terminating_pod(gap: CoverageGap, latest_time: str) -> str:
    """PF416: a pod is stuck in Terminating."""
    return f"has a pod on {join_node_names(gap.nodes)} stuck in Terminating{_format_start(gap, latest_time)}"


def describe_time_bomb(nodes: tuple[str, ...], reason: str) -> str:
    """PF417: a pod that does not come back; `reason` is the text of its coverage."""
    if len(nodes) == 1:
        return f"has a pod on {nodes[0]} that will not come back after it ends: {reason}"
    return f"has pods on {join_node_names(nodes)} that will not come back after they end: {reason}"


def _format_start(gap: CoverageGap, latest_time: str) -> str:
    text = format_since(gap.since, latest_time)
    return f" {text}" if text else ""
