"""JobSets with exclusive placement whose followers cannot come: what is wrong with the leader, which decides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum

from msgspec import Struct

from preflight.doctor.cluster_messages import find_topology_label, get_creation_error, refuses_followers
from preflight.doctor.index import ClusterIndex
from preflight.doctor.pending.schedulers import is_overdue
from preflight.doctor.pod_health import is_waiting
from preflight.doctor.waiting_times import RECENT_SECONDS, SETTLING_SECONDS
from preflight.model.batch import Job, JobSet, ReplicatedJob
from preflight.model.core import CoveragePod, find_controller
from preflight.model.report import Subject
from preflight.model.runtime_state import Event, PodState
from preflight.model.timestamps import count_seconds
from preflight.scheduling.jobs.exclusive_placement import EXCLUSIVE_TOPOLOGY, LEADER_INDEX, find_exclusive_topology
from preflight.scheduling.jobs.jobsets import forecast_job_set

_INDEX_LABEL = "batch.kubernetes.io/job-completion-index"
_FINISHED_CONDITIONS = ("Complete", "Failed", "SuccessCriteriaMet", "FailureTarget")


class StallReason(Enum):
    """What keeps the followers of a child Job away.

    1. UNSCHEDULED: the leader has no node. ABSENT: there is no leader. NODE_GONE: the leader's node is not there any more.
    2. UNLABELLED: the leader's node lacks the label of the domains. NO_DOMAIN: no node has it.
    3. EMPTY_DOMAIN: followers are there and ask for a domain without a name: they came when the leader's node was gone.
    """

    UNSCHEDULED = "unscheduled"
    ABSENT = "absent"
    NODE_GONE = "node-gone"
    UNLABELLED = "unlabelled"
    NO_DOMAIN = "no-domain"
    EMPTY_DOMAIN = "empty-domain"


class StalledJob(Struct, frozen=True):
    """A child Job whose followers cannot come.

    1. `job_set` is None where it was not given; then `topology`, the label of the domains, is from the words of the webhook, or "".
    2. `leader` is the pod, None where there is none. `followers` is how many are missing, None where nobody says. `pods` are those
       that ask for a domain without a name.
    3. `webhook_message` are the webhook's, "" where no event says them; `leader_refusal` why the leader itself could not be created.
    """

    namespace: str
    job: str
    stall_reason: StallReason
    job_set: JobSet | None
    topology: str
    leader: PodState | None = None
    followers: int | None = None
    pods: tuple[PodState, ...] = ()
    webhook_message: str = ""
    leader_refusal: str = ""

    @property
    def nodes(self) -> tuple[str, ...]:
        """The node that is at fault: the leader's, where it lacks the label."""
        return (self.leader.spec.nodeName,) if self.leader is not None and self.stall_reason is StallReason.UNLABELLED else ()

    @property
    def subject(self) -> Subject:
        """The JobSet; the Job where its JobSet was not given."""
        if self.job_set is None:
            return Subject("Job", self.namespace, self.job)
        return Subject("JobSet", self.namespace, self.job_set.metadata.name)


class _ChildJob(Struct, frozen=True):
    """A child Job as far as it is known: `followers` that it wants, None where nobody says."""

    namespace: str
    name: str
    job_set: JobSet | None
    topology: str
    followers: int | None


def find_stalled_jobs(index: ClusterIndex) -> tuple[StalledJob, ...]:
    """The child Jobs whose followers cannot come, in order of their names.

    1. Of JobSets with exclusive placement that go on, every child Job that does. Of JobSets that were not given, the Jobs of which an event
       says that the webhook refuses followers.
    2. A leader that has just been created may still get its node, so nothing is said of its followers.
    3. Where no leader is there, that is said only once the refusals have gone on for a while, or say why the leader cannot come.
    """
    children = {(child.namespace, child.name): child for child in (*_iter_child_jobs(index), *_iter_event_jobs(index))}
    pods = _group_pods_by_job(index, children.keys())
    found = (_find_stalled_job(index, child, pods[key]) for key, child in sorted(children.items()))
    return tuple(job for job in found if job is not None)


def group_by_domain(index: ClusterIndex, topology: str) -> Mapping[str, tuple[str, ...]]:
    """The nodes of each domain, by the value of the label."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, node in index.existing_nodes.items():
        if topology in node.metadata.labels:
            found[node.metadata.labels[topology]].append(name)
    return {value: tuple(nodes) for value, nodes in sorted(found.items())}


def find_taken_domains(index: ClusterIndex, topology: str) -> Mapping[str, Subject]:
    """The child Job that has each domain to itself, by the value of the label."""
    found: dict[str, Subject] = {}
    for pod in index.cluster.pods:
        owner, node = find_controller(pod), index.cluster.nodes.get(pod.spec.nodeName)
        if owner is None or owner.kind != "Job" or node is None or topology not in node.metadata.labels:
            continue
        whole = index.find_listed_pod(pod) if pod.status.phase not in ("Succeeded", "Failed") else None
        if whole is not None and _is_exclusive(whole):
            found[node.metadata.labels[topology]] = Subject("Job", pod.metadata.namespace, owner.name)
    return found


def _is_exclusive(pod: PodState) -> bool:
    return "jobset.sigs.k8s.io/job-key" in pod.metadata.labels


def _iter_child_jobs(index: ClusterIndex) -> Iterator[_ChildJob]:
    jobs = {
        (workload.metadata.namespace, workload.metadata.name): workload for workload in index.cluster.workloads if isinstance(workload, Job)
    }
    for job_set in index.cluster.job_sets:
        if forecast_job_set(job_set, {}).skip_reason:
            continue
        namespace = job_set.metadata.namespace
        for replicated in job_set.spec.replicatedJobs:
            topology = find_exclusive_topology(job_set, replicated)
            for number in range(replicated.replicas) if topology else ():
                name = f"{job_set.metadata.name}-{replicated.name}-{number}"
                job = jobs.get((namespace, name))
                goes_on = not (job.spec.suspend or _has_ended(job)) if job is not None else "Job" not in index.cluster.complete_kinds
                if goes_on:
                    yield _ChildJob(namespace, name, job_set, topology, _count_followers(replicated, job))


def _has_ended(job: Job) -> bool:
    return any(condition.type in _FINISHED_CONDITIONS and condition.status == "True" for condition in job.status.conditions)


def _count_followers(replicated: ReplicatedJob, job: Job | None) -> int:
    """How many followers run at once: the indexes that are left, up to the parallelism; without the leader."""
    spec = job.spec if job is not None else replicated.template.spec
    parallelism = 1 if spec.parallelism is None else spec.parallelism
    completions = parallelism if spec.completions is None else spec.completions
    left = completions - (job.status.succeeded if job is not None else 0)
    return max(0, min(parallelism, left) - 1)


def _iter_event_jobs(index: ClusterIndex) -> Iterator[_ChildJob]:
    """The Jobs of which an event says so, and whose JobSet was not given."""
    known = {(job_set.metadata.namespace, f"{job_set.metadata.name}-") for job_set in index.cluster.job_sets}
    for event in index.events.get_events_of_kind("Job", "FailedCreate"):
        about = event.involvedObject
        is_known = any(about.namespace == namespace and about.name.startswith(head) for namespace, head in known)
        if is_known or not refuses_followers(event.message):
            continue
        yield _ChildJob(about.namespace, about.name, None, find_topology_label(event.message), None)


def _group_pods_by_job(index: ClusterIndex, jobs: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], list[CoveragePod]]:
    found: dict[tuple[str, str], list[CoveragePod]] = {key: [] for key in jobs}
    for pod in index.cluster.pods if found else ():
        owner = find_controller(pod)
        key = (pod.metadata.namespace, owner.name) if owner is not None and owner.kind == "Job" else ("", "")
        if key in found and is_waiting(pod):
            found[key].append(pod)
    return found


def _find_stalled_job(index: ClusterIndex, child: _ChildJob, listed: list[CoveragePod]) -> StalledJob | None:
    if not index.cluster.are_pods_listed(child.namespace):
        return None
    pods = [whole for pod in listed if (whole := index.find_listed_pod(pod)) is not None]
    leader = next((pod for pod in pods if _parse_completion_index(pod, child.name) == LEADER_INDEX), None)
    followers = [pod for pod in pods if pod is not leader]
    topology = child.topology or (leader.metadata.annotations.get(EXCLUSIVE_TOPOLOGY, "") if leader else "")
    creation_errors = index.events.get_events("Job", child.namespace, child.name, "FailedCreate")
    refusals = [event for event in creation_errors if refuses_followers(event.message)]
    words = get_creation_error(refusals[0].message) if refusals else ""
    missing = None if child.followers is None else child.followers - len(followers)

    def found(stall: StallReason, *, pods: tuple[PodState, ...] = (), refused: str = "") -> StalledJob:
        return StalledJob(child.namespace, child.name, stall, child.job_set, topology, leader, missing, pods, words, refused)

    empty = tuple(pod for pod in followers if not pod.spec.nodeName and topology and pod.spec.nodeSelector.get(topology) == "")
    if empty:
        return found(StallReason.EMPTY_DOMAIN, pods=empty)
    if missing is not None and missing <= 0:
        return None
    if leader is None:
        events = [event for event in creation_errors if _is_recent(index, event)]
        refused = next((get_creation_error(event.message) for event in events if not refuses_followers(event.message)), "")
        goes_on = any(
            (count_seconds(event.firstTimestamp or event.eventTime, event.last_seen) or 0) >= SETTLING_SECONDS for event in events
        )
        return found(StallReason.ABSENT, refused=refused) if (refused and not pods) or goes_on else None
    if not leader.spec.nodeName:
        if not is_overdue(index, leader):
            return None
        return found(
            StallReason.NO_DOMAIN if topology and index.has_all_nodes and not group_by_domain(index, topology) else StallReason.UNSCHEDULED
        )
    node = index.cluster.nodes.get(leader.spec.nodeName)
    if node is None:
        return found(StallReason.NODE_GONE) if leader.spec.nodeName in index.removed_nodes else None
    return found(StallReason.UNLABELLED) if topology and topology not in node.metadata.labels else None


def _parse_completion_index(pod: PodState, job: str) -> int | None:
    """The completion index of a pod of an Indexed Job: of its annotation or label, else of its name `JOB-INDEX-SUFFIX`."""
    text = pod.metadata.annotations.get(_INDEX_LABEL) or pod.metadata.labels.get(_INDEX_LABEL) or ""
    text = text or pod.metadata.name.removeprefix(f"{job}-").partition("-")[0]
    return int(text) if text.isascii() and text.isdecimal() else None


def _is_recent(index: ClusterIndex, event: Event) -> bool:
    """Whether it is so young that the Job controller, which waits for 10 minutes at most, may go on."""
    age = count_seconds(event.last_seen, index.latest_time)
    return age is None or age <= RECENT_SECONDS
