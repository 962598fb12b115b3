"""Texts about updates of DaemonSets that stand still."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.stalled_rollouts import StalledRollout
from preflight.messages.lists import join_and, join_node_names
from preflight.messages.times import format_since

_ROLLBACK_NOTE = (
    "it may be a rollback too: that leaves pods which carry an older number and are up to date; ControllerRevisions tell, and are not read"
)


def describe_old_pods(rollout: StalledRollout) -> str:
    """Which pods the nodes have: `n1, n2 have pods of an older template`."""
    count = rollout.template_count
    which = f"of {count} templates, and one at most is its own" if count > 1 else "of an older template"
    have = "has a pod" if len(rollout.nodes) == 1 else "have pods"
    return f"{join_node_names(rollout.nodes)} {have} {which if rollout.is_certain else 'of an older number'}"


def describe_stalled_rollout(rollout: StalledRollout, latest_time: str) -> str:
    """PF418: an update that stands still."""
    if not rollout.is_certain:
        return f"may have an update that could not begin: {describe_old_pods(rollout)}, and no node has one of its own"
    since = format_since(rollout.since, latest_time)
    return f"has an update that stands still{f' {since}' if since else ''}: {describe_old_pods(rollout)}"


def iter_rollout_notes(rollout: StalledRollout) -> Iterator[str]:
    """PF418: which templates the pods are of, and what holds the update."""
    yield f"the number of its template is {rollout.own_generation}, that of the pods {join_and(map(str, rollout.generations))}"
    nodes = rollout.unavailable_nodes
    has = "has" if len(nodes) == 1 else "have"
    if nodes and not rollout.budget:
        yield (f"{join_node_names(nodes)} {has} a pod of it that is not Ready or hangs, and maxSurge lets no more of them come at a time")
    elif nodes:
        what = "no pod of it that is Ready" if rollout.is_certain else "no live pod of it"
        uses = "uses" if len(nodes) == 1 else "use"
        whole = f", and {uses} up maxUnavailable, which comes to {rollout.budget}" if rollout.budget <= len(nodes) else ""
        yield f"{join_node_names(nodes)} {has} {what}{whole}"
    else:
        yield "every node has a pod of it that is Ready, so nothing here says what holds the update: see that its controller runs"
    if not rollout.is_certain:
        yield _ROLLBACK_NOTE
