"""`preflight capacity`: a pod, the clusters that are asked about it, and what each answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from msgspec import Struct
from msgspec.structs import replace

import preflight
from preflight import load
from preflight.capacity.evaluate import room
from preflight.engine.multi_cluster import Place, beside
from preflight.errors import InputError, UsageError
from preflight.evictions.pod_index import Known
from preflight.load.live.target import Target
from preflight.load.pod_templates import ALIASES, Keeping, pods_of, told
from preflight.model.capacity import CapacityReport, ClusterAnswer, NewPod
from preflight.model.objects import CronJob, Origin, Pod, Workload, pod_spec
from preflight.model.pod_scheduling import ScheduledPod
from preflight.model.report import Cluster
from preflight.model.world import World


class Like(Struct, frozen=True):
    """The workload whose pod asks for room: `deploy/web`, in a namespace, "" for that of the context."""

    kind: str
    name: str
    namespace: str

    @classmethod
    def of(cls, text: str, namespace: str) -> Like:
        """Read `KIND/NAME`. Errors: UsageError."""
        kind, slash, name = text.partition("/")
        if not slash or not name or kind.lower() not in ALIASES:
            raise UsageError(f"--like takes KIND/NAME, KIND one of deploy, ds, sts, rs, job, cj, pod: not {text!r}")
        return cls(ALIASES[kind.lower()], name, namespace)

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


class Question(Struct, frozen=True):
    """What is asked: for a pod that is given or one that is looked up, how the resource is followed, and how many copies are wanted."""

    pod: NewPod | Like
    words: str
    resource: str = ""
    at_least: int = 1
    comparison_operators: bool | None = None


def answer(question: Question, places: Sequence[Place], stdin: BinaryIO | None = None, *, exit_zero: bool = False) -> CapacityReport:
    """The report of all the places.

    Its exit code is 3 where something could not be read; else 0 where some cluster takes as many copies for certain, 3 where that is not
    known, and 1 where none does. `exit_zero` makes the last two 0.
    """
    answered = beside(places, lambda place: _ask(question, place, stdin))
    clusters = tuple(each.value or ClusterAnswer(each.place.name, error=each.why) for each in answered)
    return CapacityReport(preflight.__version__, question.words, question.at_least, clusters, _exit(question, clusters, exit_zero))


def _exit(question: Question, clusters: Sequence[ClusterAnswer], exit_zero: bool) -> int:
    rooms = [each.room for each in clusters if each.room]
    unread = any(each.error or each.problems for each in clusters)
    if unread:
        return 3
    if exit_zero or any(each.copies >= question.at_least for each in rooms):
        return 0
    return 3 if any(each.atMost is None or each.atMost >= question.at_least for each in rooms) else 1


def _ask(question: Question, place: Place, stdin: BinaryIO | None) -> ClusterAnswer:
    like = question.pod if isinstance(question.pod, Like) else None
    heap = Keeping(like.kind, like.name) if like else Keeping("-", "-")
    if place.target is None:
        loaded = _read(question, heap, place, stdin)
        new = _looked_up(like, loaded, heap, place) if like else question.pod
    else:
        new, loaded = _asked(question, like, heap, place, place.target)
    assert isinstance(new, NewPod)
    world = loaded.world
    new = replace(new, namespace=new.namespace or world.namespace)
    problems = tuple(told(each) for each in loaded.problems)
    if not any(node.pool is None for node in world.nodes.values()):
        why = world.missing.get("Node") or next(iter(problems), "")
        raise InputError(f"{place.name}: no node is known: there is nothing to fill{f': {why}' if why else ''}")
    survey = world.survey
    cluster = Cluster(survey.context, survey.server, survey.version) if survey and (survey.context or survey.server) else None
    found = room(world, new, question.resource, is_whole=not problems)
    return ClusterAnswer(place.name, new.words, cluster, found, problems=problems)


def _read(question: Question, heap: Keeping, place: Place, stdin: BinaryIO | None) -> load.Loaded:
    return load.read(place.sources, stdin=stdin, one_cluster=True, comparison_operators=question.comparison_operators, into=heap)


def _asked(question: Question, like: Like | None, heap: Keeping, place: Place, target: Target) -> tuple[NewPod, load.Loaded]:
    """The pod and the world of a live cluster; the workload comes first, for without it nothing else is worth asking."""
    from preflight.load.live.cluster import Cluster as Live
    from preflight.load.live.listing import Query, plain_items
    from preflight.load.live.requirements import ROOM
    from preflight.load.live.resources import EVERY

    with Live(target) as live:
        connection = live.connection
        new = question.pod if isinstance(question.pod, NewPod) else None
        if like and like.kind != "Pod":
            like = replace(like, namespace=like.namespace or connection.namespace)
            resource = next(each for each in EVERY if each.kind == like.kind)
            found = plain_items(connection, Query(resource, like.namespace, fields=f"metadata.name={like.name}"))
            if not found:
                raise InputError(f"{connection.server}: there is no {like}")
            (new,) = pods_of(found[0], Origin(""), like.namespace)
        loaded = load.read(
            (),
            one_cluster=True,
            comparison_operators=question.comparison_operators,
            cluster=lambda gathered: live.survey(ROOM, gathered),
            into=heap,
        )
        if new is None:
            assert like
            new = _looked_up(replace(like, namespace=like.namespace or connection.namespace), loaded, heap, place)
    return new, loaded


def _looked_up(like: Like, loaded: load.Loaded, heap: Keeping, place: Place) -> NewPod:
    """The pod of a workload in a world: by its template, and where a snapshot has not all of that, by a pod of it that is there.

    Errors: InputError where it is not there.
    """
    world, problems = loaded.world, loaded.problems
    like = replace(like, namespace=like.namespace or world.namespace)
    if like.kind == "Pod":
        pod = (world.running or {}).get((like.namespace, like.name))
        if pod is not None:
            return _of_pod(str(like), pod)
    for item, origin, is_whole in heap.kept:
        namespace = str((item.get("metadata") or {}).get("namespace") or like.namespace)
        if namespace != like.namespace:
            continue
        if is_whole:
            (new,) = pods_of(item, origin, like.namespace)
            return new
        if (kept := _of_snapshot(like, world, origin)) is not None:
            return kept
    unread = f"; not all was read: {told(problems[0])}" if problems else ""
    raise InputError(f"{place.name}: there is no {like}{_elsewhere(like, world)}{unread}")


def _of_snapshot(like: Like, world: World, origin: Origin) -> NewPod | None:
    """By a pod of the workload that is there, which is kept whole; without one, by what is kept of the template; None without either.

    The pod of a DaemonSet says nothing of where others may go: the controller has named its node.
    """
    known = Known(world)
    for pod in known.pods if like.kind != "DaemonSet" else ():
        if known.owner(pod) == str(like) and not pod.metadata.deletionTimestamp:
            return _of_pod(f"{like}, as its pod {pod.metadata.name} is", pod)
    typed = next((each for each in world.workloads if each.origin == origin), None)
    if typed is None:
        return None
    return NewPod(f"{like} of {origin.file}", pod_spec(typed)[0], _labels(typed), like.namespace)


def _labels(workload: Workload) -> dict[str, str]:
    if isinstance(workload, Pod):
        return workload.metadata.labels
    if isinstance(workload, CronJob):
        return workload.spec.jobTemplate.spec.template.metadata.labels
    return workload.spec.template.metadata.labels


def _of_pod(words: str, pod: ScheduledPod) -> NewPod:
    return NewPod(words, pod.spec, pod.metadata.labels, pod.metadata.namespace, admitted=True)


def _elsewhere(like: Like, world: World) -> str:
    """In which other namespaces there is one of that name."""
    found = sorted(
        {each.metadata.namespace for each in world.workloads if type(each).__name__ == like.kind and each.metadata.name == like.name}
        | ({key[0] for key in world.running or {} if key[1] == like.name} if like.kind == "Pod" else set())
    )
    return f"; there is one in {', '.join(found)}: -n" if found else ""
