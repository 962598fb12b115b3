"""A DaemonSet with a wildcard toleration selects no nodes, so it takes every node there is.

Why it matters
    A taint is what keeps Linux pods from Windows nodes, and any pod from virtual and serverless ones. A wildcard passes it, and without
    nodeSelector or affinity nothing else leaves these nodes out: the pod is created there, fails to start or stays Pending for ever, and
    no update of the DaemonSet comes to its end.
How to fix
    `nodeSelector: {kubernetes.io/os: linux}`, and node affinity with NotIn for the labels of virtual nodes, such as
    `eks.amazonaws.com/compute-type` with `fargate`.
Example
    `tolerations: [{operator: Exists}]` in a DaemonSet without nodeSelector, in a cluster with a Windows pool.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import names
from preflight.model.objects import POD_TEMPLATE_SPEC, DaemonSet, Node
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.workload_fields import daemonsets, is_wildcard, required_terms
from preflight.scheduling.placement import place
from preflight.scheduling.tolerations import daemon_tolerations

_VIRTUAL = (("eks.amazonaws.com/compute-type", "fargate"), ("type", "virtual-kubelet"))
_VIRTUAL_TAINT = "virtual-kubelet.io/"


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such DaemonSet: a warning where a Windows or virtual node is known that it takes. Only in lint."""
    odd: list[Node] | None = None
    for daemonset in daemonsets(context):
        spec = daemonset.spec.template.spec
        wild = any(is_wildcard(each) and each.effect in ("", "NoSchedule") for each in spec.tolerations)
        if not wild or spec.nodeName or spec.nodeSelector or required_terms(spec):
            continue
        if odd is None:
            odd = [node for node in context.world.nodes.values() if _is_odd(node)]
        taken = _taken(context, daemonset, odd)
        yield Hit(
            subject=subject_of(daemonset),
            place=Place(daemonset.origin, POD_TEMPLATE_SPEC),
            nodes=taken,
            severity=Severity.WARNING if taken else None,
            message=f"takes {names(taken)}, Windows or virtual: it tolerates everything and selects nothing"
            if taken
            else "takes every node, Windows and virtual ones too: it tolerates everything and selects nothing",
            label="no nodeSelector and no node affinity",
            notes=(("help", "`nodeSelector: {kubernetes.io/os: linux}`"),),
        )


def _is_odd(node: Node) -> bool:
    labels = node.metadata.labels
    if labels.get("kubernetes.io/os") == "windows" or any(labels.get(key) == value for key, value in _VIRTUAL):
        return True
    return any(taint.key.startswith(_VIRTUAL_TAINT) for taint in node.spec.taints)


def _taken(context: Context, daemonset: DaemonSet, nodes: list[Node]) -> tuple[str, ...]:
    spec = daemonset.spec.template.spec
    tolerations, gate = daemon_tolerations(spec), context.world.comparison_operators
    return tuple(node.name for node in nodes if place(spec, tolerations, node, gate).should_run)


RULE = Rule(id="PF213", name="lands-anywhere", severity=Severity.NOTE, check=check)
