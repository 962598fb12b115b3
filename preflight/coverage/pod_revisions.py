"""Of which template pods are: a rollback does not restart those that are of it, and adopted ones may count as up to date.

Source: kubernetes `pkg/controller/daemon/util/daemonset_util.go`, IsPodUpdated: the template is the same, or the number of it is.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec.structs import replace

from preflight.change import workload_verbs
from preflight.change.model import Change
from preflight.coverage.daemonset_pods import Made, PodGroup, PodsOf
from preflight.kubectl.apiserver.defaults import generation
from preflight.kubectl.apiserver.normalize import canonical_template
from preflight.model.objects import DaemonSet, ObjectKey


def made_by(daemonset: DaemonSet, nodes: frozenset[str]) -> Made:
    """What is remembered of pods on these nodes that are of a DaemonSet's template."""
    data = workload_verbs.plain(daemonset)
    template = data["spec"].get("template") if isinstance(data.get("spec"), dict) else None
    return Made(nodes, json.dumps(canonical_template(template), sort_keys=True, default=str), generation(data))


def is_updated(made: Made, daemonset: DaemonSet) -> bool:
    """Whether pods count as of a DaemonSet's own template: it is the same, or both carry the same number."""
    own = made_by(daemonset, frozenset())
    return made.template == own.template or 0 < made.generation == own.generation


def current(change: Change, pods: Mapping[ObjectKey, PodsOf]) -> tuple[Change, Mapping[ObjectKey, PodsOf]]:
    """The change, and the pods marked as old or not by the templates after it.

    Only where pods of another template are known to be there; then an update is one that goes on for the old ones, and is none for those
    that are of the new template already.
    """
    marked = dict(pods)
    updated = set(change.updated)
    for key, found in pods.items():
        before, after = change.before.daemonsets.get(key), change.after.daemonsets.get(key)
        if not found.made or before is None or after is None:
            continue
        made = [*found.made]
        if key in updated:
            updated.discard(key)
            rest = frozenset().union(*(group.nodes for group in found.groups)).difference(*(each.nodes for each in made))
            made.append(made_by(before, rest))
        old = frozenset().union(*(each.nodes for each in made if not is_updated(each, after)))
        groups = tuple(part for group in found.groups for part in marks(group, old))
        kept = tuple(Made(each.nodes & old, each.template, each.generation) for each in made if each.nodes & old)
        marked[key] = replace(found, groups=groups, made=kept)
    return (change if len(updated) == len(change.updated) else replace(change, updated=frozenset(updated))), marked


def marks(group: PodGroup, old: frozenset[str]) -> list[PodGroup]:
    """A group of pods cut into those that are old and those that are not."""
    cut = ((group.nodes & old, True), (group.nodes - old, False))
    return [replace(group, nodes=nodes, old=is_old) for nodes, is_old in cut if nodes]


def remembered(change: Change, key: ObjectKey, before: PodsOf, after: PodsOf) -> PodsOf:
    """The pods after a change, with the template of each that an update has not replaced."""
    old = frozenset().union(*(group.nodes for group in after.groups if group.old))
    made = [Made(each.nodes & old, each.template, each.generation) for each in before.made if each.nodes & old]
    rest = old.difference(*(each.nodes for each in made))
    daemonset = change.before.daemonsets.get(key)
    if rest and daemonset is not None:
        made.append(made_by(daemonset, rest))
    return replace(after, made=tuple(made))
