"""The selector of a DaemonSet matches pods of other owners.

Why it matters
    A controller adopts the pods that its selector matches and that have no controller. A bare pod in the same namespace is then treated as
    a pod of the DaemonSet: if a node has two, the newer one is deleted, and an update replaces the bare pod. Pods of another DaemonSet are
    safe as long as that DaemonSet exists; after a deletion with `--cascade=orphan` they are adopted too. Until then, everything that
    selects or counts pods by the selector mixes them up.
How to fix
    Give each workload its own label and use it in `spec.selector`. The selector cannot be changed in place: delete the DaemonSet and create
    it again.
Example
    `selector: {matchLabels: {app: agent}}` in two DaemonSets of one namespace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from itertools import islice

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import Pod
from preflight.model.meta import LabelSelector, ObjectKey, make_object_key
from preflight.model.report import Severity
from preflight.model.workloads import Workload
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.workload_fields import is_unique_daemonset
from preflight.scheduling.affinity import matches_labels, validate_requirement

_MAX_ADOPTING = 5


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and each thing it would adopt: an error for a bare pod, a warning for a DaemonSet. Only in lint.

    Of many DaemonSets that would adopt one workload, the first ones are named: a thousand copies have a million pairs.
    """
    if not context.is_lint or not context.world.daemonsets:
        return
    selectors = _index_selectors(context.world.daemonsets.values())
    for workload in context.workloads:
        if isinstance(workload, DaemonSet):
            labels = workload.spec.template.metadata.labels if is_unique_daemonset(workload, context) else {}
        elif isinstance(workload, Pod) and not any(owner.controller for owner in workload.metadata.ownerReferences):
            labels = workload.metadata.labels
        else:
            continue
        key = make_object_key(workload.metadata, workload.origin)
        adopting = (
            other
            for label in ("", *_list_labels(labels))
            for other in selectors.get(_make_lookup_key(key, label), ())
            if other is not workload and _selects(other.spec.selector, labels)
        )
        yield from (_make_hit(workload, other) for other in islice(adopting, _MAX_ADOPTING))


def _index_selectors(daemonsets: Collection[DaemonSet]) -> dict[tuple[ObjectKey, str], list[DaemonSet]]:
    """The DaemonSets by namespace and the rarest label of their selector, "" where it states none."""
    counts = Counter(
        _make_lookup_key(daemonset.key, label) for daemonset in daemonsets for label in _list_labels(_get_match_labels(daemonset))
    )
    selectors: dict[tuple[ObjectKey, str], list[DaemonSet]] = {}
    for daemonset in daemonsets:
        keys = [_make_lookup_key(daemonset.key, label) for label in sorted(_list_labels(_get_match_labels(daemonset)))]
        rarest = min(keys, key=counts.__getitem__, default=_make_lookup_key(daemonset.key, ""))
        selectors.setdefault(rarest, []).append(daemonset)
    return selectors


def _make_lookup_key(key: ObjectKey, label: str) -> tuple[ObjectKey, str]:
    """DaemonSets are looked up by namespace and one label, so that a thousand of them are not compared with each other."""
    return key._replace(name=""), label


def _get_match_labels(daemonset: DaemonSet) -> dict[str, str]:
    return daemonset.spec.selector.matchLabels if daemonset.spec.selector else {}


def _list_labels(labels: dict[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in labels.items()]


def _selects(selector: LabelSelector | None, labels: dict[str, str]) -> bool:
    """An absent or empty selector, which the API server refuses, selects nothing here, and so does one that cannot be parsed."""
    if selector is None or not (selector.matchLabels or selector.matchExpressions):
        return False
    if any(validate_requirement(expression, "") or expression.operator in ("Gt", "Lt") for expression in selector.matchExpressions):
        return False
    return bool(labels) and matches_labels(selector.matchLabels, selector.matchExpressions, labels)


def _make_hit(workload: Workload, other: DaemonSet) -> Hit:
    bare = isinstance(workload, Pod)
    return Hit(
        subject=make_subject_of(workload),
        key=(other.metadata.name,),
        location=ManifestLocation(workload.origin, ("metadata", "labels") if bare else ("spec", "template", "metadata", "labels")),
        severity=Severity.ERROR if bare else None,
        message=messages.describe_adopted_pod(other.key) if bare else messages.describe_adopted_pods(other.key),
        related_locations=((messages.ADOPTING_SELECTOR_LABEL, ManifestLocation(other.origin, ("spec", "selector"))),),
    )


RULE = Rule(id="PF217", name="adopted-pods", severity=Severity.WARNING, check=check)
