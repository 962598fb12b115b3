"""What becomes of Jobs and JobSets that lose pods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf

from preflight.evictions.evicted_pods import Left
from preflight.evictions.pod_index import Key, Known
from preflight.messages.lists import listed
from preflight.model.evictions import JobFate, JobSetFate
from preflight.model.objects import JobSet, Node
from preflight.scheduling.jobs.defaults import INDEXED, defaulted
from preflight.scheduling.jobs.disruption import Disruption
from preflight.scheduling.jobs.exclusive_placement import LEADER, domains_wanted, exclusive_topology, follower_refusals, placement
from preflight.scheduling.jobs.forecast import JobForecast, forecast
from preflight.scheduling.jobs.jobsets import JobSetForecast, job_set_forecast, replicated_job
from preflight.scheduling.jobs.lost_pods import SIGKILL, SIGTERM, Loss, job_pod
from preflight.scheduling.owners import is_kind

_QUEUES = ("kueue.x-k8s.io/queue-name", "scheduling.volcano.sh/queue-name", "pod-group.scheduling.sigs.k8s.io/name")
Forecasts = Mapping[Key, Sequence[JobForecast]]


def disruption_of(way: str, *, deletes: bool) -> Disruption:
    """How a change ends pods; `deletes` is a drain with --disable-eviction."""
    if way == "drain":
        return Disruption.DELETION if deletes else Disruption.EVICTION
    return {"taint": Disruption.TAINT, "shutdown": Disruption.SHUTDOWN, "gone": Disruption.POD_GC}[way]


def losing(left: Sequence[Left]) -> dict[Key, list[Left]]:
    """The pods that go, by the Job that controls them."""
    found: dict[Key, list[Left]] = {}
    for each in left:
        reference = each.pod.controller
        if reference is not None and is_kind(reference, "Job", ("batch",)) and not each.pod.metadata.deletionTimestamp:
            found.setdefault((each.pod.metadata.namespace, reference.name), []).append(each)
    return found


def forecasts(known: Known, left: Sequence[Left], disruption: Disruption) -> dict[Key, tuple[JobForecast, ...]]:
    """What becomes of each Job that is known, once for each way in which its pods may end.

    Pods end at once by the signal, or after their whole grace period, or take it for the end of their work (exit code 0), which takes them
    two seconds: the controller has seen the deletion by then.
    """
    found: dict[Key, tuple[JobForecast, ...]] = {}
    for key, pods in losing(left).items():
        job = known.jobs.get(key)
        if job is None or not known.is_listed(key[0]):
            continue
        names = {each.pod.controller.uid for each in pods if each.pod.controller is not None}
        own = [pod for pod in known.of_owner.get(f"Job {key[0]}/{key[1]}", ()) if pod.controller and pod.controller.uid in names]
        ways = (lambda grace: (min(1.0, grace), SIGTERM), lambda grace: (float(grace), SIGKILL), lambda grace: (min(2.0, grace), 0))
        answers = []
        for way in ways:
            losses = []
            for each in pods:
                after, code = way(each.grace)
                losses.append(Loss(each.pod.metadata.name, disruption, each.at, inf if each.hangs else after, code))
            answers.append(forecast(job, [job_pod(pod) for pod in own], losses))
        found[key] = tuple(answers)
    return found


def job_fates(known: Known, left: Sequence[Left], found: Forecasts, disruption: Disruption) -> tuple[JobFate, ...]:
    """What becomes of each Job that loses pods, by namespace and name."""
    return tuple(_job_fate(known, key, pods, found.get(key, ()), disruption) for key, pods in sorted(losing(left).items()))


def _job_fate(known: Known, key: Key, pods: Sequence[Left], answers: Sequence[JobForecast], disruption: Disruption) -> JobFate:
    name, lost = "/".join(key), tuple("/".join(each.pod.key) for each in pods)
    job = known.jobs.get(key)
    if job is None:
        return JobFate(name, lost, unknown=f"Job {name} is not given")
    if not answers:
        return JobFate(name, lost, unknown=f"not all pods of namespace {key[0]} are known")
    if answers[0].left_alone:
        return JobFate(
            name, lost, unknown="" if "managed" not in answers[0].left_alone else answers[0].left_alone, reasons=(answers[0].left_alone,)
        )
    spec = defaulted(job.spec)
    fails = [each.ends or each.fails for each in answers]
    after = [fate.replaced_after for each in answers for fate in each.fates if fate.replaced_after is not None]
    overlap = max((fate.overlap for each in answers for fate in each.fates if fate.overlap < inf), default=0.0)
    labels = {*job.metadata.labels, *job.spec.template.metadata.labels}
    reasons = [f"what its queue does then is not judged ({queue})" for queue in _QUEUES if queue in labels]
    if not answers[0].back_off_known:
        reasons.append("it has failures already, so the back-off may be longer")
    if disruption is Disruption.DELETION and job.spec.podFailurePolicy is not None:
        reasons.append("a rule that ignores DisruptionTarget does not help: --disable-eviction deletes without that condition")
    limits = dict.fromkeys(limit for each in answers for fate in each.fates for limit in fate.counts_against)
    return JobFate(
        job=name,
        pods=lost,
        fails=next(filter(None, fails), ""),
        certain=all(fails) or not any(fails),
        limit=tuple(limits),
        overlap=overlap,
        indexed=spec.completionMode == INDEXED,
        after=min(after, default=None),
        reasons=tuple(reasons),
    )


def job_set_fates(known: Known, left: Sequence[Left], found: Forecasts, nodes: Mapping[str, Node]) -> tuple[JobSetFate, ...]:
    """What becomes of each JobSet whose Jobs lose pods, by namespace and name."""
    touched: dict[Key, list[Key]] = {}
    for key, pods in losing(left).items():
        job = known.jobs.get(key)
        owner = next((each for each in job.metadata.ownerReferences if each.controller and each.kind == "JobSet"), None) if job else None
        name = owner.name if owner else pods[0].pod.metadata.labels.get("jobset.sigs.k8s.io/jobset-name", "")
        if name:
            touched.setdefault((key[0], name), []).append(key)
    return tuple(_job_set_fate(known, key, jobs, losing(left), found, nodes) for key, jobs in sorted(touched.items()))


def _job_set_fate(
    known: Known, key: Key, jobs: Sequence[Key], lost: Mapping[Key, Sequence[Left]], found: Forecasts, nodes: Mapping[str, Node]
) -> JobSetFate:
    name = "/".join(key)
    shown = tuple(sorted("/".join(each) for each in jobs))
    job_set = known.job_sets.get(key)
    if job_set is None:
        return JobSetFate(name, shown, unknown=f"JobSet {name} is not given")
    if any(each not in found for each in jobs):
        missing = next(each for each in sorted(jobs) if each not in found)
        return JobSetFate(name, shown, unknown=f"what becomes of Job {'/'.join(missing)} is not known")
    number = len(found[jobs[0]])
    answers = [job_set_forecast(job_set, {each[1]: found[each][at] for each in jobs}) for at in range(number)]
    worst = max(answers, key=_badness)
    leaders, reasons = _leaders(known, job_set, jobs, lost, nodes, restarts=worst.restarts_all)
    if worst.left_alone:
        reasons.append(worst.left_alone)
    return JobSetFate(
        jobSet=name,
        jobs=shown,
        fails=worst.fails,
        restarts="all" if worst.restarts_all else "one" if worst.restarts_one else "none",
        certain=len({_badness(each) for each in answers}) == 1,
        left=worst.left,
        leader=leaders,
        unknown=worst.unknown,
        reasons=tuple(reasons),
    )


def _badness(each: JobSetForecast) -> int:
    return 4 if each.fails else 3 if each.unknown else 2 if each.restarts_all else 1 if each.restarts_one else 0


def _leaders(
    known: Known, job_set: JobSet, jobs: Sequence[Key], lost: Mapping[Key, Sequence[Left]], nodes: Mapping[str, Node], *, restarts: bool
) -> tuple[bool, list[str]]:
    """Whether the leader of an exclusive placement goes, and what that asks for."""
    reasons: list[str] = []
    has_leader = False
    for key in sorted(jobs):
        replicated = replicated_job(job_set, key[1])
        topology = exclusive_topology(job_set, replicated) if replicated else ""
        if not topology:
            continue
        index = {pod.metadata.name: job_pod(pod).index for pod in known.of_owner.get(f"Job {key[0]}/{key[1]}", ())}
        domains: dict[int, str | None] = {}
        for pod in known.of_owner.get(f"Job {key[0]}/{key[1]}", ()):
            at = index[pod.metadata.name]
            node = nodes.get(pod.spec.nodeName)
            if at is not None and node is not None:
                domains[at] = node.metadata.labels.get(topology)
        anew = [at for each in lost[key] if (at := index.get(each.pod.metadata.name)) is not None]
        asked = placement(topology, domains, anew)
        if asked is None:
            continue
        if asked.leader and LEADER in anew:
            has_leader = True
            where = f"the domain {topology}={asked.domain}" if asked.domain else f"a domain of {topology} that no other Job has"
            reasons.append(f"the leader of Job {'/'.join(key)} goes and has to be scheduled in {where}")
            refused = follower_refusals(asked)
            if refused:
                reasons.append(
                    "its followers are refused until then; why the leader is not scheduled is the reason, not what they are refused with"
                )
        elif asked.refused:
            reasons.append(f"the leader's node has no label {topology}: new followers are refused")
    if restarts:
        for topology, wanted in domains_wanted(job_set).items():
            free = {
                node.metadata.labels[topology]
                for node in nodes.values()
                if topology in node.metadata.labels and not node.spec.unschedulable
            }
            if known.all_nodes and len(free) < wanted:
                there = listed(sorted(free)) or "none"
                reasons.append(f"its Jobs need {wanted} domains of {topology}, and nodes of {len(free)} can be scheduled: {there}")
    return has_leader, reasons
