"""Where the DaemonSet controller runs a pod: one DaemonSet's template and one node."""

from __future__ import annotations

from msgspec import Struct

from preflight.model.core import Node, PodSpec, Taint, Toleration
from preflight.scheduling.affinity import AffinityMatch, match_affinity
from preflight.scheduling.tolerations import find_eviction_delay, find_toleration


class Placement(Struct, frozen=True):
    """The controller's answer for one template and one node, with all reasons and not just the first.

    1. `should_run`: the controller would create a pod; `may_stay`: it leaves a pod that is there. None where not known.
    2. `other_node` is the `nodeName` of the template where it is another node's, "" otherwise.
    3. `is_selected` is whether nodeName, nodeSelector and affinity take the node: None where it depends on unknown labels.
    4. `untolerated_taints` are the NoExecute and NoSchedule taints that nothing tolerates; `unsure_taints` those where it depends on the
       gate of Lt and Gt. PreferNoSchedule is never looked at.
    5. `eviction_delay` is the time that taint eviction gives a new pod: see `tolerations.find_eviction_delay`.
    """

    should_run: bool | None
    may_stay: bool | None
    is_selected: bool | None
    affinity: AffinityMatch
    other_node: str = ""
    untolerated_taints: tuple[Taint, ...] = ()
    unsure_taints: tuple[Taint, ...] = ()
    eviction_delay: float | None = None


def evaluate_placement(template: PodSpec, tolerations: tuple[Toleration, ...], node: Node, comparison_operators: bool | None) -> Placement:
    """Whether a DaemonSet's pod should run on a node, and may stay there.

    1. `nodeName` of another node: neither.
    2. nodeSelector or required affinity does not match: neither.
    3. An untolerated NoExecute taint: neither.
    4. An untolerated NoSchedule taint: should not run, may stay.
    5. Else both. `spec.unschedulable` is not looked at, only the taint that follows it.

    `tolerations` are the template's with the implicit ones (`daemon_tolerations`).

    Source: `pkg/controller/daemon/daemon_controller.go`, NodeShouldRunDaemonPod.
    """
    affinity = match_affinity(template, node)
    elsewhere = template.nodeName if template.nodeName and template.nodeName != node.name else ""
    selected = False if elsewhere else affinity.matches
    untolerated: list[Taint] = []
    unsure: list[Taint] = []
    for taint in node.spec.taints:
        if taint.effect not in ("NoExecute", "NoSchedule"):
            continue
        toleration, certain = find_toleration(tolerations, taint, comparison_operators)
        if toleration is None:
            (untolerated if certain else unsure).append(taint)
    may_stay = _combine_answers(selected, _tolerates_effect(untolerated, unsure, "NoExecute"))
    return Placement(
        should_run=_combine_answers(may_stay, _tolerates_effect(untolerated, unsure, "NoSchedule")),
        may_stay=may_stay,
        is_selected=selected,
        affinity=affinity,
        other_node=elsewhere,
        untolerated_taints=tuple(untolerated),
        unsure_taints=tuple(unsure),
        eviction_delay=find_eviction_delay(tolerations, node.spec.taints, comparison_operators),
    )


def _tolerates_effect(untolerated_taints: list[Taint], unsure_taints: list[Taint], effect: str) -> bool | None:
    if any(taint.effect == effect for taint in untolerated_taints):
        return False
    return None if any(taint.effect == effect for taint in unsure_taints) else True


def _combine_answers(first: bool | None, second: bool | None) -> bool | None:
    if first is False or second is False:
        return False
    return None if first is None or second is None else True
