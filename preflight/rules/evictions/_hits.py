"""What the rules on ordinary pods that have to go say: imported where a change lets some go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.messages.lists import join_and, join_node_names
from preflight.model.evictions import Eviction, EvictionReport, NodeEvictions
from preflight.model.objects import Origin
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation

_MAX_LISTED = 4
_NO_EVICTIONS = EvictionReport("", ())
_UNKNOWN_LOCATION = ManifestLocation(Origin("<none>"))


def _get_evictions(context: Context) -> EvictionReport:
    return context.evictions or _NO_EVICTIONS


def _iter_evictions(context: Context) -> Iterator[tuple[NodeEvictions, Eviction]]:
    return ((node, pod) for node in _get_evictions(context).nodes for pod in node.pods)


def _join_limited(items: Iterable[str], noun: str = "pods") -> str:
    every = list(items)
    return (
        join_and(every)
        if len(every) <= _MAX_LISTED
        else f"{', '.join(every[: _MAX_LISTED - 1])} and {len(every) - _MAX_LISTED + 1} more {noun}"
    )


def _make_subject(kind: str, key: str) -> Subject:
    namespace, _, name = key.partition("/")
    return Subject(kind, namespace, name)


def _locate_object(context: Context, kind: str, key: str, *path: FieldPath) -> ManifestLocation:
    """Where an object stands, at the first of some fields that its manifest has; nowhere where it was not given."""
    world = context.world
    for budget in (*world.budgets, *world.job_sets, *world.workloads):
        if type(budget).__name__ == kind and f"{budget.metadata.namespace}/{budget.metadata.name}" == key:
            return ManifestLocation(budget.origin, path[0] if path else ())
    return _UNKNOWN_LOCATION


def _locate_node(context: Context, name: str) -> ManifestLocation:
    node = context.world.nodes.get(name)
    return ManifestLocation(node.origin) if node is not None else _UNKNOWN_LOCATION


def _get_limit_path(context: Context, key: str) -> FieldPath:
    """The field of a budget that states how many it allows."""
    for budget in context.world.budgets:
        if "/".join(budget.key) == key:
            return ("spec", "maxUnavailable" if budget.spec.maxUnavailable is not None else "minAvailable")
    return ()


def find_refused_drains(context: Context) -> Iterator[Hit]:
    """What kubectl refuses, node by node."""
    for node in _get_evictions(context).nodes:
        for refusal in node.refusals:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                location=_locate_node(context, node.node),
                message=f"is not drained, and stays cordoned: kubectl {refusal}",
            )


def _group_by_budget(context: Context, verdict: str) -> Iterator[tuple[str, list[tuple[NodeEvictions, Eviction]]]]:
    found: dict[str, list[tuple[NodeEvictions, Eviction]]] = {}
    for node, eviction in _iter_evictions(context):
        if eviction.verdict == verdict and len(eviction.budgets) == 1:
            found.setdefault(eviction.budgets[0], []).append((node, eviction))
    return iter(sorted(found.items()))


def _make_blocking_hits(context: Context, verdict: str, duration_text: str) -> Iterator[Hit]:
    first = _get_evictions(context).first
    for key, pods in _group_by_budget(context, verdict):
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        why = pods[0][1].reasons[0].removeprefix(f"PodDisruptionBudget {key} ")
        yield Hit(
            subject=_make_subject("PodDisruptionBudget", key),
            nodes=nodes,
            location=_locate_object(context, "PodDisruptionBudget", key, _get_limit_path(context, key)),
            message=f"blocks the drain of {join_node_names(nodes)} {duration_text}: it {why}",
            notes=(
                ("then", f"not evicted: {_join_limited(pod.pod for _, pod in pods)}"),
                *(("help", text) for text in first if key in text),
            ),
        )


def find_permanent_blocks(context: Context) -> Iterator[Hit]:
    """The budgets that block for ever."""
    return _make_blocking_hits(context, "blocked-for-ever", "for ever")


def find_temporary_blocks(context: Context) -> Iterator[Hit]:
    """The budgets that block as things are."""
    return _make_blocking_hits(context, "blocked-now", "for now")


def find_shared_budgets(context: Context) -> Iterator[Hit]:
    """The sets of budgets that share a pod."""
    found: dict[tuple[str, ...], list[tuple[NodeEvictions, Eviction]]] = {}
    for node, eviction in _iter_evictions(context):
        if eviction.why == "several-budgets":
            found.setdefault(eviction.budgets, []).append((node, eviction))
    for budgets, pods in sorted(found.items()):
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        yield Hit(
            subject=_make_subject("PodDisruptionBudget", budgets[0]),
            nodes=nodes,
            location=_locate_object(context, "PodDisruptionBudget", budgets[0], ("spec", "selector")),
            message=f"and {join_and(budgets[1:])} select {_join_limited(pod.pod for _, pod in pods)}: "
            "no eviction of a pod with more than one budget is granted",
            related_locations=tuple(
                ("the other selector", _locate_object(context, "PodDisruptionBudget", other, ("spec", "selector"))) for other in budgets[1:]
            ),
        )


def find_unmanaged_pods(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The pods that nothing creates again."""
    is_asked = _get_evictions(context).way == "drain"
    for node, eviction in _iter_evictions(context):
        if eviction.is_leaving and eviction.lost:
            yield Hit(
                subject=_make_subject("Pod", eviction.pod),
                nodes=(node.node,),
                location=_UNKNOWN_LOCATION,
                severity=lower_severity if is_asked else None,
                message=f"is gone for good once it leaves {node.node}: nothing controls it",
            )


def find_local_data_loss(context: Context) -> Iterator[Hit]:
    """The nodes whose pods lose the data of their emptyDir volumes."""
    for node in _get_evictions(context).nodes:
        pods = [pod.pod for pod in node.pods if pod.is_leaving and pod.localData]
        if pods:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                location=_locate_node(context, node.node),
                message=f"loses the emptyDir data of {_join_limited(pods)}",
            )


def _find_pod_nodes(context: Context, pods: Iterable[str]) -> tuple[str, ...]:
    wanted = set(pods)
    return tuple(dict.fromkeys(node.node for node, eviction in _iter_evictions(context) if eviction.pod in wanted))


def find_failing_jobs(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The Jobs that fail and that no JobSet starts anew."""
    evictions = _get_evictions(context)
    theirs = {job for job_set in evictions.jobSets if not job_set.unknown for job in job_set.jobs}
    for outcome in evictions.jobs:
        if outcome.fails and outcome.job not in theirs:
            nodes = _find_pod_nodes(context, outcome.pods)
            limit = f" ({' and '.join(outcome.limit)})" if outcome.limit else ""
            yield Hit(
                subject=_make_subject("Job", outcome.job),
                nodes=nodes,
                location=_locate_object(context, "Job", outcome.job, ("spec", outcome.limit[-1] if outcome.limit else "backoffLimit")),
                severity=None if outcome.certain else lower_severity,
                message=f"{'fails' if outcome.certain else 'may fail'} when {join_node_names(nodes)} "
                f"{_format_cause(nodes)} {_join_limited(outcome.pods)}: "
                f"{outcome.fails}{limit}",
                notes=tuple(("note", reason) for reason in outcome.reasons),
            )


def _format_cause(nodes: tuple[str, ...]) -> str:
    return "loses" if len(nodes) == 1 else "lose"


def find_overlapping_job_pods(context: Context) -> Iterator[Hit]:
    """The Indexed Jobs that go on, and have two pods of one index for a while."""
    for job in _get_evictions(context).jobs:
        if job.indexed and job.overlap > 0 and not (job.fails and job.certain):
            nodes = _find_pod_nodes(context, job.pods)
            yield Hit(
                subject=_make_subject("Job", job.job),
                nodes=nodes,
                location=_locate_object(context, "Job", job.job, ("spec", "podReplacementPolicy")),
                message=(
                    f"runs two pods of one index for up to {job.overlap:g} s when {join_node_names(nodes)} "
                    f"{_format_cause(nodes)} {_join_limited(job.pods)}"
                ),
                notes=tuple(("note", reason) for reason in job.reasons),
            )


def find_jobset_restarts(context: Context, *, lower_severity: Severity) -> Iterator[Hit]:
    """The JobSets that fail, start Jobs anew, or lose a leader."""
    jobs = {outcome.job: outcome for outcome in _get_evictions(context).jobs}
    for job_set in _get_evictions(context).jobSets:
        if job_set.unknown or not (job_set.fails or job_set.restarts != "none" or job_set.leader):
            continue
        may = "" if job_set.certain else "may "
        if job_set.fails:
            what = f"{'fails' if job_set.certain else 'may fail'}: {job_set.fails}"
        elif job_set.restarts != "none":
            left = "1 restart is" if job_set.left == 1 else f"{job_set.left} restarts are"
            which = "all its Jobs" if job_set.restarts == "all" else "one of its Jobs"
            what = f"{may}start{'' if may else 's'} {which} anew, those that lost nothing too; {left} left then"
            what = what if job_set.restarts == "all" else what.replace(", those that lost nothing too", "")
        else:
            what = "loses the leader of an exclusive placement"
        nodes = _find_pod_nodes(context, (pod for job in job_set.jobs for pod in (jobs[job].pods if job in jobs else ())))
        yield Hit(
            subject=_make_subject("JobSet", job_set.jobSet),
            nodes=nodes,
            location=_locate_object(context, "JobSet", job_set.jobSet, ("spec", "failurePolicy")),
            severity=None if job_set.fails and job_set.certain else lower_severity,
            message=what,
            notes=tuple(("then", reason) for reason in job_set.reasons),
        )


def find_unplaceable_pods(context: Context, *, higher_severity: Severity) -> Iterator[Hit]:
    """The owners of whose pods some stay Pending."""
    if _get_evictions(context).way not in ("drain", "taint"):
        return
    found: dict[str, list[tuple[NodeEvictions, Eviction]]] = {}
    for node, eviction in _iter_evictions(context):
        if eviction.is_leaving and eviction.replacement == "pending":
            found.setdefault(eviction.owner, []).append((node, eviction))
    for owner, pods in sorted(found.items()):
        kind, _, key = owner.partition(" ")
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        last = any(pod.last for _, pod in pods)
        why = next((reason for reason in pods[0][1].reasons if "stays Pending" in reason), "its replacement stays Pending")
        more = "" if len(pods) == 1 else f", and {len(pods) - 1} more of its pods"
        yield Hit(
            subject=_make_subject(kind, key),
            nodes=nodes,
            location=_locate_object(context, kind, key),
            severity=higher_severity
            if last and all(each.replacement == "pending" for _, each in _iter_evictions(context) if each.owner == owner)
            else None,
            message=f"gets no pod for {pods[0][1].pod}{more}: {why}",
            notes=tuple(("help", text) for text in _get_evictions(context).first if "for the" in text and pods[0][1].pod in text),
        )


def find_daemonsets_without_capacity(context: Context) -> Iterator[Hit]:
    """The DaemonSets whose pod finds no room when it comes back."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for node in _get_evictions(context).nodes:
        for pod in node.returning:
            found.setdefault((pod.daemonset, pod.reasons), []).append(node.node)
    for (daemonset, reasons), nodes in sorted(found.items()):
        yield Hit(
            subject=_make_subject("DaemonSet", daemonset),
            nodes=tuple(nodes),
            location=_locate_object(context, "DaemonSet", daemonset),
            message=f"finds no room on {join_node_names(nodes)} when its pod is created anew: {'; '.join(reasons)}",
        )


def find_static_pods(context: Context) -> Iterator[Hit]:
    """The drained nodes with static pods."""
    for node in _get_evictions(context).nodes if _get_evictions(context).way == "drain" else ():
        if node.static:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                location=_locate_node(context, node.node),
                message=f"keeps its static {'pod' if len(node.static) == 1 else 'pods'} {_join_limited(node.static)}: a drain does not end "
                f"{'it' if len(node.static) == 1 else 'them'}",
            )
