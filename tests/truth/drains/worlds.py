"""Random worlds to drain: nodes, workloads of every kind, bare pods and budgets; and what is typed to drain nodes of them."""

from __future__ import annotations

from random import Random
from typing import Any, NamedTuple

from tests.truth import demands
from tests.truth.drawing import Object
from tests.truth.worlds import IMAGE, PLAY

PLAYS = "preflight.test/"
"""What the annotations that the stand-in kubelet obeys begin with."""

APPS = ("web", "db", "api", "auth", "cart", "logs", "queue", "proxy")
KINDS = ("Deployment",) * 4 + ("StatefulSet",) * 3 + ("ReplicaSet",) * 2 + ("ReplicationController", "DaemonSet", "Job", "Pod")
BAD = f"{IMAGE}:bad"
"""An image that is not there, so the stand-in kubelet says."""

LONG = "25s"
"""Longer than a pod has to end in before kubectl gives up."""


class World(NamedTuple):
    """The objects of a cluster, as manifests; the budgets come last, when the pods are there.

    `silent` are the nodes whose kubelets fall silent once they are.
    """

    objects: list[Object]
    budgets: list[Object]
    silent: tuple[str, ...] = ()


def draw(random: Random) -> World:
    """Three to six nodes, up to six workloads in two namespaces, and some budgets over them.

    1. Some worlds are lively: pods end at once, and every replacement finds a node and is Ready at once.
    2. In others nodes may be small, so that replacements do not fit; there are Jobs; some pods never get Ready, on some nodes or on any, or
       late, or tolerate everything. What is asked of the nodes besides cpu is drawn apart: memory, devices, ports of the node, priorities.
       A node may be silent.
    """
    is_lively = random.random() < 0.35
    nodes = [f"n{number}" for number in range(random.choice((3, 4, 6)))]
    cpus = (1, 2) if not is_lively and random.random() < 0.5 else (4, 8)
    objects = [node(name, random.choice("ab"), random.choice(cpus)) for name in nodes]
    budgets: list[Object] = []
    for app in random.sample(APPS, random.randint(3, 6)):
        namespace = random.choice(("shop", "shop", "infra"))
        labels = {"app": app, "tier": random.choice(("front", "back"))}
        kind = random.choice([each for each in KINDS if each != "Job" or not is_lively])
        objects += workload(random, kind, {"name": app, "namespace": namespace}, labels, nodes, is_lively=is_lively)
        for _ in range(random.choice((0, 1, 1, 1, 1, 1, 1, 2))):
            budgets.append(budget(random, f"pdb{len(budgets)}", namespace, app))
    apart = Random(random.random())
    if is_lively:
        return World(objects, budgets)
    ask(apart, objects)
    return World(objects, budgets, tuple(apart.sample(nodes, 1)) if apart.random() < 0.45 else ())


def ask(random: Random, objects: list[Object]) -> None:
    """Let some pods ask for more than cpu, and some nodes have little of it; where priorities differ, one pod may preempt another."""
    preempting = random.random() < 0.2
    for each in [each for each in objects if each["kind"] == "Node"]:
        room = dict(each["status"]["capacity"])
        if random.random() < 0.6:
            room[demands.DEVICE] = random.choice(("1", "2", "4"))
        if random.random() < 0.2:
            room |= random.choice(({"pods": "4"}, {"memory": "1Gi"}))
        each["status"] |= {"capacity": room, "allocatable": room}
    for each in [each for each in objects if each["kind"] != "Node"]:
        pod = each["spec"] if each["kind"] == "Pod" else each["spec"]["template"]["spec"]
        container = pod["containers"][0]
        if random.random() < 0.2:
            container["resources"]["requests"]["memory"] = random.choice(("128Mi", "0.5Gi"))
        if random.random() < 0.08:
            container["resources"]["limits"] = {demands.DEVICE: "1"}
        if random.random() < 0.12:
            container["ports"] = [demands.port(random, pod)]
        if random.random() < 0.25:
            pod["priorityClassName"] = demands.priority(random) if preempting else demands.PATIENT
    objects += demands.priority_classes()


def node(name: str, pool: str, cpus: int) -> Object:
    """A node that is Ready."""
    room = {"cpu": str(cpus), "memory": "8Gi", "pods": "20"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "pool": pool}},
        "status": {"capacity": room, "allocatable": room, "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]},
    }


def workload(random: Random, kind: str, metadata: Object, labels: Object, nodes: list[str], *, is_lively: bool) -> list[Object]:
    """A workload of a kind; of kind Pod up to three bare ones, some of them mirrors of static pods."""
    annotations = {} if is_lively else play(random, kind, nodes)
    if random.random() < 0.2 and not is_lively:
        annotations[PLAYS + "terminates-after"] = random.choice(("3s", LONG))
    requests = {"cpu": random.choice(("100m", "300m", "500m"))}
    pod: Object = {
        "terminationGracePeriodSeconds": random.choice((0, 1, 30)),
        "containers": [{"name": "c", "image": f"{IMAGE}:1", "resources": {"requests": requests}}],
    }
    if random.random() < 0.25:
        pod["volumes"] = [{"name": "scratch", "emptyDir": {}}]
    if random.random() < 0.12 and not is_lively:
        pod["tolerations"] = [{"operator": "Exists"}]
    template = {"metadata": {"labels": labels, "annotations": annotations}, "spec": pod}
    if kind == "Pod":
        names = [f"{metadata['name']}-{number}" for number in range(random.randint(1, 3))]
        return [bare(random, {**metadata, "name": name}, template, nodes) for name in names]
    if kind == "Job":
        template["spec"] = {**pod, "restartPolicy": "Never"}
        spec: Object = {"parallelism": random.randint(1, 3), "completions": 3, "template": template}
        return [{"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}]
    if kind == "ReplicationController":
        spec = {"selector": {"app": labels["app"]}, "replicas": random.randint(1, 8), "template": template}
        return [{"apiVersion": "v1", "kind": kind, "metadata": metadata, "spec": spec}]
    spec = {"selector": {"matchLabels": {"app": labels["app"]}}, "template": template}
    if kind != "DaemonSet":
        spec["replicas"] = random.randint(1, 8)
    if kind == "StatefulSet":
        spec |= {"serviceName": metadata["name"], "podManagementPolicy": random.choice(("OrderedReady", "Parallel"))}
    return [{"apiVersion": "apps/v1", "kind": kind, "metadata": metadata, "spec": spec}]


def play(random: Random, kind: str, nodes: list[str]) -> dict[str, str]:
    """What the stand-in kubelet is to play with the pods of a workload."""
    how = random.random()
    if how < 0.2:
        return {PLAYS + "ready-after": random.choice(("1s", "3s"))}
    if how < 0.3:
        return {PLAY: "never-ready"}
    if how < 0.45:
        return {PLAY: f"never-ready@{','.join(random.sample(nodes, 2))}"}
    if how < 0.5:
        return {PLAY: "image-fails"}
    if how < 0.6 and kind in ("Job", "Pod"):
        return {PLAY: "succeed" if kind == "Job" else random.choice(("succeed", "fail"))}
    return {}


def bare(random: Random, metadata: Object, template: Object, nodes: list[str]) -> Object:
    """A pod that nothing controls; a mirror pod is bound by its kubelet."""
    annotations, spec = dict(template["metadata"]["annotations"]), dict(template["spec"])
    if annotations.get(PLAY) in ("succeed", "fail"):
        spec["restartPolicy"] = "Never"
    if random.random() < 0.2:
        annotations["kubernetes.io/config.mirror"] = "x"
        spec["nodeName"] = random.choice(nodes)
    labels = template["metadata"]["labels"]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {**metadata, "labels": labels, "annotations": annotations}, "spec": spec}


def budget(random: Random, name: str, namespace: str, app: str) -> Object:
    """A budget: mostly of one workload, at times of a tier, of all pods of the namespace, or of none; mostly one that lets some go."""
    mine = [{"matchLabels": {"app": app}}, {"matchExpressions": [{"key": "app", "operator": "In", "values": [app, "other"]}]}]
    others: list[Any] = [
        {"matchLabels": {"tier": "front"}},
        {"matchExpressions": [{"key": "app", "operator": "NotIn", "values": [app]}]},
        {},
        {"matchLabels": {"app": "nobody"}},
        None,
    ]
    spec: Object = {"selector": random.choice(mine if random.random() < 0.85 else others)}
    if random.random() < 0.6:
        spec["maxUnavailable"] = random.choice((1, 1, 2, "25%", "50%"))
    else:
        spec[random.choice(("minAvailable", "maxUnavailable"))] = random.choice((0, 1, 1, 2, 3, 7, "0%", "25%", "50%", "75%", "100%"))
    if random.random() < 0.5:
        spec["unhealthyPodEvictionPolicy"] = random.choice(("AlwaysAllow", "IfHealthyBudget"))
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec}


def flags(random: Random) -> list[str]:
    """Flags of `kubectl drain`, mostly those that let it go on; in every tenth drain nothing says when to give up."""
    likely = {"--ignore-daemonsets": 0.9, "--delete-emptydir-data": 0.88, "--force": 0.88, "--disable-eviction": 0.1}
    found = [flag for flag, chance in likely.items() if random.random() < chance]
    if random.random() < 0.2:
        found.append(f"--grace-period={random.choice((0, 0, 5))}")
    if random.random() < 0.1:
        found.append(f"--pod-selector={random.choice(('tier=front', 'app!=web', 'tier', 'app in (web,db)'))}")
    if random.random() < 0.9:
        found.append(f"--timeout={random.choice((5, 8, 8, 8, 16))}s")
    return found
