"""From a world to the alerts that do fire when it loses coverage: which DaemonSet must be on which nodes, and what it provides there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from preflight.alerting.cluster_rules import build_metrics_absent_rule, generate_cluster_rules
from preflight.alerting.daemonset_rules import generate_daemonset_rules
from preflight.alerting.expected_coverage import NAME, compute_expected_coverage, has_valid_key
from preflight.alerting.resource_rules import generate_resource_rules
from preflight.coverage.daemonset_pods import collect_listed_pods
from preflight.coverage.evaluate import make_empty_change
from preflight.coverage.label_cascade import predict_impact
from preflight.messages import alerting as messages
from preflight.model.alerts import AlertGroup, AlertRules
from preflight.model.core import Node
from preflight.model.report import Outcome
from preflight.model.world import ClusterState


def generate_alerts(world: ClusterState) -> AlertRules:
    """The alerts of a world.

    1. Where a DaemonSet must be: on the nodes where it should run today or has a pod. A DaemonSet without a selector must be on later nodes
       too, but for those with a taint that keeps it away today.
    2. Only metrics of kube-state-metrics that are STABLE, and no label of a node, which it shows only where it was told to.
    3. A node that is not Ready is left to the alerts on nodes.
    4. What cannot be told (a partly known node, a DaemonSet whose manifest states no namespace) is in `notes`, and in no rule.

    Names that the API server would not take are in no rule.
    """
    nodes = {name: node for name, node in world.nodes.items() if not node.is_partial and node.pool is None and NAME.fullmatch(name)}
    impact = predict_impact(make_empty_change(world), collect_listed_pods(world)) if nodes and world.daemonsets else None
    notes = [*_iter_limitations(world, nodes)]
    covers = [
        cover
        for key, daemonset in world.daemonsets.items()
        if has_valid_key(key) and (cover := compute_expected_coverage(daemonset, impact, nodes))
    ]
    groups = [
        AlertGroup("preflight-metrics", (build_metrics_absent_rule(),)),
        AlertGroup("preflight-daemonsets", tuple(generate_cluster_rules(world))),
    ]
    coverage = [rule for cover in covers for rule in generate_daemonset_rules(cover, impact)]
    resources = [*generate_resource_rules(covers, impact, nodes)]
    if coverage:
        groups.append(AlertGroup("preflight-coverage", tuple(coverage)))
    if resources:
        groups.append(AlertGroup("preflight-resources", tuple(resources)))
    about = messages.describe_source(len(covers), len(nodes), len(resources))
    if impact is not None and (unknown := sum(len(group.nodes & nodes.keys()) for group in impact.iter_groups(Outcome.UNKNOWN))):
        notes.append(messages.describe_unknown_pairs(unknown))
    return AlertRules(tuple(groups), about, tuple(notes))


def _iter_limitations(world: ClusterState, nodes: Mapping[str, Node]) -> Iterator[str]:
    for key in world.daemonsets:
        if not key.namespace:
            yield messages.describe_no_namespace(key)
        elif not has_valid_key(key):
            yield messages.describe_invalid_name(key)
    left = [node for name, node in world.nodes.items() if name not in nodes]
    partly = sum(node.is_partial or node.pool is not None for node in left)
    if partly:
        yield messages.describe_partial_nodes(partly)
    if len(left) > partly:
        yield messages.describe_invalid_nodes(len(left) - partly)
    if not nodes:
        yield messages.NO_NODE
    yield from (f"{kind}: {why}" for kind, why in sorted(world.missing_kinds.items()) if kind in ("Node", "DaemonSet", "Pod"))
