"""What `preflight doctor` finds in random clusters: nothing where they work, and the faults that were planted in them."""

from __future__ import annotations

import argparse
import gzip
import json
import secrets
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.cli.program import program
from tests.cluster.api import Object
from tests.cluster.bed import Bed
from tests.truth.planting import FAULTS, Fault, Planting, world

BUILT = Path(__file__).parents[2] / "build/truth"


class Found(NamedTuple):
    """What the program said of one world: of each fault whether it was named; and what it called broken while nothing was."""

    faults: Mapping[str, bool]
    false: tuple[str, ...]


class Faults:
    """A seed's worlds, one after another, in a bed that is running with the node lifecycle controller."""

    def __init__(self, bed: Bed, seed: int, folder: Path) -> None:
        """Every world is kept in `folder`, before and after the faults were planted, with what was planted."""
        self.bed, self.seed, self.folder = bed, seed, folder
        folder.mkdir(parents=True, exist_ok=True)

    def run(self, worlds: int) -> Iterator[Found]:
        """Each world: first nothing is wrong, and then one to three things are."""
        for number in range(worlds):
            random = Random(f"{self.seed} {number}")
            self.bed.clear()
            objects, gpus = world(random)
            self.bed.create(objects)
            self.bed.settle(quiet=3)
            self.keep(number, "before")
            here = Planting(self.bed, random, random.sample(gpus, len(gpus)))
            kinds = random.sample(list(FAULTS), random.choice((1, 2, 3)))
            faults = []
            for kind in sorted(kinds, key=list(FAULTS).index):
                faults.append(FAULTS[kind](here))
                self.bed.settle(quiet=1)
            self.bed.settle(quiet=3, ignore=lambda metadata: metadata["name"].startswith("ghost"))
            self.keep(number, "after")
            planted = [fault._asdict() | {"about": sorted(fault.about)} for fault in faults]
            (self.folder / f"{number}.planted.json").write_text(json.dumps(planted, indent=1))
            yield judge(self.folder, number)

    def keep(self, number: int, when: str) -> None:
        """Keep a snapshot as if it was taken an hour later: of what has just begun doctor says nothing."""
        path = self.folder / "world.json"
        saved = program("snapshot", "--kubeconfig", str(self.bed.kubeconfig), "-o", str(path))
        if saved.code:
            raise AssertionError(f"{number}: {saved.err}")
        data = json.loads(path.read_text())
        data["metadata"]["at"] = (datetime.fromisoformat(data["metadata"]["at"]) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        (self.folder / f"{number}.{when}.json.gz").write_bytes(gzip.compress(json.dumps(data).encode()))


def judge(folder: Path, number: int) -> Found:
    """What doctor says today of a world that was kept; it is written to standard error, and its findings next to the world."""
    planted = json.loads((folder / f"{number}.planted.json").read_text())
    faults = [Fault(fault["kind"], frozenset(fault["about"]), tuple(fault["words"])) for fault in planted]
    false = tuple(finding["message"] for finding in _diagnose(folder, number, "before") if finding["severity"] != "note")
    findings = _diagnose(folder, number, "after")
    (folder / f"{number}.findings.json").write_text(json.dumps(findings, indent=1))
    found = {fault.kind: named(fault, findings) for fault in faults}
    sys.stderr.write(f"{number}: {found}{f', false: {false}' if false else ''}\n")
    return Found(found, false)


def _diagnose(folder: Path, number: int, when: str) -> list[Object]:
    told = program("doctor", "--from", str(folder / f"{number}.{when}.json.gz"), "-o", "json", "--no-policy")
    if told.code not in (0, 1):
        raise AssertionError(f"{number}: {told.err}")
    return list[Object](json.loads(told.out)["findings"])


def named(fault: Fault, findings: Sequence[Object]) -> bool:
    """Whether the first or the second finding about what is broken names the cause: in its message or its notes."""
    about = [finding for finding in findings if finding["severity"] != "note" and fault.about & _speaks_of(finding)]
    return any(word in json.dumps(each, ensure_ascii=False) for each in about[:2] for word in fault.words)


def table(found: Sequence[Found]) -> str:
    """How many of each fault were named, and how many worlds without a fault were called broken."""
    planted = Counter(kind for each in found for kind in each.faults)
    hit = Counter(kind for each in found for kind, is_named in each.faults.items() if is_named)
    lines = [f"{kind:20} {planted[kind]:5} planted {hit[kind]:5} named" for kind in FAULTS]
    share = 100 * hit.total() / max(1, planted.total())
    false = sum(bool(each.false) for each in found)
    return "\n".join(
        [
            *lines,
            f"{'every fault':20} {planted.total():5} planted {hit.total():5} named ({share:.1f} %)",
            f"{len(found)} worlds, {false} called broken before",
        ]
    )


def main(arguments: Sequence[str]) -> int:
    """`make truth KIND=faults SEED=n`: 100 random worlds; 1 where fewer than 99 % of the faults are named, or a healthy one is blamed."""
    parser = argparse.ArgumentParser(prog="tests.truth --kind faults", description=main.__doc__)
    parser.add_argument("--seed", type=int, help="a batch to run again; a fresh one is drawn without")
    parser.add_argument("--worlds", type=int, default=100)
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="judge again what a batch has kept, without a cluster")
    given = parser.parse_args(arguments)
    if given.again:
        numbers = sorted(int(path.name.partition(".")[0]) for path in given.again.glob("*.planted.json"))
        found = [judge(given.again, number) for number in numbers]
    else:
        seed = secrets.randbelow(100_000) if given.seed is None else given.seed
        sys.stdout.write(f"seed {seed}\n")
        with Bed(node_lifecycle=True, grace=15) as bed:
            found = list(Faults(bed, seed, BUILT / f"faults-{seed}").run(given.worlds))
    sys.stdout.write(f"{table(found)}\n")
    named_of = [is_named for each in found for is_named in each.faults.values()]
    return int(any(each.false for each in found) or sum(named_of) < 0.99 * len(named_of))


def _speaks_of(finding: Object) -> set[str]:
    subject = finding["subject"]
    name = "/".join(part for part in (subject.get("namespace"), subject["name"]) if part)
    return {name, *finding["nodes"]}
