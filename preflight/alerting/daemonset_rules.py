"""The alerts of one DaemonSet: a node without its pod, and a taint that will cost it one."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.alerting.cluster_rules import HOLD
from preflight.alerting.expected_coverage import OF_THE_NODE, Cover
from preflight.alerting.promql import LEAVING, leaving_nodes, one_of, pods_of, ready_nodes, taint
from preflight.coverage.model import Impact
from preflight.model.alerts import AlertRule
from preflight.model.objects import Toleration
from preflight.scheduling.tolerations import daemon_tolerations

_TAINT = "{{ $labels.key }}={{ $labels.value }}:{{ $labels.effect }}"
_AGAIN = "write the rules anew if that is wanted"


def of_one(cover: Cover, impact: Impact | None) -> Iterator[AlertRule]:
    """Coverage, and a taint that threatens it."""
    key = cover.daemonset.key
    components = impact.recognised.of(cover.daemonset) if impact is not None else ()
    first = min((each.kind for each in components), key=lambda kind: kind.rank, default=None)
    labels = {
        "severity": "critical" if first and first.critical else "warning",
        "namespace": key.namespace,
        "daemonset": key.name,
    }
    then = f"then: {first.symptom}" if first else "what it does for the node is not done there"
    where = (
        ready_nodes() if not (cover.selects or cover.others) else ready_nodes(*((cover.nodes,) if cover.selects else ((), cover.others)))
    )
    later = [] if cover.selects else [f"unless on (node) {taint(each.key, each.value, each.effect)}" for each in cover.accepted]
    yield AlertRule(
        "PreflightDaemonSetNotCovering",
        "\n".join(
            (
                f"({where})",
                *later,
                "unless on (node)",
                "(",
                f"  {pods_of(key.namespace, key.name)}",
                '  and on (namespace, pod) (kube_pod_status_ready{condition="true"} == 1)',
                ")",
                f"unless on (node) {leaving_nodes()}",
            )
        ),
        HOLD,
        labels,
        {"summary": f"{key} has no Ready pod on {{{{ $labels.node }}}}", "description": then},
    )
    if (threat := _threat(cover)) is not None:
        yield AlertRule(
            "PreflightTaintNotTolerated",
            threat,
            HOLD,
            {**labels, "severity": "warning"},
            {
                "summary": f"{key} does not tolerate {_TAINT} of {{{{ $labels.node }}}}",
                "description": f"its pod there does not come back once it ends, at the latest with the next update; {then}; {_AGAIN}",
            },
        )


def _threat(cover: Cover) -> str | None:
    """Taints that a DaemonSet does not tolerate, on nodes where it must be; None where it tolerates all, or only Lt and Gt decide."""
    tolerations = daemon_tolerations(cover.daemonset.spec.template.spec)
    if any(each.operator in ("Lt", "Gt") for each in tolerations):
        return None
    tolerated = list(dict.fromkeys(filter(None, (_tolerated(each) for each in tolerations))))
    if any(each == taint() for each in tolerated):
        return None
    nodes = f"node=~{one_of(cover.nodes)}" if cover.selects else f"node!~{one_of(cover.others)}" if cover.others else ""
    kept = [f'effect=~"NoSchedule|NoExecute", key!~{one_of((*OF_THE_NODE, *LEAVING))}', *([nodes] if nodes else [])]
    accepted = [] if cover.selects else [taint(each.key, each.value, each.effect) for each in cover.accepted]
    lines = [f"kube_node_spec_taint{{{', '.join(kept)}}}"]
    lines += [f"unless on (node, key, value, effect) {each}" for each in (*tolerated, *accepted)]
    return "\n".join(lines)


def _tolerated(toleration: Toleration) -> str:
    """The taints that a toleration tolerates; "" where it is one of PreferNoSchedule, or of nothing."""
    if toleration.effect == "PreferNoSchedule" or toleration.operator not in ("", "Equal", "Exists"):
        return ""
    if toleration.key in OF_THE_NODE:
        return ""
    value = None if toleration.operator == "Exists" else toleration.value
    return taint(toleration.key, value, toleration.effect)
