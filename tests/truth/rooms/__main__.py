"""`make truth KIND=capacity SEED=n`: 100 random worlds on one control plane; 1 where anything differs."""

from __future__ import annotations

import argparse
import secrets
import shutil
import sys
import time
from pathlib import Path

from tests.cluster.bed import Bed
from tests.truth.rooms.batch import Rooms

BUILT = Path(__file__).parents[3] / "build/truth"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.truth --kind capacity", description=__doc__)
    parser.add_argument("--seed", type=int, help="a batch to run again; a fresh one is drawn without")
    parser.add_argument("--worlds", type=int, default=100)
    given = parser.parse_args(arguments)
    seed = secrets.randbelow(100_000) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    begin, folder = time.monotonic(), BUILT / f"capacity-{seed}"
    shutil.rmtree(folder, ignore_errors=True)
    with Bed() as bed:
        account = Rooms(bed, seed, folder).run(given.worlds)
    print(f"{time.monotonic() - begin:.0f} s; what differs is in build/truth/capacity-{seed}")
    print(account.table())
    return 1 if account.mismatches or not account.worlds else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
