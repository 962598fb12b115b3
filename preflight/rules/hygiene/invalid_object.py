"""The API server refuses a field that decides where pods run or how they are updated.

Why it matters
    The API server refuses the whole object, but only when it is applied. The other findings about the object are a best effort.
How to fix
    Follow the message: quote values that must be strings, give a selector what its operator needs, and set exactly one of maxUnavailable
    and maxSurge to more than 0.
Example
    `updateStrategy: {rollingUpdate: {maxSurge: 1}}`: maxUnavailable then defaults to 1, and the API server refuses both together.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.apps import DaemonSet
from preflight.model.core import Node
from preflight.model.meta import Refusal
from preflight.model.report import Severity, Subject
from preflight.model.workloads import Workload, locate_pod_spec
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.identity import format_field_key, number_repeats
from preflight.scheduling.request_validation import validate_requests
from preflight.scheduling.validation import validate_labels, validate_node_selection, validate_update_strategy


def check(context: Context) -> Iterator[Hit]:
    """One hit for each wrong field; tolerations and taints have rules of their own. Only in lint."""
    return number_repeats(_iter_hits(context)) if context.is_lint else iter(())


def _iter_hits(context: Context) -> Iterator[Hit]:
    for workload in context.workloads:
        for refusal in _validate_workload(workload):
            yield _make_hit(make_subject_of(workload), workload, refusal)
    for node in context.nodes:
        read = [refusal for refusal in node.refusals if refusal.path[:2] != ("spec", "taints")]
        labels = () if node.pool else validate_labels(node.metadata.labels, ("metadata", "labels"))  # a pool has its own among those read
        for refusal in (*read, *labels):
            yield _make_hit(Subject("Node", "", node.name), node, refusal)


def _validate_workload(workload: Workload) -> Iterator[Refusal]:
    spec, path = locate_pod_spec(workload)
    yield from (refusal for refusal in workload.refusals if refusal.path[: len(path) + 1] != (*path, "tolerations"))
    yield from validate_node_selection(spec, path)
    yield from validate_requests(spec, path)
    if isinstance(workload, DaemonSet):
        yield from validate_update_strategy(workload.spec.updateStrategy)


def _make_hit(subject: Subject, item: Workload | Node, refusal: Refusal) -> Hit:
    return Hit(
        subject=subject,
        key=(format_field_key(refusal.path),),
        location=ManifestLocation(item.origin, refusal.path),
        message=messages.describe_refused_field(refusal.reason),
    )


RULE = Rule(id="PF207", name="invalid-object", severity=Severity.ERROR, check=check, is_per_object=True)
