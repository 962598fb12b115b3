"""Whether a cluster may refuse pods of the system's priority classes outside of kube-system."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.coverage.model import Impact
from preflight.model.core import ResourceQuota
from preflight.model.world import ClusterState

SYSTEM_CLASSES = ("system-node-critical", "system-cluster-critical")
_GKE_LABEL = "cloud.google.com/gke-"
_SYSTEM_NAMESPACE = "kube-system"
_SCOPE = "PriorityClass"


def may_refuse_class(world: ClusterState, namespace: str, name: str) -> bool:
    """Whether admission may refuse pods of a priority class in a namespace.

    1. GKE limits these classes to namespaces with a ResourceQuota whose scope takes them; nodes tell GKE, and so does such a quota in
       kube-system, which GKE makes there.
    2. A quota of the namespace whose scope takes the class lets its pods in.

    Source: kubernetes `plugin/pkg/admission/resourcequota/controller.go` (limitedResources, "insufficient quota to match these scopes");
    cilium/cilium#13852, openebs/cstor-operators#196. aws-observability/helm-charts#358 found it no longer required: so it is a "may".
    """
    if name not in SYSTEM_CLASSES or namespace in ("", _SYSTEM_NAMESPACE):
        return False
    is_limited = _is_gke(world) or any(
        quota.metadata.namespace == _SYSTEM_NAMESPACE and _takes_any(quota, SYSTEM_CLASSES) for quota in world.quotas
    )
    return is_limited and not any(quota.metadata.namespace == namespace and _takes_any(quota, (name,)) for quota in world.quotas)


def _is_gke(world: ClusterState) -> bool:
    """Whether all nodes whose labels are known are nodes of GKE: a repository may hold the pools of clusters of many providers."""
    labels = [node.metadata.labels for node in world.nodes.values() if node.metadata.labels]
    return bool(labels) and all(any(key.startswith(_GKE_LABEL) for key in found) for found in labels)


def has_accepted_class(world: ClusterState, impact: Impact | None, namespace: str, name: str) -> bool:
    """Whether a listed pod of a DaemonSet of the namespace has the class: then admission takes it there."""
    return any(
        group.forecast.had_pod and not group.is_assumed
        for group in (impact.groups if impact is not None else ())
        if group.key.namespace == namespace
        and (before := world.daemonsets.get(group.key)) is not None
        and before.spec.template.spec.priorityClassName == name
    )


def _takes_any(quota: ResourceQuota, names: Iterable[str]) -> bool:
    """Whether the scope of a quota takes pods of some of these priority classes."""
    if _SCOPE in quota.spec.scopes:
        return True
    return any(
        expression.operator == "Exists" or (expression.operator == "In" and not {*names}.isdisjoint(expression.values))
        for expression in quota.spec.scopeSelector.matchExpressions
        if expression.scopeName == _SCOPE
    )
