"""A cluster as `kubectl get nodes,ds,pods -A -o json` writes it: 5,000 nodes, 100 DaemonSets, 150,000 pods, 0.9 GB."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

NODES = 5_000
DAEMONSETS = 100
PODS_PER_NODE = 30

_POOLS = 20
_EVERYWHERE = 10  # how many of the DaemonSets select every node
_APPS = 200  # how many Deployments the other pods belong to
_TIME = "2026-01-01T00:00:00Z"
_SLOT = "\u2063"  # surrounds the name of a value that is filled in; json.dumps escapes it
_TAINTED = {3: ("example.com/rdma", "true"), 7: ("nvidia.com/gpu", "true"), 11: ("spot", "true"), 15: ("example.com/batch", "true")}

_Data = dict[str, Any]


class Shape(NamedTuple):
    """What was written."""

    nodes: int
    daemonsets: int
    pods: int
    bytes: int


class _DaemonSet(NamedTuple):
    name: str
    namespace: str
    uid: str
    pools: frozenset[int]
    manifest: _Data
    pod: str


def write(path: Path, seed: int = 1, scale: float = 1.0, indent: int | None = None) -> Shape:
    """Write the List: the same bytes for the same seed and scale (the part of 5,000 nodes); kubectl itself indents by 4.

    The memory that this takes does not grow with the scale.
    """
    random = Random(seed)
    nodes = round(NODES * scale)
    daemonsets = [_daemonset(random, number, indent) for number in range(DAEMONSETS)]
    apps = [_template(_pod(_app_owner(number), _app_spec(number), number), indent) for number in range(_APPS)]
    nodes_by_pool = [_template(_node(pool), indent) for pool in range(_POOLS)]
    pods = 0
    with path.open("w", encoding="utf-8") as file:
        file.write(_opening(indent))
        for index in range(nodes):
            file.write(_separator(index, indent) + nodes_by_pool[index % _POOLS] % _node_values(random, index))
        for daemonset in daemonsets:
            file.write(_separator(1, indent) + _dumped({**daemonset.manifest, "status": _daemonset_status(daemonset, nodes)}, indent))
        for index in range(nodes):
            values = ((template, _pod_values(random, name, index)) for name, template in _pods_of(random, index, daemonsets, apps))
            for template, value in values:
                file.write(_separator(1, indent) + template % value)
                pods += 1
        file.write(_closing(indent))
    return Shape(nodes, len(daemonsets), pods, path.stat().st_size)


def _pods_of(random: Random, node: int, daemonsets: list[_DaemonSet], apps: list[str]) -> Iterator[tuple[str, str]]:
    """The names and the texts of a node's pods: those of the DaemonSets that want it, and others up to 30."""
    own = [daemonset for daemonset in daemonsets if _wants(daemonset, node)]
    for daemonset in own:
        yield f"{daemonset.name}-{random.getrandbits(25):05x}", daemonset.pod
    for _ in range(PODS_PER_NODE - len(own)):
        number = random.randrange(_APPS)
        yield f"app-{number}-7d9c5b8f6d-{random.getrandbits(25):05x}", apps[number]


def _wants(daemonset: _DaemonSet, node: int) -> bool:
    pool = node % _POOLS
    if pool not in daemonset.pools:
        return False
    tolerations = daemonset.manifest["spec"]["template"]["spec"]["tolerations"]
    taint = _TAINTED.get(pool)
    return taint is None or any(toleration.get("key", taint[0]) == taint[0] for toleration in tolerations)


def _dumped(value: _Data, indent: int | None) -> str:
    """A value of the list, indented as one."""
    if indent is None:
        return json.dumps(value, separators=(",", ":"))
    return json.dumps(value, indent=indent).replace("\n", "\n" + " " * (2 * indent))


def _template(value: _Data, indent: int | None) -> str:
    """The text of a value with `%(name)s` for each slot."""
    slot = json.dumps(_SLOT)[1:-1]
    parts = _dumped(value, indent).replace("%", "%%").split(slot)
    return "".join(f"%({part})s" if index % 2 else part for index, part in enumerate(parts))


def _slot(name: str) -> str:
    return f"{_SLOT}{name}{_SLOT}"


def _opening(indent: int | None) -> str:
    if indent is None:
        return '{"apiVersion":"v1","items":['
    one = " " * indent
    return f'{{\n{one}"apiVersion": "v1",\n{one}"items": ['


def _separator(index: int, indent: int | None) -> str:
    comma = "," if index else ""
    return comma if indent is None else f"{comma}\n{' ' * (2 * indent)}"


def _closing(indent: int | None) -> str:
    if indent is None:
        return '],"kind":"List","metadata":{"resourceVersion":""}}\n'
    one = " " * indent
    return f'\n{one}],\n{one}"kind": "List",\n{one}"metadata": {{\n{one}{one}"resourceVersion": ""\n{one}}}\n}}\n'


def _uid(random: Random) -> str:
    digits = f"{random.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def _name_of_node(index: int) -> str:
    return f"ip-10-{index // 62500}-{index // 250 % 250}-{index % 250}.compute.internal"


# Nodes


def _node(pool: int) -> _Data:
    name = _slot("name")
    gib = 1 << 20
    capacity = {
        "cpu": "64", "ephemeral-storage": "943372Ki", "hugepages-1Gi": "0", "hugepages-2Mi": "0", "memory": f"{256 * gib}Ki", "pods": "110"
    }  # fmt: skip
    conditions = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
        ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
    ]
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "annotations": {
                "csi.volume.kubernetes.io/nodeid": f'{{"ebs.csi.example.com":"i-{_slot("serial")}"}}',
                "node.alpha.kubernetes.io/ttl": "0",
                "volumes.kubernetes.io/controller-managed-attach-detach": "true",
            },
            "creationTimestamp": _TIME,
            "labels": {
                "beta.kubernetes.io/arch": "amd64",
                "beta.kubernetes.io/os": "linux",
                "example.com/pool": f"pool-{pool}",
                "example.com/rack": _slot("rack"),
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/hostname": name,
                "kubernetes.io/os": "linux",
                "node.kubernetes.io/instance-type": f"m{pool % 4 + 4}.16xlarge",
                "topology.kubernetes.io/region": "eu-central-1",
                "topology.kubernetes.io/zone": _slot("zone"),
            },
            "name": name,
            "resourceVersion": _slot("version"),
            "uid": _slot("uid"),
        },
        "spec": {
            "podCIDR": _slot("cidr"),
            "podCIDRs": [_slot("cidr")],
            "providerID": f"aws:///{_slot('zone')}/i-{_slot('serial')}",
            **({"taints": [{"effect": "NoSchedule", "key": taint[0], "value": taint[1]}]} if (taint := _TAINTED.get(pool)) else {}),
        },
        "status": {
            "addresses": [{"address": _slot("ip"), "type": "InternalIP"}, {"address": name, "type": "Hostname"}],
            "allocatable": {**capacity, "cpu": "63770m", "memory": f"{252 * gib}Ki"},
            "capacity": capacity,
            "conditions": [
                {
                    "lastHeartbeatTime": _TIME,
                    "lastTransitionTime": _TIME,
                    "message": message,
                    "reason": reason,
                    "status": status,
                    "type": kind,
                }
                for kind, status, reason, message in conditions
            ],
            "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}},
            "images": [
                {
                    "names": [
                        f"registry.example.com/team/image-{number}@sha256:{number:064x}",
                        f"registry.example.com/team/image-{number}:v1",
                    ],
                    "sizeBytes": 900_000_000 - 7_000_000 * number,
                }
                for number in range(50)
            ],
            "nodeInfo": {
                "architecture": "amd64",
                "bootID": _slot("uid"),
                "containerRuntimeVersion": "containerd://2.0.5",
                "kernelVersion": "6.8.0-1029",
                "kubeProxyVersion": "",
                "kubeletVersion": "v1.34.1",
                "machineID": _slot("serial"),
                "operatingSystem": "linux",
                "osImage": "Ubuntu 24.04.2 LTS",
                "systemUUID": _slot("uid"),
            },
        },
    }


def _node_values(random: Random, index: int) -> dict[str, str]:
    uid = _uid(random)
    return {
        "name": _name_of_node(index),
        "serial": uid.replace("-", "")[:17],
        "rack": f"rack-{index // 40}",
        "zone": f"eu-central-1{'abc'[index % 3]}",
        "version": str(random.randrange(10**9)),
        "uid": uid,
        "cidr": f"100.{index // 256 % 64 + 64}.{index % 256}.0/24",
        "ip": f"10.{index // 62500}.{index // 250 % 250}.{index % 250}",
    }


# DaemonSets


def _daemonset(random: Random, number: int, indent: int | None) -> _DaemonSet:
    name, namespace = f"agent-{number}", "kube-system" if number < _EVERYWHERE else f"platform-{number % 9}"
    pools = frozenset(range(_POOLS) if number < _EVERYWHERE else random.sample(range(_POOLS), random.choice((1, 1, 2, 3, 4))))
    uid = _uid(random)
    spec = _pod_spec(number, containers=1 + number % 2)
    spec["tolerations"] = _own_tolerations(random, number)
    names = [f"pool-{pool}" for pool in sorted(pools)]
    if len(pools) == 1:
        spec["nodeSelector"] = {"example.com/pool": names[0], "kubernetes.io/os": "linux"}
    elif len(pools) < _POOLS:
        requirement = {"key": "example.com/pool", "operator": "In", "values": names}
        required = {"nodeSelectorTerms": [{"matchExpressions": [requirement]}]}
        spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
    manifest: _Data = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {
            "annotations": {"deprecated.daemonset.template.generation": "3", "example.com/owner": "platform"},
            "creationTimestamp": _TIME,
            "generation": 3,
            "labels": {"app.kubernetes.io/managed-by": "Helm", "app.kubernetes.io/name": name},
            "name": name,
            "namespace": namespace,
            "resourceVersion": str(random.randrange(10**9)),
            "uid": uid,
        },
        "spec": {
            "revisionHistoryLimit": 10,
            "selector": {"matchLabels": {"app.kubernetes.io/name": name}},
            "template": {"metadata": {"labels": {"app.kubernetes.io/name": name}}, "spec": spec},
            "updateStrategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "10%"}, "type": "RollingUpdate"},
        },
    }
    owner = {"kind": "DaemonSet", "name": name, "namespace": namespace, "uid": uid}
    pod_spec = {**spec, "tolerations": [*spec["tolerations"], *_IMPLICIT]}
    pod_spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [_NAMED]}}}
    return _DaemonSet(name, namespace, uid, pools, manifest, _template(_pod(owner, pod_spec, number), indent))


def _own_tolerations(random: Random, number: int) -> list[_Data]:
    """Some tolerate everything, some the taint of one pool exactly, some a few keys, some nothing."""
    if number % 5 == 0:
        return [{"operator": "Exists"}]
    taints = random.sample(sorted(_TAINTED.values()), number % 4)
    if number % 2:
        return [{"effect": "NoSchedule", "key": key, "operator": "Equal", "value": value} for key, value in taints]
    return [{"key": key, "operator": "Exists"} for key, _ in taints]


def _daemonset_status(daemonset: _DaemonSet, nodes: int) -> _Data:
    wanted = sum(_wants(daemonset, index) for index in range(nodes))
    return {
        "currentNumberScheduled": wanted,
        "desiredNumberScheduled": wanted,
        "numberAvailable": wanted,
        "numberMisscheduled": 0,
        "numberReady": wanted,
        "observedGeneration": 3,
        "updatedNumberScheduled": wanted,
    }


# Pods

_NAMED: _Data = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [_slot("node")]}]}

_IMPLICIT = [
    *({"effect": "NoExecute", "key": f"node.kubernetes.io/{key}", "operator": "Exists"} for key in ("not-ready", "unreachable")),
    *(
        {"effect": "NoSchedule", "key": f"node.kubernetes.io/{key}", "operator": "Exists"}
        for key in ("disk-pressure", "memory-pressure", "pid-pressure", "unschedulable")
    ),
]


def _app_owner(number: int) -> _Data:
    name = f"app-{number}-7d9c5b8f6d"
    return {"kind": "ReplicaSet", "name": name, "namespace": f"team-{number % 30}", "uid": _uid(Random(number))}


def _app_spec(number: int) -> _Data:
    tolerations: list[_Data] = [
        {"effect": "NoExecute", "key": f"node.kubernetes.io/{key}", "operator": "Exists", "tolerationSeconds": 300}
        for key in ("not-ready", "unreachable")
    ]
    return {**_pod_spec(number, containers=1 + number % 2), "tolerations": tolerations}


def _pod_spec(number: int, containers: int) -> _Data:
    return {
        "containers": [_container(number, index) for index in range(containers)],
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "restartPolicy": "Always",
        "schedulerName": "default-scheduler",
        "securityContext": {"runAsNonRoot": True, "runAsUser": 65532, "seccompProfile": {"type": "RuntimeDefault"}},
        "serviceAccount": f"account-{number}",
        "serviceAccountName": f"account-{number}",
        "terminationGracePeriodSeconds": 30,
        "volumes": [
            {"configMap": {"defaultMode": 420, "name": f"config-{number}"}, "name": "config"},
            {"emptyDir": {}, "name": "tmp"},
        ],
    }


def _container(number: int, index: int) -> _Data:
    probe = {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}
    return {
        "args": ["--config=/etc/config/app.yaml", f"--listen=0.0.0.0:{8000 + index}", "--log-level=info", f"--shard={number}"],
        "env": [
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}},
            *({"name": f"SETTING_{each}", "value": f"value of {each} for {number}"} for each in range(4 + number % 5)),
        ],
        "image": _image(number, index),
        "imagePullPolicy": "IfNotPresent",
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": "http", "scheme": "HTTP"}, **probe},
        "name": f"container-{index}",
        "ports": [{"containerPort": 8000 + index, "name": "http", "protocol": "TCP"}],
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": "http", "scheme": "HTTP"}, **probe},
        "resources": {"limits": {"memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "256Mi"}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}, "readOnlyRootFilesystem": True},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
        "volumeMounts": [
            {"mountPath": "/etc/config", "name": "config", "readOnly": True},
            {"mountPath": "/tmp", "name": "tmp"},
            {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access", "readOnly": True},
        ],
    }


def _image(number: int, index: int) -> str:
    return f"registry.example.com/team/image-{(number * 3 + index) % 50}:v1"


def _pod(owner: _Data, spec: _Data, number: int) -> _Data:
    projected = [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
        {"downwardAPI": {"items": [{"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}]}},
    ]
    volume = {"name": "kube-api-access", "projected": {"defaultMode": 420, "sources": projected}}
    conditions = ("PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled")
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "annotations": {"prometheus.io/scrape": "true"},
            "creationTimestamp": _TIME,
            "generateName": f"{owner['name']}-",
            "generation": 1,
            "labels": {
                "app.kubernetes.io/managed-by": "Helm",
                "app.kubernetes.io/name": owner["name"],
                "controller-revision-hash": f"{number:010x}",
            },
            "name": _slot("name"),
            "namespace": owner["namespace"],
            "ownerReferences": [
                {
                    "apiVersion": "apps/v1",
                    "blockOwnerDeletion": True,
                    "controller": True,
                    "kind": owner["kind"],
                    "name": owner["name"],
                    "uid": owner["uid"],
                }
            ],
            "resourceVersion": _slot("version"),
            "uid": _slot("uid"),
        },
        "spec": {
            **spec,
            "nodeName": _slot("node"),
            "preemptionPolicy": "PreemptLowerPriority",
            "priority": 0,
            "volumes": [*spec["volumes"], volume],
        },
        "status": {
            "conditions": [
                {"lastProbeTime": None, "lastTransitionTime": _TIME, "observedGeneration": 1, "status": "True", "type": kind}
                for kind in conditions
            ],
            "containerStatuses": [
                {
                    "containerID": f"containerd://{_slot('hash')}{index:04x}",
                    "image": _image(number, index),
                    "imageID": f"registry.example.com/team/image@sha256:{number * 3 + index:064x}",
                    "lastState": {},
                    "name": f"container-{index}",
                    "ready": True,
                    "restartCount": 0,
                    "started": True,
                    "state": {"running": {"startedAt": _TIME}},
                }
                for index in range(len(spec["containers"]))
            ],
            "hostIP": _slot("hostip"),
            "hostIPs": [{"ip": _slot("hostip")}],
            "observedGeneration": 1,
            "phase": "Running",
            "podIP": _slot("ip"),
            "podIPs": [{"ip": _slot("ip")}],
            "qosClass": "Burstable",
            "startTime": _TIME,
        },
    }


def _pod_values(random: Random, name: str, node: int) -> dict[str, str]:
    uid = _uid(random)
    return {
        "name": name,
        "version": str(random.randrange(10**9)),
        "uid": uid,
        "node": _name_of_node(node),
        "hash": uid.replace("-", "") * 2,
        "hostip": f"10.{node // 62500}.{node // 250 % 250}.{node % 250}",
        "ip": f"100.{node // 256 % 64 + 64}.{node % 256}.{random.randrange(2, 250)}",
    }
