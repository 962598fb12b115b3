"""What pods ask of a node, and what nodes have: requests, devices, host ports, priorities; about a fifth of the nodes have little."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.truth.drawing import Object

DEVICE = "example.com/hca"
PRIORITIES = {"less": -10, "more": 1000, "most": 1_000_000}
PATIENT = "patient"
"""A PriorityClass whose pods go before others and preempt none."""

PORTS = (9100, 9101, 9102, 9103)
ADDRESSES = ("10.0.0.1", "127.0.0.1", "0.0.0.0")
STAYS = [{"key": f"node.kubernetes.io/{key}", "operator": "Exists", "effect": "NoExecute"} for key in ("not-ready", "unreachable")]
"""Tolerations of a pod that stays on a node whose kubelet is silent for as long as a batch takes."""

_CPU = ("50m", "100m", "250m", "0.4")
_MEMORY = ("64Mi", "200M", "0.5Gi", "1Gi")


def priority_classes() -> list[Object]:
    """The PriorityClasses of a world; `system-node-critical` is in every cluster."""
    kind = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    found: list[Object] = [{**kind, "metadata": {"name": name}, "value": value} for name, value in PRIORITIES.items()]
    return [*found, {**kind, "metadata": {"name": PATIENT}, "value": 500, "preemptionPolicy": "Never"}]


def room(random: Random, daemonsets: int) -> dict[str, str]:
    """What a node has: plenty for so many DaemonSets, or in a fifth of the nodes little of something; in half of them devices."""
    found = {"cpu": "64", "memory": "256Gi", "pods": "1000"}
    if random.random() < 0.5:
        found[DEVICE] = random.choice(("1", "2", "4"))
    if random.random() < 0.22:
        what = random.choices(("cpu", "memory", "pods"), (5, 4, 2))[0]
        share = random.uniform(0.7, 1.5)
        found[what] = {
            "cpu": f"{max(200, round(daemonsets * 25 * share))}m",
            "memory": f"{max(256, round(daemonsets * 40 * share))}Mi",
            "pods": str(max(3, round(daemonsets * 0.3 * share))),
        }[what]
    return found


def requests(random: Random) -> Object:
    """The resources of a container: cpu, memory, devices, or nothing; a limit without a request is one."""
    found: Object = {}
    if random.random() < 0.7:
        found["cpu"] = random.choice(_CPU)
    if random.random() < 0.5:
        found["memory"] = random.choice(_MEMORY)
    if random.random() < 0.05:
        return {"requests": found, "limits": {DEVICE: "1"}}
    return {"limits": found} if random.random() < 0.2 else {"requests": found}


def port(random: Random, pod: Object) -> Object:
    """A port of the node, of few, by TCP or UDP, at times at one address; in the network of the node its container has the same."""
    number = random.choice(PORTS)
    found: Object = {"hostPort": number, "containerPort": number if pod.get("hostNetwork") else 8000 + number % 100}
    if random.random() < 0.3:
        found["protocol"] = random.choice(("UDP", "TCP"))
    if random.random() < 0.3:
        found["hostIP"] = random.choice(ADDRESSES)
    return found


def priority(random: Random, *, critical: bool = True) -> str:
    """The name of a PriorityClass; those that preempt nobody come more often."""
    names = ("less", "less", "more", "most", PATIENT, PATIENT)
    return random.choice((*names, "system-node-critical") if critical else names)


def ask(random: Random, pod: Object) -> None:
    """Let some pods ask for something; a host port comes besides those that are there."""
    containers = pod["containers"]
    if random.random() < 0.3:
        containers[0]["resources"] = requests(random)
        if len(containers) > 1 and random.random() < 0.5:
            containers[1]["resources"] = requests(random)
        for first in pod.get("initContainers", ()):
            if random.random() < 0.5:
                first["resources"] = requests(random)
    if random.random() < 0.07:
        containers[0].setdefault("ports", []).append(port(random, pod))
    if random.random() < 0.15:
        pod["priorityClassName"] = priority(random)


def occupants(random: Random, nodes: Sequence[str], namespaces: Sequence[str], image: str) -> list[Object]:
    """Pods that nothing controls, each on a node of its own choice; they are named as those of a DaemonSet are, with a label `app`."""
    return [_occupant(random, f"solo{number:02}", random.choice(namespaces), random.choice(nodes), image) for number in range(len(nodes))]


def _occupant(random: Random, app: str, namespace: str, node: str, image: str) -> Object:
    letters = "".join(random.choice("bcdfghjklm") for _ in range(5))
    container: Object = {"name": "c", "image": image}
    if random.random() < 0.6:
        container["resources"] = requests(random)
    pod: Object = {"nodeName": node, "containers": [container], "tolerations": list(STAYS)}
    if random.random() < 0.5:
        pod["tolerations"] = [{"operator": "Exists"}]
    if random.random() < 0.25:
        container["ports"] = [port(random, pod)]
    if random.random() < 0.2:
        pod["priorityClassName"] = priority(random, critical=False)
    metadata = {"name": f"{app}-{letters}", "namespace": namespace, "labels": {"app": app}}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": pod}


def silent(random: Random, nodes: Sequence[str]) -> list[str]:
    """The nodes whose kubelet falls silent once the pods are there: none, or one or two of many."""
    return sorted(random.sample(nodes, min(len(nodes) // 4, random.choices((0, 1, 2), (40, 40, 20))[0])))
