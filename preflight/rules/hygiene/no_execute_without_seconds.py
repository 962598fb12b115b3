"""A NoExecute taint is tolerated without a time limit.

Why it matters
    NoExecute means that the node is to be emptied. A pod that tolerates it without `tolerationSeconds` stays. A DaemonSet can stay only in
    this way, because `tolerationSeconds` make it loop; the finding is a note there, so that the owner knows about it. Other workloads can
    set `tolerationSeconds` and leave when the time is over; without them, they are never evicted from a failed node. A policy decides for
    all DaemonSets: with `noExecute: stay` there is no finding, with `leave` it is a warning. A toleration without an effect tolerates
    NoExecute too, often by accident. It is a note if it tolerates a NoExecute taint that is known from the nodes or the policy, and a
    warning for DaemonSets with `leave`.
How to fix
    For a DaemonSet, keep the toleration if the pod is needed until the end, otherwise remove it. For other workloads, set
    `tolerationSeconds`.
Example
    `{key: maintenance, operator: Exists, effect: NoExecute}`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.report import Severity
from preflight.model.workloads import CustomResource
from preflight.rules.api import Context, Hit, Rule, make_subject_of
from preflight.rules.workload_fields import WorkloadToleration, iter_tolerations

_DEAD_NODE_KEYS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration of NoExecute without seconds, and for each without an effect where that matters.

    None for those that every DaemonSet has anyway, where an earlier toleration matches first, and where it is not known whether a
    DaemonSet's pods have it.
    """
    for item in iter_tolerations(context):
        toleration = item.toleration
        if isinstance(item.workload, CustomResource):
            continue
        if not toleration.key or toleration.effect not in ("", "NoExecute") or toleration.tolerationSeconds is not None:
            continue
        wanted = context.convention.no_execute if item.is_daemon else "leave"
        if item.is_replaced or item.is_shadowed or wanted == "stay":
            continue
        dead = toleration.key in _DEAD_NODE_KEYS
        if not toleration.effect:
            if not dead:
                yield from _check_any_effect(context, item)
            continue
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


def _check_any_effect(context: Context, item: WorkloadToleration) -> Iterator[Hit]:
    """A toleration without an effect: what a policy wants of DaemonSets, else the NoExecute taints that are known and empty nodes."""
    from preflight.components.catalog import is_startup_key

    known = (taint for taint in item.select_tolerated(context.taints) if taint.effect == "NoExecute")
    emptying = [taint for taint in known if not is_startup_key(taint.key)]
    is_unwanted = item.is_daemon and context.convention.no_execute == "leave"
    if emptying or (is_unwanted and context.is_lint):
        yield Hit(
            subject=make_subject_of(item.workload),
            key=(*item.key, *sorted(map(str, emptying))),
            location=item.location,
            severity=None if is_unwanted else Severity.NOTE,
            message=messages.describe_any_effect(item.toleration, emptying),
            label=messages.NO_EFFECT_LABEL,
            notes=(("help", messages.NAME_EFFECT_HELP),) if is_unwanted else (),
        )


RULE = Rule(id="PF203", name="no-execute-without-seconds", severity=Severity.WARNING, check=check, is_per_object=True)
