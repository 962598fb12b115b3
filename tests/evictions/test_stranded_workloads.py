"""Workloads whose next pod finds no node after a change, from their templates and from running pods; and those that keep a node."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.builders import (
    UNSCHEDULABLE_TAINT,
    Object,
    list_daemonset_pod,
    make_container,
    make_daemonset,
    make_deployment,
    make_job,
    make_node,
    make_object,
    make_owner,
    make_pod,
    make_workload,
    write_list,
)
from tests.cli.program import program
from tests.evictions.storage import claim, volume

WITH_GPUS = {"cpu": "8", "pods": "110", "nvidia.com/gpu": "8"}
SYSTEM, SPOT = make_node("sys1"), make_node("spot1", "spot=y:NoSchedule")
GPU_LABELS = {"pool": "gpu"}
GPU_1, GPU_2 = make_node("gpu-1", labels=GPU_LABELS), make_node("gpu-2", labels=GPU_LABELS)
DNS = make_deployment("dns", "kube-system")
SIZE = {"cpu": "8", "pods": "110"}
ON_GPU: Object = {"nodeSelector": GPU_LABELS}
GPU_REQUEST: Object = {"containers": [make_container(resources={"limits": {"nvidia.com/gpu": "1"}})]}
TAINT_SYSTEM = "taint nodes sys1 CriticalAddonsOnly=true:NoSchedule"

FEATURE = "feature.node.kubernetes.io/pci-10de.present"
FEATURED = make_node("g1", labels={FEATURE: "true"})
LABELLER = make_daemonset(
    "nfd-worker", "nfd", containers=[make_container("w", "registry.example/nfd/node-feature-discovery:v0.15.4", command=["nfd-worker"])]
)
ON_FEATURE: Object = {"nodeSelector": {FEATURE: "true"}}
IN_TERM: Object = {"matchExpressions": [{"key": FEATURE, "operator": "Exists"}]}
BY_AFFINITY: Object = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [IN_TERM]}}}}

Stranded = list[tuple[str, list[str], str]]


def job_set(name: str, *, metadata: Object | None = None, status: Object | None = None, **pod_spec: Any) -> Object:
    template = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [make_container()], **pod_spec}}}}
    fields = {"status": status} if status else {}
    return make_object("JobSet", name, "ml", metadata=metadata, spec={"replicatedJobs": [{"name": "w", "template": template}]}, **fields)


def cron_job(name: str, **pod_spec: Any) -> Object:
    template = {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [make_container()], **pod_spec}}}}
    return make_object("CronJob", name, "ops", spec={"schedule": "0 3 * * *", "jobTemplate": template})


def owned_pod(name: str, node: str, kind: str, owner: str, **more: Any) -> Object:
    return make_pod(name, "shop", node=node, owner=make_owner(kind, owner), **more)


def exclusive(topology: str, **more: str) -> Object:
    return {"annotations": {"alpha.jobset.sigs.k8s.io/exclusive-topology": topology, **more}}


def pinned(name: str, bound_to: str = "data") -> Object:
    """A volume on one node alone."""
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": [name]}
    return volume(
        bound_to=bound_to, local={"path": "/data"}, nodeAffinity={"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    )


def host(name: str, *taints: str) -> Object:
    return make_node(name, *taints, labels={"kubernetes.io/hostname": name})


USES_CLAIM: Object = {"volumes": [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]}
DATABASE = make_workload("StatefulSet", "db", "shop")

KEPT: list[tuple[str, list[Object], str]] = [
    ("another node takes its pods", [SYSTEM, make_node("sys2"), DNS], TAINT_SYSTEM),
    ("no node took its pods before", [SPOT, make_node("sys1", "x=y:NoSchedule"), DNS], TAINT_SYSTEM),
    ("its pods tolerate the taint", [SYSTEM, SPOT, make_deployment("web", tolerations=[{"operator": "Exists"}])], TAINT_SYSTEM),
    ("it wants no pods", [SYSTEM, SPOT, make_deployment("web", replicas=0)], TAINT_SYSTEM),
    (
        "its Job has ended",
        [SYSTEM, SPOT, {**make_job("j"), "status": {"conditions": [{"type": "Complete", "status": "True"}]}}],
        TAINT_SYSTEM,
    ),
    ("its JobSet has ended", [SYSTEM, SPOT, job_set("j", status={"conditions": [{"type": "Completed", "status": "True"}]})], TAINT_SYSTEM),
    ("only the changed nodes are in the input, and it may have any", [SYSTEM, DNS], TAINT_SYSTEM),
    ("a taint with PreferNoSchedule keeps nothing away", [SYSTEM, SPOT, DNS], "taint nodes sys1 a=b:PreferNoSchedule"),
    ("a node that is uncordoned takes its pods", [SYSTEM, make_node("n2", UNSCHEDULABLE_TAINT, cordoned=True), DNS], "uncordon n2"),
    ("a bare pod has no successor", [SYSTEM, SPOT, make_pod("shell", node="sys1"), make_pod("b", "other", node="spot1")], TAINT_SYSTEM),
    ("a pod of a DaemonSet is judged by that", [SYSTEM, SPOT, owned_pod("a", "sys1", "DaemonSet", "agent")], TAINT_SYSTEM),
    ("nobody knows whether another kind creates a pod again", [SYSTEM, SPOT, owned_pod("a", "sys1", "Workflow", "w")], TAINT_SYSTEM),
    ("a pod that has ended has no successor", [SYSTEM, SPOT, owned_pod("a", "sys1", "Job", "j", phase="Succeeded")], TAINT_SYSTEM),
    ("its pod is on a node that is not changed", [SYSTEM, make_node("n2"), owned_pod("a", "n2", "StatefulSet", "db")], TAINT_SYSTEM),
    (
        "another node has the devices",
        [make_node("g1", allocatable=WITH_GPUS), make_node("g2", allocatable=WITH_GPUS), make_deployment("infer", **GPU_REQUEST)],
        "cordon g1",
    ),
    (
        "its volume is on another node",
        [host("n1"), host("n2"), DATABASE, owned_pod("db-0", "n2", "StatefulSet", "db", **USES_CLAIM), claim(), pinned("n2")],
        "cordon n1",
    ),
    (
        "its leader may choose another domain",
        [make_node("n1", labels={"rack": "a"}), make_node("n2", labels={"rack": "b"}), job_set("llm", metadata=exclusive("rack"))],
        "label nodes n1 rack-",
    ),
    (
        "the labeller's pod comes back, and its labels with it",
        [FEATURED, SYSTEM, LABELLER, list_daemonset_pod(LABELLER, "g1"), make_deployment("infer", **ON_FEATURE)],
        "delete pod nfd-worker-g1 -n nfd",
    ),
    (
        "no node is given, and pods tolerate the taint on what they select",
        [make_deployment("infer", nodeSelector={"pool": "gpu", "zone": "a"}, tolerations=[{"operator": "Exists"}])],
        "taint nodes -l pool=gpu a=b:NoSchedule",
    ),
    (
        "no node is given, and the command names some of the nodes that pods select on",
        [make_deployment("infer", **ON_GPU)],
        "taint nodes -l pool=gpu,zone=a a=b:NoSchedule",
    ),
    (
        "pods follow their template, not what they were made from",
        [GPU_1, SYSTEM, make_workload("StatefulSet", "db", "shop"), owned_pod("db-0", "gpu-1", "StatefulSet", "db", **ON_GPU)],
        "cordon gpu-1",
    ),
]

STRANDED: list[tuple[str, list[Object], str, Stranded]] = [
    ("the last node without a taint gets one", [SYSTEM, SPOT, DNS], TAINT_SYSTEM, [("Deployment kube-system/dns", ["sys1"], "warning")]),
    (
        "the last node without a taint is cordoned",
        [SYSTEM, SPOT, DNS],
        "cordon sys1",
        [("Deployment kube-system/dns", ["sys1"], "warning")],
    ),
    (
        "the other node is cordoned, and its list lacks the taint",
        [SYSTEM, make_node("n2", cordoned=True), DNS],
        "cordon sys1",
        [("Deployment kube-system/dns", ["sys1"], "warning")],
    ),
    (
        "the label of a StatefulSet goes from the last node that has it",
        [GPU_1, SYSTEM, make_workload("StatefulSet", "db", "shop", **ON_GPU)],
        "label nodes gpu-1 pool-",
        [("StatefulSet shop/db", ["gpu-1"], "warning")],
    ),
    (
        "the label gets another value",
        [GPU_1, GPU_2, make_deployment("web", **ON_GPU)],
        "label nodes --all pool=cpu --overwrite",
        [("Deployment default/web", ["gpu-1", "gpu-2"], "warning")],
    ),
    (
        "a CronJob has no pod, and its next one has no node",
        [GPU_1, SYSTEM, cron_job("backup", **ON_GPU)],
        "cordon gpu-1",
        [("CronJob ops/backup", ["gpu-1"], "warning")],
    ),
    (
        "a JobSet has a domain for each Job by a label that goes",
        [make_node("n1", labels={"rack": "a"}), SYSTEM, job_set("llm", metadata=exclusive("rack"))],
        "label nodes n1 rack-",
        [("JobSet ml/llm", ["n1"], "warning")],
    ),
    (
        "only the tainted node has the devices",
        [make_node("g1", allocatable=WITH_GPUS), make_node("c1", allocatable=SIZE), make_deployment("infer", **GPU_REQUEST)],
        "taint nodes g1 a=b:NoSchedule",
        [("Deployment default/infer", ["g1"], "warning")],
    ),
    (
        "only the cordoned node is large enough",
        [
            make_node("big", allocatable={**SIZE, "cpu": "64"}),
            make_node("c1", allocatable=SIZE),
            make_deployment("x", containers=[make_container(resources={"requests": {"cpu": "16"}})]),
        ],
        "cordon big",
        [("Deployment default/x", ["big"], "warning")],
    ),
    (
        "a volume is on the cordoned node alone",
        [host("n1"), host("n2"), DATABASE, owned_pod("db-0", "n1", "StatefulSet", "db", **USES_CLAIM), claim(), pinned("n1")],
        "cordon n1",
        [("StatefulSet shop/db", ["n1"], "warning")],
    ),
    (
        "a claim of a template of a StatefulSet is bound to a volume there, and no pod is in the input",
        [
            host("n1"),
            host("n2"),
            make_workload("StatefulSet", "db", "shop", fields={"replicas": 2, "volumeClaimTemplates": [{"metadata": {"name": "data"}}]}),
            claim("data-db-1"),
            pinned("n1", "data-db-1"),
        ],
        "cordon n1",
        [("StatefulSet shop/db", ["n1"], "warning")],
    ),
    (
        "the zone of a volume has no other node",
        [
            make_node("a1", labels={"topology.kubernetes.io/zone": "a"}),
            make_node("b1", labels={"topology.kubernetes.io/zone": "b"}),
            make_deployment("db", "shop", **USES_CLAIM),
            claim(),
            volume(metadata={"labels": {"topology.kubernetes.io/zone": "a"}}),
        ],
        "taint nodes a1 a=b:NoSchedule",
        [("Deployment shop/db", ["a1"], "warning")],
    ),
    (
        "only pods of a Job are in the input",
        [SYSTEM, SPOT, owned_pod("a", "sys1", "Job", "train")],
        TAINT_SYSTEM,
        [("Job shop/train", ["sys1"], "warning")],
    ),
    (
        "something has chosen the node of a Job's pod",
        [GPU_1, SYSTEM, make_job("train", "shop"), owned_pod("train-0", "gpu-1", "Job", "train", **ON_GPU)],
        "cordon gpu-1",
        [("Job shop/train", ["gpu-1"], "warning")],
    ),
    (
        "pods of a JobSet that was not given are its own",
        [
            make_node("n1", labels={"rack": "a"}),
            SYSTEM,
            owned_pod(
                "llm-w-0-1-x",
                "n1",
                "Job",
                "llm-w-0",
                labels={"jobset.sigs.k8s.io/jobset-name": "llm"},
                metadata=exclusive("rack"),
                nodeSelector={"rack": "a"},
            ),
        ],
        "label nodes n1 rack-",
        [("JobSet shop/llm", ["n1"], "warning")],
    ),
    (
        "a drain lets no pod of it go",
        [GPU_1, SYSTEM, cron_job("backup", **ON_GPU), owned_pod("a", "gpu-1", "ReplicaSet", "r")],
        "drain gpu-1",
        [("CronJob ops/backup", ["gpu-1"], "warning")],
    ),
    (
        "the node is deleted",
        [GPU_1, SYSTEM, cron_job("backup", **ON_GPU)],
        "replace gpu-1 --labels pool=cpu",
        [("CronJob ops/backup", ["gpu-1"], "warning")],
    ),
    (
        "the last node loses the label that a labeller sets, because its pod does not come back",
        [
            make_node("g1", "x=y:NoSchedule", labels={FEATURE: "true"}),
            SYSTEM,
            LABELLER,
            list_daemonset_pod(LABELLER, "g1"),
            make_workload("StatefulSet", "db", "shop", tolerations=[{"operator": "Exists"}], **ON_FEATURE),
        ],
        "delete pod nfd-worker-g1 -n nfd",
        [("StatefulSet shop/db", ["g1"], "warning")],
    ),
    (
        "a taint keeps the next pod of the labeller away, and pods tolerate it",
        [FEATURED, SYSTEM, LABELLER, make_deployment("infer", tolerations=[{"operator": "Exists"}], **ON_FEATURE)],
        "taint nodes g1 a=b:NoSchedule",
        [("Deployment default/infer", ["g1"], "warning")],
    ),
    (
        "the labeller is deleted, and a running pod selects on its label by affinity",
        [FEATURED, SYSTEM, LABELLER, list_daemonset_pod(LABELLER, "g1"), owned_pod("a", "g1", "Job", "train", **BY_AFFINITY)],
        "delete ds nfd-worker -n nfd",
        [("Job shop/train", ["g1"], "warning")],
    ),
    (
        "no node is given, and the labels that the command names are what pods select on",
        [make_deployment("infer", **ON_GPU), make_deployment("web")],
        "taint nodes -l pool=gpu a=b:NoSchedule",
        [("Deployment default/infer", ["(pool=gpu)"], "warning")],
    ),
    (
        "a RuntimeClass that was not given may tolerate the taint",
        [SYSTEM, SPOT, make_deployment("vm", runtimeClassName="kata")],
        TAINT_SYSTEM,
        [("Deployment default/vm", ["sys1"], "note")],
    ),
]


def find_stranded(tmp_path: Path, objects: list[Object], line: str) -> Stranded:
    """The findings of PF313: subjects, nodes and severities."""
    (tmp_path / "world.json").write_text(write_list(objects), encoding="utf-8")
    code, out, err = program(*line.split(), "--from", str(tmp_path / "world.json"), "-o", "json")
    assert code in (0, 1, 3), err
    found = [finding for finding in json.loads(out)["findings"] if finding["rule"] == "PF313"]
    return [(make_name(finding["subject"]), finding["nodes"], finding["severity"]) for finding in found]


def make_name(subject: dict[str, str]) -> str:
    return f"{subject['kind']} {subject['namespace']}/{subject['name']}"


@pytest.mark.parametrize(("objects", "line"), [pytest.param(*case[1:], id=case[0]) for case in KEPT])
def test_a_workload_keeps_a_node(tmp_path: Path, objects: list[Object], line: str) -> None:
    assert find_stranded(tmp_path, objects, line) == []


@pytest.mark.parametrize(("objects", "line", "expected"), [pytest.param(*case[1:], id=case[0]) for case in STRANDED])
def test_no_node_is_left(tmp_path: Path, objects: list[Object], line: str, expected: Stranded) -> None:
    assert find_stranded(tmp_path, objects, line) == expected
