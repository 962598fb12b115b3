"""The namespace of a DaemonSet has a default node selector, which the DaemonSet controller does not see.

Why it matters
    The admission plugin PodNodeSelector adds the selector of the namespace to each pod after the DaemonSet controller has chosen the node.
    On a node that does not match, the pod stays Pending and is counted in desired and current. If the selector conflicts with that of the
    DaemonSet, every pod is refused. With the annotation of OpenShift the other nodes get no pod. If the plugin is off, the annotation has
    no effect.
How to fix
    Move the DaemonSet to a namespace without a default node selector, give the namespace an empty one (`openshift.io/node-selector: ""`),
    or give the DaemonSet the same nodeSelector.
Example
    A Namespace with `scheduler.alpha.kubernetes.io/node-selector: pool=apps`, and a DaemonSet for every node in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC, Namespace
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.workload_fields import (
    find_nodes_without_labels,
    find_unique,
    is_unique_daemonset,
    iter_daemonsets_with_new_pods,
    replaces_listed_pods,
)

_UPSTREAM_ANNOTATION, _OPENSHIFT_ANNOTATION = "scheduler.alpha.kubernetes.io/node-selector", "openshift.io/node-selector"


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet of such a namespace: a warning where known nodes do not match, else a note.

    Under a change for those that get new pods: an error where pods are there that it replaces, or where every pod is refused.
    """
    if not any(map(_get_selector_annotation, context.world.namespaces)):
        return
    for daemonset in iter_daemonsets_with_new_pods(context):
        namespace = find_unique(context.world.namespaces, daemonset.metadata.namespace)
        if namespace is not None and _get_selector_annotation(namespace) and is_unique_daemonset(daemonset, context):
            yield from _check_selector(context, daemonset, namespace)


def _check_selector(context: Context, daemonset: DaemonSet, namespace: Namespace) -> Iterator[Hit]:
    annotation = _get_selector_annotation(namespace)
    selector = _parse_selector(namespace.metadata.annotations[annotation])
    own = daemonset.spec.template.spec.nodeSelector
    added = {key: value for key, value in selector.items() if own.get(key) != value}
    if not added:
        return
    refused = any(key in own for key in added) and annotation == _UPSTREAM_ANNOTATION
    nodes = find_nodes_without_labels(context, daemonset, added)
    if refused:
        message = messages.describe_refused_by_namespace(added)
    elif nodes is not None and not nodes:
        return
    elif nodes:
        message = messages.describe_excluded_by_namespace(nodes, added, is_pending=annotation == _UPSTREAM_ANNOTATION)
    else:
        message = messages.describe_required_by_namespace(added)
    effect = "refuses" if refused else "excludes" if nodes else "requires"
    severity = None if nodes or refused else Severity.NOTE
    if (refused and not context.is_lint) or replaces_listed_pods(context, daemonset, nodes or ()):
        severity = Severity.ERROR
    yield Hit(
        subject=make_subject_of(daemonset),
        key=(annotation, effect, *sorted(f"{key}={value}" for key, value in added.items())),
        location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "nodeSelector")),
        nodes=nodes or (),
        severity=severity,
        message=message,
        related_locations=(
            (messages.label_namespace_annotation(annotation), ManifestLocation(namespace.origin, ("metadata", "annotations", annotation))),
        ),
    )


def _get_selector_annotation(namespace: Namespace) -> str:
    """The annotation that counts: OpenShift's is there only on OpenShift, where the other one is not read."""
    found = namespace.metadata.annotations
    return next((key for key in (_OPENSHIFT_ANNOTATION, _UPSTREAM_ANNOTATION) if _parse_selector(found.get(key, ""))), "")


def _parse_selector(text: str) -> dict[str, str]:
    """`a=b,c=d` as a map; {} where it is empty or can't be read."""
    pairs = [part.partition("=") for part in text.split(",") if part.strip()]
    if any(not equals for _, equals, _ in pairs):
        return {}
    return {key.strip(): value.lstrip("=").strip() for key, _, value in pairs}


RULE = Rule(id="PF218", name="namespace-selector", severity=Severity.WARNING, check=check, concerns_change=True)
