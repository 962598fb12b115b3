"""Random clusters that work, and the faults that are planted in them: what `preflight doctor` has to find."""

from __future__ import annotations

import argparse
import json
import secrets
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.builders import IMAGE
from tests.cli.program import program
from tests.cluster.api import Object
from tests.cluster.bed import Bed
from tests.cluster.objects import node

BUILT = Path(__file__).parents[2] / "build/truth"
GPU = "nvidia.com/gpu"
PLUGINS = "/var/lib/kubelet/device-plugins"
EXISTS = {"operator": "Exists"}
OPERATOR = "operators"


class Fault(NamedTuple):
    """What was planted.

    `about` are the nodes and the `namespace/name` that findings of it speak of; `words` are the texts of which its cause names one.
    """

    kind: str
    about: frozenset[str]
    words: tuple[str, ...]


class Planting(NamedTuple):
    """A cluster in which faults are planted; `free` are the GPU nodes that nobody has broken yet."""

    bed: Bed
    random: Random
    free: list[str]


def workload(kind: str, namespace: str, name: str, replicas: int | None, spec: Object) -> Object:
    """A DaemonSet or a Deployment whose pods have one container."""
    labels = {"app": name}
    whole = {"containers": [{"name": name, "image": IMAGE}], **spec}
    body: Object = {"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": whole}}
    return {
        "apiVersion": "apps/v1",
        "kind": kind,
        "metadata": {"name": name, "namespace": namespace},
        "spec": body if replicas is None else {**body, "replicas": replicas},
    }


def asking(gpus: int, **spec: Any) -> Object:
    """The spec of a pod that wants GPUs."""
    limits = {"limits": {GPU: str(gpus)}}
    return {"containers": [{"name": "main", "image": IMAGE, "resources": limits}], "nodeSelector": {"pool": "gpu"}, **spec}


def world(random: Random) -> tuple[list[Object], list[str]]:
    """The objects of a cluster in which nothing is wrong, and the names of its GPU nodes."""
    gpus = [f"gpu-{number}" for number in range(random.randint(5, 8))]
    plain = [f"cpu-{number}" for number in range(random.randint(2, 4))]
    labels = {"node.kubernetes.io/instance-type": "g8", "topology.kubernetes.io/zone": "a"}
    nodes = [node(name, labels={**labels, "pool": "gpu", "node_env": "prod"}, **{GPU: "8"}) for name in gpus]
    nodes += [
        node(name, labels={"node.kubernetes.io/instance-type": "c4", "topology.kubernetes.io/zone": "a", "pool": "cpu"}) for name in plain
    ]
    mounts = [{"name": "device-plugins", "mountPath": PLUGINS}]
    plugin = {
        "containers": [{"name": "plugin", "image": "nvcr.io/nvidia/k8s-device-plugin:v0.17.0", "volumeMounts": mounts}],
        "nodeSelector": {"node_env": "prod"},
        "volumes": [{"name": "device-plugins", "hostPath": {"path": PLUGINS}}],
    }
    wide = {"tolerations": [EXISTS]}
    objects: list[Object] = [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}} for name in (OPERATOR, "shop")]
    objects += [
        *nodes,
        workload("DaemonSet", "kube-system", "kube-proxy", None, wide),
        workload("DaemonSet", OPERATOR, "nvidia-device-plugin", None, plugin),
        workload("DaemonSet", OPERATOR, "log-agent", None, {}),
        workload("Deployment", "shop", "train", random.randint(1, len(gpus)), asking(random.choice((1, 2, 4)))),
        workload("Deployment", "shop", "web", random.randint(1, 5), {}),
    ]
    return objects, gpus


def taint(here: Planting) -> Fault:
    """Somebody taints a node, and its pods are re-created later."""
    name = here.free.pop()
    here.bed.kubectl("taint", "nodes", name, "dedicated=team-a:NoSchedule")
    if here.random.random() < 0.6:
        here.bed.kubectl("delete", "pods", "-n", OPERATOR, f"--field-selector=spec.nodeName={name}", "--wait=false")
        here.bed.patch("nodes", name, {"status": {"allocatable": {GPU: "0"}}}, status=True)
    return Fault("taint", frozenset((name, f"{OPERATOR}/nvidia-device-plugin", f"{OPERATOR}/log-agent")), ("dedicated=team-a:NoSchedule",))


def label(here: Planting) -> Fault:
    """A node loses the label that its peers carry and that the device plugin selects on."""
    name = here.free.pop()
    here.bed.kubectl("label", "nodes", name, "node_env-")
    here.bed.patch("nodes", name, {"status": {"allocatable": {GPU: "0"}}}, status=True)
    return Fault("label", frozenset((name, f"{OPERATOR}/nvidia-device-plugin")), ("node_env",))


def _silenced(here: Planting) -> str:
    """A node whose kubelet falls silent, once the cluster has noticed."""
    name = here.free.pop()
    here.bed.play("silent", node=name)
    here.bed.wait(lambda: _ready(here.bed, name) == "Unknown", 120, f"{name} to be Unknown")
    return name


def _ready(bed: Bed, name: str) -> str:
    conditions = bed.get(f"/api/v1/nodes/{name}")["status"]["conditions"]
    return next(str(condition["status"]) for condition in conditions if condition["type"] == "Ready")


def dead(here: Planting) -> Fault:
    """The kubelet of a node falls silent."""
    name = _silenced(here)
    return Fault("dead node", frozenset((name,)), ("NotReady", "not Ready", "no kubelet", "silent", "Unknown"))


def ghost(here: Planting) -> Fault:
    """A pod that was bound to a node whose kubelet is silent never started, and holds its GPUs."""
    name = _silenced(here)
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"ghost-{name}", "namespace": "shop"},
        "spec": {**asking(8, tolerations=[EXISTS]), "nodeName": name},
    }
    here.bed.create([pod])
    return Fault("ghost", frozenset((name, f"shop/ghost-{name}")), (f"ghost-{name}", "nothing runs"))


def plugin(here: Planting) -> Fault:
    """The device plugin fails on every node: its image is not there any more."""
    here.bed.kubectl("set", "image", "ds/nvidia-device-plugin", "plugin=registry.example/k8s-device-plugin:bad", "-n", OPERATOR)
    return Fault("missing plugin", frozenset((f"{OPERATOR}/nvidia-device-plugin",)), ("ImagePullBackOff", "ErrImagePull", "image"))


def scheduler(here: Planting) -> Fault:
    """A workload names a scheduler that does not run."""
    here.bed.create([workload("Deployment", "shop", "gang", 2, asking(1, schedulerName="volcano"))])
    return Fault("foreign scheduler", frozenset(("shop/gang",)), ("volcano",))


def quota(here: Planting) -> Fault:
    """A quota of the namespace refuses the pods of a DaemonSet that is new there."""
    here.bed.create(
        [
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "few-pods", "namespace": OPERATOR},
                "spec": {"hard": {"count/pods": "1"}},
            }
        ]
    )
    here.bed.create([workload("DaemonSet", OPERATOR, "exporter", None, {"tolerations": [EXISTS]})])
    return Fault("quota", frozenset((f"{OPERATOR}/exporter",)), ("few-pods", "exceeded quota"))


FAULTS: dict[str, Callable[[Planting], Fault]] = {
    "missing plugin": plugin,  # first: a dead node would keep the update from beginning
    "taint": taint,
    "label": label,
    "dead node": dead,
    "ghost": ghost,
    "foreign scheduler": scheduler,
    "quota": quota,
}
"""Every fault, by its kind, and what plants it."""


class Found(NamedTuple):
    """What the program said of one world: of each fault whether it was named; and what it called broken while nothing was."""

    faults: Mapping[str, bool]
    false: tuple[str, ...]


class Faults:
    """A seed's worlds, one after another, in a bed that is running with the node lifecycle controller."""

    def __init__(self, bed: Bed, seed: int, folder: Path) -> None:
        """What is not named is kept in `folder`."""
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
            false = tuple(finding["message"] for finding in self.findings(number) if finding["severity"] != "note")
            here = Planting(self.bed, random, random.sample(gpus, len(gpus)))
            kinds = random.sample(list(FAULTS), random.choice((1, 2, 3)))
            faults = []
            for kind in sorted(kinds, key=list(FAULTS).index):
                faults.append(FAULTS[kind](here))
                self.bed.settle(quiet=1)
            self.bed.settle(quiet=3, ignore=lambda metadata: metadata["name"].startswith("ghost"))
            findings = self.findings(number)
            found = {fault.kind: named(fault, findings) for fault in faults}
            if false or not all(found.values()):
                kept = {"false": false, "faults": [each._asdict() | {"about": sorted(each.about)} for each in faults], "findings": findings}
                (self.folder / f"{number}.json").write_text(json.dumps(kept, indent=1))
                shutil.copy(self.folder / "world.json", self.folder / f"{number}.world.json")
            sys.stderr.write(f"{number}: {found}{f', false: {false}' if false else ''}\n")
            yield Found(found, false)

    def findings(self, number: int) -> list[Object]:
        """What doctor says of a snapshot, an hour after it was taken: of what has just begun it says nothing."""
        path = self.folder / "world.json"
        saved = program("snapshot", "--kubeconfig", str(self.bed.kubeconfig), "-o", str(path))
        if saved.code:
            raise AssertionError(f"{number}: {saved.err}")
        data = json.loads(path.read_text())
        data["metadata"]["at"] = (datetime.fromisoformat(data["metadata"]["at"]) + timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")
        path.write_text(json.dumps(data))
        told = program("doctor", "--from", str(path), "-o", "json", "--no-policy")
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
    """`make truth KIND=faults SEED=n`: 100 random worlds; 1 where fewer than 95 % of the faults are named, or a healthy one is blamed."""
    parser = argparse.ArgumentParser(prog="tests.truth --kind faults", description=main.__doc__)
    parser.add_argument("--seed", type=int, help="a batch to run again; a fresh one is drawn without")
    parser.add_argument("--worlds", type=int, default=100)
    given = parser.parse_args(arguments)
    seed = secrets.randbelow(100_000) if given.seed is None else given.seed
    sys.stdout.write(f"seed {seed}\n")
    with Bed(node_lifecycle=True, grace=15) as bed:
        found = list(Faults(bed, seed, BUILT / f"faults-{seed}").run(given.worlds))
    sys.stdout.write(f"{table(found)}\n")
    named_of = [is_named for each in found for is_named in each.faults.values()]
    return int(any(each.false for each in found) or sum(named_of) < 0.95 * len(named_of))


def _speaks_of(finding: Object) -> set[str]:
    subject = finding["subject"]
    name = "/".join(part for part in (subject.get("namespace"), subject["name"]) if part)
    return {name, *finding["nodes"]}
