"""Pods that a deletion with `--cascade=orphan` leaves behind, and who adopts them.

Source: kubernetes `pkg/controller/controller_ref_manager.go`: a controller adopts what its selector matches and nothing else controls.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey
from preflight.scheduling.affinity import matches_labels

_ORPHANED = "left by a deletion"


def orphaned_pods_key(key: ObjectKey) -> ObjectKey:
    """The key of the pods that a DaemonSet has left; no DaemonSet has it."""
    return key._replace(file=f"{_ORPHANED} {key.file}".strip())


def selects_pods(daemonset: DaemonSet, namespace: str, labels: Mapping[str, str]) -> bool:
    """Whether the selector of a DaemonSet matches pods of a namespace with these labels.

    An absent or empty selector matches none; a namespace that is not stated may be any.
    """
    selector = daemonset.spec.selector
    if selector is None or not (selector.matchLabels or selector.matchExpressions):
        return False
    if namespace and daemonset.metadata.namespace and daemonset.metadata.namespace != namespace:
        return False
    return matches_labels(selector.matchLabels, selector.matchExpressions, labels)


def adopts_pods(daemonset: DaemonSet, orphan: DaemonSet) -> bool:
    """Whether a DaemonSet adopts the pods that another one has left."""
    return selects_pods(daemonset, orphan.metadata.namespace, orphan.spec.template.metadata.labels)


def find_orphaned(
    orphaned: Mapping[ObjectKey, DaemonSet], deleted: Mapping[ObjectKey, DaemonSet], existing: Iterable[DaemonSet]
) -> dict[ObjectKey, DaemonSet]:
    """The DaemonSets whose pods nobody owns: those of before and those that are deleted now, without those that somebody adopts."""
    owners = list(existing)
    every = {**orphaned, **{orphaned_pods_key(key): daemonset for key, daemonset in deleted.items()}}
    return {key: left for key, left in sorted(every.items()) if not any(adopts_pods(owner, left) for owner in owners)}


def find_adopters(orphan: DaemonSet, daemonsets: Mapping[ObjectKey, DaemonSet], deleted: Container[ObjectKey]) -> list[ObjectKey]:
    """The DaemonSets, of those that are not deleted, that adopt the pods of a deleted one."""
    return [key for key, daemonset in daemonsets.items() if key not in deleted and adopts_pods(daemonset, orphan)]
