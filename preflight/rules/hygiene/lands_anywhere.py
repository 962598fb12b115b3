"""A DaemonSet with a wildcard toleration selects no nodes, so it gets pods on Windows and virtual nodes too.

Why it matters
    Taints keep Linux pods off Windows nodes, and all pods off virtual and serverless nodes. A wildcard tolerates these taints. Without
    nodeSelector or node affinity nothing else excludes such nodes: the pod is created there and fails to start or stays Pending, and no
    update of the DaemonSet completes.
How to fix
    `nodeSelector: {kubernetes.io/os: linux}`, and node affinity with NotIn for the labels of virtual nodes, such as
    `eks.amazonaws.com/compute-type` with `fargate`.
Example
    `tolerations: [{operator: Exists}]` in a DaemonSet without nodeSelector, in a cluster with a Windows pool.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC, Node
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.workload_fields import get_required_terms, is_wildcard, iter_linted_daemonsets
from preflight.scheduling.placement import evaluate_placement
from preflight.scheduling.tolerations import add_implicit_tolerations

_VIRTUAL_NODE_LABELS = (("eks.amazonaws.com/compute-type", "fargate"), ("type", "virtual-kubelet"))
_VIRTUAL_TAINT_PREFIX = "virtual-kubelet.io/"


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such DaemonSet: a warning where a Windows or virtual node is known that it takes. Only in lint."""
    odd: list[Node] | None = None
    for daemonset in iter_linted_daemonsets(context):
        spec = daemonset.spec.template.spec
        wild = any(is_wildcard(toleration) and toleration.effect in ("", "NoSchedule") for toleration in spec.tolerations)
        if not wild or spec.nodeName or spec.nodeSelector or get_required_terms(spec):
            continue
        if odd is None:
            odd = [node for node in context.world.nodes.values() if _is_windows_or_virtual(node)]
        taken = _find_covered_nodes(context, daemonset, odd)
        yield Hit(
            subject=make_subject_of(daemonset),
            key=("windows-or-virtual",) if taken else ("any-node",),
            location=ManifestLocation(daemonset.origin, POD_TEMPLATE_SPEC),
            nodes=taken,
            severity=Severity.WARNING if taken else None,
            message=messages.describe_landing(taken),
            label=messages.NO_SELECTION_LABEL,
            notes=(("help", messages.LINUX_SELECTOR_HELP),),
        )


def _is_windows_or_virtual(node: Node) -> bool:
    labels = node.metadata.labels
    if labels.get("kubernetes.io/os") == "windows" or any(labels.get(key) == value for key, value in _VIRTUAL_NODE_LABELS):
        return True
    return any(taint.key.startswith(_VIRTUAL_TAINT_PREFIX) for taint in node.spec.taints)


def _find_covered_nodes(context: Context, daemonset: DaemonSet, nodes: list[Node]) -> tuple[str, ...]:
    spec = daemonset.spec.template.spec
    tolerations, gate = add_implicit_tolerations(spec), context.world.comparison_operators
    return tuple(node.name for node in nodes if evaluate_placement(spec, tolerations, node, gate).should_run)


RULE = Rule(id="PF213", name="lands-anywhere", severity=Severity.NOTE, check=check)
