"""`make truth SEED=n KIND=kind`: predictions against a real control plane, change by change; 1 where anything differs."""

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
from tests.truth import changes, faults
from tests.truth.account import Account
from tests.truth.batch import Batch
from tests.truth.drains import account as drained
from tests.truth.drains.batch import Drains
from tests.truth.drains.seen import AUDIT
from tests.truth.rooms import __main__ as rooms

DRAIN = "drain"
"""The kind that has worlds of its own: it is not mixed with others."""

BUILT = Path(__file__).parents[2] / "build/truth"
AFTER = {"uncordon": "cordon", "apply: new": "delete ds"}
"""Kinds that need another one before them."""


def order(random: Random, only: Iterable[str], rounds: int) -> list[str]:
    """Each kind once a round, plans twice, in a random order in which what a kind needs comes before it."""
    kinds = list(only) or [*changes.EVERY, "plan"]
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
    """Run one batch in a bed of its own; in every second one the node lifecycle controller runs too."""
    lifecycle = seed % 2 == 0
    folder = BUILT / f"seed-{seed}"
    with Bed(node_lifecycle=lifecycle) as bed:
        one = Batch(bed, seed, folder, size, owned=not lifecycle)
        account = one.run(order(Random(f"{seed} order"), only, rounds))
    (folder / "account.json").write_text(json.dumps(account.dumped()))
    return account


def drains(seed: int, number: int) -> drained.Account:
    """Run so many drains in a bed of their own; the node lifecycle controller taints what is cordoned."""
    folder = BUILT / f"drains-{seed}"
    with Bed(node_lifecycle=True, audit=AUDIT) as bed:
        account = Drains(bed, seed, folder).run(number)
    (folder / "account.json").write_text(json.dumps(account.dumped()))
    return account


def added(paths: Iterable[Path]) -> Account | drained.Account:
    """The accounts of batches together: all of drains, or none."""
    every = [json.loads(path.read_text()) for path in paths]
    if any("drains" in each for each in every):
        total = drained.Account()
        for each in every:
            total.merge(drained.Account.of(each))
        return total
    found = Account()
    for each in every:
        found.merge(Account.of(each))
    return found


def main(arguments: list[str]) -> int:
    if "capacity" in arguments:  # worlds of its own, and an account of its own
        return rooms.main([each for each in arguments if each not in ("--kind", "capacity")])
    if "faults" in arguments:  # as these
        return faults.main([each for each in arguments if each not in ("--kind", "faults")])
    parser = argparse.ArgumentParser(prog="tests.truth", description=__doc__)
    parser.add_argument("--seed", type=int, help="a batch to run again; a fresh one is drawn without")
    parser.add_argument("--daemonsets", type=int, default=120)
    parser.add_argument("--nodes", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=1, help="how often each kind of change comes")
    parser.add_argument("--kind", action="append", default=[], choices=[*changes.EVERY, DRAIN], help="only these kinds; repeatable")
    parser.add_argument("--drains", type=int, default=40, help="how many, of kind drain")
    parser.add_argument("--sum", nargs="+", type=Path, metavar="FILE", help="only add up the account.json of batches")
    given = parser.parse_args(arguments)
    if DRAIN in given.kind and given.kind != [DRAIN]:
        parser.error("--kind drain goes without any other kind")
    total: Account | drained.Account
    if given.sum:
        total = added(given.sum)
    else:
        seed = secrets.randbelow(100_000) if given.seed is None else given.seed
        print(f"seed {seed}", flush=True)
        begin = time.monotonic()
        if given.kind == [DRAIN]:
            total, name = drains(seed, given.drains), f"drains-{seed}"
        else:
            total, name = batch(seed, (given.daemonsets, given.nodes), given.kind, given.rounds), f"seed-{seed}"
        print(f"{time.monotonic() - begin:.0f} s; what differs is in build/truth/{name}")
    print(total.table())
    done = total.changes if isinstance(total, Account) else total.drains
    return 1 if total.mismatches or not done else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
