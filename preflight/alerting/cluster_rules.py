"""The alerts that need to know no node: of all DaemonSets alike."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.alerting.expected_coverage import has_valid_key
from preflight.alerting.promql import query_leaving_nodes, query_ready_nodes, quote_string
from preflight.messages import alerting as messages
from preflight.model.alerts import AlertRule
from preflight.model.world import ClusterState

ALERT_DELAY = "15m"
"""How long all has to hold: a rollout with large images takes less for one node."""

_LOOKBACK = "6h"


def build_metrics_absent_rule() -> AlertRule:
    """Nothing fires where there is nothing to look at."""
    return AlertRule(
        "PreflightMetricsAbsent",
        "absent(kube_pod_info) or absent(kube_daemonset_created) or absent(kube_node_status_condition)",
        ALERT_DELAY,
        {"severity": "critical"},
        {
            "summary": messages.NO_METRICS,
            "description": messages.NO_METRICS_EFFECT,
        },
    )


def generate_cluster_rules(world: ClusterState) -> Iterator[AlertRule]:
    """The rules that need to know no DaemonSet."""
    yield AlertRule(
        "PreflightDaemonSetPodGone",
        f"""\
(
  group by (namespace, created_by_name, node) (kube_pod_info{{created_by_kind="DaemonSet", node!=""}} offset {_LOOKBACK})
  unless on (namespace, created_by_name, node)
  kube_pod_info{{created_by_kind="DaemonSet"}}
)
and on (node) ({query_ready_nodes()})
unless on (node) {query_leaving_nodes()}
and on (namespace, created_by_name)
label_replace(kube_daemonset_created, "created_by_name", "$1", "daemonset", "(.+)")""",
        ALERT_DELAY,
        {"severity": "warning"},
        {
            "summary": messages.LOST_POD,
            "description": messages.describe_lost_pod(_LOOKBACK),
        },
    )
    yield AlertRule(
        "PreflightDaemonSetMisscheduled",
        f"""\
max by (namespace, daemonset) (kube_daemonset_status_number_misscheduled)
>
(
  count by (namespace, daemonset) (
    group by (namespace, daemonset, pod) (
      label_replace(
        kube_pod_info{{created_by_kind="DaemonSet"}}
        and on (node) (kube_node_status_condition{{condition="Ready", status="true"}} == 0 or on (node) {query_leaving_nodes()}),
        "daemonset", "$1", "created_by_name", "(.+)"
      )
    )
  )
  or
  group by (namespace, daemonset) (kube_daemonset_created) * 0
)""",
        ALERT_DELAY,
        {"severity": "warning"},
        {
            "summary": messages.MISSCHEDULED,
            "description": messages.MISSCHEDULED_EFFECT,
        },
    )
    on_delete = [
        daemonset
        for daemonset in world.daemonsets.values()
        if daemonset.spec.updateStrategy.type == "OnDelete" and has_valid_key(daemonset.key)
    ]
    yield AlertRule(
        "PreflightUpdateStalled",
        "\n".join(
            (
                "(",
                "  kube_daemonset_status_updated_number_scheduled < kube_daemonset_status_desired_number_scheduled",
                f"  and changes(kube_daemonset_status_updated_number_scheduled[{ALERT_DELAY}]) == 0",
                ")",
                *(
                    "unless on (namespace, daemonset) "
                    f"kube_daemonset_created{{namespace={quote_string(each.key.namespace)}, daemonset={quote_string(each.key.name)}}}"
                    for each in on_delete
                ),
            )
        ),
        ALERT_DELAY,
        {"severity": "warning"},
        {
            "summary": messages.STALLED_UPDATE,
            "description": messages.describe_stalled_update(ALERT_DELAY),
        },
    )
    yield AlertRule(
        "PreflightNodePodPending",
        """\
kube_pod_info{created_by_kind="DaemonSet"}
and on (namespace, pod)
(kube_pod_status_phase{phase="Pending"} == 1)""",
        ALERT_DELAY,
        {"severity": "warning"},
        {
            "summary": messages.PENDING_POD,
            "description": messages.PENDING_POD_ADVICE,
        },
    )
