"""The alerts of extended resources: a node that can allocate none where it could."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from preflight.alerting.cluster_rules import ALERT_DELAY
from preflight.alerting.expected_coverage import ExpectedCoverage
from preflight.alerting.promql import format_resource_name, query_leaving_nodes, query_ready_nodes, quote_string
from preflight.coverage.model import Impact
from preflight.messages import alerting as messages
from preflight.model.alerts import AlertRule
from preflight.model.core import Node
from preflight.scheduling.name_validation import validate_qualified_name
from preflight.scheduling.quantities import QuantityError, parse_millis


def generate_resource_rules(covers: Iterable[ExpectedCoverage], impact: Impact | None, nodes: Mapping[str, Node]) -> Iterator[AlertRule]:
    """A rule for each extended resource: the nodes that have it today, and, where a node does not say, those of its provider."""
    has: dict[str, set[str]] = {}
    by: dict[str, list[str]] = {}
    for name, node in nodes.items():
        for resource, quantity in node.status.allocatable.items():
            if "/" in resource and "kubernetes.io/" not in resource and not validate_qualified_name(resource) and _is_positive(quantity):
                has.setdefault(resource, set()).add(name)
    for cover in covers:
        for component in impact.component_cache.recognize(cover.daemonset) if impact is not None else ():
            for resource in component.resources:
                if resource.endswith("*"):
                    continue
                silent = {name for name in cover.nodes if not nodes[name].status.allocatable}
                if silent:
                    has.setdefault(resource, set()).update(silent)
                by.setdefault(resource, []).append(str(cover.daemonset.key))
    for resource, on in sorted(has.items()):
        providers = sorted(set(by.get(resource, ())))
        provider = messages.describe_providers(providers) if providers else ""
        yield AlertRule(
            "PreflightResourceGone",
            "\n".join(
                (
                    f"({query_ready_nodes(on)})",
                    f"unless on (node) {query_leaving_nodes()}",
                    "unless on (node)",
                    f"(kube_node_status_allocatable{{resource={quote_string(format_resource_name(resource))}}} > 0)",
                )
            ),
            ALERT_DELAY,
            {"severity": "critical", "resource": resource},
            {
                "summary": messages.summarize_lost_resource(resource),
                "description": messages.describe_lost_resource(provider),
            },
        )


def _is_positive(quantity: str | float) -> bool:
    """Whether an amount is more than 0; one that cannot be read is none."""
    try:
        return parse_millis(quantity) > 0
    except QuantityError:
        return False
