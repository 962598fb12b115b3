"""A DaemonSet tolerates NoExecute for some seconds only, so it loops on a node with that taint.

Why it matters
    Taint eviction deletes the pod after the seconds, and the DaemonSet controller, which does not look at them, creates it again: the pod
    restarts every so many seconds on every such node.
How to fix
    Remove `tolerationSeconds` where the pod is to stay on the node; remove the toleration where it is to go.
Example
    `{key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 300}` in a DaemonSet.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, FixKind, Hit, Rule, make_subject_of
from preflight.rules.workload_fields import format_tolerated, iter_tolerations

_HELP_NOTES = {
    "stay": (("help", "the policy wants DaemonSets to stay: remove tolerationSeconds"),),
    "leave": (("help", "the policy wants DaemonSets to leave: remove the toleration"),),
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
        words = format_tolerated(toleration)
        passes = toleration.key in _NOT_READY
        if passes:
            message = f"tolerates {words} for {seconds} s: it is deleted after them, and comes back once the node is Ready"
        elif seconds <= 0:
            message = f"tolerates {words} for {seconds} s: it is deleted and re-created without a pause on a node with this taint"
        else:
            message = f"tolerates {words} for {seconds} s: it is deleted and re-created every {seconds} s on a node with this taint"
        yield Hit(
            subject=make_subject_of(item.workload),
            key=item.key,
            location=item.locate_field("tolerationSeconds"),
            toleration_location=item.location,
            message=message,
            label="" if passes else "a DaemonSet is created again at once",
            notes=_HELP_NOTES.get(context.convention.no_execute, ()) if not passes else (),
        )


RULE = Rule(id="PF204", name="seconds-loop", severity=Severity.WARNING, check=check, is_per_object=True, fix=FixKind.SECONDS)
