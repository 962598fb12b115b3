"""`python -m tests.fuzz`: damage valid inputs, and check the laws, for some seconds; or run a saved case again."""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import re
import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from queue import Empty
from random import Random

from tests.fuzz.cases import KUBECONFIG, Case, Fault, load, save
from tests.fuzz.damage import damage
from tests.fuzz.laws import choose_law, find_fault
from tests.fuzz.minimize import minimize
from tests.fuzz.seeds import draw_world, list_seeds

FOLDER = Path(__file__).parents[2] / "build/fuzz"
STALLED = 60.0
"""After how many seconds without a sign of life a worker is ended."""
WORLD_LAWS = ("fix", "order", "formats", "no change", "repetition")


def make_case(seed: int, number: int) -> Case:
    """The case of a number: a damaged seed, or, in one of eight, a seed as it is."""
    random = Random(f"{seed}:{number}")
    case = random.choice(list_seeds()) if random.random() < 0.8 else draw_world(f"{seed}:{number}")
    if random.random() < 7 / 8:
        case = damage(case, random)
    law = "" if case.lines[0][0] == KUBECONFIG else choose_law(case, random)
    return case._replace(law=law, seed=str(number))


def make_world(seed: int, number: int) -> Case:
    """A world that nothing has damaged; each law has its turn."""
    case = draw_world(f"world {seed}:{number // len(WORLD_LAWS)}")
    return case._replace(law=WORLD_LAWS[number % len(WORLD_LAWS)], seed=str(number))


def work(
    worker: int, workers: int, arguments: argparse.Namespace, queue: multiprocessing.Queue[tuple[int, int, Case | None, Fault | None]]
) -> None:
    """Run every case whose number is this worker's."""
    os.environ["CI"] = "1"
    list_seeds()
    end, number = time.monotonic() + arguments.seconds, worker
    last = arguments.worlds * len(WORLD_LAWS) if arguments.worlds else sys.maxsize
    known: set[tuple[str, str]] = set()
    while number < last and (arguments.worlds or time.monotonic() < end):
        queue.put((worker, number, None, None))
        case = make_world(arguments.seed, number) if arguments.worlds else make_case(arguments.seed, number)
        fault = find_fault(case)
        if fault is not None and fault.key not in known:
            known.add(fault.key)
            queue.put((worker, number, case, fault))
            smaller = minimize(case, fault)
            queue.put((worker, number, smaller, find_fault(smaller) or fault))
        number += workers
    queue.put((worker, -1, None, None))


def main() -> int:
    """Fuzz, and report; exit 1 if a law is broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=None, help="by which cases are drawn; a new one by default")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--worlds", type=int, default=0, metavar="N", help="check the laws on N random clusters instead")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="run a case that was saved")
    arguments = parser.parse_args()
    if arguments.again:
        return run_again(arguments.again)
    arguments.seed = int(time.time()) % 1_000_000 if arguments.seed is None else arguments.seed
    print(f"seed {arguments.seed}: make fuzz SEED={arguments.seed} draws the same cases", flush=True)
    list_seeds()
    return watch(arguments)


def run_again(folder: Path) -> int:
    """Run a saved case, and print what it breaks."""
    case = load(folder)
    for line in case.lines:
        print(f"$ preflight {shlex.join(line)}")
    fault = find_fault(case)
    print(f"{fault.law}: {fault.place}\n{fault.detail}" if fault else f"no law is broken (law {case.law or 'runs'})")
    return fault is not None


def watch(arguments: argparse.Namespace) -> int:
    """Start the workers, print what they find, and end those that stall."""
    context = multiprocessing.get_context("fork")
    queue: multiprocessing.Queue[tuple[int, int, Case | None, Fault | None]] = context.Queue()
    workers = {
        worker: context.Process(target=work, args=(worker, arguments.workers, arguments, queue)) for worker in range(arguments.workers)
    }
    for process in workers.values():
        process.start()
    started = time.monotonic()
    signs = {worker: (time.monotonic(), worker) for worker in workers}
    faults: dict[tuple[str, str], Fault] = {}
    counts = Counter[str]()
    while workers:
        try:
            worker, number, case, fault = queue.get(timeout=1)
        except Empty:
            for worker, process in list(workers.items()):
                since, number = signs[worker]
                if not process.is_alive() or time.monotonic() - since > STALLED:
                    process.kill()
                    del workers[worker]
                    make = make_world if arguments.worlds else make_case
                    fault = Fault("process", "ended or stalled", f"worker {worker}")
                    faults[fault.key] = fault
                    report(make(arguments.seed, number), fault)
            continue
        signs[worker] = time.monotonic(), number
        if number < 0:
            workers.pop(worker, None)
        elif case is None:
            counts["cases"] += 1
        elif fault is not None:
            faults[fault.key] = fault
            report(case, fault)
    print(f"{counts['cases']} cases in {time.monotonic() - started:.0f} s, {len(faults)} faults")
    return bool(faults)


def report(case: Case, fault: Fault) -> None:
    """Save a case, and print how to run it again; a smaller one replaces a larger one."""
    digest = hashlib.sha256(repr(fault.key).encode()).hexdigest()[:6]
    name = re.sub(r"[^\w]+", "-", f"{fault.law} {fault.place}").strip("-")[:60]
    folder = FOLDER / f"{name}-{digest}"
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    save(case, fault, folder)
    print(
        f"{fault.law}: {fault.place}: {fault.detail[:300]!r}\n  python -m tests.fuzz --again {folder.relative_to(FOLDER.parents[1])}",
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
