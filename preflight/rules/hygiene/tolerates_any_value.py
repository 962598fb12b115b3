"""A toleration ignores the value of a taint that has one.

Why it matters
    `operator: Exists` tolerates the key with any value: a pod that is intended for `dedicated=rdma` also runs on the nodes of
    `dedicated=gpu`. Often this is intended. It is not if the values distinguish node pools.
How to fix
    `operator: Equal` with the value.
Example
    `{key: dedicated, operator: Exists}` and a node with `dedicated=rdma:NoSchedule`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.report import Severity
from preflight.rules.api import Context, FixKind, Hit, Rule, make_subject_of
from preflight.rules.merged_groups import suggest_exact_tolerations
from preflight.rules.workload_fields import iter_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration with Exists whose key a known taint carries with a value."""
    for item in iter_tolerations(context):
        if item.toleration.key and item.toleration.operator == "Exists":
            valued = [taint for taint in item.select_tolerated(context.taints) if taint.value and taint.effect != "PreferNoSchedule"]
            if valued:
                yield Hit(
                    subject=make_subject_of(item.workload),
                    key=(*item.key, *sorted(map(str, valued))),
                    location=item.locate_field("operator"),
                    toleration_location=item.location,
                    message=messages.describe_any_value(item.toleration.key, valued),
                    label=messages.ANY_VALUE_LABEL,
                    suggestion=suggest_exact_tolerations(valued),
                )


RULE = Rule(id="PF202", name="tolerates-any-value", severity=Severity.NOTE, check=check, fix=FixKind.VALUE)
