"""What support cases bring, made from plain objects: each form as a folder of files, by path."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Object = dict[str, Any]
Files = Mapping[str, str]

_DUMPED = {
    "Event": "events",
    "ReplicationController": "replication-controllers",
    "Service": "services",
    "DaemonSet": "daemonsets",
    "Deployment": "deployments",
    "ReplicaSet": "replicasets",
    "Pod": "pods",
}
_COLLECTED = {
    **{"Event": "events", "DaemonSet": "daemonsets", "Deployment": "deployments", "ReplicaSet": "replicasets", "Pod": "pods"},
    **{"Job": "jobs", "StatefulSet": "statefulsets"},
}


def make_must_gather(objects: Sequence[Object]) -> Files:
    """As `oc adm must-gather` writes: objects of no namespace each in a file, the others in a list a kind, and each pod once more."""
    root = "must-gather.local.1/image-sha256-1"
    files = {"must-gather.local.1/timestamp": "2026-03-12 09:00:00\n", f"{root}/version": "must-gather\n4.20\n"}
    for item in objects:
        name, namespace, kind = item["metadata"]["name"], item["metadata"].get("namespace"), item["kind"]
        if not namespace:
            files[f"{root}/cluster-scoped-resources/{_get_group(item)}/{kind.lower()}s/{name}.yaml"] = f"---\n{json.dumps(item)}\n"
        elif kind == "Pod":
            files[f"{root}/namespaces/{namespace}/pods/{name}/{name}.yaml"] = f"---\n{json.dumps(item)}\n"
            files[f"{root}/namespaces/{namespace}/pods/{name}/main/main/logs/current.log"] = "{not: [yaml\n"
    for (namespace, kind), items in _group(objects).items():
        path = f"{root}/namespaces/{namespace}/{_get_group(items[0])}/{kind.lower()}s.yaml"
        files[path] = f"---\n{json.dumps(_make_list(kind, items))}\n"
    return files


def make_cluster_info_dump(objects: Sequence[Object]) -> Files:
    """As `kubectl cluster-info dump --output-directory` writes."""
    return dict(_iter_cluster_info(objects, ".json", "logs.txt"))


def make_cluster_info_text(objects: Sequence[Object]) -> str:
    """As `kubectl cluster-info dump` prints: lists, and the logs of the containers between them."""
    return "".join(text for _, text in _iter_cluster_info(objects, "", ""))


def make_support_bundle(objects: Sequence[Object]) -> Files:
    """As troubleshoot.sh collects: a folder a kind, a list a namespace."""
    root = "support-bundle-2026-03-12T09_00_00"
    files = {
        f"{root}/version.yaml": "apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\nspec: {versionNumber: v0.120.0}\n",
        f"{root}/cluster-resources/pods-errors.json": "[]",
        f"{root}/cluster-resources/auth-cani-list/default.json": '{"resourceRules": []}',
        f"{root}/cluster-resources/nodes.json": json.dumps(_make_list("Node", [item for item in objects if item["kind"] == "Node"])),
    }
    for (namespace, kind), items in _group(objects).items():
        if kind in _COLLECTED:
            files[f"{root}/cluster-resources/{_COLLECTED[kind]}/{namespace}.json"] = json.dumps(_make_list(kind, items), indent=2)
    return files


def _iter_cluster_info(objects: Sequence[Object], ending: str, log: str) -> Iterable[tuple[str, str]]:
    yield f"nodes{ending}", json.dumps(_make_list("Node", [item for item in objects if item["kind"] == "Node"]), indent=4) + "\n"
    groups = _group(objects)
    for namespace in sorted({namespace for namespace, _ in groups}):
        for kind, name in _DUMPED.items():
            yield f"{namespace}/{name}{ending}", json.dumps(_make_list(kind, groups.get((namespace, kind), [])), indent=4) + "\n"
        for item in groups.get((namespace, "Pod"), []):
            of_container = f"logs for container main of pod {namespace}/{item['metadata']['name']} ====\n"
            said = '{"level": "info"}\n{"kind": "Node", "apiVersion": "v1"\nthe last line has no end'
            yield f"{namespace}/{item['metadata']['name']}/{log}", f"==== START {of_container}{said}==== END {of_container}"


def _group(objects: Sequence[Object]) -> dict[tuple[str, str], list[Object]]:
    groups: dict[tuple[str, str], list[Object]] = {}
    for item in objects:
        if namespace := item["metadata"].get("namespace"):
            groups.setdefault((namespace, item["kind"]), []).append(item)
    return groups


def _make_list(kind: str, items: Sequence[Object]) -> Object:
    """As the API answers: only the list states the kind."""
    version = items[0]["apiVersion"] if items else "v1"
    bare = [{key: value for key, value in item.items() if key not in ("apiVersion", "kind")} for item in items]
    return {"apiVersion": version, "kind": f"{kind}List", "metadata": {"resourceVersion": "7"}, "items": bare or None}


def _get_group(item: Object) -> str:
    group, slash, _ = item["apiVersion"].rpartition("/")
    return group if slash else "core"
