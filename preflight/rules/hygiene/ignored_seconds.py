"""A DaemonSet repeats a toleration that every DaemonSet has, with `tolerationSeconds` that have no effect.

Why it matters
    The DaemonSet controller adds its own tolerations to every pod, and replaces a toleration of the template with the same key, operator,
    value and effect: its `tolerationSeconds` are lost. The pod stays on a node that is not ready or unreachable without a time limit,
    whatever the manifest says, and nothing reports it.
How to fix
    Remove the toleration. If the pod should leave such a node, a DaemonSet is the wrong kind of workload.
Example
    `{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 30}` in a DaemonSet.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.report import Severity
from preflight.rules.api import Context, FixKind, Hit, Rule, make_subject_of
from preflight.rules.workload_fields import iter_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration with seconds that an implicit one replaces."""
    for item in iter_tolerations(context):
        own = item.toleration
        if own.tolerationSeconds is not None and item.is_replaced:
            yield Hit(
                subject=make_subject_of(item.workload),
                key=item.key,
                location=item.locate_field("tolerationSeconds"),
                toleration_location=item.location,
                message=messages.describe_ignored_seconds(own),
                label=messages.IGNORED_SECONDS_LABEL,
            )


RULE = Rule(id="PF211", name="ignored-seconds", severity=Severity.NOTE, check=check, is_per_object=True, fix=FixKind.IDLE_SECONDS)
