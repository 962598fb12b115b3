"""A cluster as `kubectl get -o json` prints it, with everything that a snapshot must leave out marked."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from tests.cli.program import Result, program

Data = dict[str, Any]

MARK = "PLANTED"
"""What no snapshot may hold: it stands in arguments, environment, Secrets, foreign annotations, ConfigMaps and more."""

TAINT = {"key": "dedicated", "value": "rdma", "effect": "NoSchedule"}
_SECRET = f"{MARK}-secret"
_FOREIGN = {"example.com/owner": f"{MARK}-annotation", "kubectl.kubernetes.io/restartedAt": f"{MARK}-annotation"}
_IMPLICIT = [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}]


def item(kind: str, name: str, namespace: str = "", version: str = "v1", labels: Data | None = None, **fields: Any) -> Data:
    """An object of a cluster: it has a uid, and annotations of others."""
    metadata: Data = {
        "name": name,
        "uid": f"uid-{kind}-{name}",
        "resourceVersion": MARK,
        "annotations": dict(_FOREIGN),
        "managedFields": [{"manager": MARK, "fieldsV1": {f"f:{MARK}": {}}}],
    }
    if namespace:
        metadata["namespace"] = namespace
    if labels:
        metadata["labels"] = labels
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def container(name: str, image: str, *args: str, env: Data | None = None, **more: Any) -> Data:
    """A container with what a snapshot must not hold: arguments, environment, hooks and probes with marks."""
    return {
        "name": name,
        "image": image,
        "args": [*args, f"--token={MARK}-argument"],
        "env": [
            {"name": "PASSWORD", "value": f"{MARK}-environment"},
            {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": f"{MARK}-reference", "key": "k"}}},
            *({"name": key, "value": value} for key, value in (env or {}).items()),
        ],
        "envFrom": [{"secretRef": {"name": f"{MARK}-reference"}}],
        "lifecycle": {"preStop": {"exec": {"command": ["sh", "-c", f"echo {MARK}-hook"]}}},
        "livenessProbe": {"exec": {"command": [f"{MARK}-probe"]}},
        "resources": {"requests": {"cpu": "100m"}},
        **more,
    }


def workload(kind: str, name: str, namespace: str, spec: Data, version: str = "apps/v1", **more: Any) -> Data:
    """A workload whose template has this pod spec."""
    labels = {"app": name}
    template = {"metadata": {"labels": labels, "annotations": dict(_FOREIGN)}, "spec": {"restartPolicy": "Always", **spec}}
    selector = {} if kind == "Job" else {"selector": {"matchLabels": labels}}
    return item(kind, name, namespace, version, labels, spec={**selector, "template": template, **more})


def daemonset(name: str, namespace: str, spec: Data, **more: Any) -> Data:
    """A DaemonSet that kubectl applied."""
    made = workload("DaemonSet", name, namespace, spec, updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}})
    last = {key: made[key] for key in ("apiVersion", "kind", "spec")} | {"metadata": {"name": name, "namespace": namespace}}
    made["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"] = json.dumps(last)
    made["metadata"] |= more
    made["status"] = {"desiredNumberScheduled": 4}
    return made


def pod(owner: Data, node: str, uid: str = "1", **status: Any) -> Data:
    """A pod of a workload on a node, Ready unless told otherwise."""
    name, kind = owner["metadata"]["name"], owner["kind"]
    template = owner["spec"]["template"]
    made = item("Pod", f"{name}-{node or 'pending'}", owner["metadata"]["namespace"], labels=dict(template["metadata"]["labels"]))
    made["metadata"] |= {
        "uid": f"uid-{name}-{node}-{uid}",
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": owner["metadata"]["uid"], "controller": True}],
    }
    spec = json.loads(json.dumps(template["spec"]))
    made["spec"] = {**spec, "nodeName": node, "tolerations": [*spec.get("tolerations", []), *_IMPLICIT]}
    ready = {"type": "Ready", "status": "True", "lastProbeTime": None}
    made["status"] = {"phase": "Running", "conditions": [ready], "podIP": MARK, **status}
    return made


def node(name: str, taints: list[Data] | None = None, **labels: str) -> Data:
    """A node that is Ready."""
    made = item("Node", name, labels={"kubernetes.io/hostname": name, **labels}, spec={"taints": taints or [], "providerID": MARK})
    made["status"] = {
        "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110", **({"rdma/hca": "2"} if labels.get("pool") == "rdma" else {})},
        "conditions": [{"type": "Ready", "status": "True", "message": MARK}],
        "images": [{"names": [MARK]}],
    }
    return made


def plugin() -> Data:
    """A device plugin: what it is and provides shows in its arguments, a ConfigMap and its mounts."""
    mounts = [{"name": "plugins", "mountPath": "/plugins"}]
    volumes = [
        {"name": "plugins", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}},
        {"name": "config", "configMap": {"name": "rdma-devices"}},
        {"name": "secret", "secret": {"secretName": f"{MARK}-reference"}},
    ]
    spec = {
        "nodeSelector": {"pool": "rdma"},
        "tolerations": [TAINT | {"operator": "Equal"}],
        "containers": [container("plugin", "registry.example/vendor-plugin:1", volumeMounts=mounts)],
        "volumes": volumes,
    }
    return daemonset("rdma-plugin", "kube-system", spec)


def csi() -> Data:
    """A CSI node driver, by its arguments alone."""
    args = ("--kubelet-registration-path=/var/lib/kubelet/plugins/csi.rdma.example.com/csi.sock", "--v=5")
    spec = {"nodeSelector": {"pool": "rdma"}, "containers": [container("registrar", "registry.example/x:1", *args)]}
    return daemonset("csi-rdma", "storage", spec)


def network() -> Data:
    """A pod network that is told the address of the API server."""
    spec = {
        "hostNetwork": True,
        "priorityClassName": "system-node-critical",
        "tolerations": [{"operator": "Exists"}],
        "containers": [
            container(
                "agent",
                "registry.example/pod-network:1",
                env={"KUBERNETES_SERVICE_HOST": f"{MARK}-address"},
                volumeMounts=[{"name": "cni", "mountPath": "/etc/cni/net.d"}],
                ports=[{"containerPort": 9090, "hostPort": 9090}],
            )
        ],
        "volumes": [{"name": "cni", "hostPath": {"path": "/etc/cni/net.d"}}],
    }
    return daemonset("pod-network", "kube-system", spec)


def proxy() -> Data:
    """A kube-proxy, by its command alone."""
    spec = {"tolerations": [{"operator": "Exists"}], "containers": [container("main", "registry.example/y:1", command=["/opt/kube-proxy"])]}
    return daemonset("services", "kube-system", spec)


def cluster() -> list[Data]:
    """Two nodes of a pool rdma and two others, five DaemonSets with their pods, and an object of each other kind that is judged."""
    nodes = [node("rdma-1", pool="rdma"), node("rdma-2", pool="rdma"), node("cpu-1"), node("cpu-2", [TAINT | {"value": "batch"}])]
    agent = daemonset("agent", "ops", {"containers": [container("agent", "registry.example/agent:1")]})
    agent["metadata"]["annotations"] |= {"meta.helm.sh/release-name": "agent"}
    daemonsets = [plugin(), csi(), network(), proxy(), agent]
    placed = {"rdma-plugin": ("rdma-1", "rdma-2"), "csi-rdma": ("rdma-1", "rdma-2"), "agent": ("rdma-1", "rdma-2", "cpu-1")}
    every = ("rdma-1", "rdma-2", "cpu-1", "cpu-2")
    pods = [pod(each, name) for each in daemonsets for name in placed.get(each["metadata"]["name"], every)]
    claim = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    wants = {"resources": {"limits": {"rdma/hca": "1"}}}
    training = workload("Job", "train", "research", {"containers": [container("w", "t:1", **wants)], "volumes": claim}, "batch/v1")
    web = workload("Deployment", "web", "shop", {"containers": [container("w", "w:1")]}, replicas=2)
    store = workload("StatefulSet", "store", "shop", {"containers": [container("s", "s:1")]})
    store["spec"]["volumeClaimTemplates"] = [
        {"metadata": {"name": "d", "annotations": dict(_FOREIGN)}, "spec": {"storageClassName": "rdma"}}
    ]
    replicas = workload("ReplicaSet", "web-1", "shop", {"containers": [container("w", "w:1")]})
    replicas["metadata"]["ownerReferences"] = [{"kind": "Deployment", "name": "web", "controller": True}]
    job = {"template": training["spec"]["template"]}
    pods += [pod(replicas, "cpu-1"), pod(replicas, "", phase="Pending", conditions=[])]
    claimed = {"metadata": {"annotations": dict(_FOREIGN)}, "spec": {"storageClassName": "rdma"}}
    pods[-2]["spec"]["volumes"] = [
        {"name": "a", "ephemeral": {"volumeClaimTemplate": claimed}},
        {"name": "b", "rbd": {"monitors": [MARK], "user": MARK, "keyring": MARK}},
    ]
    pods[-1]["spec"] |= {"schedulingGroup": {"name": MARK}, "volumes": [{"name": "c", "iscsi": {"targetPortal": MARK}}]}
    storage = "storage.k8s.io/v1"
    others = [
        item("CronJob", "night", "research", "batch/v1", spec={"schedule": "0 0 * * *", "jobTemplate": {"spec": job}}),
        item("JobSet", "set", "research", "jobset.x-k8s.io/v1alpha2", spec={"replicatedJobs": [{"name": "a", "template": {"spec": job}}]}),
        item("PodDisruptionBudget", "web", "shop", "policy/v1", spec={"minAvailable": 1, "selector": {"matchLabels": {"app": "web"}}}),
        item("Namespace", "kube-system"),
        item("Namespace", "ops"),
        item("PriorityClass", "system-node-critical", "", "scheduling.k8s.io/v1", value=2000001000),
        item("RuntimeClass", "kata", "", "node.k8s.io/v1", handler="kata", scheduling={"nodeSelector": {"kata": "1"}}),
        item("CSIDriver", "csi.rdma.example.com", "", storage, spec={"attachRequired": False}),
        item("PersistentVolumeClaim", "data", "research", spec={"storageClassName": "rdma", "volumeName": "pv-1"}),
        item(
            "PersistentVolume",
            "pv-1",
            spec={"csi": {"driver": "csi.rdma.example.com", "volumeHandle": MARK, "volumeAttributes": {"k": MARK}}},
        ),
        item("StorageClass", "rdma", "", storage, provisioner="csi.rdma.example.com", parameters={"key": MARK}),
        item("ConfigMap", "rdma-devices", "kube-system", data={"config.json": devices(), "other": f"{MARK}-config"}),
        item("ConfigMap", "settings", "shop", data={"password": f"{MARK}-config"}),
        item(
            "ResourceQuota",
            "quota",
            "shop",
            spec={
                "hard": {"pods": "9"},
                "scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "In", "values": ["low"], "x": MARK}]},
            },
            status={"used": {"pods": "2"}},
        ),
        {
            **item(
                "HorizontalPodAutoscaler", "web", "shop", spec={"minReplicas": 2, "scaleTargetRef": {"kind": "Deployment", "name": "web"}}
            ),
            "apiVersion": "autoscaling/v2",
        },
        {**item("ScaledObject", "web", "shop", spec={"scaleTargetRef": {"name": "web"}}), "apiVersion": "keda.sh/v1alpha1"},
        item("Secret", "login", "shop", data={"password": _SECRET}),
        item("Service", "web", "shop", spec={"clusterIP": MARK}),
    ]
    others[3]["metadata"]["annotations"]["scheduler.alpha.kubernetes.io/node-selector"] = ""
    return [*nodes, *daemonsets, training, web, store, replicas, *others, *pods]


def devices() -> str:
    """The configuration of a shared RDMA device plugin."""
    return json.dumps({"configList": [{"resourceName": "hca", "selectors": {"ifNames": [MARK]}}]})


def dump(objects: list[Data]) -> str:
    """The objects as one List."""
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": objects, "metadata": {"resourceVersion": ""}})


def write(path: Path, objects: list[Data]) -> str:
    """Write the objects as a List, and answer the path as text."""
    path.write_text(dump(objects), encoding="utf-8")
    return str(path)


def save(path: Path, *sources: str) -> Result:
    """`preflight snapshot -o PATH --from SOURCE...`, which must work."""
    result = program("snapshot", "-o", str(path), *(word for source in sources for word in ("--from", source)))
    assert result.code == 0, result.err
    return result


def text(path: Path) -> str:
    """What a snapshot holds."""
    data = path.read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode()
