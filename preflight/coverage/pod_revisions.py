"""Of which template pods are: a rollback does not restart those that are of it, and adopted ones may count as up to date.

Source: kubernetes `pkg/controller/daemon/util/daemonset_util.go`, IsPodUpdated: the template is the same, or the number of it is.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from preflight.change import workload_verbs
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup, PodRevision
from preflight.kubectl.apiserver.defaults import get_generation
from preflight.kubectl.apiserver.normalize import normalize_template
from preflight.model.apps import DaemonSet
from preflight.model.meta import ObjectKey


def make_revision(daemonset: DaemonSet, nodes: frozenset[str]) -> PodRevision:
    """What is remembered of pods on these nodes that are of a DaemonSet's template."""
    data = workload_verbs.to_plain(daemonset)
    template = data["spec"].get("template") if isinstance(data.get("spec"), dict) else None
    return PodRevision(nodes, json.dumps(normalize_template(template), sort_keys=True, default=str), get_generation(data))


def is_updated(revision: PodRevision, daemonset: DaemonSet) -> bool:
    """Whether pods count as of a DaemonSet's own template: it is the same, or both carry the same number."""
    own = make_revision(daemonset, frozenset())
    return revision.template == own.template or 0 < revision.generation == own.generation


def mark_old_pods(change: Change, pods: Mapping[ObjectKey, DaemonSetPods]) -> tuple[Change, Mapping[ObjectKey, DaemonSetPods]]:
    """The change, and the pods marked as old or not by the templates after it.

    Only where pods of another template are known to be there; then an update is one that goes on for the old ones, and is none for those
    that are of the new template already. Pods that may be of their DaemonSet's own template or of one before it are old for certain once
    a new template is neither.
    """
    marked = dict(pods)
    updated = set(change.updated_daemonsets)
    for key, found in pods.items():
        before, after = change.before.daemonsets.get(key), change.after.daemonsets.get(key)
        if not found.revisions or before is None or after is None:
            continue
        made = [*found.revisions]
        unsure = frozenset().union(*(group.nodes for group in found.groups if group.may_be_updated))
        if key in updated:
            unsure &= frozenset().union(*(revision.nodes for revision in made if is_updated(revision, after)))
            updated.discard(key)
            rest = frozenset().union(*(group.nodes for group in found.groups)).difference(*(revision.nodes for revision in made))
            made.append(make_revision(before, rest))
        old = frozenset().union(*(revision.nodes for revision in made if not is_updated(revision, after))) | unsure
        groups = tuple(part for group in found.groups for part in _mark_unsure(split_by_age(group, old), unsure))
        kept = tuple(PodRevision(revision.nodes & old, revision.template, revision.generation) for revision in made if revision.nodes & old)
        marked[key] = replace(found, groups=groups, revisions=kept)
    return (change if len(updated) == len(change.updated_daemonsets) else replace(change, updated_daemonsets=frozenset(updated))), marked


def split_by_age(group: PodGroup, old_nodes: frozenset[str]) -> list[PodGroup]:
    """A group of pods cut into those that are old and those that are not."""
    cut = ((group.nodes & old_nodes, True), (group.nodes - old_nodes, False))
    return [replace(group, nodes=nodes, is_old=is_old) for nodes, is_old in cut if nodes]


def _mark_unsure(groups: Iterable[PodGroup], unsure_nodes: frozenset[str]) -> Iterator[PodGroup]:
    """Groups of pods cut into those that may be of their DaemonSet's own template and those that surely are or are not."""
    for group in groups:
        cut = ((group.nodes & unsure_nodes, True), (group.nodes - unsure_nodes, False))
        yield from (replace(group, nodes=nodes, may_be_updated=is_unsure) for nodes, is_unsure in cut if nodes)


def record_revisions(change: Change, key: ObjectKey, before: DaemonSetPods, after: DaemonSetPods) -> DaemonSetPods:
    """The pods after a change, with the template of each that an update has not replaced."""
    old = frozenset().union(*(group.nodes for group in after.groups if group.is_old))
    made = [
        PodRevision(revision.nodes & old, revision.template, revision.generation) for revision in before.revisions if revision.nodes & old
    ]
    rest = old.difference(*(revision.nodes for revision in made))
    daemonset = change.before.daemonsets.get(key)
    if rest and daemonset is not None:
        made.append(make_revision(daemonset, rest))
    return replace(after, revisions=tuple(made))
