"""An update of a DaemonSet stops before it is through.

Why it matters
    With maxSurge the new pod starts beside the old one, and where both want the same port of the node the new one stays Pending for
    ever. Without maxSurge the update stops as soon as maxUnavailable nodes have no available pod, which nodes that are not Ready use up.
    Part of the nodes then runs the old template, and nobody is told.
How to fix
    Use maxUnavailable instead of maxSurge for a DaemonSet that takes ports of the node. Mend or remove the nodes that are not Ready
    first, or raise maxUnavailable.
Example
    `preflight set image ds/node-exporter exporter=exporter:2` with `hostNetwork: true`, a containerPort, and maxSurge 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.impact import Group, Impact
from preflight.impact.words import listed, names
from preflight.model.objects import Node
from preflight.model.report import Outcome, Severity
from preflight.rules._framework import Context, Hit, Place, Rule, subject_of
from preflight.scheduling.rollout import budget, shared_ports, surges


def check(context: Context) -> Iterator[Hit]:
    """One hit at most for each DaemonSet that updates."""
    impact = context.impact
    assert impact is not None
    for key in sorted(impact.desired):
        groups = [group for group in impact.groups if group.key == key and group.after and (group.verdict.before or _is_missing(group))]
        wanted = [group for group in groups if group.after and group.after.should_run and group.verdict.before]
        if not wanted or wanted[0].daemonset.spec.updateStrategy.type == "OnDelete":
            continue
        if surges(wanted[0].daemonset.spec):
            old = wanted[0].before_daemonset
            ports = shared_ports(old.spec.template.spec, wanted[0].daemonset.spec.template.spec) if old else ()
            if ports:
                yield _taken(wanted, ports)
        else:
            yield from _not_ready(impact, groups)


def _taken(groups: list[Group], ports: tuple[int, ...]) -> Hit:
    nodes = tuple(sorted(name for group in groups for name in group.nodes))
    daemonset = groups[0].daemonset
    port = f"port{'s' * (len(ports) > 1)} {listed(ports)} of the node"
    surge = daemonset.spec.updateStrategy.rollingUpdate.maxSurge
    return Hit(
        subject=subject_of(daemonset),
        nodes=nodes,
        place=Place(daemonset.origin, ("spec", "updateStrategy", "rollingUpdate", "maxSurge")),
        message=f"cannot finish its update on {names(nodes)}: maxSurge {surge} starts each new pod beside the old one, which holds {port}",
        label="the new pods stay Pending",
        notes=(("help", "set maxSurge to 0 and maxUnavailable to 1 for a DaemonSet that takes ports of the node"),),
    )


def _not_ready(impact: Impact, groups: list[Group]) -> Iterator[Hit]:
    """Nodes that use the budget up.

    Those where the DaemonSet should run and no pod is, or that are not Ready; and those whose kubelet is silent, whether it should run
    there or not: their old pods are not available, and hang in Terminating once deleted.
    """
    nodes = impact.change.after.nodes
    lame: list[str] = []
    for group in groups:
        wanted = group.after is not None and group.after.should_run
        if _is_missing(group):
            lame += group.names
            continue
        lame += [name for name in group.names if name in nodes and (nodes[name].ready is False if wanted else _is_silent(nodes[name]))]
    lame.sort()
    daemonset = groups[0].daemonset
    allowed = budget(daemonset.spec, impact.desired[groups[0].key])
    if lame and len(lame) >= allowed:
        many = "have" if len(lame) > 1 else "has"
        yield Hit(
            subject=subject_of(daemonset),
            nodes=tuple(lame),
            place=Place(daemonset.origin, ("spec", "updateStrategy", "rollingUpdate", "maxUnavailable")),
            severity=Severity.WARNING,
            message=f"may stop in the middle of its update: {names(lame)} {many} no available pod, and maxUnavailable allows {allowed}",
            notes=(("help", "mend these nodes or pods first, or raise maxUnavailable"),),
        )


def _is_missing(group: Group) -> bool:
    return group.outcome is Outcome.MISSING


def _is_silent(node: Node) -> bool:
    return any(condition.type == "Ready" and condition.status == "Unknown" for condition in node.status.conditions)


RULE = Rule(id="PF105", name="update-stalls", severity=Severity.ERROR, needs_nodes=True, check=check)
