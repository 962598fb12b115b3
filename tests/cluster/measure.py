"""How long preflight takes to ask a cluster of a given size, beside kubectl: `python -m tests.cluster.measure --nodes 3000`."""

from __future__ import annotations

import argparse
import shlex
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from tests.builders import Object
from tests.cluster.bed import Bed
from tests.load.live.listed_objects import daemonset, node

LINES = (
    "taint nodes gpu-7 dedicated=rdma:NoSchedule",
    "taint nodes gpu-1 gpu-2 gpu-3 dedicated=rdma:PreferNoSchedule",
    "taint nodes -l pool=rdma dedicated=rdma:PreferNoSchedule",
    "set image -n ns0 ds/ds0 main=registry.example/c:2",
    "taint nodes --all dedicated=rdma:PreferNoSchedule",
    "lint --live",
)
DUMP = "get nodes,ds,pods -A -o json"


def large(name: str) -> Object:
    """A node with the labels and images that a real one has: 13 kB of JSON."""
    made = node(name, pool=name.partition("-")[0])
    made["metadata"]["labels"].update({f"feature.node.kubernetes.io/cpu-{number}": "true" for number in range(40)})
    room = {"cpu": "64", "memory": "512Gi", "pods": "250", "nvidia.com/gpu": "8"}
    names = [
        [f"registry.example/team/image-{number}@sha256:{'ab' * 32}", f"registry.example/team/image-{number}:v1"] for number in range(30)
    ]
    made["status"] |= {"allocatable": room, "capacity": room, "images": [{"names": each, "sizeBytes": 123456789} for each in names]}
    return made


def seconds(run: Callable[[], object], times: int) -> float:
    """The median of some runs."""
    taken = []
    for _ in range(times):
        began = time.monotonic()
        run()
        taken.append(time.monotonic() - began)
    return statistics.median(taken)


def main() -> int:
    """Make the world, measure, and print a line for each command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=3000)
    parser.add_argument("--daemonsets", type=int, default=6)
    given = parser.parse_args()
    with Bed() as bed:
        bed.create([large(f"gpu-{number}" if number % 10 else f"rdma-{number}") for number in range(given.nodes)])
        bed.create([daemonset(f"ns{number % 4}", f"ds{number}", "registry.example/c:1") for number in range(given.daemonsets)])
        wanted = given.nodes * given.daemonsets
        bed.wait(
            lambda: sum(daemonset["status"].get("numberReady", 0) for daemonset in bed.list("daemonsets")) == wanted, 1800, f"{wanted} pods"
        )
        print(f"{given.nodes} nodes, {given.daemonsets} DaemonSets, {wanted} pods")
        for line in LINES:
            words = [sys.executable, "-m", "preflight", *shlex.split(line), "--kubeconfig", str(bed.kubeconfig), "-v", "-o", "concise"]
            took = seconds(partial(_last, words), 5)
            print(f"{took:6.2f} s  {line}  ({_last(words).rpartition('): ')[2]})")
        print(f"{seconds(lambda: bed.kubectl('get', 'nodes', '-o', 'name'), 3):6.2f} s  kubectl get nodes -o name")
        print(f"{seconds(lambda: bed.kubectl(*shlex.split(DUMP)), 3):6.2f} s  kubectl {DUMP}")
    return 0


def _last(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.stderr.strip().rpartition("\n")[2]


if __name__ == "__main__":
    sys.exit(main())
