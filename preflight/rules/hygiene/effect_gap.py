"""A toleration covers the NoSchedule taint of a key, and no toleration covers the NoExecute taint of the same key.

Why it matters
    A workload that tolerates `dedicated=rdma:NoSchedule` is intended for these nodes. If a node has the same key with NoExecute, as in this
    input, the pods that run there are deleted, and DaemonSets get no new pods there.
How to fix
    Tolerate the NoExecute taint too, or omit the effect, which tolerates all three effects. Workloads other than DaemonSets may need
    `tolerationSeconds` with it.
Example
    `{key: dedicated, operator: Exists, effect: NoSchedule}` and a node with `dedicated=rdma:NoExecute`.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from preflight.messages import hygiene as messages
from preflight.model.core import Taint
from preflight.model.report import Severity
from preflight.rules.api import Context, FixKind, Hit, Rule, make_subject_of
from preflight.rules.merged_groups import suggest_exact_tolerations
from preflight.rules.workload_fields import WorkloadToleration, is_tolerated, iter_tolerations
from preflight.scheduling.affinity import match_affinity
from preflight.scheduling.tolerations import tolerates


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration of NoSchedule whose key a known taint carries with NoExecute, untolerated. Only in lint."""
    emptying = [taint for taint in context.taints if taint.effect == "NoExecute"]
    if not context.is_lint or not emptying:
        return
    for item in iter_tolerations(context):
        own = item.toleration
        if not own.key or own.effect != "NoSchedule":
            continue
        any_effect = msgspec.structs.replace(own, effect="")
        matched = [taint for taint in emptying if tolerates(any_effect, taint, None) and not is_tolerated(taint, item.all_tolerations)]
        missed = [taint for taint in matched if _may_meet_taint(context, item, taint)]
        if missed:
            yield Hit(
                subject=make_subject_of(item.workload),
                key=(*item.key, *sorted(map(str, missed))),
                location=item.locate_field("effect"),
                toleration_location=item.location,
                message=messages.describe_effect_gap(own, missed),
                label=messages.EFFECT_GAP_LABEL,
                suggestion=suggest_exact_tolerations(missed) if item.is_daemon else None,
            )


def _may_meet_taint(context: Context, item: WorkloadToleration, taint: Taint) -> bool:
    """Whether the workload selects a node that carries a taint; also where no known node does, so that it only was declared."""
    carriers = [node for node in context.world.nodes.values() if taint in node.spec.taints]
    return not carriers or any(match_affinity(item.spec, node).matches is not False for node in carriers)


RULE = Rule(id="PF212", name="effect-gap", severity=Severity.WARNING, check=check, fix=FixKind.ADDITION)
