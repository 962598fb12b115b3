"""Which ordinary pods of a node taint eviction deletes, and when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from preflight.model.budgets import PodDisruptionBudget
from preflight.model.objects import Taint
from preflight.model.pod_status import RunningPod
from preflight.scheduling.budgets import guarding
from preflight.scheduling.drain.pod_filters import has_local_data
from preflight.scheduling.owners import is_kind
from preflight.scheduling.tolerations import NEVER, evict_after, find_toleration


class TaintEviction(Struct, frozen=True):
    """A pod under the NoExecute taints of its node.

    1. `after` are the seconds until it is deleted: 0 for now, NEVER, None where that depends on an unknown gate.
    2. `before` are those under the taints that the node had; where they are not NEVER a timer runs already, nobody knows since when.
    3. `untolerated` are the taints that nothing in the pod tolerates; `bounded` those that it tolerates for some seconds only.
    4. `budgets` select the pod, and none of them protects it.
    5. `lost`: nothing creates it again. `local_data`: its emptyDir goes with it. `may_return`: it tolerates every taint of the node, for
       a while at least, so that its replacement can land there again and be deleted again.
    """

    pod: RunningPod
    after: float | None
    before: float | None = NEVER
    untolerated: tuple[Taint, ...] = ()
    bounded: tuple[Taint, ...] = ()
    budgets: tuple[tuple[str, str], ...] = ()
    lost: bool = False
    local_data: bool = False
    may_return: bool = False


def taint_evictions(
    pods: Iterable[RunningPod],
    node: str,
    taints: Sequence[Taint],
    before: Sequence[Taint],
    budgets: Iterable[PodDisruptionBudget],
    comparison_operators: bool | None,
) -> tuple[TaintEviction, ...]:
    """What taint eviction does to the ordinary pods of a node that has `taints` and had those of `before`; by namespace, then by name.

    1. Only the pod's own tolerations count. The two for 300 s that admission adds are for not-ready and unreachable alone: they help
       against no other taint.
    2. Pods of apps/v1 DaemonSets are left out: the DaemonSet controller has a say in them.
    3. A pod that is being deleted already is left out. One that has ended is deleted as any other; nothing runs in it.
    4. Neither budgets nor the eviction API are asked. Each pod has its own grace period, after the deletion.

    Source: `pkg/controller/tainteviction/taint_eviction.go`, processPodOnNode.
    """
    known = tuple(budgets)
    found = [
        _under(pod, taints, before, known, comparison_operators)
        for pod in pods
        if pod.spec.nodeName == node
        and not pod.metadata.deletionTimestamp
        and not (pod.controller is not None and is_kind(pod.controller, "DaemonSet", ("apps",)))
    ]
    return tuple(sorted(found, key=lambda each: each.pod.key))


def _under(
    pod: RunningPod,
    taints: Sequence[Taint],
    before: Sequence[Taint],
    budgets: tuple[PodDisruptionBudget, ...],
    comparison_operators: bool | None,
) -> TaintEviction:
    own = pod.spec.tolerations
    untolerated: list[Taint] = []
    bounded: list[Taint] = []
    may_return = pod.controller is not None
    for taint in taints:
        toleration, certain = find_toleration(own, taint, comparison_operators)
        if taint.effect == "NoExecute" and certain:
            if toleration is None:
                untolerated.append(taint)
            elif toleration.tolerationSeconds is not None:
                bounded.append(taint)
        if taint.effect in ("NoExecute", "NoSchedule") and toleration is None and certain:
            may_return = False
    return TaintEviction(
        pod,
        after=evict_after(own, taints, comparison_operators),
        before=evict_after(own, before, comparison_operators),
        untolerated=tuple(untolerated),
        bounded=tuple(bounded),
        budgets=tuple(each.key for each in guarding(pod, budgets)),
        lost=pod.controller is None and not pod.has_ended,
        local_data=has_local_data(pod) and not pod.has_ended,
        may_return=may_return,
    )
