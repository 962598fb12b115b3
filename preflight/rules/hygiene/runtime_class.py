"""A RuntimeClass adds a node selector or tolerations to the pods of a DaemonSet, which the DaemonSet controller does not see.

Why it matters
    The DaemonSet controller chooses nodes by the template only. The `scheduling` of the RuntimeClass is added later, when each pod is
    created: its tolerations do not bring the DaemonSet to tainted nodes, and on a node that its nodeSelector does not match the pod stays
    Pending and is counted in desired and current. If its nodeSelector conflicts with that of the template, every pod is refused. It is a
    note if no known node is affected, or if the RuntimeClass is not in the input.
How to fix
    Repeat the nodeSelector and tolerations of the RuntimeClass in the template.
Example
    `runtimeClassName: nvidia`, of a RuntimeClass with `scheduling: {nodeSelector: {gpu: "true"}}`, in a DaemonSet without that selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC, RuntimeClass, Taint
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.identity import format_toleration_key
from preflight.rules.merged_groups import suggest_exact_tolerations
from preflight.rules.workload_fields import (
    find_nodes_without_labels,
    find_unique,
    is_tolerated,
    is_unique_daemonset,
    iter_daemonsets_with_new_pods,
    replaces_listed_pods,
)
from preflight.scheduling.affinity import match_affinity
from preflight.scheduling.tolerations import add_implicit_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet with a RuntimeClass and what that adds: a selector, tolerations, or nobody knows what.

    Under a change for those that get new pods: an error where pods are there that it replaces, or where every pod is refused. A
    RuntimeClass that was not given is said where the change brings it; others that were given make it a warning.
    """
    given = {node_class.metadata.name for node_class in context.world.runtime_classes}
    for daemonset in iter_daemonsets_with_new_pods(context):
        name = daemonset.spec.template.spec.runtimeClassName
        if name and name not in given:
            if context.is_lint or _is_new(context, daemonset, name):
                is_refused = bool(given) and not context.is_lint
                yield Hit(
                    subject=make_subject_of(daemonset),
                    key=(name, "refuses" if is_refused else "unknown"),
                    location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "runtimeClassName")),
                    severity=None if is_refused else Severity.NOTE,
                    message=messages.describe_unknown_runtime_class(name, is_refused=is_refused),
                )
        elif name and is_unique_daemonset(daemonset, context) and (runtime := find_unique(context.world.runtime_classes, name)):
            yield from _check_selector(context, daemonset, runtime)
            yield from _check_tolerations(context, daemonset, runtime)


def _is_new(context: Context, daemonset: DaemonSet, name: str) -> bool:
    """Whether the change brings this RuntimeClass to the DaemonSet."""
    before = context.world.daemonsets.get(daemonset.key)
    return before is None or before.spec.template.spec.runtimeClassName != name


def _check_selector(context: Context, daemonset: DaemonSet, runtime: RuntimeClass) -> Iterator[Hit]:
    wanted = runtime.scheduling.nodeSelector if runtime.scheduling else {}
    own = daemonset.spec.template.spec.nodeSelector
    added = {key: value for key, value in wanted.items() if own.get(key) != value}
    if not added:
        return
    name = runtime.metadata.name
    nodes = find_nodes_without_labels(context, daemonset, added)
    refused = any(key in own for key in added)
    if refused:
        message = messages.describe_refused_by_runtime_class(added, name)
    elif nodes:
        message = messages.describe_excluded_by_runtime_class(nodes, added, name)
    elif nodes is None:
        message = messages.describe_required_by_runtime_class(added, name)
    else:
        return
    effect = "refuses" if refused else "excludes" if nodes else "requires"
    severity = None if nodes or refused else Severity.NOTE
    if (refused and not context.is_lint) or replaces_listed_pods(context, daemonset, nodes or ()):
        severity = Severity.ERROR
    yield Hit(
        subject=make_subject_of(daemonset),
        key=(name, effect, *sorted(f"{key}={value}" for key, value in added.items())),
        location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "nodeSelector")),
        nodes=nodes or (),
        severity=severity,
        message=message,
        related_locations=((messages.RUNTIME_CLASS_LABEL, ManifestLocation(runtime.origin, ("scheduling", "nodeSelector"))),),
    )


def _check_tolerations(context: Context, daemonset: DaemonSet, runtime: RuntimeClass) -> Iterator[Hit]:
    spec = daemonset.spec.template.spec
    added = [
        toleration for toleration in (runtime.scheduling.tolerations if runtime.scheduling else ()) if toleration not in spec.tolerations
    ]
    if not added:
        return
    own = add_implicit_tolerations(spec)
    taints = context.taints if context.is_lint else _list_excluding_taints(context, daemonset)
    missed = [
        taint
        for taint in taints
        if taint.effect != "PreferNoSchedule" and is_tolerated(taint, tuple(added)) and not is_tolerated(taint, own)
    ]
    carriers = (node for node in context.world.nodes.values() if any(taint in missed for taint in node.spec.taints))
    nodes = tuple(node.name for node in carriers if match_affinity(spec, node).matches)
    if not missed and (taints or not context.is_lint):
        return
    yield Hit(
        subject=make_subject_of(daemonset),
        key=(runtime.metadata.name, "tolerates", *sorted(map(str, missed) if missed else map(format_toleration_key, added))),
        location=ManifestLocation(daemonset.origin, (*POD_TEMPLATE_SPEC, "tolerations")),
        nodes=nodes,
        severity=None if nodes else Severity.NOTE,
        message=messages.describe_added_tolerations(missed, added, runtime.metadata.name),
        related_locations=((messages.RUNTIME_CLASS_LABEL, ManifestLocation(runtime.origin, ("scheduling", "tolerations"))),),
        suggestion=suggest_exact_tolerations(missed) if missed else None,
    )


def _list_excluding_taints(context: Context, daemonset: DaemonSet) -> tuple[Taint, ...]:
    """The taints that keep a DaemonSet out after a change."""
    own = [group.placement_after for group in context.impact.groups if group.daemonset is daemonset] if context.impact else []
    selected = (placement for placement in own if placement is not None and placement.is_selected is not False)
    return tuple(dict.fromkeys(taint for placement in selected for taint in placement.untolerated_taints))


RULE = Rule(id="PF219", name="runtime-class", severity=Severity.WARNING, check=check, concerns_change=True)
