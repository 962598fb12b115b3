"""A batch of drains: random worlds, and drains in each of them, predicted from a fresh dump, done with kubectl, and compared."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random

from tests.cluster.bed import Bed, Ran
from tests.cluster.silence import fall_silent
from tests.truth.drains import seen as seeing
from tests.truth.drains import worlds
from tests.truth.drains.account import Account
from tests.truth.drains.comparing import Replacements, compared
from tests.truth.drains.prediction import Said, prediction
from tests.truth.drains.pulse import Pulse
from tests.truth.drains.resting import Restless, is_moving, rest
from tests.truth.drains.seen import Seen
from tests.truth.drains.values import Compared
from tests.truth.drawing import Object
from tests.truth.worlds import PLAY

DUMPED = "nodes,pods,deployments,replicasets,statefulsets,replicationcontrollers,daemonsets,jobs,cronjobs"
BUDGETS = "/apis/policy/v1/poddisruptionbudgets"
PATIENCE = 10.0
"""Seconds after which a kubectl that may wait for ever is ended, beside those that its pods may take to end."""

LONG, LONGEST = 30.0, 140.0
"""Seconds that a drain may take, and one of every third batch: where a budget is not synced, kubectl asks for 100 s within one call."""

STILL = 3.0
"""Seconds without a beat of our own after which nothing is to be learned of a drain."""

TRIES = 10


class Drains:
    """A seed's worlds and the drains in them, in a bed that is running with the audit policy of `seen`."""

    def __init__(self, bed: Bed, seed: int, folder: Path, each: int = 3) -> None:
        self.bed, self.seed, self.folder, self.each = bed, seed, folder.resolve(), each
        self.account = Account()
        self.number = 0
        self.was_long = seed % 3 != 0
        self.silent: frozenset[str] = frozenset()

    def run(self, drains: int) -> Account:
        """Make one world after the other until there were so many drains, `each` in a world."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        world = 0
        while self.account.drains.total() < drains and world < drains:
            world += 1
            self.random = Random(f"{self.seed} drains {world}")
            self.bed.clear()
            try:
                self._world()
            except Restless as error:
                self.account.left_out["the rest of a world that did not come to rest"] += 1
                self._say(f"world {world} does not come to rest: {error}")
        return self.account

    def _world(self) -> None:
        world = worlds.draw(self.random)
        self.silent = frozenset(world.silent)
        self.bed.create(world.objects)
        self.bed.create(world.budgets)
        rest(self.bed, uncordoned=False)
        fall_silent(self.bed, world.silent)
        deployments = [item["metadata"] for item in world.objects if item["kind"] == "Deployment"]
        if deployments and self.random.random() < 0.2:
            self._stop_halfway(self.random.choice(deployments))
        for number in range(self.each):
            uncordoned = bool(number) and self._uncordon()
            if number or self.silent:
                rest(self.bed, uncordoned=uncordoned, silent=self.silent)
            going = self._end_one()
            if going:
                rest(self.bed, uncordoned=False, going=going, silent=self.silent)
            self._drain()

    def _stop_halfway(self, deployment: Object) -> None:
        """Update a Deployment to an image that is not there, so that it has pods of two ReplicaSets."""
        self.bed.kubectl("set", "image", f"deployment/{deployment['name']}", f"*={worlds.BAD}", "-n", deployment["namespace"])
        rest(self.bed, uncordoned=False, silent=self.silent)

    def _uncordon(self) -> bool:
        """Uncordon some nodes, and at times cordon one; whether any was uncordoned."""
        cordoned = [node["metadata"]["name"] for node in self.bed.list("nodes") if node["spec"].get("unschedulable")]
        chosen = [name for name in cordoned if self.random.random() < 0.5]
        if chosen:
            self.bed.kubectl("uncordon", *chosen)
        if self.random.random() < 0.2:
            self.bed.kubectl("cordon", self.random.choice([each["metadata"]["name"] for each in self.bed.list("nodes")]))
        return bool(chosen)

    def _end_one(self) -> list[str]:
        """At times, delete a pod that takes long to end: it is still there, and on its way out, when the drain comes."""
        key = worlds.PLAYS + "terminates-after"
        slow = [
            pod["metadata"]
            for pod in self.bed.list("pods")
            if pod["metadata"].get("annotations", {}).get(key) == worlds.LONG
            and pod["spec"].get("terminationGracePeriodSeconds", 0) > 1
            and not is_moving(pod, ())
        ]
        if not slow or self.random.random() > 0.4:
            return []
        chosen = self.random.choice(slow)
        self.bed.kubectl("delete", "pod", chosen["name"], "-n", chosen["namespace"], "--wait=false")
        return [f"{chosen['namespace']}/{chosen['name']}"]

    def _drain(self) -> None:
        """Predict a drain, do it, and compare."""
        self.number += 1
        folder = self.folder / f"{self.number:03}"
        folder.mkdir()
        items = self._dump(folder / "dump")
        nodes = {item["metadata"]["name"]: item for item in items if item["kind"] == "Node"}
        pods = [each for each in items if each["kind"] == "Pod"]
        if any(pod.tolerates_cordon and not pod.node and not pod.has_ended for pod in seeing.pods(pods).values()):
            self.account.left_out["a drain whose room a Pending pod that tolerates a cordon may take"] += 1
            shutil.rmtree(folder)
            return
        argv, flags, drained = self._line(nodes, pods)
        said = prediction(argv, folder / "dump")
        for _ in range(TRIES):
            if self._has_time_for(said):
                break
            self.account.left_out["a drain that would take long, and another one was drawn"] += 1
            argv, flags, drained = self._line(nodes, pods)
            said = prediction(argv, folder / "dump")
        (folder / "command").write_text(f"kubectl {' '.join(argv)}\n")
        if said.nodes and {node.told["node"] for node in said.nodes} != drained:
            raise AssertionError(f"{argv} drains {sorted(drained)}, and not {[each.told['node'] for each in said.nodes]}")
        replacements = self._replacements(said, pods)
        others = sorted(nodes.keys() - drained - self.silent)
        if replacements is Replacements.NEVER:
            self._silence(others)
        try:
            with Pulse() as pulse:
                happened = self._do(said, argv, pods)
        finally:
            if replacements is Replacements.NEVER:
                self._silence(others, over=True)
        if pulse.longest > STILL:
            self.account.left_out["a drain while this machine stood still"] += 1
            self._say(f"{self.number}: {' '.join(argv)}: this machine stood still for {pulse.longest:.1f} s")
            return
        self._count(argv, drained, happened, replacements)
        if not said.nodes:
            self.account.refused += 1
            self._say(f"{self.number}: {' '.join(argv)}: preflight {said.result.code}: {said.result.err}")
            return
        if happened.preempted(drained):
            self.account.left_out["a drain by which pods were preempted"] += 1
            self._say(f"{self.number}: {' '.join(argv)}: {', '.join(happened.preempted(drained))} may be preempted")
            return
        different = self.account.add(compared(said, happened, flags, replacements))
        self._say(
            f"{self.number}: {' '.join(argv)}: {sum(len(each.pods) for each in said.nodes)} pods, replacements {replacements.value}, "
            f"{happened.seconds:.1f} s, kubectl {happened.code}, {len(different)} differ"
        )
        self._keep(folder, said, happened, different)

    def _dump(self, folder: Path) -> list[Object]:
        """Write what `kubectl get` prints of all that a drain asks about; the budgets as a list, for there may be none."""
        folder.mkdir()
        out = self.bed.kubectl("get", DUMPED, "-A", "-o", "json").out
        (folder / "objects.json").write_text(out, encoding="utf-8")
        (folder / "budgets.json").write_text(self.bed.kubectl("get", "--raw", BUDGETS).out, encoding="utf-8")
        items: list[Object] = json.loads(out)["items"]
        return items

    def _line(self, nodes: dict[str, Object], pods: Sequence[Object]) -> tuple[list[str], list[str], set[str]]:
        """A command line without the program's name, its flags, and the nodes that it drains: with most pods or with any, or a pool."""
        flags = worlds.flags(self.random)
        if self.random.random() < 0.12:
            pool = self.random.choice([node["metadata"]["labels"]["pool"] for node in nodes.values()])
            chosen = {name for name, each in nodes.items() if each["metadata"]["labels"]["pool"] == pool}
            return ["drain", f"--selector=pool={pool}", *flags], flags, chosen
        there = Counter(pod["spec"]["nodeName"] for pod in pods if "nodeName" in pod["spec"]) or Counter(list(nodes))
        busy = [name for name, _ in there.most_common(3 if self.random.random() < 0.5 else None)]
        names = self.random.sample(busy, min(len(busy), self.random.choice((1, 1, 2, 3))))
        if self.silent and self.random.random() < 0.6:
            names = [*sorted(self.silent), *(name for name in names[1:] if name not in self.silent)]
        return ["drain", *names, *flags], flags, set(names)

    def _has_time_for(self, said: Said) -> bool:
        """Whether a drain takes no more than LONG seconds by what was said; at times, the first that does is done all the same."""
        takes = sum(max(node.worst.grace_seconds or 0.0, node.best.grace_seconds or 0.0) for node in said.nodes)
        if takes <= LONG or (takes <= LONGEST and not self.was_long):
            self.was_long = self.was_long or takes > LONG
            return True
        return False

    def _replacements(self, said: Said, pods: Sequence[Object]) -> Replacements:
        """What becomes of replacements: in every third drain none gets Ready, for other nodes are silent; else as the world is.

        Pods that tolerate a cordon may land on a node that is drained, which is not silent.
        """
        tolerant = any(each.tolerates_cordon and not each.is_daemons for each in seeing.pods(pods).values())
        if not tolerant and self.random.random() < 0.35:
            return Replacements.NEVER
        annotations = [each["metadata"].get("annotations", {}) for each in pods]
        late = [worlds.PLAYS + name for name in ("ready-after", "terminates-after")]
        plain = not any(annotation.get(PLAY) or any(name in annotation for name in late) for annotation in annotations)
        plain = plain and not any(container["image"] == worlds.BAD for pod in pods for container in pod["spec"]["containers"])
        owners = [owner["kind"] for each in pods for owner in each["metadata"].get("ownerReferences", ())]
        told = [pod for node in said.nodes for pod in node.told["pods"]]
        placed = all(each["replacement"] in ("fits", "none", "") for each in told)
        pending = any("nodeName" not in each["spec"] for each in pods)
        gone = [pod for pod in told if pod["verdict"] in ("evicted", "waits")]
        forgotten = any(pod["grace"] == 0 and pod["owner"].startswith("StatefulSet") for pod in gone)
        if plain and placed and not self.silent and not (pending or tolerant or forgotten) and "Job" not in owners:
            return Replacements.AT_ONCE
        return Replacements.SOME

    def _silence(self, names: Sequence[str], *, over: bool = False) -> None:
        """Let the kubelets of these nodes neither start nor end a pod, until that is over."""
        for name in names:
            self.bed.play(None if over else "silent", node=name)

    def _do(self, said: Said, argv: Sequence[str], before: Sequence[Object]) -> Seen:
        """Drain, and see what happens; kubectl is ended where it may wait for ever, after what its pods may take to end."""
        mark = len(self.bed.audit())
        limit = 300.0
        if not any(word.startswith("--timeout") for word in argv) and said.evictions.get("ends") is not True:
            limit = PATIENCE + sum(node.worst.grace_seconds or 0.0 for node in said.nodes)
        if any(node.told["node"] in self.silent for node in said.nodes):
            limit = min(limit, LONG + PATIENCE)
        begin = time.monotonic()
        ran: Ran | None
        try:
            ran = self.bed.kubectl(*argv, check=False, timeout=limit)
            stderr = ran.err
        except subprocess.TimeoutExpired as error:
            ran, stderr = None, bytes(error.stderr or b"").decode()  # bytes, though text was asked for
        seconds = time.monotonic() - begin
        after = self.bed.list("pods")
        time.sleep(0.2)  # the audit log is written when an answer is sent
        asked = seeing.requests(self.bed.audit()[mark:])
        return Seen(ran.code if ran is not None else None, stderr, seconds, asked, seeing.pods(before), seeing.pods(after))

    def _count(self, argv: Sequence[str], drained: set[str], happened: Seen, replacements: Replacements) -> None:
        self.account.drains[f"of {len(drained)}{', one of them silent' if drained & self.silent else ''}"] += 1
        self.account.codes["nothing, and was ended by us" if happened.code is None else str(happened.code)] += 1
        self.account.replacements[replacements.value] += 1
        flags = [word.partition("=")[0] for word in argv if word.startswith("--")]
        self.account.flags.update(flags if "--timeout" in flags else [*flags, "no --timeout"])

    def _keep(self, folder: Path, said: Said, happened: Seen, different: list[Compared]) -> None:
        """Keep what it takes to see a mismatch again; forget the folder of a drain without one."""
        if not different:
            shutil.rmtree(folder)
            return
        (folder / "report.json").write_text(said.result.out)
        (folder / "seen.json").write_text(json.dumps(happened._asdict(), indent=1))
        with (folder / "mismatches.jsonl").open("w", encoding="utf-8") as file:
            for compared in different:
                file.write(json.dumps(compared._asdict()) + "\n")
                self._say(f"    {compared.of} {compared.about}: is {compared.seen}, and we say {compared.said}")

    def _say(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")
