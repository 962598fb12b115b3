"""Why one pod does not start: the facts from the pod to what is behind it."""

from __future__ import annotations

from msgspec import Struct

from preflight.doctor.coverage_gaps import CoverageGap
from preflight.doctor.diagnose import Diagnosis
from preflight.doctor.jobset_leaders import LeaderFit
from preflight.doctor.jobsets import StalledJob
from preflight.doctor.owners import get_owner
from preflight.doctor.pending.causes import PodWait
from preflight.doctor.pending.schedulers import is_overdue
from preflight.doctor.pod_health import UnhealthyPod, check_pod
from preflight.doctor.root_causes import RootCause, get_cause_subject
from preflight.model.report import Subject
from preflight.model.runtime_state import Event, NodeCondition, PodState

_MAX_EVENTS = 2


class SchedulingProblem(Struct, frozen=True):
    """Why a pod has no node.

    `is_new`: it has just been created. `fit` is where it fits, with the topology domains of its JobSet where it is a leader.
    """

    wait: PodWait
    is_new: bool
    fit: LeaderFit
    root_causes: tuple[RootCause, ...]


class NodeProblem(Struct, frozen=True):
    """Why a pod does not run on its node.

    1. `is_removed`: the node does not exist any more. `is_not_ready`, and then its condition Ready, where it has one.
    2. `unhealthy_pod` is what is wrong with the pod itself; then `events` are the latest about it, and `gaps` the components that the
       node lacks.
    """

    is_removed: bool
    is_not_ready: bool
    ready_condition: NodeCondition | None
    unhealthy_pod: UnhealthyPod | None
    events: tuple[Event, ...]
    gaps: tuple[CoverageGap, ...]


class PodExplanation(Struct, frozen=True):
    """Why a pod does not start; `problem` is None where it has ended. `stalled_jobs` are the Jobs of JobSets that wait for it."""

    pod: PodState
    owner: Subject
    problem: SchedulingProblem | NodeProblem | None
    stalled_jobs: tuple[StalledJob, ...]


def explain_pod(diagnosis: Diagnosis, pod: PodState) -> PodExplanation:
    """Why a pod does not start.

    1. Without a node: what its scheduler says, who else holds it, each class of nodes with all that it has against the pod, and what is
       behind a resource that they lack.
    2. On a node: how the node is, what its containers and the events say, and which components the node lacks.
    """
    stalled_jobs = _find_related_stalls(diagnosis, pod)
    problem: SchedulingProblem | NodeProblem | None = None
    if not pod.has_ended:
        problem = _find_node_problem(diagnosis, pod) if pod.spec.nodeName else _find_scheduling_problem(diagnosis, pod, stalled_jobs)
    return PodExplanation(pod, get_owner(pod), problem, stalled_jobs)


def collect_subjects(diagnosis: Diagnosis, pod: PodState) -> frozenset[Subject]:
    """What the explanation is about: findings on these belong to it.

    The pod, its controller, its JobSet, its node, and the DaemonSets that are missing behind it.
    """
    found = {get_owner(pod), Subject("Pod", pod.metadata.namespace, pod.metadata.name)}
    found |= {stalled_job.subject for stalled_job in _find_related_stalls(diagnosis, pod)}
    if pod.spec.nodeName:
        found.add(Subject("Node", "", pod.spec.nodeName))
    if is_pending(pod):
        found |= {get_cause_subject(cause) for cause in diagnosis.list_root_causes(pod, diagnosis.pod_fits.explain(pod))}
    found |= {
        Subject("DaemonSet", gap.daemonset.metadata.namespace, gap.daemonset.metadata.name)
        for gap in _list_missing_components(diagnosis, pod)
    }
    return frozenset(found)


def is_pending(pod: PodState) -> bool:
    """Whether a pod waits for a node."""
    return not pod.spec.nodeName and not pod.has_ended and not pod.metadata.deletionTimestamp


def _find_scheduling_problem(diagnosis: Diagnosis, pod: PodState, stalled_jobs: tuple[StalledJob, ...]) -> SchedulingProblem:
    account = diagnosis.pod_fits.explain(pod)
    fit = diagnosis.compute_leader_fit(stalled_jobs[0], account) if stalled_jobs else LeaderFit((), account.classes)
    return SchedulingProblem(
        diagnosis.wait_finder.find(pod), not is_overdue(diagnosis.index, pod), fit, diagnosis.list_root_causes(pod, account)
    )


def _find_node_problem(diagnosis: Diagnosis, pod: PodState) -> NodeProblem:
    index, node = diagnosis.index, pod.spec.nodeName
    is_removed, is_not_ready = node in index.removed_nodes, node in index.not_ready_nodes
    unhealthy_pod = check_pod(pod, index.latest_time, is_kubelet_silent=is_not_ready)
    return NodeProblem(
        is_removed,
        is_not_ready,
        index.get_node_state(node).find_condition("Ready"),
        unhealthy_pod,
        tuple(index.events.get_events("Pod", *pod.key)[:_MAX_EVENTS]) if unhealthy_pod is not None else (),
        _list_missing_components(diagnosis, pod) if unhealthy_pod is not None else (),
    )


def _list_missing_components(diagnosis: Diagnosis, pod: PodState) -> tuple[CoverageGap, ...]:
    """The components that the node of a pod lacks and without which workloads break; not the pod's own DaemonSet."""
    if not pod.spec.nodeName:
        return ()
    owner = get_owner(pod)
    gaps = [gap for gap in diagnosis.gaps if gap.is_critical and pod.spec.nodeName in gap.nodes]
    own = (owner.namespace, owner.name)
    return tuple(gap for gap in gaps if (gap.daemonset.metadata.namespace, gap.daemonset.metadata.name) != own)


def _find_related_stalls(diagnosis: Diagnosis, pod: PodState) -> tuple[StalledJob, ...]:
    """The Jobs of JobSets whose leader a pod is, or whose follower it is and asks for a domain without a name."""
    return tuple(stalled_job for stalled_job in diagnosis.stalled_jobs if pod in (stalled_job.leader, *stalled_job.pods))
