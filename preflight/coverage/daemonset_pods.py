"""Which nodes have a live pod of which DaemonSet: from listed pods, or assumed where the DaemonSet should run."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw, Struct

from preflight.model.objects import TEMPLATE_GENERATION, DaemonSet, ObjectKey, Toleration, controller
from preflight.model.world import World

_NUMBER = "pod-template-generation"
_REVISION = "controller-revision-hash"
_TOLERATIONS = msgspec.json.Decoder(tuple[Toleration, ...])


class PodGroup(Struct, frozen=True):
    """Live pods of one DaemonSet, one a node, that share their own tolerations (the implicit ones included).

    1. `assumed`: no pods were given; the pod is there because the DaemonSet should run.
    2. `conditional`: it is there only if labels that are not known match.
    3. `old`: of a template before the DaemonSet's own; an update is held up. `listed`: the pod was listed and is the same since.
    """

    nodes: frozenset[str]
    tolerations: tuple[Toleration, ...]
    assumed: bool = False
    conditional: bool = False
    old: bool = False
    listed: bool = False


_Same = defaultdict[bytes, list[tuple[bytes, set[str]]]]
"""The nodes of pods by their labels and, of those with the same, by their tolerations: these are long, and compared quicker than hashed."""


class _Found(NamedTuple):
    """The nodes with pods of one DaemonSet: live ones by what they are, those on the way out or in; "" for one that is not bound.

    `leaving` are those where one terminates. `passing` are the labels of pods on the way out or in.
    """

    live: _Same
    moving: set[str]
    leaving: set[str]
    passing: set[bytes]


class Made(Struct, frozen=True):
    """Pods, by their nodes, of a template that is not their DaemonSet's own.

    `template` is a text that tells it from others; `generation` the number that the pods carry as a label, 0 where it is not known.
    """

    nodes: frozenset[str]
    template: str
    generation: int = 0


class PodsOf(Struct, frozen=True):
    """The pods of one DaemonSet.

    `decided` are the nodes of which it is settled whether a pod is there: those judged before, and for listed pods the nodes given and
    the nodes that any listed pod is on. On any other node a pod is assumed where the DaemonSet should run. `transit` are nodes without a
    live pod where one is on its way out or in: being deleted, failed, or not bound yet. `leaving` are nodes where one is being deleted.
    `made` says of which template the old pods are. `undecided` are live pods of another number than their DaemonSet's where none is of its
    own: a rollback brought their template back, or an update has yet to begin.
    """

    groups: tuple[PodGroup, ...] = ()
    decided: frozenset[str] = frozenset()
    transit: frozenset[str] = frozenset()
    leaving: frozenset[str] = frozenset()
    made: tuple[Made, ...] = ()
    undecided: tuple[Made, ...] = ()


def listed_pods(world: World) -> dict[ObjectKey, PodsOf]:
    """The pods of every DaemonSet whose namespace was listed.

    1. A pod counts where its controller is a DaemonSet, it is bound to a node, neither Failed nor Succeeded, and not being deleted.
    2. The owner's uid decides where both are known, else kind, namespace and name.
    3. The template node of a pool is not settled by a list: its next node is not there yet.
    4. A DaemonSet without a stated namespace has no listed pods: which namespace it is applied to is not known.
    5. Which pods are old: see `_old`.
    """
    found: defaultdict[tuple[str, str], _Found] = defaultdict(lambda: _Found(defaultdict(list), set(), set(), set()))
    uids = {(key.namespace, key.name): daemonset.metadata.uid for key, daemonset in world.daemonsets.items()}
    owned: dict[tuple[str, bytes], _Found | None] = {}
    for pod in world.pods:
        metadata, spec = pod.metadata, pod.spec
        owners = (metadata.namespace, bytes(metadata.ownerReferences))
        if owners not in owned:
            owner = controller(pod)
            key = (metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
            uid = uids.get(key)
            is_its = owner is not None and uid is not None and (not uid or not owner.uid or uid == owner.uid)
            owned[owners] = found[key] if is_its else None
        pods = owned[owners]
        if pods is None:
            continue
        name, has_ended = spec.nodeName, pod.status.phase in ("Failed", "Succeeded")
        if not name or has_ended or metadata.deletionTimestamp:
            pods.moving.add(name)
            pods.passing.add(bytes(metadata.labels))
            if name and not has_ended:
                pods.leaving.add(name)
            continue
        tolerations, same = bytes(spec.tolerations), pods.live[bytes(metadata.labels)]
        for others, nodes in same:
            if others == tolerations:
                nodes.add(name)
                break
        else:
            same.append((tolerations, {name}))
    there = {name for name, node in world.nodes.items() if node.pool is None}
    decided = frozenset(there | {pod.spec.nodeName for pod in world.pods})
    return {
        key: _pods_of(found[key.namespace, key.name], daemonset, decided)
        for key, daemonset in world.daemonsets.items()
        if key.namespace and world.pods_known(key.namespace, key.name)
    }


def _pods_of(found: _Found, daemonset: DaemonSet, decided: frozenset[str]) -> PodsOf:
    old = _old(found.live, daemonset, found.passing)
    alike: defaultdict[tuple[bytes, int], set[str]] = defaultdict(set)
    for labels, same in found.live.items():
        for tolerations, nodes in same:
            alike[tolerations, old.get(labels, 0)] |= nodes
    groups, made = [], []
    for (tolerations, number), nodes in sorted(alike.items()):
        groups.append(PodGroup(frozenset(nodes), tolerations_of(tolerations), old=number > 0, listed=True))
        if number:
            made.append(Made(frozenset(nodes), "", number))
    undecided = () if made else _undecided(found.live, daemonset)
    if not found.moving:
        return PodsOf(tuple(groups), decided, made=tuple(made), undecided=undecided)
    moving = decided if "" in found.moving else frozenset(found.moving)
    transit = moving.difference(*(group.nodes for group in groups))
    return PodsOf(tuple(groups), decided | moving, transit, frozenset(found.leaving), tuple(made), undecided)


def _undecided(live: _Same, daemonset: DaemonSet) -> tuple[Made, ...]:
    """The live pods of another number than their DaemonSet's, by that number, where a rolling update would have replaced them."""
    own = daemonset.metadata.annotations.get(TEMPLATE_GENERATION, "")
    if not (own.isdecimal() and own.isascii()) or daemonset.spec.updateStrategy.type == "OnDelete":
        return ()
    alike: defaultdict[tuple[str, int], set[str]] = defaultdict(set)
    for labels, same in live.items():
        each = labels_of(labels)
        if each.get(_NUMBER) == own:
            return ()
        if number := number_of(each):
            alike[each.get(_REVISION, ""), number].update(*(nodes for _, nodes in same))
    return tuple(Made(frozenset(nodes), template, number) for (template, number), nodes in sorted(alike.items()))


def _old(labels: Iterable[bytes], daemonset: DaemonSet, passing: Iterable[bytes] = ()) -> dict[bytes, int]:
    """Of the labels of a DaemonSet's pods those of a template before its own, with the number of that template.

    1. A pod is up to date where it carries the number of its DaemonSet's template, or the revision of one that does: after a rollback
       pods of before are up to date that were never re-created.
    2. Where none carries that number, all are old with OnDelete. With a rolling update they are up to date: the controller would have
       begun to replace them, so that what is there is a rollback. A pod on the way out or in (`passing`) shows as well that it has begun.
    3. Nothing is old where a number is not known: a manifest has none.

    Source: kubernetes `pkg/controller/daemon/util/daemonset_util.go`, IsPodUpdated.
    """
    own = daemonset.metadata.annotations.get(TEMPLATE_GENERATION, "")
    if not own:
        return {}
    every = {each: labels_of(each) for each in labels}
    seen = (*every.values(), *map(labels_of, passing))
    revisions = {each.get(_REVISION) for each in seen if each.get(_NUMBER) == own} - {None}
    if not revisions and daemonset.spec.updateStrategy.type != "OnDelete":
        return {}
    others = ((raw, number_of(each)) for raw, each in every.items() if each.get(_NUMBER) != own and each.get(_REVISION) not in revisions)
    return {raw: number for raw, number in others if number}


def labels_of(raw: bytes) -> dict[str, str]:
    """The labels of a listed pod; what is no text is none."""
    labels = msgspec.json.decode(raw) if raw else None
    return {key: value for key, value in labels.items() if isinstance(value, str)} if isinstance(labels, dict) else {}


def number_of(labels: Mapping[str, str]) -> int:
    """The number of its DaemonSet's template that a pod with these labels is of; 0 where it is not known."""
    number = labels.get(_NUMBER, "")
    return int(number) if number.isdecimal() and number.isascii() and len(number) < 10 else 0


def plain(raw: Raw) -> list[dict[str, Any]]:
    """The maps of a list that was kept undecoded; what is no list has none."""
    data = msgspec.json.decode(raw) if raw else None
    return [each for each in data if isinstance(each, dict)] if isinstance(data, list) else []


def tolerations_of(raw: bytes) -> tuple[Toleration, ...]:
    """A pod's own tolerations; null is an absent field, and what the API would never hold tolerates nothing."""
    try:
        return _TOLERATIONS.decode(raw) if raw and raw != b"null" else ()
    except msgspec.MsgspecError:
        return tuple(_toleration(each) for each in plain(Raw(raw)))


def _toleration(data: dict[str, Any]) -> Toleration:
    key, operator, value, effect = (text if isinstance(text, str) else "" for text in map(data.get, ("key", "operator", "value", "effect")))
    seconds = data.get("tolerationSeconds")
    return Toleration(key, operator, value, effect, seconds if type(seconds) is int else None)
