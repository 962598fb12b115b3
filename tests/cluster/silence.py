"""Kubelets that fall silent, without the wait for the cluster to notice."""

from __future__ import annotations

import time
from collections.abc import Collection

from tests.cluster.api import Object
from tests.cluster.bed import Bed

UNREACHABLE = "node.kubernetes.io/unreachable"
_TAINTS = [{"key": UNREACHABLE, "effect": effect} for effect in ("NoSchedule", "NoExecute")]


def fall_silent(bed: Bed, names: Collection[str]) -> None:
    """Let the kubelets of these nodes fall silent, and the cluster know it: the nodes are Unknown and tainted, their pods not Ready.

    The conditions are what the node lifecycle controller writes after a grace period. Where it runs it adds the taints itself.
    """
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    unknown = {"status": "Unknown", "reason": "NodeStatusUnknown", "message": "Kubelet stopped posting node status."}
    for name in names:
        bed.play("silent", node=name)
        node = bed.get(f"/api/v1/nodes/{name}")
        _set_ready(node, {**unknown, "lastTransitionTime": now})
        bed.patch("nodes", name, {"status": {"conditions": node["status"]["conditions"]}}, status=True)
        if not bed.options.node_lifecycle:
            others = [taint for taint in node["spec"].get("taints", ()) if taint["key"] != UNREACHABLE]
            bed.patch("nodes", name, {"spec": {"taints": [*others, *_TAINTS]}})
    for pod in bed.list("pods") if names else ():
        if pod["spec"].get("nodeName") in names and _set_ready(pod, {"status": "False", "lastTransitionTime": now}):
            conditions = {"status": {"conditions": pod["status"]["conditions"]}}
            bed.patch("pods", pod["metadata"]["name"], conditions, pod["metadata"]["namespace"], status=True)
    bed.wait(lambda: all(_is_given_up(bed, name) for name in names), 60, f"the taints of {', '.join(names)}")


def _set_ready(item: Object, condition: Object) -> bool:
    """Change the condition Ready of an object in place; whether it has one."""
    conditions = item["status"].get("conditions", [])
    found = [number for number, each in enumerate(conditions) if each["type"] == "Ready"]
    for number in found:
        conditions[number] = {"type": "Ready", **condition}
    return bool(found)


def _is_given_up(bed: Bed, name: str) -> bool:
    taints = bed.get(f"/api/v1/nodes/{name}")["spec"].get("taints", ())
    return {"NoSchedule", "NoExecute"} <= {taint["effect"] for taint in taints if taint["key"] == UNREACHABLE}
