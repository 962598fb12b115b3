"""`make truth SEED=n`: predictions against a real control plane, change by change; 1 where anything differs."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from random import Random

from tests.cluster.bed import Bed
from tests.cluster.build import get_release
from tests.truth import changes, faults
from tests.truth.account import Account
from tests.truth.again import judge_again
from tests.truth.batch import Batch
from tests.truth.drains import __main__ as drains
from tests.truth.rooms import __main__ as rooms

BUILT = Path(__file__).parents[2] / "build/truth"
AFTER = {"uncordon": "cordon", "apply: new": "delete ds"}
"""Kinds that need another one before them."""


def order(random: Random, only: Iterable[str], rounds: int) -> list[str]:
    """Each kind once a round, plans twice, in a random order in which what a kind needs comes before it."""
    kinds = list(only) or [*changes.OF_TIGHT, "plan"]
    found: list[str] = []
    for _ in range(rounds):
        drawn = random.sample(kinds, len(kinds))
        for later, first in AFTER.items():
            if later in drawn and first in drawn and drawn.index(later) < drawn.index(first):
                a, b = drawn.index(later), drawn.index(first)
                drawn[a], drawn[b] = first, later
        found += drawn
    return found


def batch(seed: int, size: tuple[int, int], only: Iterable[str] = (), rounds: int = 1) -> Account:
    """Run one batch in a bed of its own; in every second one the node lifecycle controller runs too.

    Up to 1.32 it always does: without it the controller that evicts by taints lacks an index of pods, and evicts none.
    """
    lifecycle = seed % 2 == 0 or get_release().minor <= 32
    folder = BUILT / f"seed-{seed}"
    with Bed(node_lifecycle=lifecycle) as bed:
        one = Batch(bed, seed, folder, size, owned=not lifecycle)
        account = one.run(order(Random(f"{seed} order"), only, rounds))
    (folder / "account.json").write_text(json.dumps(account.dumped()))
    return account


def main(arguments: list[str]) -> int:
    apart = {"capacity": rooms.main, "drain": drains.main, "faults": faults.main}  # worlds of their own, and accounts of their own
    for kind, other in apart.items():
        if kind in arguments:
            return other([argument for argument in arguments if argument not in ("--kind", kind)])
    parser = argparse.ArgumentParser(prog="tests.truth", description=__doc__)
    parser.add_argument("--seed", type=int, help="a batch to run again; a fresh one is drawn without")
    parser.add_argument("--daemonsets", type=int, default=120)
    parser.add_argument("--nodes", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=1, help="how often each kind of change comes")
    parser.add_argument("--kind", action="append", default=[], choices=list(changes.OF_TIGHT), help="only these kinds; repeatable")
    parser.add_argument("--sum", nargs="+", type=Path, metavar="FILE", help="only add up the account.json of batches")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="say again of what a batch has kept, without a cluster")
    given = parser.parse_args(arguments)
    if given.again:
        for line in judge_again(given.again):
            print(line)
        return 0
    if given.sum:
        total = Account()
        for path in given.sum:
            total.merge(Account.of(json.loads(path.read_text())))
    else:
        seed = secrets.randbelow(100_000) if given.seed is None else given.seed
        print(f"seed {seed}", flush=True)
        begin = time.monotonic()
        total = batch(seed, (given.daemonsets, given.nodes), given.kind, given.rounds)
        print(f"{time.monotonic() - begin:.0f} s; what differs is in build/truth/seed-{seed}")
    print(total.table())
    return 1 if total.mismatches or not total.changes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
