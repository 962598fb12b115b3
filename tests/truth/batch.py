"""One batch: a random cluster, and one change after the other, each predicted from a fresh dump, done with kubectl, and compared."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
import time
from collections.abc import Collection, Sequence
from pathlib import Path
from random import Random

from tests.cluster.bed import Bed
from tests.truth import changes, comparing, drawing, worlds
from tests.truth.account import Account, keep
from tests.truth.drawing import Object
from tests.truth.evidence import EndedPods, LineSeen, Observed, StatusSeen, keep_evidence
from tests.truth.judging import is_of, judge
from tests.truth.prediction import Prediction, Step, predict_or_fail
from tests.truth.stage import Stage, as_list
from tests.truth.state import Key, Move, State
from tests.truth.watching import QUIET, SOON, Pair

MANY = 250
"""More pairs than this that come and go slow the cluster down: the next change is one that calms it."""


class Batch:
    """A seed's cluster and its changes, in a bed that is running."""

    def __init__(self, bed: Bed, seed: int, folder: Path, size: tuple[int, int], *, owned: bool) -> None:
        self.bed, self.seed, self.folder = bed, seed, folder.resolve()
        self.random = Random(seed)
        self.account = Account()
        self.world = worlds.draw_tight(self.random, *size, owned=owned)
        self.manifests: dict[Key, Object] = {
            (daemonset["metadata"]["namespace"], daemonset["metadata"]["name"]): daemonset
            for daemonset in (*self.world.daemonsets, *self.world.applied)
        }
        self.stage = Stage(bed, self.world)
        self.number = 0

    def run(self, kinds: Sequence[str]) -> Account:
        """Make the cluster, and then a change of each of these kinds, in this order."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        with self.stage:
            self._say(self.stage.describe())
            for kind in kinds:
                self._calm_down()
                self._change(kind)
        (self.folder / "dump.json").unlink()
        return self.account

    def _calm_down(self) -> None:
        """While too many pods come and go, take the taints off that they come and go for."""
        for _ in range(20):
            if len(self.stage.loops) <= MANY:
                return
            items = self._dump()
            move = changes.calm_down(self.random, self._state(items), sorted({node for _, _, node in self.stage.loops}))
            if move is None:
                return
            self._do(move, self._state(items))

    def _change(self, kind: str) -> None:
        items = self._dump()
        for attempt in range(30):
            self.random = Random(f"{self.seed} {self.number} {attempt}")
            move = changes.OF_TIGHT[kind](self.random, self._state(items))
            if move is not None:
                self._do(move, self._state(items))
                return
        self._say(f"no place for a change of kind {kind}")

    def _dump(self) -> list[Object]:
        return self.stage.dump(self.folder / "dump.json", self.number)

    def _state(self, items: list[Object]) -> State:
        return State(items, self.manifests, frozenset(pair[:2] for pair in self.stage.loops), self.stage.silent)

    def _do(self, move: Move, state: State) -> None:
        """Predict a change, do it, and compare; then, mostly, end pods that it left and compare again."""
        self.number += 1
        begin = time.monotonic()
        folder = self.folder / f"{self.number:03}"
        folder.mkdir()
        dump = self.folder / "dump.json"
        for name, content in move.files.items():
            (folder / name).write_text(json.dumps(as_list(content), indent=1), encoding="utf-8")
        argv, lines = self._words(move, folder)
        (folder / "command").write_text("\n".join(map(shlex.join, [["preflight", *argv], *(["kubectl", *line] for line in lines)])))
        said = predict_or_fail(argv, dump)
        strategies = {key: drawing.strategy_name(daemonset) for key, daemonset in state.daemonsets.items()}
        waiting = frozenset(pair for pair, there in self.stage.there().items() if there.waits)
        observed = Observed(move.kind, [])
        if self._perform(move, lines, [argv] if move.kind != "plan" else move.lines, said, observed):
            self.account.changes[move.kind] += 1
            last = self._end_pods(said.steps[-1], observed)
            if self.random.random() < 0.5:
                self._read_status(last, observed, self.stage.loops | waiting | self.stage.failed())
        for objects in move.files.values():
            for each in objects if said.steps else ():
                if isinstance(each, dict):
                    self.manifests[each["metadata"]["namespace"], each["metadata"]["name"]] = each
        judged = judge(said, observed)
        self.account.add(move.kind, judged.compared, strategies)
        self.account.numbers.update(compared.equal for compared in judged.numbers)
        self.account.refused[move.kind] += judged.is_refused
        self.account.faults += bool(judged.fault)
        if judged.different:
            keep(folder, lines, judged.different)
        keep_evidence(folder, dump, observed)
        self._say(
            f"{self.number}: {move.kind}: {sum(len(each.pairs) for each in said.steps)} pairs, "
            f"{len(judged.different)} differ, {len(self.stage.loops)} come and go, {time.monotonic() - begin:.0f} s"
            f"{judged.fault and f': {judged.fault}'}"
        )

    def _perform(self, move: Move, lines: list[list[str]], typed: Sequence[list[str]], said: Prediction, observed: Observed) -> bool:
        """Do a change line by line, until one is refused or is not what was judged; whether all lines were done and judged."""
        for number, (words, line) in enumerate(zip(typed, lines, strict=True)):
            step = said.steps[number] if number < len(said.steps) else None
            before = self.stage.there()
            self.stage.mark()
            done = self.stage.perform(move, line)
            judged = step is not None and is_of(step, words)
            pairs: Collection[Pair] = step.pairs if step is not None and judged else ()
            scene = self.stage.settle(before, pairs, max(move.takes, SOON))
            if judged and not done.code:
                for name in move.reborn:
                    self.stage.register_again(name)
                if move.reborn:
                    scene = self.stage.settle(before, pairs)._replace(loops_before=scene.loops_before)
                self.account.events.update(comparing.happened(scene))
            observed.lines.append(LineSeen(words, done.code, done.err, scene))
            if done.code or (said.steps and not judged):
                return False
        return bool(said.steps)

    def _words(self, move: Move, folder: Path) -> tuple[list[str], list[list[str]]]:
        """The program's arguments, and kubectl's for each line."""
        lines = [[str(folder / word) if word in move.files else word for word in line] for line in move.lines]
        if move.kind != "plan":
            return lines[0], lines
        script = self.random.random() < 0.5
        plan = folder / ("plan.sh" if script else "plan.yaml")
        written = [shlex.join(["kubectl", *line]) for line in move.lines]
        plan.write_text(
            "\n".join(["#!/bin/sh", "set -e", *written, ""] if script else [*(f"- {json.dumps(line)}" for line in written), ""])
        )
        return ["plan", str(plan)], lines

    def _end_pods(self, step: Step, observed: Observed) -> Step:
        """Delete, at times, the pods of half of the nodes or DaemonSets that were judged, at once; what comes back is observed.

        The answer is the step with the pods that are there by then.
        """
        nodes = sorted({node for _, _, node in step.pairs})
        daemonsets = sorted({pair[:2] for pair in step.pairs})
        if self.random.random() < 0.4 or not nodes:
            return step
        before = self.stage.there()
        self.stage.mark()
        if len(nodes) > len(daemonsets):
            chosen = self.random.sample(daemonsets, max(1, len(daemonsets) // 2))
            ended = {pair for pair, there in before.items() if there.any and pair[:2] in chosen} - self.stage.loops
            paths = [f"/api/v1/namespaces/{namespace}/pods?labelSelector=app%3D{name}" for namespace, name in chosen]
        else:
            some = self.random.sample(nodes, max(1, len(nodes) // 2))
            ended = {pair for pair, there in before.items() if there.on_node and pair[2] in some} - self.stage.loops
            paths = [f"/api/v1/namespaces/{name}/pods?fieldSelector=spec.nodeName%3D{node}" for name in worlds.NAMESPACES for node in some]
        now = {"apiVersion": "v1", "kind": "DeleteOptions", "gracePeriodSeconds": 0}
        self.bed.api.all_at_once(lambda path: self.bed.api.ask("DELETE", path, now), paths)
        scene = self.stage.settle(before, ended)
        self.account.events.update(comparing.happened(scene))
        observed.ended = EndedPods(frozenset(ended), scene)
        return step.without(ended)

    def _read_status(self, step: Step, observed: Observed, unsure: frozenset[Pair]) -> None:
        """Touch every DaemonSet, so that the controller looks at each, and read its status within a few seconds.

        `unsure` are the pairs that may have a pod or not: they come and go, their pod had no room before, or a failed one is still there.
        """
        self.bed.kubectl("annotate", "ds", "--all", "-A", "--overwrite", f"truth.test/touched={self.number}")
        end = time.monotonic() + QUIET
        while True:
            unplaced = frozenset(pair for pair, there in self.stage.there().items() if there.pending or there.ending)
            observed.status = StatusSeen(comparing.read_numbers(self.bed.list("daemonsets")), unsure, unplaced)
            found = comparing.numbers(step.placed, observed.status.numbers, unsure, unplaced)
            if all(equal for *_, equal in found) or time.monotonic() > end:
                return
            time.sleep(0.3)

    def _say(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")
