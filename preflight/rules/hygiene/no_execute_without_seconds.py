"""A NoExecute taint is tolerated for ever.

Why it matters
    NoExecute means that the node is to be emptied. A pod that tolerates it without `tolerationSeconds` stays, for ever. For a DaemonSet
    that is the only way to stay at all, since seconds make it loop: so it is a note there, and a decision that its owner should know of.
    Other workloads can have seconds, and move after them; without, they are never moved from a node that has died.
    A policy decides for all DaemonSets: with `noExecute: stay` there is nothing to say of them, with `leave` it is a warning.
    A toleration without an effect tolerates NoExecute too, often without anybody having thought of it. It is said where that matters: a
    note where a NoExecute taint that it tolerates is known, of the nodes or the policy, and a warning of DaemonSets with `leave`.
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
from preflight.rules.workload_fields import WorkloadToleration, iter_tolerations

_DEAD_NODE_KEYS = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration of NoExecute without seconds, and for each without an effect where that matters.

    None for those that every DaemonSet has anyway, and where an earlier toleration matches first.
    """
    for item in iter_tolerations(context):
        toleration = item.toleration
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
    from preflight.components.catalog import list_startup_keys

    known = (taint for taint in item.select_tolerated(context.taints) if taint.effect == "NoExecute")
    emptying = [taint for taint in known if taint.key not in list_startup_keys()]
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
