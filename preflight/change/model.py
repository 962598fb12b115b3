"""A change as it was performed: the world before, the world after, and what happens to pods besides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.kubectl.commands import FileArgument
from preflight.model.cascade import Cascade
from preflight.model.core import Node, Taint
from preflight.model.meta import ObjectKey
from preflight.model.pod_wait import PodWait
from preflight.model.world import ClusterState

if TYPE_CHECKING:
    from preflight.model.drain_flags import DrainFlags

ObjectReader = Callable[[FileArgument], Sequence[object]]
"""The objects of what a command names by `-f`, as Structs of the model."""


class PodEnding(StrEnum):
    """How ordinary pods end with their node: by its graceful SHUTDOWN, or collected when it is GONE; NOT_ASKED where no node ends."""

    SHUTDOWN = "shutdown"
    GONE = "gone"
    NOT_ASKED = ""


class PodDeletion(Struct, frozen=True):
    """Pods that are deleted by name: namespaces and names, the grace period (-1 for their own), and how long kubectl waits."""

    pods: tuple[tuple[str, str], ...]
    grace_period: int
    wait: PodWait


class Change(Struct, frozen=True):
    """What one command line does to a world.

    1. `command` is the command line as text, without a program's name; `headline` the same as a sentence.
    2. `before` is the world that the change met: the given one, with a partly known node for each node that the command names and
       the world lacks. `after` is a world again.
    3. `nodes` are the nodes that the command names, whether it changes them or not; `daemonsets` the DaemonSets that it names.
    4. `updated_daemonsets` are the DaemonSets whose template differs (a rollout restart included): an update starts.
    5. `deleted_daemonsets` are the DaemonSets deleted, with the cascade: background, foreground or orphan. They are not in `after`.
    6. `recreation_nodes` are the nodes where every DaemonSet pod ends and is created only where it should run (a graceful reboot, a
       replacement, a deletion of the node with the assumption that it registers again: `after` then holds the new node).
       `rebooted_nodes` are the nodes that restart with their pods (a plain reboot). `drained_nodes` are the nodes drained.
    7. `deleted_pod_nodes` are the nodes where the pod of a DaemonSet is deleted by name; `removes_pods`: no kubelet is asked to end it.
    8. `replacements` holds, by name, the node as it would be after a replacement; given by drain, empty where not asked.
    9. `taints` are the taints that the change adds, changes or removes: what a DaemonSet has to tolerate.
    10. `notes` are sentences about the change itself: an assumption, a node that was not given, what is not judged.
    11. `delayed_pools` holds, by name, the template of a pool as its nodes that are there stay until they are replaced; the template in
       `after` is what its next nodes are like. The name is in `recreation_nodes` too.
    12. `unknowns` names what the command asks for and cannot be known, with the reason; the answer is then unknown (exit 3).
    13. `drain_flags` are the flags of a drain, None for any other command; `node_order` its nodes in the order in which kubectl takes them.
    14. `pod_ending` is how ordinary pods end on the `recreation_nodes` nodes. `deleted_pods` are the pods of no DaemonSet that are deleted
       by name, None where none is.
    """

    command: str
    headline: str
    before: ClusterState
    after: ClusterState
    nodes: frozenset[str] = frozenset()
    daemonsets: frozenset[ObjectKey] = frozenset()
    updated_daemonsets: frozenset[ObjectKey] = frozenset()
    deleted_daemonsets: Mapping[ObjectKey, Cascade] = {}
    recreation_nodes: frozenset[str] = frozenset()
    rebooted_nodes: frozenset[str] = frozenset()
    drained_nodes: frozenset[str] = frozenset()
    deleted_pod_nodes: Mapping[ObjectKey, frozenset[str]] = {}
    removes_pods: bool = False
    replacements: Mapping[str, Node] = {}
    taints: tuple[Taint, ...] = ()
    delayed_pools: Mapping[str, Node] = {}
    notes: tuple[str, ...] = ()
    unknowns: tuple[str, ...] = ()
    drain_flags: DrainFlags | None = None
    node_order: tuple[str, ...] = ()
    pod_ending: PodEnding = PodEnding.NOT_ASKED
    deleted_pods: PodDeletion | None = None

    @property
    def disrupted_nodes(self) -> frozenset[str]:
        """The nodes that the change itself drains, restarts or replaces: what is due at a re-creation is due there now."""
        return self.drained_nodes | self.rebooted_nodes | self.recreation_nodes
