"""The cluster of a batch: made of a world, changed line by line, and watched until it is at rest."""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from tests.cluster.bed import Bed, Ran
from tests.cluster.silence import UNREACHABLE, fall_silent
from tests.truth import drawing, worlds
from tests.truth.changes import COLLECTED, OUT_OF_SERVICE
from tests.truth.comparing import Scene
from tests.truth.drawing import Object
from tests.truth.listening import Listening, dump
from tests.truth.state import Move, is_silent
from tests.truth.watching import QUIET, SOON, Pair, There
from tests.truth.worlds import World


class Stage:
    """A world in a bed that is running, from `with` until its end.

    `loops` are the pairs whose pods come and go, `silent` the nodes whose kubelet is.
    """

    def __init__(self, bed: Bed, world: World) -> None:
        self.bed, self.world = bed, world
        self.loops: frozenset[Pair] = frozenset()
        self.silent: frozenset[str] = frozenset()

    def __enter__(self) -> Self:
        """Make the world: the pods without owners first, and once all pods are there kubelets fall silent."""
        self.bed.create([*self.world.namespaces, *self.world.priority_classes, *self.world.nodes])
        self.bed.create(self.world.occupants)
        self.bed.create(self.world.daemonsets)
        self.bed.kubectl("apply", "-f", "-", stdin=json.dumps(as_list(self.world.applied)))
        self.listening = Listening(self.bed.api)
        self.listening.__enter__()
        try:
            self._rest()
            fall_silent(self.bed, self.world.silent)
            self._rest()
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.listening.__exit__(kind, error, trace)

    def there(self) -> dict[Pair, There]:
        """The pods that are there: see Memory."""
        return self.listening.memory.there()

    def failed(self) -> frozenset[Pair]:
        """The pairs with a pod that has ended: see Memory."""
        return self.listening.memory.failed()

    def mark(self) -> None:
        """Begin to count afresh what happens to pods."""
        self.listening.memory.mark()

    def _rest(self) -> None:
        """Wait until the world that was made has settled."""
        self.loops, rest = self.listening.settle(self._slow(), QUIET)
        if rest:
            raise AssertionError(f"the cluster does not settle: {sorted(rest)[:5]}")

    def describe(self) -> str:
        """What was made, in words."""
        there = self.there()
        waiting = {pair for pair, pods in there.items() if pods.waits}
        daemonsets, nodes = {pair[:2] for pair in waiting}, {node for _, _, node in waiting}
        return (
            f"{len(self.world.daemonsets) + len(self.world.applied)} DaemonSets on {len(self.world.nodes)} nodes, "
            f"of which {len(self.world.silent)} are silent; {len(there)} pods, "
            f"of which {len(waiting)} of {len(daemonsets)} DaemonSets on {len(nodes)} nodes find no room"
        )

    def perform(self, move: Move, line: list[str]) -> Ran:
        """Do what a line says: with kubectl, but for what no kubectl does.

        While a node shuts down it refuses pods that come again and again: they do not count as ones that come and go.
        """
        if not move.rebooted:
            return self.bed.kubectl(*line, check=False, timeout=300)
        for name in move.rebooted:
            self.bed.reboot(name, graceful="--graceful" in line)
        time.sleep(SOON)
        self.mark()
        return Ran(0, "", "")

    def settle(self, before: Mapping[Pair, There], judged: Collection[Pair], least: float = SOON) -> Scene:
        """Wait until the cluster is at rest: as long as a loop takes where the taints of a node with NoExecute have just changed.

        `least` are the seconds that it takes at any rate.

        What came and went before and was not judged is taken to go on so.
        """
        tainted = self._tainted
        slow = self._slow()
        changed = any(self._tainted[name] != tainted.get(name) for name in slow)
        aside = self.loops.difference(judged)
        loops, rest = self.listening.settle(slow, max(least, QUIET if changed else SOON), aside)
        if self._awaits_collection():
            loops, rest = self.listening.settle(slow, COLLECTED, aside)
        loops |= aside
        memory = self.listening.memory
        scene = Scene(before, memory.there(), self.loops, loops, rest, self.silent, memory.preempted())
        self.loops = loops
        return scene

    def _awaits_collection(self) -> bool:
        """Whether pods end on a node that is out of service: the controller that removes them looks every 20 seconds."""
        out = {name for name, taints in self._tainted.items() if any(taint["key"] == OUT_OF_SERVICE[0] for taint in taints)}
        return any(there.ending for (_, _, node), there in self.there().items() if node in out)

    def _slow(self) -> set[str]:
        """The nodes with a NoExecute taint."""
        nodes = self.bed.list("nodes")
        self.silent = frozenset(node["metadata"]["name"] for node in nodes if is_silent(node))
        self._tainted = {node["metadata"]["name"]: node["spec"].get("taints", []) for node in nodes}
        return {name for name, taints in self._tainted.items() if any(taint["effect"] == "NoExecute" for taint in taints)}

    def register_again(self, name: str) -> None:
        """Once the pods of a node that was deleted are gone, let it register as it does by itself."""
        old = next(item for item in self._items if item["kind"] == "Node" and item["metadata"]["name"] == name)
        self.bed.wait(
            lambda: not self.bed.get(f"/api/v1/pods?fieldSelector=spec.nodeName={name}")["items"], 180, f"the pods of {name} to go"
        )
        by_itself = (*drawing.OWNED, "node.kubernetes.io/unschedulable", UNREACHABLE)
        taints = [taint for taint in old["spec"].get("taints", ()) if taint["key"] not in by_itself]
        self.bed.create([worlds.registered(name, old["metadata"]["labels"], taints, old["status"]["capacity"])])

    def dump(self, path: Path, number: int) -> list[Object]:
        """Write what `kubectl get nodes,ds,pods,priorityclasses -A -o json` prints, at times without the classes.

        Mostly it is put together from the lists, which is much quicker.
        """
        if number % 6 == 0:
            kinds = "nodes,ds,pods" if number % 12 == 0 else "nodes,ds,pods,priorityclasses"
            path.write_text(self.bed.kubectl("get", kinds, "-A", "-o", "json").out, encoding="utf-8")
        else:
            path.write_bytes(dump(self.bed.api))
        self._items = list[Object](msgspec.json.decode(path.read_bytes())["items"])
        return self._items


def as_list(items: Iterable[Object]) -> Object:
    """Objects as the list that kubectl prints and applies."""
    return {"apiVersion": "v1", "kind": "List", "items": list(items)}
