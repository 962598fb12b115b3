"""The alerts of one DaemonSet: a node without its pod, and a taint that will cost it one."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.alerting.cluster_rules import ALERT_DELAY
from preflight.alerting.expected_coverage import NODE_HEALTH_TAINTS, ExpectedCoverage
from preflight.alerting.promql import (
    query_daemonset_pods,
    query_leaving_nodes,
    query_ready_nodes,
    query_taints,
    quote_name_regex,
)
from preflight.change.node_lifecycle import LEAVING_KEYS
from preflight.coverage.model import Impact
from preflight.messages import alerting as messages
from preflight.model.alerts import AlertRule
from preflight.model.core import Toleration
from preflight.scheduling.tolerations import add_implicit_tolerations

_TAINT = "{{ $labels.key }}={{ $labels.value }}:{{ $labels.effect }}"


def generate_daemonset_rules(cover: ExpectedCoverage, impact: Impact | None) -> Iterator[AlertRule]:
    """Coverage, and a taint that threatens it."""
    key = cover.daemonset.key
    components = impact.component_cache.recognize(cover.daemonset) if impact is not None else ()
    first = min((component.kind for component in components), key=lambda kind: kind.rank, default=None)
    labels = {
        "severity": "critical" if first and first.critical else "warning",
        "namespace": key.namespace,
        "daemonset": key.name,
    }
    effect = f"impact: {first.symptom}" if first else messages.NO_SYMPTOM
    where = (
        query_ready_nodes()
        if not (cover.has_node_selection or cover.other_nodes)
        else query_ready_nodes(*((cover.nodes,) if cover.has_node_selection else ((), cover.other_nodes)))
    )
    later = (
        []
        if cover.has_node_selection
        else [
            f"unless on (node) {query_taints(accepted_taint.key, accepted_taint.value, accepted_taint.effect)}"
            for accepted_taint in cover.accepted_taints
        ]
    )
    yield AlertRule(
        "PreflightDaemonSetNotCovering",
        "\n".join(
            (
                f"({where})",
                *later,
                "unless on (node)",
                "(",
                f"  {query_daemonset_pods(key.namespace, key.name)}",
                '  and on (namespace, pod) (kube_pod_status_ready{condition="true"} == 1)',
                ")",
                f"unless on (node) {query_leaving_nodes()}",
            )
        ),
        ALERT_DELAY,
        labels,
        {"summary": messages.summarize_uncovered_node(key), "description": effect},
    )
    if (threat := _build_taint_query(cover)) is not None:
        yield AlertRule(
            "PreflightTaintNotTolerated",
            threat,
            ALERT_DELAY,
            {**labels, "severity": "warning"},
            {
                "summary": messages.summarize_untolerated_taint(key, _TAINT),
                "description": messages.describe_untolerated_taint(effect),
            },
        )


def _build_taint_query(cover: ExpectedCoverage) -> str | None:
    """Taints that a DaemonSet does not tolerate, on nodes where it must be; None where it tolerates all, or only Lt and Gt decide."""
    tolerations = add_implicit_tolerations(cover.daemonset.spec.template.spec)
    if any(toleration.operator in ("Lt", "Gt") for toleration in tolerations):
        return None
    tolerated = list(dict.fromkeys(filter(None, (_build_tolerated_query(toleration) for toleration in tolerations))))
    if any(query == query_taints() for query in tolerated):
        return None
    nodes = (
        f"node=~{quote_name_regex(cover.nodes)}"
        if cover.has_node_selection
        else f"node!~{quote_name_regex(cover.other_nodes)}"
        if cover.other_nodes
        else ""
    )
    kept = [
        f'effect=~"NoSchedule|NoExecute", key!~{quote_name_regex((*NODE_HEALTH_TAINTS, *LEAVING_KEYS))}',
        *([nodes] if nodes else []),
    ]
    accepted = (
        []
        if cover.has_node_selection
        else [query_taints(accepted_taint.key, accepted_taint.value, accepted_taint.effect) for accepted_taint in cover.accepted_taints]
    )
    lines = [f"kube_node_spec_taint{{{', '.join(kept)}}}"]
    lines += [f"unless on (node, key, value, effect) {query}" for query in (*tolerated, *accepted)]
    return "\n".join(lines)


def _build_tolerated_query(toleration: Toleration) -> str:
    """The taints that a toleration tolerates; "" where it is one of PreferNoSchedule, or of nothing."""
    if toleration.effect == "PreferNoSchedule" or toleration.operator not in ("", "Equal", "Exists"):
        return ""
    if toleration.key in NODE_HEALTH_TAINTS:
        return ""
    value = None if toleration.operator == "Exists" else toleration.value
    return query_taints(toleration.key, value, toleration.effect)
