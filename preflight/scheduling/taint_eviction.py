"""Which ordinary pods of a node taint eviction deletes, and when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from preflight.model.core import Taint
from preflight.model.pod_status import ClusterPod
from preflight.model.policy import PodDisruptionBudget
from preflight.scheduling.budgets import find_covering_budgets
from preflight.scheduling.drain.pod_filters import has_local_data
from preflight.scheduling.owners import is_kind
from preflight.scheduling.tolerations import NEVER, find_eviction_delay, find_toleration


class TaintEviction(Struct, frozen=True):
    """A pod under the NoExecute taints of its node.

    1. `delay` are the seconds until it is deleted: 0 for now, NEVER, None where that depends on an unknown gate.
    2. `before` are those under the taints that the node had; where they are not NEVER a timer runs already, nobody knows since when.
    3. `untolerated_taints` are the taints that nothing in the pod tolerates; `time_limited_taints` those that it tolerates for some seconds
       only.
    4. `budgets` select the pod, and none of them protects it.
    5. `is_lost`: nothing creates it again. `has_local_data`: its emptyDir goes with it. `may_return`: it tolerates every taint of the node,
       for a while at least, so that its replacement can land there again and be deleted again.
    """

    pod: ClusterPod
    delay: float | None
    previous_delay: float | None = NEVER
    untolerated_taints: tuple[Taint, ...] = ()
    time_limited_taints: tuple[Taint, ...] = ()
    budgets: tuple[tuple[str, str], ...] = ()
    is_lost: bool = False
    has_local_data: bool = False
    may_return: bool = False


def predict_taint_evictions(
    pods: Iterable[ClusterPod],
    node: str,
    taints: Sequence[Taint],
    previous_taints: Sequence[Taint],
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
        _predict_taint_eviction(pod, taints, previous_taints, known, comparison_operators)
        for pod in pods
        if pod.spec.nodeName == node
        and not pod.metadata.deletionTimestamp
        and not (pod.controller is not None and is_kind(pod.controller, "DaemonSet", ("apps",)))
    ]
    return tuple(sorted(found, key=lambda eviction: eviction.pod.key))


def _predict_taint_eviction(
    pod: ClusterPod,
    taints: Sequence[Taint],
    previous_taints: Sequence[Taint],
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
        delay=find_eviction_delay(own, taints, comparison_operators),
        previous_delay=find_eviction_delay(own, previous_taints, comparison_operators),
        untolerated_taints=tuple(untolerated),
        time_limited_taints=tuple(bounded),
        budgets=tuple(covering_budget.key for covering_budget in find_covering_budgets(pod, budgets)),
        is_lost=pod.controller is None and not pod.has_ended,
        has_local_data=has_local_data(pod) and not pod.has_ended,
        may_return=may_return,
    )
