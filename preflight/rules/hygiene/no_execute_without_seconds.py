"""A NoExecute taint is tolerated for ever.

Why it matters
    NoExecute means that the node is to be emptied. A pod that tolerates it without `tolerationSeconds` stays, for ever. For a DaemonSet
    that is the only way to stay at all, since seconds make it loop: so it is a note there, and a decision that its owner should know of.
    Other workloads can have seconds, and move after them; without, they are never moved from a node that has died.
    A policy decides for all DaemonSets: with `noExecute: stay` there is nothing to say of them, with `leave` it is a warning.
How to fix
    A DaemonSet: keep it where the pod is needed until the last moment, else remove the toleration. Other workloads: set
    `tolerationSeconds`.
Example
    `{key: maintenance, operator: Exists, effect: NoExecute}`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule, make_subject_of
from preflight.rules.workload_fields import iter_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration with the effect NoExecute and no seconds.

    None for those that every DaemonSet has anyway, and where an earlier toleration matches first.
    """
    for item in iter_tolerations(context):
        toleration = item.toleration
        if not toleration.key or toleration.effect != "NoExecute" or toleration.tolerationSeconds is not None:
            continue
        wanted = context.convention.no_execute if item.is_daemon else "leave"
        if item.is_replaced or item.is_shadowed or wanted == "stay":
            continue
        dead = toleration.key in ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")
        yield Hit(
            subject=make_subject_of(item.workload),
            key=item.key,
            location=item.location,
            toleration_location=item.location,
            severity=None if wanted == "leave" else Severity.NOTE,
            message=messages.describe_endless_toleration(toleration, is_of_dead_node=dead),
            label=messages.NO_SECONDS_LABEL,
            notes=(("help", messages.REMOVE_TOLERATION_HELP),) if item.is_daemon and wanted == "leave" else (),
        )


RULE = Rule(id="PF203", name="no-execute-without-seconds", severity=Severity.WARNING, check=check, is_per_object=True)
