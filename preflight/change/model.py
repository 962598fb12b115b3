"""A change as it was performed: the world before, the world after, and what happens to pods besides."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.model.objects import Node, ObjectKey, Taint
from preflight.model.world import World

if TYPE_CHECKING:
    from preflight.scheduling.drain import DrainFlags


class Change(Struct, frozen=True):
    """What one command line does to a world.

    1. `command` is the command line as text, without a program's name; `headline` the same as a sentence.
    2. `before` is the world that the change met: the given one, with a partly known node for each node that the command names and
       the world lacks. `after` is a world again.
    3. `nodes` are the nodes that the command names, whether it changes them or not; `daemonsets` the DaemonSets that it names.
    4. `updated` are the DaemonSets whose template differs (a rollout restart included): an update starts.
    5. `deleted` are the DaemonSets deleted, with the cascade: background, foreground or orphan. They are not in `after`.
    6. `reborn` are the nodes where every DaemonSet pod ends and is created only where it should run (a graceful reboot, a
       replacement, a deletion of the node with the assumption that it registers again: `after` then holds the new node).
       `rebooted` are the nodes that restart with their pods (a plain reboot). `drained` are the nodes drained.
    7. `ended` are the nodes where the pod of a DaemonSet is deleted by name.
    8. `replacements` holds, by name, the node as it would be after a replacement; given by drain, empty where not asked.
    9. `taints` are the taints that the change adds, changes or removes: what a DaemonSet has to tolerate.
    10. `notes` are sentences about the change itself: an assumption, a node that was not given, what is not judged.
    11. `delayed` holds, by name, the template of a pool as its nodes that are there stay until they are replaced; the template in
       `after` is what its next nodes are like. The name is in `reborn` too.
    12. `unknown` names what the command asks for and nobody can know, with the reason; the answer is then unknown (exit 3).
    13. `eviction` are the flags of a drain, None for any other command; `order` its nodes in the order in which kubectl takes them.
    14. `ending` is how ordinary pods end on the `reborn` nodes: `shutdown` (graceful), `gone` (collected with their node), "" where that
       is not asked.
    """

    command: str
    headline: str
    before: World
    after: World
    nodes: frozenset[str] = frozenset()
    daemonsets: frozenset[ObjectKey] = frozenset()
    updated: frozenset[ObjectKey] = frozenset()
    deleted: Mapping[ObjectKey, str] = {}
    reborn: frozenset[str] = frozenset()
    rebooted: frozenset[str] = frozenset()
    drained: frozenset[str] = frozenset()
    ended: Mapping[ObjectKey, frozenset[str]] = {}
    replacements: Mapping[str, Node] = {}
    taints: tuple[Taint, ...] = ()
    delayed: Mapping[str, Node] = {}
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    eviction: DrainFlags | None = None
    order: tuple[str, ...] = ()
    ending: str = ""

    @property
    def acted(self) -> frozenset[str]:
        """The nodes that the change itself drains, restarts or replaces: what is due at a re-creation is due there now."""
        return self.drained | self.rebooted | self.reborn
