"""A DaemonSet tolerates NoExecute for a limited time, so its pod restarts in a loop on a node with that taint.

Why it matters
    Taint eviction deletes the pod when the time is over, and the DaemonSet controller, which ignores `tolerationSeconds`, creates it again:
    the pod restarts in this interval on every such node.
How to fix
    Remove `tolerationSeconds` if the pod should stay on the node; remove the toleration if the pod should leave.
Example
    `{key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 300}` in a DaemonSet.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.report import Severity
from preflight.rules.api import Context, FixKind, Hit, Rule, make_subject_of
from preflight.rules.workload_fields import iter_tolerations

_HELP_NOTES = {
    "stay": (("help", messages.REMOVE_SECONDS_HELP),),
    "leave": (("help", messages.REMOVE_TOLERATION_HELP),),
}
_NOT_READY = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration of a DaemonSet with seconds.

    Seconds have no effect, and no hit, where an implicit toleration replaces the toleration, or an earlier one matches first.
    """
    for item in iter_tolerations(context):
        toleration = item.toleration
        seconds = toleration.tolerationSeconds
        if not item.is_daemon or seconds is None or toleration.effect != "NoExecute" or item.is_replaced or item.is_shadowed:
            continue
        passes = toleration.key in _NOT_READY
        yield Hit(
            subject=make_subject_of(item.workload),
            key=item.key,
            location=item.locate_field("tolerationSeconds"),
            toleration_location=item.location,
            message=messages.describe_seconds_loop(toleration, is_cleared=passes),
            label="" if passes else messages.RECREATED_LABEL,
            notes=_HELP_NOTES.get(context.convention.no_execute, ()) if not passes else (),
        )


RULE = Rule(id="PF204", name="seconds-loop", severity=Severity.WARNING, check=check, is_per_object=True, fix=FixKind.SECONDS)
