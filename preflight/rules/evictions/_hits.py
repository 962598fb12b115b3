"""What the rules on ordinary pods that have to go say: imported where a change lets some go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.messages.lists import listed, names
from preflight.model.evictions import Eviction, Evictions, NodeEvictions
from preflight.model.objects import Origin
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Path, Place

_FEW = 4
_NONE = Evictions("", ())
_NOWHERE = Place(Origin("<none>"))


def _given(context: Context) -> Evictions:
    return context.evictions or _NONE


def _each(context: Context) -> Iterator[tuple[NodeEvictions, Eviction]]:
    return ((node, each) for node in _given(context).nodes for each in node.pods)


def _few(items: Iterable[str], more: str = "pods") -> str:
    every = list(items)
    return listed(every) if len(every) <= _FEW else f"{', '.join(every[: _FEW - 1])} and {len(every) - _FEW + 1} more {more}"


def _named(kind: str, key: str) -> Subject:
    namespace, _, name = key.partition("/")
    return Subject(kind, namespace, name)


def _place(context: Context, kind: str, key: str, *path: Path) -> Place:
    """Where an object stands, at the first of some fields that its manifest has; nowhere where it was not given."""
    world = context.world
    for each in (*world.budgets, *world.job_sets, *world.workloads):
        if type(each).__name__ == kind and f"{each.metadata.namespace}/{each.metadata.name}" == key:
            return Place(each.origin, path[0] if path else ())
    return _NOWHERE


def _node(context: Context, name: str) -> Place:
    node = context.world.nodes.get(name)
    return Place(node.origin) if node is not None else _NOWHERE


def _limit(context: Context, key: str) -> Path:
    """The field of a budget that states how many it allows."""
    for each in context.world.budgets:
        if "/".join(each.key) == key:
            return ("spec", "maxUnavailable" if each.spec.maxUnavailable is not None else "minAvailable")
    return ()


def drain_refused(context: Context) -> Iterator[Hit]:
    """What kubectl refuses, node by node."""
    for node in _given(context).nodes:
        for refusal in node.refusals:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                place=_node(context, node.node),
                message=f"is not drained, and stays cordoned: kubectl {refusal}",
            )


def _by_budget(context: Context, verdict: str) -> Iterator[tuple[str, list[tuple[NodeEvictions, Eviction]]]]:
    found: dict[str, list[tuple[NodeEvictions, Eviction]]] = {}
    for node, each in _each(context):
        if each.verdict == verdict and len(each.budgets) == 1:
            found.setdefault(each.budgets[0], []).append((node, each))
    return iter(sorted(found.items()))


def _blocking(context: Context, verdict: str, how: str) -> Iterator[Hit]:
    first = _given(context).first
    for key, pods in _by_budget(context, verdict):
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        why = pods[0][1].reasons[0].removeprefix(f"PodDisruptionBudget {key} ")
        yield Hit(
            subject=_named("PodDisruptionBudget", key),
            nodes=nodes,
            place=_place(context, "PodDisruptionBudget", key, _limit(context, key)),
            message=f"blocks the drain of {names(nodes)} {how}: it {why}",
            notes=(("then", f"not evicted: {_few(each.pod for _, each in pods)}"), *(("help", text) for text in first if key in text)),
        )


def blocks_for_ever(context: Context) -> Iterator[Hit]:
    """The budgets that block for ever."""
    return _blocking(context, "blocked-for-ever", "for ever")


def blocks_now(context: Context) -> Iterator[Hit]:
    """The budgets that block as things are."""
    return _blocking(context, "blocked-now", "for now")


def several_budgets(context: Context) -> Iterator[Hit]:
    """The sets of budgets that share a pod."""
    found: dict[tuple[str, ...], list[tuple[NodeEvictions, Eviction]]] = {}
    for node, each in _each(context):
        if each.why == "several-budgets":
            found.setdefault(each.budgets, []).append((node, each))
    for budgets, pods in sorted(found.items()):
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        yield Hit(
            subject=_named("PodDisruptionBudget", budgets[0]),
            nodes=nodes,
            place=_place(context, "PodDisruptionBudget", budgets[0], ("spec", "selector")),
            message=f"and {listed(budgets[1:])} select {_few(each.pod for _, each in pods)}: "
            "no eviction of a pod with more than one budget is granted",
            related=tuple(
                ("the other selector", _place(context, "PodDisruptionBudget", other, ("spec", "selector"))) for other in budgets[1:]
            ),
        )


def lost_for_good(context: Context, *, milder: Severity) -> Iterator[Hit]:
    """The pods that nothing creates again."""
    is_asked = _given(context).way == "drain"
    for node, each in _each(context):
        if each.leaves and each.lost:
            yield Hit(
                subject=_named("Pod", each.pod),
                nodes=(node.node,),
                place=_NOWHERE,
                severity=milder if is_asked else None,
                message=f"is gone for good once it leaves {node.node}: nothing controls it",
            )


def local_data(context: Context) -> Iterator[Hit]:
    """The nodes whose pods lose the data of their emptyDir volumes."""
    for node in _given(context).nodes:
        pods = [each.pod for each in node.pods if each.leaves and each.localData]
        if pods:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                place=_node(context, node.node),
                message=f"loses the emptyDir data of {_few(pods)}",
            )


def _nodes_of(context: Context, pods: Iterable[str]) -> tuple[str, ...]:
    wanted = set(pods)
    return tuple(dict.fromkeys(node.node for node, each in _each(context) if each.pod in wanted))


def job_fails(context: Context, *, milder: Severity) -> Iterator[Hit]:
    """The Jobs that fail and that no JobSet starts anew."""
    evictions = _given(context)
    theirs = {job for each in evictions.jobSets if not each.unknown for job in each.jobs}
    for each in evictions.jobs:
        if each.fails and each.job not in theirs:
            nodes = _nodes_of(context, each.pods)
            limit = f" ({' and '.join(each.limit)})" if each.limit else ""
            yield Hit(
                subject=_named("Job", each.job),
                nodes=nodes,
                place=_place(context, "Job", each.job, ("spec", each.limit[-1] if each.limit else "backoffLimit")),
                severity=None if each.certain else milder,
                message=f"{'fails' if each.certain else 'may fail'} when {names(nodes)} {_takes(nodes)} {_few(each.pods)}: "
                f"{each.fails}{limit}",
                notes=tuple(("note", reason) for reason in each.reasons),
            )


def _takes(nodes: tuple[str, ...]) -> str:
    return "loses" if len(nodes) == 1 else "lose"


def job_runs_twice(context: Context) -> Iterator[Hit]:
    """The Indexed Jobs that go on, and have two pods of one index for a while."""
    for each in _given(context).jobs:
        if each.indexed and each.overlap > 0 and not (each.fails and each.certain):
            nodes = _nodes_of(context, each.pods)
            yield Hit(
                subject=_named("Job", each.job),
                nodes=nodes,
                place=_place(context, "Job", each.job, ("spec", "podReplacementPolicy")),
                message=f"runs two pods of one index for up to {each.overlap:g} s when {names(nodes)} {_takes(nodes)} {_few(each.pods)}",
                notes=tuple(("note", reason) for reason in each.reasons),
            )


def jobset_restarts(context: Context, *, milder: Severity) -> Iterator[Hit]:
    """The JobSets that fail, start Jobs anew, or lose a leader."""
    jobs = {each.job: each for each in _given(context).jobs}
    for each in _given(context).jobSets:
        if each.unknown or not (each.fails or each.restarts != "none" or each.leader):
            continue
        may = "" if each.certain else "may "
        if each.fails:
            what = f"{'fails' if each.certain else 'may fail'}: {each.fails}"
        elif each.restarts != "none":
            left = "1 restart is" if each.left == 1 else f"{each.left} restarts are"
            which = "all its Jobs" if each.restarts == "all" else "one of its Jobs"
            what = f"{may}start{'' if may else 's'} {which} anew, those that lost nothing too; {left} left then"
            what = what if each.restarts == "all" else what.replace(", those that lost nothing too", "")
        else:
            what = "loses the leader of an exclusive placement"
        nodes = _nodes_of(context, (pod for job in each.jobs for pod in (jobs[job].pods if job in jobs else ())))
        yield Hit(
            subject=_named("JobSet", each.jobSet),
            nodes=nodes,
            place=_place(context, "JobSet", each.jobSet, ("spec", "failurePolicy")),
            severity=None if each.fails and each.certain else milder,
            message=what,
            notes=tuple(("then", reason) for reason in each.reasons),
        )


def fits_nowhere(context: Context, *, worse: Severity) -> Iterator[Hit]:
    """The owners of whose pods some stay Pending."""
    if _given(context).way not in ("drain", "taint"):
        return
    found: dict[str, list[tuple[NodeEvictions, Eviction]]] = {}
    for node, each in _each(context):
        if each.leaves and each.replacement == "pending":
            found.setdefault(each.owner, []).append((node, each))
    for owner, pods in sorted(found.items()):
        kind, _, key = owner.partition(" ")
        nodes = tuple(dict.fromkeys(node.node for node, _ in pods))
        last = any(each.last for _, each in pods)
        why = next((reason for reason in pods[0][1].reasons if "stays Pending" in reason), "its replacement stays Pending")
        more = "" if len(pods) == 1 else f", and {len(pods) - 1} more of its pods"
        yield Hit(
            subject=_named(kind, key),
            nodes=nodes,
            place=_place(context, kind, key),
            severity=worse if last and all(each.replacement == "pending" for _, each in _each(context) if each.owner == owner) else None,
            message=f"gets no pod for {pods[0][1].pod}{more}: {why}",
            notes=tuple(("help", text) for text in _given(context).first if "for the" in text and pods[0][1].pod in text),
        )


def may_not_return(context: Context) -> Iterator[Hit]:
    """The DaemonSets whose pod finds no room when it comes back."""
    found: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for node in _given(context).nodes:
        for each in node.returning:
            found.setdefault((each.daemonset, each.reasons), []).append(node.node)
    for (daemonset, reasons), nodes in sorted(found.items()):
        yield Hit(
            subject=_named("DaemonSet", daemonset),
            nodes=tuple(nodes),
            place=_place(context, "DaemonSet", daemonset),
            message=f"finds no room on {names(nodes)} when its pod is created anew: {'; '.join(reasons)}",
        )


def static_pods(context: Context) -> Iterator[Hit]:
    """The drained nodes with static pods."""
    for node in _given(context).nodes if _given(context).way == "drain" else ():
        if node.static:
            yield Hit(
                subject=Subject("Node", "", node.node),
                nodes=(node.node,),
                place=_node(context, node.node),
                message=f"keeps its static {'pod' if len(node.static) == 1 else 'pods'} {_few(node.static)}: a drain does not end "
                f"{'it' if len(node.static) == 1 else 'them'}",
            )
