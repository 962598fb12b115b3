"""A pod is stuck in Terminating, and no replacement is created before it ends, or its resources stay allocated.

Why it matters
    With the default update strategy of a DaemonSet a node gets its new pod only after the old one has ended. A StatefulSet, and a Job that
    replaces only failed pods, create none before either: an error. A pod is stuck if its kubelet does not respond, a volume cannot be
    unmounted, a finalizer is not removed, or the container runtime does not respond.
How to fix
    `kubectl describe pod` shows the finalizer or the volume. Start the kubelet, or get the node pod of the CSI driver running again. Only
    if a node is certainly shut down, delete it, or add the taint `node.kubernetes.io/out-of-service`: its terminating pods are then
    force-deleted, and their volumes detached. `kubectl delete pod --force` only removes the pod from the API: what is stuck on the node
    stays stuck.
Example
    A log agent whose volume belongs to a CSI driver that no longer has a pod on this node. A database of a StatefulSet on a node that lost
    its power: no new pod is created until the node is declared out of service.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.doctor.owners import UNKNOWN_ORIGIN, find_origin
from preflight.doctor.stuck_pods import StuckPods
from preflight.messages.doctor.gaps import describe_terminating_pod
from preflight.messages.doctor.stuck_pods import describe_stuck_help, describe_stuck_pods
from preflight.messages.kubectl_hints import make_describe_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, iter_gaps, locate_node_field, make_gap_hit, make_list_command, make_pod_command


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet: an error where workloads break without it, else a warning.

    And one for each other owner that waits, an error, and for the other pods of a node, a warning; by reason. Pods of DaemonSets on a node
    that is not Ready are told with the node.
    """
    for gap, key in iter_gaps(context, GapKind.TERMINATING):
        yield make_gap_hit(
            gap,
            key,
            Severity.WARNING,
            describe_terminating_pod(gap, get_diagnosis(context).index.latest_time),
            commands=(make_pod_command(gap), make_list_command(gap)),
        )
    diagnosis = get_diagnosis(context)
    for stuck in (stuck for stuck in diagnosis.stuck_pods if not stuck.are_daemons):
        namespace, name = stuck.pods[0]
        command = make_describe_command("pod", name, namespace)
        yield Hit(
            subject=stuck.subject,
            nodes=stuck.nodes,
            location=_locate(context, stuck),
            severity=None if stuck.is_awaited else Severity.WARNING,
            message=describe_stuck_pods(stuck, diagnosis.index.latest_time),
            key=tuple(filter(None, (stuck.hang.cause.value, stuck.hang.driver))),
            notes=(("help", describe_stuck_help(stuck)), *((("check", command),) if command else ())),
        )


def _locate(context: Context, stuck: StuckPods) -> ManifestLocation:
    if not stuck.is_awaited and stuck.nodes[0] not in get_diagnosis(context).index.cluster.nodes:
        return ManifestLocation(UNKNOWN_ORIGIN)
    if not stuck.is_awaited:
        return locate_node_field(context, stuck.nodes[0], ("status", "conditions"))
    return ManifestLocation(find_origin(get_diagnosis(context).index.cluster, stuck.subject))


RULE = Rule(id="PF416", name="pod-terminating", severity=Severity.ERROR, check=check)
