"""What became of a cluster since it was saved: DaemonSet by DaemonSet and node by node, as the pods show it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from preflight.comparison.nodes import NodeSince, nodes_since
from preflight.coverage.reasons import kept_out
from preflight.model.objects import DaemonSet, Node
from preflight.model.pod_status import RunningPod
from preflight.model.world import World
from preflight.scheduling.placement import place
from preflight.scheduling.tolerations import daemon_tolerations

Key = tuple[str, str]
"""A namespace and a name."""


class PodsSince(Struct, frozen=True):
    """One DaemonSet, before and now; None where it was not there, or is not.

    1. `was` are the nodes that had a live pod of it, `there` those that have one: bound, neither ended nor being deleted.
    2. `lost` are the nodes of `was` without one now, with the reasons; nodes that are gone themselves are in `left`. `gained` are the nodes
       of `there` without one before.
    3. `ready` are the nodes of `there` with a pod that is Ready, as far as it says; `unready` those where one was Ready and none is, with
       the words of the pod. Those that had none before, or none that was Ready, are in neither.
    4. `again` are the nodes where all pods are others than before: they were re-created.
    5. `absent` are new nodes where it should run and has no pod.
    6. `unknown` is why the rest cannot be said, "" where it can; `was` or `there` may still be known.
    """

    key: Key
    before: DaemonSet | None = None
    now: DaemonSet | None = None
    was: frozenset[str] = frozenset()
    there: frozenset[str] = frozenset()
    lost: Mapping[str, tuple[str, ...]] = {}
    left: frozenset[str] = frozenset()
    gained: frozenset[str] = frozenset()
    ready: frozenset[str] = frozenset()
    unready: Mapping[str, str] = {}
    again: frozenset[str] = frozenset()
    absent: frozenset[str] = frozenset()
    unknown: str = ""

    @property
    def daemonset(self) -> DaemonSet:
        """The DaemonSet as it is, or as it was."""
        found = self.now or self.before
        assert found is not None
        return found


class Since(Struct, frozen=True):
    """Two states of a cluster compared: `before` and `now` are their worlds, read with whole pods.

    DaemonSets and nodes are in order of their names; nodes in which nothing differs are among them. `unknown` are sentences on what cannot
    be compared at all.
    """

    before: World
    now: World
    daemonsets: tuple[PodsSince, ...]
    nodes: tuple[NodeSince, ...]
    unknown: tuple[str, ...] = ()

    @property
    def knows_daemonsets(self) -> bool:
        """Whether all DaemonSets of now are known, so that one that is not among them is gone."""
        return "DaemonSet" not in self.now.missing and not _has_none(self.now)


def since(before: World, now: World) -> Since:
    """Compare a cluster with what was saved of it.

    1. A DaemonSet is the same if its namespace and name are, a node if its name is.
    2. Where the pods of a namespace were listed on one side only, or on none, nothing is known of its DaemonSets.
    3. Where no node was given on one side, or not every node was listed, none is gone and none is new. So it is with DaemonSets.
    4. What was missing before is not missing since.
    """
    nodes, unknown = nodes_since(before, now)
    states = {each.name: each for each in nodes}
    old, new = (_by_key(world) for world in (before, now))
    if _has_none(now):
        unknown += ("DaemonSets: none was given now",)
    pods = tuple(_by_owner(world) for world in (before, now))
    found = []
    for key in sorted({*old, *new}):
        daemonsets = (old.get(key), new.get(key))
        own = (pods[0].get(key, ()), pods[1].get(key, ()))
        why = _not_known(key, before, now, daemonsets)
        if why:
            was, there = (frozenset(_live(each)) for each in own)
            found.append(PodsSince(key, *daemonsets, was=was, there=there, unknown=why))
        else:
            found.append(_compared(key, daemonsets, own, states, now))
    return Since(before, now, tuple(found), nodes, unknown)


def _has_none(world: World) -> bool:
    """Whether no DaemonSet was given: files may leave them out, a cluster that was asked does not."""
    return not world.daemonsets and not (world.survey is not None and world.survey.server)


def _by_key(world: World) -> dict[Key, DaemonSet]:
    return {(key.namespace, key.name): daemonset for key, daemonset in world.daemonsets.items()}


def _by_owner(world: World) -> Mapping[Key, list[RunningPod]]:
    """The pods of each DaemonSet; the owner's uid decides where both are known."""
    uids = {key: daemonset.metadata.uid for key, daemonset in _by_key(world).items()}
    found: defaultdict[Key, list[RunningPod]] = defaultdict(list)
    for pod in (world.running or {}).values():
        owner = pod.controller
        key = (pod.metadata.namespace, owner.name) if owner and owner.kind == "DaemonSet" else ("", "")
        if owner and key in uids and (not uids[key] or not owner.uid or uids[key] == owner.uid):
            found[key].append(pod)
    return found


def _not_known(key: Key, before: World, now: World, daemonsets: tuple[DaemonSet | None, DaemonSet | None]) -> str:
    """Why nothing can be said of a DaemonSet, "" where its pods are known on both sides."""
    if not key[0]:
        return "its manifest states no namespace, so nobody knows its pods"
    sides = [name for name, world in (("before", before), ("now", now)) if not world.pods_known(*key)]
    if sides:
        return f"its pods were not listed {' or '.join(sides)}"
    if daemonsets[1] is None and ("DaemonSet" in now.missing or _has_none(now)):
        return f"not all DaemonSets are known now: {now.missing.get('DaemonSet', 'none was given')}"
    return ""


def _compared(
    key: Key,
    daemonsets: tuple[DaemonSet | None, DaemonSet | None],
    pods: tuple[Iterable[RunningPod], Iterable[RunningPod]],
    states: Mapping[str, NodeSince],
    now: World,
) -> PodsSince:
    old, new = (_live(each) for each in pods)
    gone = {name for name, state in states.items() if state.is_gone}
    fresh = {name for name, state in states.items() if state.is_new}
    lost = old.keys() - new.keys() - gone
    moving = _moving(pods[1])
    daemonset = daemonsets[1]
    ready = frozenset(name for name, there in new.items() if any(map(_may_be_ready, there)))
    was_ready = {name for name, there in old.items() if any(map(_may_be_ready, there))}
    kept = old.keys() & new.keys()
    return PodsSince(
        key,
        *daemonsets,
        was=frozenset(old),
        there=frozenset(new),
        lost={name: _why(daemonset, now.nodes.get(name), moving.get(name, ""), now) for name in sorted(lost)},
        left=frozenset(old.keys() & gone),
        gained=frozenset(new.keys() - old.keys()),
        ready=ready,
        unready={name: _state(new[name][0]) for name in sorted((kept & was_ready) - ready)},
        again=frozenset(name for name in kept if _others(old[name], new[name])),
        absent=frozenset(
            name for name in fresh - new.keys() if daemonset and name in now.nodes and _should_run(daemonset, now.nodes[name], now)
        ),
    )


def _live(pods: Iterable[RunningPod]) -> dict[str, list[RunningPod]]:
    """The live pods by node."""
    found: defaultdict[str, list[RunningPod]] = defaultdict(list)
    for pod in pods:
        if pod.spec.nodeName and not pod.has_ended and not pod.metadata.deletionTimestamp:
            found[pod.spec.nodeName].append(pod)
    return dict(found)


def _moving(pods: Iterable[RunningPod]) -> dict[str, str]:
    """What becomes of pods that are not live, by the node that they are on or wait for; of several, the one that comes."""
    found: dict[str, str] = {}
    for pod in pods:
        if not pod.spec.nodeName:
            found[_bound_for(pod)] = _state(pod)
        elif pod.metadata.deletionTimestamp:
            found.setdefault(pod.spec.nodeName, "its pod is being deleted")
        elif pod.has_ended:
            found.setdefault(pod.spec.nodeName, f"its pod has {pod.status.phase.lower()}")
    return found


def _bound_for(pod: RunningPod) -> str:
    """The node that a pod of a DaemonSet waits for, as the controller wrote it into its affinity; "" where it did not."""
    affinity = pod.spec.affinity.nodeAffinity if pod.spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    fields = [each for term in required.nodeSelectorTerms for each in term.matchFields] if required else []
    return next((each.values[0] for each in fields if each.key == "metadata.name" and each.values), "")


def _may_be_ready(pod: RunningPod) -> bool:
    """Whether a pod is Ready; one without that condition is, unless it is Pending."""
    stated = [each.status for each in pod.status.conditions if each.type == "Ready"]
    return stated[-1] == "True" if stated else pod.status.phase != "Pending"


def _state(pod: RunningPod) -> str:
    """What a pod says of itself where it is not Ready: its phase, or the message of the condition that fails."""
    phase = "its pod is Pending" if pod.status.phase == "Pending" else "its pod is not Ready"
    failed = [each for each in pod.status.conditions if each.status != "True" and each.type in ("PodScheduled", "Ready")]
    said = next((each.message or each.reason for each in failed if each.message or each.reason), "")
    return f"{phase}: {said}" if said else phase


def _others(old: Iterable[RunningPod], new: Iterable[RunningPod]) -> bool:
    """Whether no pod of before is there; where uids are not known, a name that stays is the same pod."""
    uids = [{pod.metadata.uid for pod in pods} for pods in (old, new)]
    if "" in uids[0] | uids[1]:
        return not {pod.metadata.name for pod in old} & {pod.metadata.name for pod in new}
    return not uids[0] & uids[1]


def _why(daemonset: DaemonSet | None, node: Node | None, moving: str, now: World) -> tuple[str, ...]:
    """Why a DaemonSet has no pod on a node where it had one; () where nobody can say."""
    if daemonset is None or node is None:
        return (moving,) if moving else ()
    spec = daemonset.spec.template.spec
    placement = place(spec, daemon_tolerations(spec), node, now.comparison_operators)
    if placement.should_run is False:
        return kept_out(placement, spec)
    if moving:
        return (moving,)
    return ("it should run there, and no pod was created",) if placement.should_run else ()


def _should_run(daemonset: DaemonSet, node: Node, now: World) -> bool:
    spec = daemonset.spec.template.spec
    return place(spec, daemon_tolerations(spec), node, now.comparison_operators).should_run is True
