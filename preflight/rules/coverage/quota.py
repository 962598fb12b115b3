"""A ResourceQuota refuses pods that a change makes a DaemonSet create.

Why it matters
    The DaemonSet controller does not check quotas: it retries without end, and the node has no pod. A quota that was lowered below the
    number of existing pods has no effect until a pod ends. An update without surge then deletes `maxUnavailable` pods, which do not come
    back, and stops. An update with surge needs an extra pod and cannot start.
How to fix
    Raise the number of pods in the quota before the change, or move the DaemonSet to its own namespace.
Example
    A quota of 2 pods in the namespace, and a new DaemonSet for 4 nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.coverage import THE_QUOTA, describe_quota
from preflight.model.apps import DaemonSet
from preflight.model.core import ResourceQuota
from preflight.model.reasons import QuotaShortage
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.workload_fields import iter_daemonsets_with_new_pods, iter_starting_groups
from preflight.scheduling.update_strategy import uses_surge

_POD_RESOURCES = ("pods", "count/pods")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that gets new pods and each quota of its namespace that has no room for them. Not in lint.

    Quotas with scopes, and those of other resources than pods, are not looked at.
    """
    if context.is_lint or not context.world.quotas:
        return
    for daemonset in iter_daemonsets_with_new_pods(context):
        for quota in context.world.quotas:
            if quota.metadata.namespace == daemonset.metadata.namespace and not (
                quota.spec.scopes or quota.spec.scopeSelector.matchExpressions
            ):
                for resource in _POD_RESOURCES:
                    limit, used = _parse_count(quota.spec.hard.get(resource)), _count_used(context, quota, resource)
                    if limit is not None:
                        yield from _check_quota(context, daemonset, quota, resource, limit, used)


def _check_quota(context: Context, daemonset: DaemonSet, quota: ResourceQuota, resource: str, limit: int, used: int) -> Iterator[Hit]:
    groups = list(iter_starting_groups(context, daemonset))
    more = tuple(sorted(name for group in groups if not group.forecast.had_pod for name in group.node_names))
    again = tuple(sorted(name for group in groups if group.forecast.had_pod for name in group.node_names))
    room = max(limit - used, 0)
    if len(more) > room:
        shortage, nodes = QuotaShortage.NEW_PODS, more
    elif again and used > limit:
        shortage, nodes = QuotaShortage.REPLACED_PODS, again
    elif again and uses_surge(daemonset.spec) and daemonset.key in _list_updated_daemonsets(context) and room == 0:
        shortage, nodes = QuotaShortage.SURGE, again
    else:
        return
    yield Hit(
        subject=make_subject_of(daemonset),
        nodes=nodes,
        location=ManifestLocation(daemonset.origin),
        message=describe_quota(nodes, quota.metadata.name, shortage, limit, used),
        key=(quota.metadata.name, resource, shortage.value),
        related_locations=((THE_QUOTA, ManifestLocation(quota.origin, ("spec", "hard", resource))),),
    )


def _list_updated_daemonsets(context: Context) -> frozenset[object]:
    return frozenset(context.impact.change.updated_daemonsets) if context.impact else frozenset()


def _count_used(context: Context, quota: ResourceQuota, resource: str) -> int:
    """How many pods count, as the quota itself says, or as many as were listed; 0 where nobody knows."""
    stated = _parse_count(quota.status.used.get(resource))
    if stated is not None:
        return stated
    namespace = quota.metadata.namespace
    there = (pod for pod in context.world.pods if pod.metadata.namespace == namespace)
    return sum(pod.status.phase not in ("Failed", "Succeeded") for pod in there)


def _parse_count(value: str | int | float | None) -> int | None:
    """A whole number of pods; None for what is none."""
    text = str(value)
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None


RULE = Rule(id="PF121", name="quota", severity=Severity.ERROR, needs_nodes=True, check=check)
