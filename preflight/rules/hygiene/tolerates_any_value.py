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
from functools import cache

from preflight.messages import hygiene as messages
from preflight.model.core import Taint
from preflight.model.report import Severity
from preflight.rules.api import Context, FixKind, Hit, Rule, make_subject_of
from preflight.rules.hygiene.required_toleration import is_required_toleration
from preflight.rules.merged_groups import suggest_exact_tolerations
from preflight.rules.workload_fields import iter_tolerations
from preflight.scheduling.taint_values import is_passing_value


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration with Exists whose key a known taint carries with a value.

    The fix names every taint of the nodes that the toleration tolerates today, also those of the key without a value: without one of them
    the pods would lose its nodes.
    """
    list_node_taints = cache(lambda: _list_node_taints(context))
    for item in iter_tolerations(context):
        if (
            item.toleration.key
            and item.toleration.operator == "Exists"
            and not is_required_toleration(item.workload, item.toleration, context)
        ):
            valued = [taint for taint in item.select_tolerated(context.taints) if _distinguishes(taint)]
            needed = item.select_tolerated(list_node_taints()) if valued else ()
            if valued and not any(map(is_passing_value, needed)):
                yield Hit(
                    subject=make_subject_of(item.workload),
                    key=(*item.key, *sorted(map(str, valued))),
                    location=item.locate_field("operator"),
                    toleration_location=item.location,
                    message=messages.describe_any_value(item.toleration.key, valued),
                    label=messages.ANY_VALUE_LABEL,
                    suggestion=suggest_exact_tolerations((*valued, *needed)),
                )


def _list_node_taints(context: Context) -> tuple[Taint, ...]:
    """The taints that keep pods off the nodes, before a change and after it; those that a new node starts with included."""
    worlds = (context.world, context.impact.change.after) if context.impact is not None else (context.world,)
    nodes = [node for world in worlds for node in world.nodes.values()]
    taints = (taint for node in nodes for taint in (*node.spec.taints, *node.startup_taints))
    return tuple(dict.fromkeys(taint for taint in taints if taint.effect != "PreferNoSchedule"))


def _distinguishes(taint: Taint) -> bool:
    """Whether the value of a taint may tell nodes apart: not one that is a time or an id, which no toleration can name beforehand."""
    return bool(taint.value) and taint.effect != "PreferNoSchedule" and not is_passing_value(taint)


RULE = Rule(id="PF202", name="tolerates-any-value", severity=Severity.NOTE, check=check, fix=FixKind.VALUE)
