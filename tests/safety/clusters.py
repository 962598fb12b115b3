"""Small random clusters with everything that the program reads, as a list of the API or as the manifests of a repository."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import NamedTuple

import yaml

from tests.truth import drawing
from tests.truth import worlds as daemonset_worlds
from tests.truth.drains import worlds as drain_worlds
from tests.truth.drawing import Object
from tests.truth.state import Key, State

GPU = "nvidia.com/gpu"
DRIVER = "csi.example.com"
GENERATION = "deprecated.daemonset.template.generation"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
EARLIER, LATER, LATEST = "2026-05-01T08:00:00Z", "2026-06-29T21:30:00Z", "2026-06-30T06:00:00Z"

IMPLICIT_TOLERATIONS = tuple(
    {"key": f"node.kubernetes.io/{name}", "operator": "Exists", "effect": effect}
    for name, effect in (
        ("not-ready", "NoExecute"),
        ("unreachable", "NoExecute"),
        ("disk-pressure", "NoSchedule"),
        ("memory-pressure", "NoSchedule"),
        ("pid-pressure", "NoSchedule"),
        ("unschedulable", "NoSchedule"),
    )
)
"""What the DaemonSet controller adds to a pod."""

ADMITTED_TOLERATIONS = tuple({**toleration, "tolerationSeconds": 300} for toleration in IMPLICIT_TOLERATIONS[:2])
"""What admission adds to any other pod."""


class Cluster(NamedTuple):
    """The objects of a cluster. Where it is `listed`, they are what the API lists, pods included; else they are manifests.

    `shows_nodes`: whether the nodes are in its files; where they are not, their labels and taints are unknown.
    """

    items: list[Object]
    listed: bool
    shows_nodes: bool = True

    def of_kind(self, kind: str) -> list[Object]:
        """The objects of one kind."""
        return [item for item in self.items if item["kind"] == kind]

    @property
    def nodes(self) -> list[str]:
        """The names of the nodes."""
        return [node["metadata"]["name"] for node in self.of_kind("Node")]

    @property
    def source(self) -> str:
        """What `--from` names."""
        return "world.json" if self.listed else "world"

    @property
    def state(self) -> State:
        """The cluster as the generator of changes needs it."""
        manifests: dict[Key, Object] = {}
        for daemonset in self.of_kind("DaemonSet"):
            metadata = {key: value for key, value in daemonset["metadata"].items() if key not in ("uid", "annotations")}
            manifests[metadata["namespace"], metadata["name"]] = {**daemonset, "metadata": metadata}
        state = State(self.items, manifests)
        if not self.listed:
            state.pods = {key: [f"{key[1]}-x"] for key in state.daemonsets}
        return state

    def files(self) -> dict[str, str]:
        """The files that `source` stands for."""
        if self.listed:
            return {self.source: dump_list(self.items)}
        groups: dict[str, list[Object]] = {}
        for item in self.items if self.shows_nodes else [item for item in self.items if item["kind"] != "Node"]:
            groups.setdefault({"Node": "nodes", "DaemonSet": "daemonsets"}.get(item["kind"], "others"), []).append(item)
        return {f"{self.source}/{name}.yaml": dump_manifests(items) for name, items in groups.items()}


def dump_list(items: Iterable[Object]) -> str:
    """Objects as a list of the API, a line an object."""
    lines = ",\n".join(json.dumps(item) for item in items)
    return f'{{"apiVersion": "v1", "kind": "List", "items": [\n{lines}\n]}}\n'


def dump_manifests(items: Iterable[Object]) -> str:
    """Objects as a file of YAML documents, without anchors."""
    text: str = yaml.dump_all(_copy(list(items)), Dumper=yaml.CSafeDumper, sort_keys=False, width=200)
    return text


def _copy(items: list[Object]) -> list[Object]:
    """A deep copy that shares no part with itself either."""
    copies: list[Object] = json.loads(json.dumps(items))
    return copies


def draw_cluster(random: Random, *, listed: bool) -> Cluster:
    """8 to 15 DaemonSets on 6 to 10 nodes, ordinary workloads with their budgets and volumes, and at times what little else matters."""
    drawn = daemonset_worlds.draw(random, random.randint(8, 15), random.randint(6, 10), owned=random.random() < 0.5)
    daemonsets = [*drawn.daemonsets, *(_note_last_applied(daemonset) for daemonset in drawn.applied)]
    _make_components(random, daemonsets)
    _add_devices(random, drawn.nodes)
    nodes = [node["metadata"]["name"] for node in drawn.nodes]
    workloads = list(_draw_workloads(random, nodes, listed=listed)) if random.random() < 0.7 else []
    others = list(_draw_others(random))
    if not listed:
        pools = [draw_pool(random, f"pool-{number}") for number in range(random.choice((0, 0, 0, 1, 2)))]
        items = [*drawn.namespaces, *drawn.nodes, *pools, *daemonsets, *workloads, *others]
        return Cluster(items, listed, shows_nodes=random.random() < 0.8)
    pods = [pod for daemonset in daemonsets for pod in _draw_daemon_pods(random, daemonset, drawn.nodes)]
    pods += [pod for workload in workloads for pod in _draw_pods(random, workload, nodes)]
    for budget in (workload for workload in workloads if workload["kind"] == "PodDisruptionBudget"):
        _set_budget_status(random, budget, pods)
    items = [*drawn.namespaces, *drawn.nodes, *daemonsets, *workloads, *others, *pods]
    if random.random() < 0.5:
        items += _draw_trouble(random, drawn.nodes, pods)
    return Cluster(items, listed)


def draw_later(random: Random, cluster: Cluster) -> Cluster:
    """The same cluster after a maintenance: some pods are new, gone or not Ready, some nodes changed or gone."""
    items = _copy(cluster.items)
    gone = {node for node in cluster.nodes if random.random() < 0.08}
    kept = []
    for item in items:
        name, chance = item["metadata"]["name"], random.random()
        if item["kind"] == "Node" and name not in gone:
            if chance < 0.2:
                item["spec"]["taints"] = drawing.taints(random, owned=False)
            elif chance < 0.4:
                item["metadata"]["labels"].update(drawing.labels(random))
            elif chance < 0.5:
                item["status"]["allocatable"].pop(GPU, None)
            kept.append(item)
        elif item["kind"] == "Pod":
            if chance < 0.1 or item["spec"].get("nodeName") in gone:
                continue
            if chance < 0.2:
                item["metadata"] |= {"uid": f"{item['metadata']['uid']}-new", "creationTimestamp": LATEST}
            elif chance < 0.28:
                item["status"]["conditions"] = [{"type": "Ready", "status": "False", "lastTransitionTime": LATEST}]
            kept.append(item)
        elif item["kind"] != "Node" and (item["kind"] != "DaemonSet" or chance > 0.05):
            kept.append(item)
    return Cluster(kept, cluster.listed)


# DaemonSets and their pods.


def _note_last_applied(daemonset: Object) -> Object:
    """The DaemonSet as `kubectl apply` leaves it."""
    metadata = daemonset["metadata"]
    return {**daemonset, "metadata": {**metadata, "annotations": {LAST_APPLIED: json.dumps(daemonset)}}}


def _make_components(random: Random, daemonsets: Sequence[Object]) -> None:
    """Give some DaemonSets the look of a component on which others depend."""
    kinds = random.sample(sorted(_COMPONENTS), random.randint(0, len(_COMPONENTS) - 1))
    for kind, daemonset in zip(kinds, random.sample(daemonsets, len(kinds)), strict=True):
        image, path, arguments = _COMPONENTS[kind]
        spec = daemonset["spec"]["template"]["spec"]
        container = spec["containers"][0]
        container["image"] = image
        if arguments:
            container["args"] = list(arguments)
        if path:
            container["volumeMounts"] = [{"name": "host", "mountPath": path}]
            spec["volumes"] = [{"name": "host", "hostPath": {"path": path}}]
        if random.random() < 0.3:
            spec["priorityClassName"] = "system-node-critical"


_COMPONENTS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "device plugin": ("nvcr.io/nvidia/k8s-device-plugin:v0.17.0", "/var/lib/kubelet/device-plugins", ()),
    "driver": (
        "registry.example/csi-node-driver-registrar:2",
        "/var/lib/kubelet/plugins_registry",
        (f"--kubelet-registration-path=/var/lib/kubelet/plugins/{DRIVER}/csi.sock",),
    ),
    "labeler": ("nvcr.io/nvidia/gpu-feature-discovery:v0.17.0", "/etc/kubernetes/node-feature-discovery/features.d", ()),
    "network": ("registry.example/network:1", "/etc/cni/net.d", ()),
    "proxy": ("registry.k8s.io/kube-proxy:v1.31.0", "", ()),
    "log agent": ("registry.example/fluent-bit:3", "/var/log", ()),
}
"""By kind the image, a path of the host, and arguments."""


def _draw_daemon_pods(random: Random, daemonset: Object, nodes: Sequence[Object]) -> Iterator[Object]:
    """Pods mostly where the DaemonSet should run, by a rough guess; some are old, not Ready, Pending or on their way out."""
    metadata, spec = daemonset["metadata"], daemonset["spec"]["template"]["spec"]
    metadata["uid"] = f"uid-{metadata['name']}"
    generation = random.randint(1, 3)
    metadata.setdefault("annotations", {})[GENERATION] = str(generation)
    is_refused = metadata["namespace"] == daemonset_worlds.REFUSED
    adds_implicit = random.random() < 0.5
    for node in nodes:
        if is_refused or _guess_placement(spec, node) is (random.random() < 0.12):
            continue
        shown = generation - 1 if generation > 1 and random.random() < 0.2 else generation
        name = node["metadata"]["name"]
        pod = _pod(f"{metadata['name']}-{name}", metadata["namespace"], {**spec, "nodeName": name})
        pod["metadata"]["labels"] = {
            **daemonset["spec"]["template"]["metadata"]["labels"],
            "pod-template-generation": str(shown),
            "controller-revision-hash": f"r{shown}",
        }
        pod["metadata"]["ownerReferences"] = [_owner("apps/v1", "DaemonSet", metadata["name"], metadata["uid"])]
        pod["spec"]["tolerations"] = [*spec.get("tolerations", ()), *(IMPLICIT_TOLERATIONS if adds_implicit else ())]
        _set_status(random, pod)
        yield pod


def _guess_placement(spec: Object, node: Object) -> bool:
    labels = node["metadata"]["labels"]
    if any(labels.get(key) != value for key, value in spec.get("nodeSelector", {}).items()):
        return False
    keys = {toleration.get("key", "") for toleration in spec.get("tolerations", ())}
    return all("" in keys or taint["key"] in keys for taint in node["spec"].get("taints", ()) if taint["effect"] != "PreferNoSchedule")


# Ordinary workloads.


def _draw_workloads(random: Random, nodes: list[str], *, listed: bool) -> Iterator[Object]:
    """Up to five workloads; some ask for devices or volumes, and some have a budget."""
    yield {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
        "provisioner": DRIVER,
    }
    for app in random.sample(drain_worlds.APPS, random.randint(2, 5)):
        kind = random.choice([kind for kind in drain_worlds.KINDS if kind != "DaemonSet"])
        namespace = random.choice(("shop", "default"))
        labels = {"app": app, "tier": random.choice(("front", "back"))}
        lively = random.random() < 0.5
        for workload in drain_worlds.workload(random, kind, {"name": app, "namespace": namespace}, labels, nodes, is_lively=lively):
            yield from _finish_workload(random, workload, listed=listed)
        for number in range(random.choice((0, 1, 1, 1, 2))):
            yield drain_worlds.budget(random, f"budget-{app}-{number}", namespace, app)


def _finish_workload(random: Random, workload: Object, *, listed: bool) -> Iterator[Object]:
    """The workload with what else its pods ask for, its claim, and its ReplicaSet."""
    metadata, namespace = workload["metadata"], workload["metadata"]["namespace"]
    if workload["kind"] == "Pod":
        if listed:
            workload["spec"].setdefault("nodeName", random.choice(["n00", "n01", "n02"]))
            metadata |= {"uid": f"uid-{metadata['name']}", "creationTimestamp": EARLIER}
            workload["status"] = {}
            _set_status(random, workload)
        yield workload
        return
    metadata["uid"] = f"uid-{metadata['name']}"
    spec = workload["spec"]["template"]["spec"]
    spec |= drawing.selection(random, ["n00", "n01"]) if random.random() < 0.4 else {}
    if random.random() < 0.5:
        spec["tolerations"] = drawing.tolerations(random)
    if random.random() < 0.3:
        spec["containers"][0]["resources"]["limits"] = {GPU: str(random.choice((1, 2, 4)))}
    if random.random() < 0.3:
        spec.setdefault("volumes", []).append({"name": "data", "persistentVolumeClaim": {"claimName": f"claim-{metadata['name']}"}})
        claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": {"storageClassName": "fast"}}
        yield {**claim, "metadata": {"name": f"claim-{metadata['name']}", "namespace": namespace}}
    if workload["kind"] == "Job":
        workload["spec"] |= random.choice(_JOBS)
    yield workload
    if workload["kind"] == "Deployment" and listed:
        body = {key: value for key, value in workload["spec"].items() if key in ("replicas", "selector", "template")}
        owner = _owner("apps/v1", "Deployment", metadata["name"], metadata["uid"])
        name = f"{metadata['name']}-5d4c"
        replicaset = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "ownerReferences": [owner]}
        yield {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": replicaset, "spec": copy.deepcopy(body)}


_JOBS: tuple[Object, ...] = (
    {},
    {"backoffLimit": 0},
    {"backoffLimit": 2, "podReplacementPolicy": "Failed"},
    {"completionMode": "Indexed", "backoffLimitPerIndex": 1},
    {"podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}},
    {"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [137, 143]}}]}},
)
"""How a Job takes the loss of a pod."""


def _set_budget_status(random: Random, budget: Object, pods: Sequence[Object]) -> None:
    """What the controller counts, mostly: the pods with the labels that the budget asks for. At times it is out of date, or not there."""
    asked = (budget["spec"].get("selector") or {}).get("matchLabels", {})
    mine = [pod for pod in pods if asked.items() <= pod["metadata"].get("labels", {}).items() and _namespace(pod) == _namespace(budget)]
    expected = len(mine)
    healthy = sum(
        {"type": "Ready", "status": "True"}.items() <= condition.items() for pod in mine for condition in pod["status"]["conditions"]
    )
    name = "minAvailable" if "minAvailable" in budget["spec"] else "maxUnavailable"
    limit = budget["spec"][name]
    amount = -(-expected * int(limit[:-1]) // 100) if isinstance(limit, str) else limit
    desired = amount if name == "minAvailable" else max(0, expected - amount)
    if random.random() < 0.2:
        healthy = random.randint(0, expected)
    allowed = max(0, healthy - desired) if expected else 0
    if random.random() < 0.9:
        budget["status"] = {"expectedPods": expected, "currentHealthy": healthy, "desiredHealthy": desired, "disruptionsAllowed": allowed}


def _namespace(item: Object) -> str:
    return str(item["metadata"]["namespace"])


def _draw_pods(random: Random, workload: Object, nodes: Sequence[str]) -> Iterator[Object]:
    """The pods that a controller has made, on any nodes; a few wait for one."""
    kind, metadata = workload["kind"], workload["metadata"]
    if kind not in ("ReplicaSet", "StatefulSet", "ReplicationController", "Job"):
        return
    template = workload["spec"]["template"]
    for number in range(workload["spec"].get("replicas", workload["spec"].get("parallelism", 1))):
        pod = _pod(f"{metadata['name']}-{number}", metadata["namespace"], {**template["spec"], "nodeName": random.choice(nodes)})
        labels = {"batch.kubernetes.io/job-name": metadata["name"]} if kind == "Job" else {}
        pod["metadata"]["labels"] = {**template["metadata"]["labels"], **labels}
        if random.random() < 0.5:
            pod["spec"]["tolerations"] = [*template["spec"].get("tolerations", ()), *ADMITTED_TOLERATIONS]
        if workload["spec"].get("completionMode") == "Indexed":
            pod["metadata"]["annotations"] = {"batch.kubernetes.io/job-completion-index": str(number)}
        pod["metadata"]["ownerReferences"] = [_owner(workload["apiVersion"], kind, metadata["name"], metadata["uid"])]
        if random.random() < 0.1:
            _leave_waiting(random, pod, nodes)
        else:
            _set_status(random, pod)
        yield pod


def _leave_waiting(random: Random, pod: Object, nodes: Sequence[str]) -> None:
    del pod["spec"]["nodeName"]
    reason = random.choice((f"Insufficient {GPU}", "Insufficient cpu", "node(s) didn't match Pod's node affinity/selector"))
    message = f"0/{len(nodes)} nodes are available: {len(nodes)} {reason}."
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message, "lastTransitionTime": LATER}
    pod["status"] = {"phase": "Pending", "conditions": [condition]}


# Pods of any kind.


def _pod(name: str, namespace: str, spec: Object) -> Object:
    metadata = {"name": name, "namespace": namespace, "uid": f"uid-{name}", "creationTimestamp": EARLIER}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": copy.deepcopy(spec), "status": {}}


def _owner(version: str, kind: str, name: str, uid: str) -> Object:
    return {"apiVersion": version, "kind": kind, "name": name, "uid": uid, "controller": True}


def _set_status(random: Random, pod: Object) -> None:
    """Most pods are Ready; some are not, some never started, some restart, some are on their way out."""
    ready = {"type": "Ready", "status": "True", "lastTransitionTime": EARLIER}
    chance = random.random()
    state: Object = {"running": {"startedAt": EARLIER}}
    pod["status"] = {"phase": "Running", "conditions": [ready]}
    if chance < 0.06:
        pod["status"]["conditions"] = [{**ready, "status": "False", "lastTransitionTime": LATER}]
    elif chance < 0.1:
        state = {"waiting": {"reason": random.choice(("ImagePullBackOff", "CreateContainerConfigError", "ContainerCreating"))}}
        pod["status"] = {"phase": "Pending", "conditions": [{**ready, "status": "False"}]}
    elif chance < 0.13:
        state = {"waiting": {"reason": "CrashLoopBackOff"}}
        pod["status"]["conditions"] = [{**ready, "status": "False"}]
    elif chance < 0.16:
        pod["metadata"] |= {"deletionTimestamp": LATER, "deletionGracePeriodSeconds": 30}
    restarts = random.choice((0, 0, 0, 7))
    pod["status"]["containerStatuses"] = [
        {"name": container["name"], "ready": "running" in state, "restartCount": restarts, "state": state}
        for container in pod["spec"]["containers"]
    ]


# What else there is.


def _add_devices(random: Random, nodes: Sequence[Object]) -> None:
    """Devices on some nodes, of which a few can allocate none; a few nodes are cordoned."""
    for node in nodes:
        node["metadata"] |= {"creationTimestamp": EARLIER, "uid": f"uid-{node['metadata']['name']}"}
        if random.random() < 0.08:
            _cordon(node)
        room = dict(node["status"]["capacity"])
        if random.random() < 0.4:
            room[GPU] = "8"
        node["status"] |= {"capacity": room, "allocatable": {**room, **({GPU: "0"} if GPU in room and random.random() < 0.2 else {})}}


def _cordon(node: Object) -> None:
    if not node["spec"].get("unschedulable"):
        taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
        node["spec"] |= {"unschedulable": True, "taints": [*node["spec"].get("taints", ()), taint]}


def draw_pool(random: Random, name: str) -> Object:
    """A node pool of Karpenter with labels and taints."""
    requirements = [{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]}]
    spec = {"taints": drawing.taints(random, owned=False), "requirements": requirements}
    template = {"metadata": {"labels": drawing.labels(random)}, "spec": spec}
    return {"apiVersion": "karpenter.sh/v1", "kind": "NodePool", "metadata": {"name": name}, "spec": {"template": template}}


def _draw_others(random: Random) -> Iterator[Object]:
    """A quota, a RuntimeClass, and a namespace with a node selector of its own: each rarely."""
    if random.random() < 0.15:
        metadata = {"name": "few-pods", "namespace": random.choice(daemonset_worlds.NAMESPACES)}
        status = {"hard": {"pods": "3"}, "used": {"pods": "3"}}
        yield {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": status["hard"]}, "status": status}
    if random.random() < 0.15:
        scheduling = {"nodeSelector": {"pool": "gpu"}, "tolerations": [drawing.toleration(random)]}
        metadata = {"name": "sandbox"}
        yield {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": metadata, "handler": "runsc", "scheduling": scheduling}
    if random.random() < 0.15:
        annotations = {"scheduler.alpha.kubernetes.io/node-selector": "zone=a"}
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "annotations": annotations}}


def _draw_trouble(random: Random, nodes: Sequence[Object], pods: Sequence[Object]) -> list[Object]:
    """Nodes that are silent, cordoned or lack a label of their peers; the answer are events that speak of pods."""
    for node in random.sample(nodes, random.randint(1, 3)):
        how = random.choice(("silent", "cordoned", "unlabeled", "pressure"))
        conditions = node["status"]["conditions"]
        if how == "silent":
            conditions[0] |= {"status": "Unknown", "reason": "NodeStatusUnknown", "lastTransitionTime": LATER}
            taint = {"key": "node.kubernetes.io/unreachable", "timeAdded": LATER}
            node["spec"]["taints"] = [*node["spec"].get("taints", ()), *({**taint, "effect": effect} for effect in drawing.EFFECTS[::2])]
        elif how == "cordoned":
            _cordon(node)
        elif how == "unlabeled":
            node["metadata"]["labels"].pop("pool", None)
            node["metadata"]["creationTimestamp"] = LATER
        else:
            conditions.append({"type": "DiskPressure", "status": "True", "lastTransitionTime": LATER})
    troubled = random.sample(pods, min(len(pods), random.randint(0, 3)))
    return [
        {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {"name": f"event-{number}", "namespace": pod["metadata"]["namespace"]},
            "type": "Warning",
            "reason": random.choice(("FailedMount", "FailedScheduling", "BackOff")),
            "message": "it did not work",
            "involvedObject": {"kind": "Pod", "namespace": pod["metadata"]["namespace"], "name": pod["metadata"]["name"]},
            "lastTimestamp": LATEST,
        }
        for number, pod in enumerate(troubled)
    ]
