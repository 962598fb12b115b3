"""`make truth KIND=drain SEED=n`: 40 random drains with the real kubectl; 1 where anything differs."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
import time
from pathlib import Path

from tests.cluster.bed import Bed
from tests.truth.drains.account import Account
from tests.truth.drains.batch import Drains
from tests.truth.drains.seen import AUDIT

BUILT = Path(__file__).parents[3] / "build/truth"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.truth --kind drain", description=__doc__)
    parser.add_argument("--seed", type=int, help="a batch to run again; a fresh one is drawn without")
    parser.add_argument("--drains", type=int, default=40)
    parser.add_argument("--sum", nargs="+", type=Path, metavar="FILE", help="only add up the account.json of batches")
    given = parser.parse_args(arguments)
    account = Account()
    if given.sum:
        for path in given.sum:
            account.merge(Account.of(json.loads(path.read_text())))
    else:
        seed = secrets.randbelow(100_000) if given.seed is None else given.seed
        print(f"seed {seed}", flush=True)
        begin, folder = time.monotonic(), BUILT / f"drains-{seed}"
        with Bed(node_lifecycle=True, audit=AUDIT) as bed:
            account = Drains(bed, seed, folder).run(given.drains)
        (folder / "account.json").write_text(json.dumps(account.dumped()))
        print(f"{time.monotonic() - begin:.0f} s; what differs is in build/truth/drains-{seed}")
    print(account.table())
    return 1 if account.mismatches or not account.drains else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
