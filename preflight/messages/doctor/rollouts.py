"""Texts about stalled updates of DaemonSets."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.stalled_rollouts import StalledRollout
from preflight.messages.lists import join_and, join_node_names
from preflight.messages.times import format_since

_ROLLBACK_NOTE = (
    "a rollback also leaves up-to-date pods with an older generation: only ControllerRevisions tell, and preflight does not read them"
)


def describe_old_pods(rollout: StalledRollout) -> str:
    """Which pods the nodes have: `n1, n2 have pods from an older template`."""
    count = rollout.template_count
    which = f"from {count} templates, at most one of them current" if count > 1 else "from an older template"
    have = "has a pod" if len(rollout.nodes) == 1 else "have pods"
    return f"{join_node_names(rollout.nodes)} {have} {which if rollout.is_certain else 'with an older generation'}"


def describe_stalled_rollout(rollout: StalledRollout, latest_time: str) -> str:
    """PF418: a stalled update."""
    if not rollout.is_certain:
        return f"may have an update that could not start: {describe_old_pods(rollout)}, and no node has one with the current generation"
    since = format_since(rollout.since, latest_time)
    return f"has a stalled update{f', no progress {since}' if since else ''}: {describe_old_pods(rollout)}"


def iter_rollout_notes(rollout: StalledRollout) -> Iterator[str]:
    """PF418: which templates the pods are from, and what blocks the update."""
    yield f"the generation of its template is {rollout.own_generation}, that of the pods {join_and(map(str, rollout.generations))}"
    nodes = rollout.unavailable_nodes
    has = "has" if len(nodes) == 1 else "have"
    if nodes and not rollout.budget:
        yield f"{join_node_names(nodes)} {has} a pod that is not Ready or is stuck, and maxSurge allows no more of them at a time"
    elif nodes:
        what = "no Ready pod" if rollout.is_certain else "no live pod"
        uses = "uses" if len(nodes) == 1 else "use"
        whole = f", which {uses} up maxUnavailable ({rollout.budget})" if rollout.budget <= len(nodes) else ""
        yield f"{join_node_names(nodes)} {has} {what}{whole}"
    else:
        yield "every node has a Ready pod, so the input does not show what blocks the update: check that the DaemonSet controller runs"
    if not rollout.is_certain:
        yield _ROLLBACK_NOTE
