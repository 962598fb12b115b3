"""The API server refuses a field that decides where pods run or how they are updated.

Why it matters
    The object is refused as a whole, when it is applied and not before. What preflight says of it rests on its best reading.
How to fix
    As the reason says: quote what has to be a string, give a selector what its operator needs, and exactly one of maxUnavailable and
    maxSurge.
Example
    `updateStrategy: {rollingUpdate: {maxSurge: 1}}`: maxUnavailable is then 1 too, and both is refused.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.objects import DaemonSet, Node, Refusal, Workload, pod_spec
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.scheduling.validation import label_refusals, selection_refusals, strategy_refusals


def check(context: Context) -> Iterator[Hit]:
    """One hit for each wrong field; tolerations and taints have rules of their own. Only in lint."""
    if not context.lint:
        return
    for workload in context.workloads:
        for refusal in _of_workload(workload):
            yield _hit(subject_of(workload), workload, refusal)
    for node in context.nodes:
        read = [refusal for refusal in node.refusals if refusal.path[:2] != ("spec", "taints")]
        labels = () if node.pool else label_refusals(node.metadata.labels, ("metadata", "labels"))  # a pool has its own among those read
        for refusal in (*read, *labels):
            yield _hit(Subject("Node", "", node.name), node, refusal)


def _of_workload(workload: Workload) -> Iterator[Refusal]:
    spec, path = pod_spec(workload)
    yield from (refusal for refusal in workload.refusals if refusal.path[: len(path) + 1] != (*path, "tolerations"))
    yield from selection_refusals(spec, path)
    if isinstance(workload, DaemonSet):
        yield from strategy_refusals(workload.spec.updateStrategy)


def _hit(subject: Subject, thing: Workload | Node, refusal: Refusal) -> Hit:
    return Hit(subject=subject, place=Place(thing.origin, refusal.path), message=f"is refused by the API server: {refusal.reason}")


RULE = Rule(id="PF207", name="invalid-object", severity=Severity.ERROR, check=check, by_itself=True)
