"""`preflight capacity`: a pod, the clusters that are asked about it, and what each answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight import load
from preflight.capacity.evaluate import measure_capacity
from preflight.engine.exit_code import decide_capacity_exit_code
from preflight.engine.multi_cluster import ask_clusters
from preflight.engine.session import Session
from preflight.engine.unlisted_kinds import list_unlisted_problems
from preflight.errors import InputError, UsageError
from preflight.evictions.pod_index import PodIndex
from preflight.load.inputs import Live, list_paths, name_input
from preflight.load.live.target import ClusterTarget
from preflight.load.pod_templates import KIND_ALIASES, WorkloadCollector, iter_new_pods
from preflight.messages.capacity import (
    describe_copied_pod,
    describe_invalid_reference,
    describe_missing_nodes,
    describe_missing_workload,
    describe_template,
)
from preflight.messages.load import format_problem
from preflight.messages.versions import describe_versions
from preflight.model.batch import CronJob
from preflight.model.capacity import CapacityReport, ClusterCapacity, ClusterCapacityAnswer, NewPod
from preflight.model.core import Pod
from preflight.model.meta import Origin
from preflight.model.owners import OwnerKey
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.report import ClusterIdentity
from preflight.model.workloads import Workload, locate_pod_spec
from preflight.model.world import ClusterState
from preflight.version import __version__

if TYPE_CHECKING:
    from preflight.load.live.cluster import LiveCluster


class WorkloadRef(Struct, frozen=True):
    """The workload whose pod asks for room: `deploy/web`, in a namespace, "" for that of the context."""

    kind: str
    name: str
    namespace: str

    @classmethod
    def parse(cls, text: str, namespace: str) -> WorkloadRef:
        """Read `KIND/NAME`. Errors: UsageError."""
        kind, slash, name = text.partition("/")
        if not slash or not name or kind.lower() not in KIND_ALIASES:
            raise UsageError(describe_invalid_reference(text))
        return cls(KIND_ALIASES[kind.lower()], name, namespace)

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


class CapacityQuery(Struct, frozen=True):
    """What is asked: for a pod that is given or one that is looked up, how the resource is followed, and how many copies are wanted."""

    pod: NewPod | WorkloadRef
    description: str
    resource: str = ""
    at_least: int = 1


def query_capacity(sessions: Session | Sequence[Session], query: CapacityQuery) -> CapacityReport:
    """How many of a pod fit now, in the cluster of one session or of each.

    The exit code is 3 where something could not be read; else 0 where some cluster takes as many copies for certain, 3 where that is not
    known, and 1 where none does. `exit_zero` makes the last two 0.
    """
    asked = (sessions,) if isinstance(sessions, Session) else tuple(sessions)
    answers = ask_clusters(asked, lambda session: _ask_cluster(query, session))
    clusters = tuple(answer.value or ClusterCapacityAnswer(answer.name, error=answer.error) for answer in answers)
    exit_zero = any(session.options.exit_zero for session in asked)
    return CapacityReport(
        __version__, query.description, query.at_least, clusters, decide_capacity_exit_code(clusters, query.at_least, exit_zero=exit_zero)
    )


def _ask_cluster(query: CapacityQuery, session: Session) -> ClusterCapacityAnswer:
    name, source = name_input(session.input), session.input
    new, loaded = _read_live_cluster(query, session, source.target) if isinstance(source, Live) else _read_files(query, session)
    world = loaded.world
    new = replace(new, namespace=new.namespace or world.default_namespace)
    problems = tuple(format_problem(problem) for problem in loaded.problems)
    if not any(node.pool is None for node in world.nodes.values()):
        why = world.missing_kinds.get("Node") or next(iter(problems), "")
        raise InputError(describe_missing_nodes(name, why))
    survey = world.listing
    cluster = ClusterIdentity(survey.context, survey.server, survey.version) if survey and (survey.context or survey.server) else None
    found = _measure(query, new, world, is_complete=not problems)
    unlisted = tuple(format_problem(problem) for problem in list_unlisted_problems(world))
    return ClusterCapacityAnswer(name, new.description, cluster, found, problems=(*problems, *unlisted))


def _measure(query: CapacityQuery, new_pod: NewPod, world: ClusterState, *, is_complete: bool) -> ClusterCapacity:
    """How many copies fit of the pod as the server keeps it.

    A pod of a cluster is as it was kept. Where it is not known whether the server keeps a field, both are measured, and the fewer copies
    are certain.
    """
    versions = world.versions
    notes = tuple(filter(None, [describe_versions(versions)]))
    if not isinstance(query.pod, NewPod) or new_pod.is_admitted or (versions.server is None and not versions.gates):
        return replace(measure_capacity(world, new_pod, query.resource, is_complete=is_complete), notes=notes)
    from preflight.messages.version_fields import note_lost_fields
    from preflight.model.version_fields import FieldFate, drop_pod_fields, find_lost_fields

    lost = find_lost_fields(Pod(spec=new_pod.spec), versions)
    certain = {field.gate for field in lost if field.fate is not FieldFate.MAYBE}
    possible = {field.gate for field in lost}
    pods = [
        replace(new_pod, spec=drop_pod_fields(new_pod.spec, gates))
        for gates in ((certain, possible) if certain != possible else (certain,))
    ]
    answers = [measure_capacity(world, pod, query.resource, is_complete=is_complete) for pod in pods]
    found = min(answers, key=lambda answer: answer.copies)
    limits = [answer.atMost for answer in answers if answer.atMost is not None]
    said = note_lost_fields(lost, versions)
    is_open = len({(answer.copies, answer.atMost) for answer in answers}) > 1
    return replace(
        found,
        atMost=max(limits) if len(limits) == len(answers) else None,
        unknown=(*found.unknown, *(said if is_open else ())),
        notes=(*(() if is_open else said), *notes),
    )


def _make_collector(query: CapacityQuery) -> WorkloadCollector:
    """Collects the cluster state, and the manifests of the workload that is looked up."""
    return WorkloadCollector(query.pod.kind, query.pod.name) if isinstance(query.pod, WorkloadRef) else WorkloadCollector("-", "-")


def _read_files(query: CapacityQuery, session: Session) -> tuple[NewPod, load.LoadResult]:
    """The pod, and the cluster state of files."""
    collector = _make_collector(query)
    loaded = load.load_world(
        list_paths(session.input),
        stdin=session.stdin,
        one_cluster=True,
        versions=session.versions,
        exclusion=session.exclusion,
        collector=collector,
    )
    if isinstance(query.pod, NewPod):
        return query.pod, loaded
    return _find_pod(query.pod, loaded, collector, name_input(session.input)), loaded


def _read_live_cluster(query: CapacityQuery, session: Session, target: ClusterTarget) -> tuple[NewPod, load.LoadResult]:
    """The pod, and the state of a live cluster; the workload comes first, for without it nothing else is worth asking."""
    from preflight.load.live.cluster import LiveCluster
    from preflight.load.live.planner import FOR_CAPACITY

    with LiveCluster(target) as live:
        asked = query.pod
        if isinstance(asked, WorkloadRef):
            asked = replace(asked, namespace=asked.namespace or live.connection.namespace)
        new = asked if isinstance(asked, NewPod) else _fetch_pod(live, asked)
        collector = _make_collector(query)
        loaded = load.load_world(
            (),
            one_cluster=True,
            versions=session.versions,
            cluster=lambda gathered: live.collect(FOR_CAPACITY, gathered),
            collector=collector,
        )
    if new is None:
        assert isinstance(asked, WorkloadRef)
        new = _find_pod(asked, loaded, collector, name_input(session.input))
    return new, loaded


def _fetch_pod(live: LiveCluster, workload_ref: WorkloadRef) -> NewPod | None:
    """The pod of a workload's template, asked for by name; None for a pod, which is among those that are listed.

    Errors: InputError where the cluster has no such workload.
    """
    from preflight.load.live.fetch import fetch_plain_items
    from preflight.load.live.resources import ALL_RESOURCES, ListQuery

    if workload_ref.kind == "Pod":
        return None
    resource = next(resource for resource in ALL_RESOURCES if resource.kind == workload_ref.kind)
    query = ListQuery(resource, workload_ref.namespace, fields=f"metadata.name={workload_ref.name}")
    found = fetch_plain_items(live.connection, query)
    if not found:
        raise InputError(describe_missing_workload(live.connection.server, str(workload_ref)))
    (new,) = iter_new_pods(found[0], Origin(""), workload_ref.namespace)
    return new


def _find_pod(workload_ref: WorkloadRef, loaded: load.LoadResult, collector: WorkloadCollector, cluster: str) -> NewPod:
    """The pod of a workload in a world: by its template, and where a snapshot has not all of that, by a pod of it that is there.

    Errors: InputError where it is not there.
    """
    world, problems = loaded.world, loaded.problems
    workload_ref = replace(workload_ref, namespace=workload_ref.namespace or world.default_namespace)
    if workload_ref.kind == "Pod":
        pod = (world.pods_by_key or {}).get((workload_ref.namespace, workload_ref.name))
        if pod is not None:
            return _copy_pod(str(workload_ref), pod)
    for item, origin, is_whole in collector.kept:
        namespace = str((item.get("metadata") or {}).get("namespace") or workload_ref.namespace)
        if namespace != workload_ref.namespace:
            continue
        if is_whole:
            (new,) = iter_new_pods(item, origin, workload_ref.namespace)
            return new
        if (kept := _find_snapshot_pod(workload_ref, world, origin)) is not None:
            return kept
    unread = format_problem(problems[0]) if problems else ""
    raise InputError(describe_missing_workload(cluster, str(workload_ref), _find_other_namespaces(workload_ref, world), unread))


def _find_snapshot_pod(workload_ref: WorkloadRef, world: ClusterState, origin: Origin) -> NewPod | None:
    """By a pod of the workload that is there, which is kept whole; without one, by what is kept of the template; None without either.

    The pod of a DaemonSet says nothing of where others may go: the controller has named its node.
    """
    known = PodIndex(world)
    wanted = OwnerKey(workload_ref.kind, workload_ref.namespace, workload_ref.name)
    for pod in known.pods if workload_ref.kind != "DaemonSet" else ():
        if known.find_owner(pod) == wanted and not pod.metadata.deletionTimestamp:
            return _copy_pod(describe_copied_pod(str(workload_ref), pod.metadata.name), pod)
    typed = next((workload for workload in world.workloads if workload.origin == origin), None)
    if typed is None:
        return None
    return NewPod(
        describe_template(str(workload_ref), origin.file), locate_pod_spec(typed)[0], _get_pod_labels(typed), workload_ref.namespace
    )


def _get_pod_labels(workload: Workload) -> dict[str, str]:
    if isinstance(workload, Pod):
        return workload.metadata.labels
    if isinstance(workload, CronJob):
        return workload.spec.jobTemplate.spec.template.metadata.labels
    return workload.spec.template.metadata.labels


def _copy_pod(description: str, pod: SchedulerPod) -> NewPod:
    return NewPod(description, pod.spec, pod.metadata.labels, pod.metadata.namespace, is_admitted=True)


def _find_other_namespaces(workload_ref: WorkloadRef, world: ClusterState) -> list[str]:
    """In which other namespaces there is one of that name."""
    return sorted(
        {
            workload.metadata.namespace
            for workload in world.workloads
            if type(workload).__name__ == workload_ref.kind and workload.metadata.name == workload_ref.name
        }
        | ({key[0] for key in world.pods_by_key or {} if key[1] == workload_ref.name} if workload_ref.kind == "Pod" else set())
    )
