"""Worlds one after another: each asked about through the command, then filled by the real scheduler with more copies than fit."""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.cli.program import program
from tests.cluster.api import Object
from tests.cluster.bed import Bed, BedError
from tests.truth.demands import priority_classes
from tests.truth.rooms.worlds import NAMESPACE, World, draw_tight

BEYOND = 4
"""So many more copies are created than are said to fit."""


class Compared(NamedTuple):
    """One value of a world: what it is, what was said, and what the scheduler did."""

    what: str
    said: Any
    seen: Any


class Account:
    """What a batch came to: worlds by how many copies fit, comparisons by whether they are equal, and the worlds that differ."""

    def __init__(self) -> None:
        self.worlds: Counter[str] = Counter()
        self.compared: Counter[tuple[str, bool]] = Counter()
        self.copies = 0
        self.different: list[dict[str, Any]] = []

    @property
    def mismatches(self) -> int:
        """Values that differ."""
        return sum(count for (_, equal), count in self.compared.items() if not equal)

    def table(self) -> str:
        """The counts as lines."""
        lines = [f"{self.worlds.total()} worlds, {self.copies} copies bound"]
        lines += [f"  {count:4} {what}" for what, count in sorted(self.worlds.items())]
        lines += [f"  {what}: {count} {'equal' if equal else 'DIFFERENT'}" for (what, equal), count in sorted(self.compared.items())]
        return "\n".join(lines)


class Rooms:
    """A seed's worlds, in a bed that is running."""

    def __init__(self, bed: Bed, seed: int, folder: Path) -> None:
        self.bed, self.seed, self.folder = bed, seed, folder
        self.account = Account()
        self.silent: frozenset[str] = frozenset()
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, number: int) -> Account:
        """Ask about so many worlds, one after another."""
        for at in range(number):
            begin = time.monotonic()
            world = draw_tight(Random(f"{self.seed} {at}"), f"w{at}")
            self.bed.clear()
            self._make(world)
            said = self._asked(world, at)
            seen = self._filled(world, said["copies"] + BEYOND, at)
            found = list(compared(said, *seen, preempts=world.preempts))
            self.account.worlds[f"{world.way}: {'none fits' if not said['copies'] else 'some fit'}"] += 1
            self.account.copies += said["copies"]
            self.account.compared.update((each.what, each.said == each.seen) for each in found)
            different = [each._asdict() for each in found if each.said != each.seen]
            if different:
                kept = {"world": at, "different": different, "drawn": world._asdict(), "said": said}
                (self.folder / f"{at}.json").write_text(json.dumps(kept, indent=1))
                self.account.different.append(kept)
            sys.stderr.write(
                f"{at}: {world.way}: {said['copies']} fit, {len(different)} of {len(found)} differ, {time.monotonic() - begin:.0f} s\n"
            )
        return self.account

    def _make(self, world: World) -> None:
        """The world before: pods that are bound, then those that the scheduler binds, and some that hang in Terminating."""
        self.silent = frozenset(node["metadata"]["name"] for node in world.nodes if node["metadata"].get("annotations"))
        self.bed.create([*world.nodes, *world.runtime_classes, *priority_classes(), *world.bound])
        self.bed.create(world.waiting)
        self._wait("the pods that are there", self._is_still)
        for name in world.deleted:
            self.bed.kubectl("delete", "pod", name, "-n", NAMESPACE, "--wait=false", check=False)
        self._wait("the pods that go", self._is_still)

    def _is_still(self) -> bool:
        """Each pod has started or ended as it should, or is known to find no room."""
        return all(pod["spec"].get("nodeName") in self.silent or _is_settled(pod) for pod in self.bed.list("pods"))

    def _wait(self, what: str, condition: Any) -> None:
        """Wait until this is so, twice in a row with the same pods, half a second apart."""
        before: object = None

        def still() -> bool:
            nonlocal before
            now = _print(self.bed.list("pods")) if condition() else None
            same, before = now is not None and now == before, now
            if not same:
                time.sleep(0.5)
            return same

        try:
            self.bed.wait(still, 60, what)
        except BedError as error:
            open_ = [_print([pod]) for pod in self.bed.list("pods") if not _is_settled(pod)]
            raise BedError(f"{what} do not settle: {open_}") from error

    def _asked(self, world: World, at: int) -> dict[str, Any]:
        """What the command says, asked of the live cluster or of what kubectl printed, in the world's way."""
        argv, path = [], self.folder / "pod.json"
        template = {"metadata": {"labels": {"app": "new"}}, "spec": world.spec}
        deployment = {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "new", "namespace": NAMESPACE},
            "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "new"}}, "template": template},
        }
        if world.way == "like":
            self.bed.create([deployment])
            argv = ["--like", "deploy/new", "-n", NAMESPACE]
        elif world.way == "request":
            argv = words(world.spec)
        else:
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "new", "labels": {"app": "new"}}, "spec": world.spec}
            path.write_text(json.dumps(pod if world.way == "file" else deployment))
            argv = ["-f", str(path)]
        argv += ["--kubeconfig", str(self.bed.kubeconfig), "-o", "json"]
        result = program("capacity", *argv)
        if not result.out:
            raise BedError(f"world {at}: preflight capacity {' '.join(argv)}: exit {result.code}: {result.err}")
        report = json.loads(result.out)
        room: dict[str, Any] = report["clusters"][0]["room"]
        return room

    def _filled(self, world: World, number: int, at: int) -> tuple[Mapping[str, int], Sequence[str]]:
        """On which nodes the scheduler binds copies, and what it says of the others."""
        copies = [
            {
                "apiVersion": "v1",
                "kind": "Pod",
                "metadata": {"name": f"w{at}-copy-{each}", "namespace": NAMESPACE, "labels": {"app": "new"}},
            }
            for each in range(number)
        ]
        self.bed.create([{**copy, "spec": world.spec} for copy in copies])
        self._wait("the copies", self._is_still)
        pods = [each for each in self.bed.list("pods") if each["metadata"]["name"].startswith(f"w{at}-copy-")]
        bound = Counter(pod["spec"]["nodeName"] for pod in pods if pod["spec"].get("nodeName"))
        return bound, [_said(each) for each in pods if not each["spec"].get("nodeName")]


def compared(said: Mapping[str, Any], bound: Mapping[str, int], messages: Sequence[str], *, preempts: bool = False) -> list[Compared]:
    """The values of one world: how many are bound, on which nodes, and what is said where none is.

    More copies were created than fit, so every node is full, and the number of each is certain. Where others are preempted more are bound
    than fit: each node has at least those that were said to fit.
    """
    if preempts:
        nodes = {node["node"]: node["copies"] for node in said["nodes"] if node["copies"]}
        return [Compared("nodes, at least", nodes, {name: min(copies, bound.get(name, 0)) for name, copies in nodes.items()})]
    found = [
        Compared("copies", said["copies"], sum(bound.values())),
        Compared("at most", said["atMost"], sum(bound.values())),
        Compared("nodes", {node["node"]: node["copies"] for node in said["nodes"] if node["copies"]}, dict(bound)),
    ]
    if not said["copies"]:
        found.append(Compared("message", [said["message"]], sorted(set(messages))))
    return found


def words(spec: Object) -> list[str]:
    """A simple pod as the flags of `preflight capacity`."""
    requests = spec["containers"][0]["resources"].get("requests", {})
    argv = ["--request", ",".join(f"{name}={amount}" for name, amount in requests.items()) or "cpu=0"]
    if spec.get("nodeSelector"):
        argv += ["-l", ",".join(f"{key}={value}" for key, value in spec["nodeSelector"].items())]
    for toleration in spec["tolerations"]:
        argv += ["--tolerate", toleration["key"] + (f"={toleration['value']}" if "value" in toleration else "")]
    return argv


def _said(pod: Object) -> str:
    """The scheduler's message, without its sentence on preemption."""
    found = [condition for condition in pod["status"].get("conditions", ()) if condition["type"] == "PodScheduled"]
    return str(found[0].get("message", "")).partition(" preemption: ")[0] if found else ""


def _is_settled(pod: Object) -> bool:
    plays = pod["metadata"].get("annotations", {}).get("preflight.test/kubelet", "")
    phase = pod["status"]["phase"]
    if not pod["spec"].get("nodeName"):
        return bool(_said(pod))
    if phase == "Failed" or pod["metadata"].get("deletionTimestamp"):
        return True
    return bool(phase == {"": "Running", "succeed": "Succeeded", "image-fails": "Pending"}[plays])


def _print(pods: Sequence[Object]) -> object:
    return sorted(
        (
            pod["metadata"]["name"],
            pod["spec"].get("nodeName", ""),
            pod["status"]["phase"],
            "deletionTimestamp" in pod["metadata"],
        )
        for pod in pods
    )
