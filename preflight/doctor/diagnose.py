"""The diagnosis of one cluster: every detector in order, and all that they find in one struct."""

from __future__ import annotations

from msgspec import Struct

from preflight.coverage.component_cache import ComponentCache
from preflight.coverage.model import Impact
from preflight.dependents.driver_presence import DriverPodIndex
from preflight.doctor.coverage_gaps import CoverageGap
from preflight.doctor.csi_mounts import MissingDriver, find_absent_drivers, find_missing_drivers, find_stale_drivers
from preflight.doctor.daemonset_health import collect_pod_health
from preflight.doctor.demand import DemandIndex
from preflight.doctor.devices import FaultyResource, find_faulty_resources
from preflight.doctor.gap_finder import find_gaps
from preflight.doctor.index import ClusterIndex
from preflight.doctor.jobset_leaders import LeaderFit, compute_leader_fit
from preflight.doctor.jobsets import StalledJob, StallReason, find_stalled_jobs, find_taken_domains
from preflight.doctor.label_drift import LabelDrift, find_label_drifts
from preflight.doctor.limitations import Limitation, iter_limitations
from preflight.doctor.missing_networks import MissingNetwork, find_missing_networks
from preflight.doctor.pending.causes import PodWait, WaitCause, WaitFinder, WaitGroup, find_waits, group_waits
from preflight.doctor.pending.creation_failures import RefusedCreation, find_refused_creations
from preflight.doctor.pending.unschedulable import PodFits, SchedulerAccount
from preflight.doctor.providers import ProviderIndex
from preflight.doctor.root_causes import (
    MissingComponent,
    MissingProvider,
    RootCause,
    iter_missing_components,
    iter_missing_providers,
    iter_root_causes,
)
from preflight.doctor.stalled_rollouts import (
    OngoingUpdate,
    PodsByDaemonSet,
    RecreationTrigger,
    StalledRollout,
    find_ongoing_update,
    find_recreation_triggers,
    find_stalled_rollouts,
)
from preflight.doctor.stranded_capacity import (
    IdleNodes,
    LeftoverTaint,
    StaleAllocation,
    find_cordoned_nodes,
    find_leftover_taints,
    find_not_ready_nodes,
    find_stale_allocations,
)
from preflight.doctor.stuck_pods import StuckPods, find_misplaced_taints, find_stuck_pods
from preflight.model.apps import DaemonSet
from preflight.model.runtime_state import PodState
from preflight.model.world import ClusterState


class LeaderProblem(Struct, frozen=True):
    """Why the leader of a Job has no node: what it waits for, our own account of the nodes, and which nodes it could have."""

    wait: PodWait
    account: SchedulerAccount
    fit: LeaderFit


class Diagnosis(Struct, frozen=True):
    """What is broken in a cluster today.

    1. `index`, `impact`, `pods` and `providers` are what it was found out from; `impact` is None where no node or no DaemonSet is known.
    2. The other fields are the findings of one detector each; their structs say more.
    3. `pod_waits` are all pods without a node; `leader_problems` belong to `stalled_jobs`, by the namespace and name of the Job.
    """

    index: ClusterIndex
    impact: Impact | None
    pods: PodsByDaemonSet
    providers: ProviderIndex
    demand: DemandIndex
    pod_fits: PodFits
    wait_finder: WaitFinder
    gaps: tuple[CoverageGap, ...]
    stalled_rollouts: tuple[StalledRollout, ...]
    missing_drivers: tuple[MissingDriver, ...]
    stale_drivers: tuple[MissingDriver, ...]
    faulty_resources: tuple[FaultyResource, ...]
    not_ready_nodes: tuple[IdleNodes, ...]
    missing_networks: tuple[MissingNetwork, ...]
    cordoned_nodes: tuple[IdleNodes, ...]
    leftover_taints: tuple[LeftoverTaint, ...]
    stale_allocations: tuple[StaleAllocation, ...]
    label_drifts: tuple[LabelDrift, ...]
    stalled_jobs: tuple[StalledJob, ...]
    refused_creations: tuple[RefusedCreation, ...]
    pod_waits: tuple[PodWait, ...]
    leader_problems: dict[tuple[str, str], LeaderProblem]
    limitations: tuple[Limitation, ...]
    stuck_pods: tuple[StuckPods, ...]
    misplaced_taints: tuple[str, ...]

    @property
    def has_linked_faults(self) -> bool:
        """Whether some of what is broken follows from something else that is: what a pod waits for, what a node or a resource lacks."""
        waits = (wait for wait in self.pod_waits if wait.pod_fit is not None)
        return (
            any(network.gap is not None for network in self.missing_networks)
            or any(faulty.reason.gap is not None for faulty in self.faulty_resources)
            or any(stuck.hang.driver for stuck in self.stuck_pods)
            or any(self.list_root_causes(wait.pod, wait.pod_fit) for wait in waits if wait.pod_fit is not None)
        )

    def group_waits(self, *causes: WaitCause) -> tuple[WaitGroup, ...]:
        """The pods that wait for some causes, alike ones together; the pods of stalled Jobs belong to their JobSet and are left out."""
        leaders = {job.leader.key for job in self.stalled_jobs if job.leader is not None}
        job_pods = leaders | {pod.key for job in self.stalled_jobs for pod in job.pods}
        return group_waits((wait for wait in self.pod_waits if wait.pod.key not in job_pods), *causes)

    def find_other_wait(self, gap: CoverageGap) -> PodWait | None:
        """What the first of the Pending pods of a gap that waits for something else than capacity waits for."""
        waits = {wait.pod.key: wait for wait in self.pod_waits if wait.is_not_capacity} if gap.pending_pods else {}
        return next((waits[pending_pod.pod.key] for pending_pod in gap.pending_pods if pending_pod.pod.key in waits), None)

    def get_leader_problem(self, stalled_job: StalledJob) -> LeaderProblem | None:
        """Why the leader of a Job has no node; None where there is no leader or it has one."""
        return self.leader_problems.get((stalled_job.namespace, stalled_job.job))

    def compute_leader_fit(self, stalled_job: StalledJob, account: SchedulerAccount) -> LeaderFit:
        """Where the leader of a Job fits."""
        owners = find_taken_domains(self.index, stalled_job.topology) if stalled_job.topology else {}
        return compute_leader_fit(self.index, stalled_job, account, owners)

    def list_missing_providers(self, account: SchedulerAccount) -> tuple[MissingProvider, ...]:
        """For each extended resource that is short: the gaps of the DaemonSets that advertise it."""
        return tuple(iter_missing_providers(self.providers, self.gaps, account))

    def list_missing_components(self, pod: PodState) -> tuple[MissingComponent, ...]:
        """For volumes, devices and labels that a pod waits for: the gaps of the DaemonSets that provide them."""
        return tuple(iter_missing_components(self.providers, self.demand, self.gaps, pod))

    def list_root_causes(self, pod: PodState, account: SchedulerAccount) -> tuple[RootCause, ...]:
        """Everything behind the shortage of a pod."""
        return tuple(iter_root_causes(self.providers, self.demand, self.gaps, self.label_drifts, self.stale_allocations, pod, account))

    def find_ongoing_update(self, daemonset: DaemonSet) -> OngoingUpdate | None:
        """The update of a DaemonSet that is under way."""
        return find_ongoing_update(self.pods, daemonset)

    def find_recreation_triggers(self, daemonset: DaemonSet, nodes: tuple[str, ...]) -> tuple[RecreationTrigger, ...]:
        """What is under way that ends the pods of a DaemonSet on some nodes."""
        return find_recreation_triggers(self.index, self.pods, daemonset, nodes)


def diagnose(cluster: ClusterState, impact: Impact | None, pods: PodsByDaemonSet) -> Diagnosis:
    """What is broken in a cluster today.

    `cluster` was read together with its runtime state; `impact` is that of no change over `pods`, None where there is no pair to judge.
    """
    index = ClusterIndex(cluster)
    component_cache = impact.component_cache if impact is not None else ComponentCache(cluster)
    providers = ProviderIndex(cluster, component_cache)
    pod_health = collect_pod_health(index)
    driver_pods = DriverPodIndex(cluster, component_cache)
    absent_drivers = find_absent_drivers(index, driver_pods)
    missing_drivers = find_missing_drivers(index, driver_pods, absent_drivers)
    pod_fits = PodFits(index)
    demand = DemandIndex(index, providers, pod_fits)
    gaps = find_gaps(index, impact, providers, pod_health, missing_drivers, demand)
    stalled_jobs = find_stalled_jobs(index)
    wait_finder = WaitFinder(index, pod_fits)
    return Diagnosis(
        index=index,
        impact=impact,
        pods=pods,
        providers=providers,
        demand=demand,
        pod_fits=pod_fits,
        wait_finder=wait_finder,
        gaps=gaps,
        stalled_rollouts=find_stalled_rollouts(index, impact, pods, pod_health),
        missing_drivers=missing_drivers,
        stale_drivers=find_stale_drivers(index, driver_pods, absent_drivers),
        faulty_resources=find_faulty_resources(index, impact, providers, pod_health, gaps),
        not_ready_nodes=find_not_ready_nodes(index),
        missing_networks=find_missing_networks(index, providers, pod_health, gaps),
        cordoned_nodes=find_cordoned_nodes(index),
        leftover_taints=find_leftover_taints(index, providers, pod_health),
        stale_allocations=find_stale_allocations(index),
        label_drifts=find_label_drifts(index, providers, pod_health),
        stalled_jobs=stalled_jobs,
        refused_creations=find_refused_creations(index, stalled_jobs),
        pod_waits=find_waits(index, wait_finder, demand),
        leader_problems=_find_leader_problems(index, stalled_jobs, wait_finder, pod_fits),
        limitations=tuple(iter_limitations(index, impact, providers)),
        stuck_pods=find_stuck_pods(index, missing_drivers),
        misplaced_taints=find_misplaced_taints(index),
    )


def _find_leader_problems(
    index: ClusterIndex, stalled_jobs: tuple[StalledJob, ...], wait_finder: WaitFinder, pod_fits: PodFits
) -> dict[tuple[str, str], LeaderProblem]:
    found = {}
    topologies = {stalled_job.topology for stalled_job in stalled_jobs if stalled_job.stall_reason is StallReason.UNSCHEDULED}
    owners = {topology: find_taken_domains(index, topology) if topology else {} for topology in topologies}
    for stalled_job in stalled_jobs:
        leader = stalled_job.leader
        if leader is not None and stalled_job.stall_reason is StallReason.UNSCHEDULED:
            account = pod_fits.explain(leader)
            fit = compute_leader_fit(index, stalled_job, account, owners[stalled_job.topology])
            found[stalled_job.namespace, stalled_job.job] = LeaderProblem(wait_finder.find(leader), account, fit)
    return found
