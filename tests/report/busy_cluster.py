"""A cluster of many nodes and 33 DaemonSets, as kubectl prints it: half of these tolerate everything, and pods block a drain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.builders import (
    make_budget,
    make_container,
    make_daemonset,
    make_deployment,
    make_job,
    make_node,
    make_owner,
    make_pod,
    make_workload,
)

Object = dict[str, Any]
EVERYTHING = {"operator": "Exists"}
SIZE = {"cpu": "32", "memory": "128Gi", "pods": "110", "nvidia.com/gpu": "8"}


def list_busy_cluster(node_count: int) -> list[Object]:
    """The objects of the cluster."""
    nodes = [f"gpu-h100-{number:03}" for number in range(1, node_count + 1)]
    listed = [make_node(name, labels={"pool": "gpu"}, allocatable=SIZE) for name in nodes]
    return [*listed, *_iter_daemonsets(nodes), *_iter_deployments(nodes), *_iter_jobs(nodes), *_iter_bare_pods(nodes)]


def _iter_daemonsets(nodes: list[str]) -> Iterator[Object]:
    for number in range(33):
        namespace = ("kube-system", "monitoring", "storage", "logging")[number % 4]
        tolerations = [EVERYTHING] if number >= 16 else [{"key": "reserved"}] if number == 3 else []
        daemonset = make_daemonset(f"agent-{number:02}", namespace, *tolerations, metadata={"uid": f"ds-{number}"})
        yield daemonset
        for name in nodes:
            owner = make_owner("DaemonSet", f"agent-{number:02}", f"ds-{number}")
            labels = daemonset["spec"]["template"]["metadata"]["labels"]
            yield make_pod(
                f"agent-{number:02}-{name}", namespace, node=name, owner=owner, labels=labels, ready="True", tolerations=tolerations
            )


def _iter_deployments(nodes: list[str]) -> Iterator[Object]:
    for name, replicas, step in (("infer", 6, 7), ("shop", 40, 4)):
        yield make_deployment(name, "web", replicas, metadata={"uid": f"deploy-{name}"})
        owner = make_owner("Deployment", name, f"deploy-{name}")
        head = {"uid": f"rs-{name}", "labels": {"app": name}, "ownerReferences": [owner]}
        yield make_workload("ReplicaSet", f"{name}-1", "web", labels={"app": name}, metadata=head, fields={"replicas": replicas})
        for number in range(replicas):
            owned = make_owner("ReplicaSet", f"{name}-1", f"rs-{name}")
            node = nodes[number * step % len(nodes)]
            yield make_pod(f"{name}-1-{number}", "web", node=node, owner=owned, labels={"app": name}, ready="True")
    yield make_budget("infer", "web", app="infer", minAvailable=6)


def _iter_jobs(nodes: list[str]) -> Iterator[Object]:
    for job in range(10):
        yield make_job(f"train-{job}", "research", metadata={"uid": f"job-{job}"}, parallelism=6, completions=6, backoffLimit=0)
        for number in range(6):
            container = make_container(resources={"requests": {"nvidia.com/gpu": "8"}, "limits": {"nvidia.com/gpu": "8"}})
            yield make_pod(
                f"train-{job}-{number}",
                "research",
                node=nodes[(job * 6 + number) * 3 % len(nodes)],
                owner=make_owner("Job", f"train-{job}", f"job-{job}"),
                ready="True",
                containers=[container],
                volumes=[{"name": "scratch", "emptyDir": {}}],
            )


def _iter_bare_pods(nodes: list[str]) -> Iterator[Object]:
    for number in range(12):
        yield make_pod(f"debug-{number}", node=nodes[number * 11 % len(nodes)], ready="True")
