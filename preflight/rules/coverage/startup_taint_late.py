"""A startup taint does not do on a running node what it does on a new one.

Why it matters
    A startup taint keeps pods off a new node until an agent has set it up. With the effect NoSchedule it does not affect pods that are
    bound to the node already: after a reboot, which does not set the taint again, they start at once, before the agent is ready. An agent
    that removes its taint only when it starts, as CSI drivers do, does not remove one that is added later: the node stays closed until the
    pod of the agent is re-created.
How to fix
    Add the taint before the pod of the agent is re-created, not after; to keep bound pods from starting before the agent after a reboot,
    drain the node first.
Example
    `preflight taint nodes n1 ebs.csi.aws.com/agent-not-ready=:NoSchedule` on a node where the EBS driver runs.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.components.catalog import is_startup_key
from preflight.coverage.model import Impact
from preflight.coverage.outcome import PodAfter
from preflight.messages.coverage import BOUND_PODS_STAY, describe_bound_pods, describe_late_removal
from preflight.model.apps import DaemonSet
from preflight.model.core import Taint
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


class _Remover(Struct, frozen=True):
    """A DaemonSet that removes a startup taint; `at_start_only`: it is a CSI driver, which removes its own as it starts."""

    daemonset: DaemonSet
    at_start_only: bool


def check(context: Context) -> Iterator[Hit]:
    """One hit for each startup taint that a change adds to nodes, or that nodes carry as they reboot."""
    impact = context.impact
    assert impact is not None
    if context.is_lint:
        return
    for taint, nodes in sorted(_group_added_taints(impact).items(), key=lambda item: str(item[0])):
        late = list(_make_late_hits(impact, taint, nodes))
        yield from late
        if taint.effect == "NoSchedule" and not late:
            yield _make_node_hit(context, taint, nodes, is_reboot=False)
    for taint, nodes in sorted(_group_rebooted_nodes(impact).items(), key=lambda item: str(item[0])):
        yield _make_node_hit(context, taint, nodes, is_reboot=True)


def _group_added_taints(impact: Impact) -> dict[Taint, list[str]]:
    """The startup taints that the change adds, each with the nodes that are there."""
    found: dict[Taint, list[str]] = {}
    before, after = impact.change.before.nodes, impact.change.after.nodes
    for name in sorted(impact.change.nodes & before.keys() & after.keys()):
        for taint in after[name].spec.taints:
            if taint not in before[name].spec.taints and is_startup_key(taint.key) and taint.effect in ("NoSchedule", "NoExecute"):
                found.setdefault(taint, []).append(name)
    return found


def _group_rebooted_nodes(impact: Impact) -> dict[Taint, list[str]]:
    """The startup taints with NoSchedule that rebooted nodes carry, or a pool declares and a pod there removes, with the nodes."""
    nodes = impact.change.after.nodes
    rebooted = sorted(impact.change.rebooted_nodes & nodes.keys())
    found: dict[Taint, set[str]] = {}
    for name in rebooted:
        for taint in nodes[name].spec.taints:
            if taint.effect == "NoSchedule" and is_startup_key(taint.key):
                found.setdefault(taint, set()).add(name)
    for taint in {taint for node in nodes.values() for taint in node.startup_taints if taint.effect == "NoSchedule"} if rebooted else ():
        there = _list_remover_nodes(impact, taint.key).intersection(rebooted)
        if there:
            found.setdefault(taint, set()).update(there)
    return {taint: sorted(names) for taint, names in found.items()}


def _list_remover_nodes(impact: Impact, key: str) -> frozenset[str]:
    """The nodes where a pod runs that removes a startup taint."""
    keys = {remover.daemonset.key for remover in _find_removers(impact, key)}
    return frozenset().union(*(group.nodes for group in impact.groups if group.key in keys and group.forecast.had_pod))


def _find_removers(impact: Impact, key: str) -> list[_Remover]:
    found = ((daemonset, impact.component_cache.recognize(daemonset)) for daemonset in impact.change.after.daemonsets.values())
    return [
        _Remover(daemonset, any(key.startswith(f"{driver}/") for component in components for driver in component.drivers))
        for daemonset, components in found
        if any(key in component.taints for component in components)
    ]


def _make_late_hits(impact: Impact, taint: Taint, nodes: list[str]) -> Iterator[Hit]:
    """For each remover that has started before the taint, and stays: it does not remove it."""
    for remover in _find_removers(impact, taint.key):
        groups = [group for group in impact.groups if group.key == remover.daemonset.key]
        stays = sorted(
            name for group in groups if group.forecast.pod_after is PodAfter.SAME for name in group.node_names if name in set(nodes)
        )
        if remover.at_start_only and stays:
            yield Hit(
                subject=make_subject_of(remover.daemonset),
                nodes=tuple(stays),
                location=ManifestLocation(remover.daemonset.origin),
                message=describe_late_removal(taint, stays),
                notes=(("note", BOUND_PODS_STAY),) if taint.effect == "NoSchedule" else (),
                key=(str(taint),),
            )


def _make_node_hit(context: Context, taint: Taint, nodes: list[str], *, is_reboot: bool) -> Hit:
    assert context.impact is not None
    first = context.impact.change.after.nodes[nodes[0]]
    return Hit(
        subject=Subject("Node", "", nodes[0]),
        nodes=tuple(nodes),
        location=ManifestLocation(first.origin, ("spec", "taints")),
        severity=Severity.NOTE,
        message=describe_bound_pods(taint, nodes, is_reboot=is_reboot),
        key=(str(taint), "reboot" if is_reboot else "taint"),
    )


RULE = Rule(id="PF116", name="startup-taint-late", severity=Severity.WARNING, needs_nodes=True, check=check)
