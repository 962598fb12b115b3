"""Nodes whose room nobody can have: not Ready, cordoned, with a startup taint; and pods that hold devices though nothing runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.change.node_lifecycle import UNSCHEDULABLE
from preflight.dependents.requirements import is_extended
from preflight.doctor.pod_health import Ailing, Trouble, ailing, extended
from preflight.doctor.timestamps import SETTLING, seconds, since
from preflight.messages.lists import listed
from preflight.scheduling.quantities import QuantityError, millis

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis

_STARTUP = (
    "node.cloudprovider.kubernetes.io/uninitialized",
    "node.cilium.io/agent-not-ready",
    "karpenter.sh/unregistered",
)
_NO_NETWORK = "node.kubernetes.io/network-unavailable"
_PATIENCE = 600.0


class Idle(Struct, frozen=True):
    """Nodes that take no pod, for one reason; `free` are the extended resources on them that nobody uses, `is_new`: it has just begun."""

    nodes: tuple[str, ...]
    why: str
    since: str = ""
    free: Mapping[str, int] = {}
    cordoned: tuple[str, ...] = ()
    is_new: bool = False


class Left(Struct, frozen=True):
    """A startup taint that stays on nodes, and why as far as that is known."""

    key: str
    nodes: tuple[str, ...]
    why: str


class Ghosts(Struct, frozen=True):
    """Pods that hold an extended resource though nothing of them runs."""

    resource: str
    amount: int
    nodes: tuple[str, ...]
    pods: tuple[tuple[str, str], ...]
    words: tuple[str, ...]


def not_ready(facts: Diagnosis) -> tuple[Idle, ...]:
    """The nodes that are not Ready, those with the same reason together; one that has just registered may become so yet."""
    found: dict[str, list[str]] = {}
    begun: dict[str, str] = {}
    for name in sorted(facts.down):
        if facts.is_new(name):
            continue
        condition = facts.node_state(name).condition("Ready")
        why = " ".join(condition.message.split()) or condition.reason if condition else ""
        found.setdefault(why, []).append(name)
        begun[name] = condition.lastTransitionTime if condition else ""
    return tuple(
        Idle(
            tuple(nodes),
            why,
            min((begun[name] for name in nodes if begun[name]), default=""),
            free(facts, nodes),
            tuple(name for name in nodes if facts.world.nodes[name].spec.unschedulable),
        )
        for why, nodes in found.items()
    )


def cordoned(facts: Diagnosis) -> tuple[Idle, ...]:
    """Each node that is Ready and cordoned, with the time that its taint states."""
    found = []
    for name, node in sorted(facts.world.nodes.items()):
        if node.spec.unschedulable and node.pool is None and name not in facts.down:
            taints = facts.node_state(name).spec.taints
            begun = next((each.timeAdded for each in taints if each.key == UNSCHEDULABLE.key), "")
            age = seconds(begun, facts.at)
            found.append(Idle((name,), "", begun, free(facts, [name]), is_new=age is not None and age < SETTLING))
    return tuple(found)


def free(facts: Diagnosis, nodes: Iterable[str]) -> dict[str, int]:
    """The extended resources of nodes that no pod there asks for, those of which something is left."""
    left: dict[str, int] = {}
    for name in nodes:
        for resource, quantity in facts.world.nodes[name].status.allocatable.items():
            if is_extended(resource):
                try:
                    left[resource] = left.get(resource, 0) + millis(quantity) // 1000
                except QuantityError:
                    continue
        if left:
            for key in facts.keys_on.get(name, ()):
                pod = (facts.world.running or {}).get(key)
                for resource, amount in extended(pod.spec).items() if pod is not None and not pod.has_ended else ():
                    left[resource] = left.get(resource, 0) - amount
    return {resource: amount for resource, amount in sorted(left.items()) if amount > 0}


def startup_taints(facts: Diagnosis) -> tuple[Left, ...]:
    """The startup taints on nodes that registered more than ten minutes ago, by key and reason.

    1. A key is one where a DaemonSet is known to remove it, or by its name.
    2. network-unavailable of a node that is Ready otherwise, where its condition has said so for as long: only pods with the network of the
       node come there.
    """
    found = _unrouted(facts)
    removers = {key: each for each in facts.of_kind("startup-taint-remover") for key in each.component.taints}
    for name, node in sorted(facts.world.nodes.items()):
        age = seconds(facts.node_state(name).metadata.creationTimestamp, facts.at)
        if node.pool is not None or (age is not None and age < _PATIENCE):
            continue
        for taint in node.spec.taints:
            if taint.key in removers or _is_startup(taint.key):
                remover = removers.get(taint.key)
                if remover is None:
                    why = "no DaemonSet is known that removes it"
                elif name in facts.working(remover.key):
                    why = f"{remover.daemonset.key} removes it, runs there and has not"
                else:
                    why = f"{remover.daemonset.key} removes it and has no working pod there"
                found.setdefault((taint.key, why), []).append(name)
    return tuple(Left(key, tuple(nodes), why) for (key, why), nodes in sorted(found.items()))


def _unrouted(facts: Diagnosis) -> dict[tuple[str, str], list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for name, node in sorted(facts.world.nodes.items()):
        if node.pool is not None or name in facts.down or not any(taint.key == _NO_NETWORK for taint in node.spec.taints):
            continue
        condition = facts.node_state(name).condition("NetworkUnavailable")
        age = seconds(condition.lastTransitionTime, facts.at) if condition else None
        if age is None or age >= _PATIENCE:
            said = " ".join(condition.message.split()) or condition.reason if condition else ""
            found.setdefault((_NO_NETWORK, said or "no condition says why"), []).append(name)
    return found


def _is_startup(key: str) -> bool:
    return key in _STARTUP or key.endswith("/agent-not-ready") or key.startswith("startup-taint.cluster-autoscaler.kubernetes.io/")


def ghosts(facts: Diagnosis) -> tuple[Ghosts, ...]:
    """By resource, the pods that are bound and do not run, or that hang in Terminating, and hold it."""
    held: dict[str, list[tuple[Ailing, int]]] = {}
    running = facts.world.running or {}
    for pod in facts.world.pods:
        node = pod.spec.nodeName
        if not node or not (pod.metadata.deletionTimestamp or pod.status.phase == "Pending"):
            continue
        whole = running.get((pod.metadata.namespace, pod.metadata.name))
        silent = node in facts.down or node in facts.removed
        found = ailing(facts.stated(whole), facts.at, silent=silent) if whole is not None else None
        if found is not None and found.trouble in (Trouble.TERMINATING, Trouble.WAITING, Trouble.UNTOUCHED):
            for resource, amount in extended(found.pod.spec).items():
                held.setdefault(resource, []).append((found, amount))
    return tuple(
        Ghosts(
            resource,
            sum(amount for _, amount in pods),
            tuple(sorted({each.pod.spec.nodeName for each, _ in pods})),
            tuple(sorted(each.pod.key for each, _ in pods)),
            tuple(_ghost(facts, each) for each, _ in sorted(pods, key=lambda one: one[0].pod.key)),
        )
        for resource, pods in sorted(held.items())
    )


def _ghost(facts: Diagnosis, each: Ailing) -> str:
    pod = each.pod
    node = pod.spec.nodeName
    where = f"{node}, which is not Ready" if node in facts.down else f"{node}, which is gone" if node in facts.removed else node
    if each.trouble is Trouble.TERMINATING:
        state = f"hangs in Terminating {since(pod.metadata.deletionTimestamp, facts.at)}".rstrip()
    else:
        state = f"is Pending on its node {since(pod.metadata.creationTimestamp, facts.at)}".rstrip()
        state += f" ({each.why})" if each.why else ""
    return f"{'/'.join(pod.key)} on {where}: {state}"


def said(resources: Mapping[str, int]) -> str:
    """`8 nvidia.com/gpu and 2 rdma/hca`."""
    return listed(f"{amount} {resource}" for resource, amount in resources.items())
