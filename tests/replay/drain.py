"""`make replay-drain FILE=path`: recorded drains against ours, every mismatch printed.

Each drain starts from the state that the one before left, as it was recorded. Compared are: which pods kubectl asks for and how; whom it
refuses and of what it warns, in its words; its exit code; the first answer to each pod; how many pods each budget lets go in the first
round; and that what is blocked for ever stays. Chance is compared with what can be, and counted apart: which of the pods that share a
budget come first, how many go where `FirstRound` names two numbers, and an exit code that depends on whether replacements become Ready
(they may fit nowhere). Where a world had not settled before a drain, the drain met another state than the one recorded: a difference there
is printed, and counted apart too.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import convert

from preflight.kubectl.label_selector import parse_selector
from preflight.model.apps import DaemonSet, Deployment, ReplicaSet, StatefulSet
from preflight.model.batch import Job
from preflight.model.core import Node
from preflight.model.drain_flags import DrainFlags
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import PodDisruptionBudget
from preflight.scheduling.drain import simulate_drain
from preflight.scheduling.drain.model import DrainAssumptions, DrainVerdict, NodeDrain, assume_never_ready
from preflight.scheduling.eviction import VIOLATES_BUDGET
from preflight.scheduling.owners import Owners, index_owners

_KINDS = {"Deployment": Deployment, "StatefulSet": StatefulSet, "ReplicaSet": ReplicaSet, "Job": Job, "DaemonSet": DaemonSet}
_PODS = r"([a-z0-9.-]+/[a-z0-9.-]+(?:, [a-z0-9.-]+/[a-z0-9.-]+)*)"
REFUSED = re.compile(rf"cannot delete (.+?): {_PODS}")
WARNED = re.compile(rf"(?:^Warning: |; )([^:;]+): {_PODS}", re.MULTILINE)
_REQUEST = {
    **dict.fromkeys((DrainVerdict.EVICTED, DrainVerdict.BLOCKED_FOREVER, DrainVerdict.BLOCKED_NOW), "evict"),
    DrainVerdict.DELETED: "delete",
}


class Compared(NamedTuple):
    """One value: where it stands, what was recorded, what we say, whether that is so, and whether more than this was possible."""

    where: str
    what: str
    recorded: object
    said: object
    is_so: bool
    is_chance: bool = False
    is_settled: bool = True

    @property
    def kind(self) -> str:
        """How it is counted."""
        if not self.is_so:
            return "different" if self.is_settled else "of a world that had not settled"
        return "chance and possible" if self.is_chance else "equal"


def replay(world: dict[str, Any]) -> Iterator[Compared]:
    """Every compared value of the drains of one world."""
    owners, graces = owners_in(world["workloads"]), graces_in(world["workloads"])
    nodes = {node["name"]: _node(node) for node in world["nodes"]}
    pods, settled = world["pods"], world["settled"]
    statuses = {name_of(budget): budget["status"] for budget in world["pdbs"]}
    for number, recorded in enumerate(world["drains"]):
        running = tuple(pod_of(pod, graces) for pod in pods)
        budgets = tuple(budget_of(each, statuses[name_of(each)]) for each in world["pdbs"])
        flags = _flags(recorded["flags"])
        said, otherwise = (
            simulate_drain([nodes[recorded["node"]]], running, budgets, owners, flags, DrainAssumptions(ready, _ends_after))[0]
            for ready in (_ready_after, assume_never_ready)
        )
        where = f"seed {world['seed']}, world {world['world']}, drain {number}: {recorded['command']}"
        for each in _compare(where, recorded, said, otherwise):
            yield each._replace(is_settled=settled)
        pods, statuses, settled = recorded["podsAfter"], recorded["pdbStatusAfter"], recorded["settled"]


def _compare(where: str, recorded: dict[str, Any], said: NodeDrain, otherwise: NodeDrain) -> Iterator[Compared]:
    def same(what: str, have: object, want: object) -> Compared:
        return Compared(where, what, have, want, have == want)

    requests = [each for each in recorded["requests"] if each["attempt"] == 1]
    by_name = {"/".join(pod.pod.key): pod for pod in said.pods}
    asked = [(_REQUEST[drain.verdict], name) for name, drain in by_name.items() if drain.verdict in _REQUEST]
    yield same("asked for", sorted((request["request"], request["pod"]) for request in requests), sorted(asked))
    stderr = recorded["stderr"]
    yield same(
        "refused",
        _by_words(REFUSED, stderr.split(", continuing command")[0]),
        _by_words(REFUSED, "\n".join(refusal.words for refusal in said.refusals)),
    )
    yield same("warned", _by_words(WARNED, stderr), _by_words(WARNED, "Warning: " + "; ".join(said.warnings)))
    codes = {*said.exit_codes, *otherwise.exit_codes}
    yield Compared(where, "exit code", recorded["exitCode"], codes, recorded["exitCode"] in codes, len(codes) > 1)
    yield from _answers(where, {each["pod"]: each for each in requests}, said)
    removed = {each["pod"] for each in recorded["removed"]}
    forever = {name for name, each in by_name.items() if each.verdict is DrainVerdict.BLOCKED_FOREVER}
    yield same("blocked for ever and gone", sorted(forever & removed), [])


def _answers(where: str, requests: Mapping[str, dict[str, Any]], said: NodeDrain) -> Iterator[Compared]:
    contested = {"/".join(key) for each in said.first_round if each.is_contested for key in each.pods}
    for pod in said.pods:
        request = requests.get("/".join(pod.pod.key))
        if request is None:
            continue
        what = f"first answer to {request['pod']}"
        have = (request["code"], request.get("message", ""), *request.get("causes", []))
        if request["pod"] in contested:
            either = ((201, ""), (429, VIOLATES_BUDGET))
            yield Compared(where, what, have, either, have[:2] in either, True)
        else:
            want = (pod.code, pod.message, *([pod.cause] if pod.cause else []))
            yield Compared(where, what, have, want, have == want)
    for each in said.first_round:
        number = sum(requests[name]["code"] == 201 for name in map("/".join, each.pods) if name in requests)
        what = f"let go by {'/'.join(each.budget)}"
        yield Compared(
            where,
            what,
            number,
            (each.min_evicted, each.max_evicted),
            each.min_evicted <= number <= each.max_evicted,
            each.min_evicted < each.max_evicted,
        )


def _by_words(pattern: re.Pattern[str], text: str) -> dict[str, list[str]]:
    return {words: sorted(names.split(", ")) for words, names in pattern.findall(text)}


def _flags(words: list[str]) -> DrainFlags:
    given = dict(word.removeprefix("--").partition("=")[::2] for word in words)
    return DrainFlags(
        ignore_daemonsets="ignore-daemonsets" in given,
        delete_emptydir_data="delete-emptydir-data" in given,
        force="force" in given,
        disable_eviction="disable-eviction" in given,
        grace_period=int(given.get("grace-period", -1)),
        timeout=float(given.get("timeout", "0").removesuffix("s")),
        pod_selector=parse_selector(given["pod-selector"]) if "pod-selector" in given else None,
        skip_wait_for_delete_timeout=int(given.get("skip-wait-for-delete-timeout", 0)),
    )


def owners_in(workloads: list[dict[str, Any]]) -> Owners:
    """The ReplicaSets of Deployments were not recorded: they are known by their names."""
    objects = [convert(workload, _KINDS[workload["kind"]]) for workload in workloads if workload["kind"] in _KINDS]
    return index_owners(objects, _KINDS.keys() - {"ReplicaSet"})


def graces_in(workloads: list[dict[str, Any]]) -> dict[tuple[str, str], int]:
    """Grace periods by namespace and name of a workload; of a bare Pod that is its own name."""
    specs = ((workload["metadata"], workload["spec"].get("template", {}).get("spec", workload["spec"])) for workload in workloads)
    return {(metadata["namespace"], metadata["name"]): spec.get("terminationGracePeriodSeconds", 30) for metadata, spec in specs}


def pod_of(data: dict[str, Any], graces: Mapping[tuple[str, str], int]) -> ClusterPod:
    owner = next((item["name"] for item in data["ownerReferences"]), data["name"])
    known = (graces.get((data["namespace"], name)) for name in (owner, owner.rpartition("-")[0]))
    return convert(
        {
            "kind": "Pod",
            "metadata": {
                **{name: data[name] for name in ("namespace", "name", "labels", "ownerReferences")},
                "annotations": data.get("annotations", {}),
                "deletionTimestamp": "2026-01-01T00:00:00Z" if data.get("terminating") else "",
            },
            "spec": {
                "nodeName": data["node"] or "",
                "terminationGracePeriodSeconds": next((each for each in known if each is not None), 30),
                "volumes": [{"name": "scratch", "emptyDir": {}}] if data["emptyDir"] else [],
            },
            "status": {"phase": data["phase"], "conditions": [{"type": "Ready", "status": "True" if data["ready"] else "False"}]},
        },
        ClusterPod,
    )


def budget_of(data: dict[str, Any], status: dict[str, Any]) -> PodDisruptionBudget:
    metadata = {"namespace": data["namespace"], "name": data["name"], "generation": status.get("generation") or 1}
    known = {name: value for name, value in status.items() if value is not None}
    disrupted = dict.fromkeys(status.get("disruptedPods") or (), "")  # the times were not recorded
    return convert({"metadata": metadata, "spec": data["spec"], "status": {**known, "disruptedPods": disrupted}}, PodDisruptionBudget)


def _node(data: dict[str, Any]) -> Node:
    spec = {"unschedulable": data["unschedulable"], "taints": data["taints"]}
    return convert({"kind": "Node", "metadata": {"name": data["name"], "labels": data["labels"]}, "spec": spec}, Node)


def name_of(budget: dict[str, Any]) -> str:
    return f"{budget['namespace']}/{budget['name']}"


def _ready_after(pod: ClusterPod) -> float | None:
    """What the stand-in kubelet was told of the pods of this workload: the replacement has the same annotations."""
    annotations = pod.metadata.annotations
    if annotations.get("truth/ready") == "never" or annotations.get("truth/phase", "first").partition("-")[0] != "first":
        return None
    return float(annotations.get("truth/ready-after", 0))


def _ends_after(pod: ClusterPod, _: int) -> float | None:
    """The stand-in kubelet ends a pod within a second whatever its grace period, or never."""
    return None if pod.metadata.annotations.get("truth/terminate") == "never" else 1.0


def compared(path: Path) -> Iterator[Compared]:
    """Every compared value of a file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from replay(json.loads(line))


def main(arguments: list[str]) -> int:
    """Compare a file; 1 where anything differs."""
    counts: Counter[str] = Counter()
    for each in compared(Path(arguments[0])):
        counts[each.kind] += 1
        if not each.is_so:
            print(f"{each.where}: {each.what} is {each.recorded} and we say {each.said}" + ("" if each.is_settled else " (not settled)"))
    print(f"{counts['equal']} values equal, {counts['different']} different", end="")
    print("".join(f", {counts[kind]} {kind}" for kind in ("chance and possible", "of a world that had not settled")))
    return 1 if counts["different"] or not counts["equal"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
