"""From a world to the alerts that do fire when it loses coverage: which DaemonSet must be on which nodes, and what it provides there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from preflight.alerting.cluster_rules import metrics_absent, of_all
from preflight.alerting.daemonset_rules import of_one
from preflight.alerting.expected_coverage import NAME, cover_of, is_named
from preflight.alerting.resource_rules import of_resources
from preflight.coverage.daemonset_pods import listed_pods
from preflight.coverage.evaluate import unchanged
from preflight.coverage.label_cascade import predict
from preflight.kubectl.formatting import counted
from preflight.model.alerts import AlertGroup, Alerts
from preflight.model.objects import Node
from preflight.model.report import Outcome
from preflight.model.world import World


def alerts(world: World) -> Alerts:
    """The alerts of a world.

    1. Where a DaemonSet must be: on the nodes where it should run today or has a pod. A DaemonSet without a selector must be on later nodes
       too, but for those with a taint that keeps it away today.
    2. Only metrics of kube-state-metrics that are STABLE, and no label of a node, which it shows only where it was told to.
    3. A node that is not Ready is left to the alerts on nodes.
    4. What cannot be told (a partly known node, a DaemonSet whose manifest states no namespace) is in `notes`, and in no rule.

    Names that the API server would not take are in no rule.
    """
    nodes = {name: node for name, node in world.nodes.items() if not node.partial and node.pool is None and NAME.fullmatch(name)}
    impact = predict(unchanged(world), listed_pods(world)) if nodes and world.daemonsets else None
    notes = [*_left_out(world, nodes)]
    covers = [cover for key, daemonset in world.daemonsets.items() if is_named(key) and (cover := cover_of(daemonset, impact, nodes))]
    groups = [AlertGroup("preflight-metrics", (metrics_absent(),)), AlertGroup("preflight-daemonsets", tuple(of_all(world)))]
    coverage = [rule for cover in covers for rule in of_one(cover, impact)]
    resources = [*of_resources(covers, impact, nodes)]
    if coverage:
        groups.append(AlertGroup("preflight-coverage", tuple(coverage)))
    if resources:
        groups.append(AlertGroup("preflight-resources", tuple(resources)))
    about = f"{counted(len(covers), 'DaemonSet')} on {counted(len(nodes), 'node')}, {counted(len(resources), 'extended resource')}"
    if impact is not None and (unknown := sum(len(group.nodes & nodes.keys()) for group in impact.with_outcome(Outcome.UNKNOWN))):
        notes.append(f"{counted(unknown, 'pair')} of a DaemonSet and a node: whether it must be there is not known")
    return Alerts(tuple(groups), about, tuple(notes))


def _left_out(world: World, nodes: Mapping[str, Node]) -> Iterator[str]:
    for key in world.daemonsets:
        if not key.namespace:
            yield f"DaemonSet {key}: its manifest states no namespace"
        elif not is_named(key):
            yield f"DaemonSet {key}: the API server takes no such name"
    left = [node for name, node in world.nodes.items() if name not in nodes]
    partly = sum(node.partial or node.pool is not None for node in left)
    if partly:
        yield f"{counted(partly, 'node')} only partly known, as the next ones of a pool"
    if len(left) > partly:
        yield f"{counted(len(left) - partly, 'node')} with a name that the API server does not take"
    if not nodes:
        yield "no node is known: there are only the rules that need none"
    yield from (f"{kind}: {why}" for kind, why in sorted(world.missing.items()) if kind in ("Node", "DaemonSet", "Pod"))
