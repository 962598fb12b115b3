"""A change leaves no node on which new pods of a workload fit.

Why it matters
    Running pods keep running, unless the change removes them too. Whatever re-creates a pod (an eviction, a rollout, a failure, the next
    run of a CronJob) leaves it Pending, and nothing reports this before. Labels, taints, bound volumes and the size of nodes decide; how
    full nodes are does not count. Not reported if no node took the pods before, if a pool may add a node, if the pods are removed and
    another rule reports that, or if the workload asks for no node and the input has only the changed ones. A note if it is unknown
    whether a node is left.
How to fix
    Add a toleration for exactly this taint to the workload too, or leave it a node that is not changed.
Example
    A Job with `nodeSelector: {pool: gpu}`, and `taint nodes -l pool=gpu maintenance=true:NoSchedule`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.messages.workloads import describe_fading_nodes, describe_no_certain_node, describe_no_node_left
from preflight.model.evictions import ReplacementOutcome
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation, Rule

if TYPE_CHECKING:
    from preflight.evictions.stranded_workloads import StrandedWorkload

_TOLD = (ReplacementOutcome.PENDING, ReplacementOutcome.NONE)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each workload; of one whose pods have to go, what becomes of these is told elsewhere."""
    told = _list_told_workloads(context)
    for stranded in context.stranded_workloads:
        if stranded.subject not in told:
            origin = context.world.nodes[stranded.nodes[0]].origin if stranded.origin is None else stranded.origin
            yield Hit(
                subject=stranded.subject,
                nodes=stranded.nodes,
                location=ManifestLocation(origin),
                severity=Severity.NOTE if stranded.doubts else None,
                message=_describe(stranded, are_pods_known=context.evictions is not None),
            )


def _describe(stranded: StrandedWorkload, *, are_pods_known: bool) -> str:
    nodes = stranded.nodes
    if stranded.doubts:
        return describe_no_certain_node(nodes, stranded.doubts)
    if stranded.labellers:
        return describe_fading_nodes(nodes, stranded.labellers)
    may_lose_pods = stranded.may_lose_pods and not are_pods_known
    return describe_no_node_left(nodes, replaced_pod=stranded.replaced_pod, may_lose_pods=may_lose_pods)


def _list_told_workloads(context: Context) -> frozenset[Subject]:
    """The workloads of which a pod goes that is not replaced."""
    nodes = context.evictions.nodes if context.evictions is not None else ()
    lost = (pod for node in nodes for pod in node.pods if pod.replacement in _TOLD and pod.owner is not None)
    return frozenset(Subject(pod.owner.kind, pod.owner.namespace, pod.owner.name) for pod in lost if pod.owner is not None)


RULE = Rule(id="PF313", name="no-node-left", severity=Severity.WARNING, check=check)
