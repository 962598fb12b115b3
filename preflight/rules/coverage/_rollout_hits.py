"""Where an update comes to its end: which nodes keep the old pod, get a new one, lose it or hang, and what holds it up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from preflight.coverage.rollout.daemonset_rollout import Rollout, RolloutCell, RolloutDoubt
from preflight.messages.rollout import UpdateResult, describe_blocking_cause
from preflight.model.reasons import BlockingCause
from preflight.scheduling.rollout_simulation import LivePod, NewPodOutcome, UpdateForecast


def summarize_result(rollout: Rollout, course: UpdateForecast) -> UpdateResult:
    """What one course of an update leaves on the nodes."""
    keeping, new, failing, hanging, beside, losing, waiting, removable = (set[str]() for _ in range(8))
    settled = sum(end.most for end in course.ends if end.waits and len(end.possible_states) == 1)
    for cell, end in rollout.iter_ends(course):
        if all(state.has_previous for state in end.possible_states):
            keeping |= cell.nodes
        elif len(end.possible_states) > 1:
            (removable if end.awaits_removal else waiting).update(cell.nodes)
        elif end.reached.hangs:
            (beside if end.reached.has_new else hanging).update(cell.nodes)
        elif end.reached.has_new:
            (failing if end.holds else new).update(cell.nodes)
        elif cell.part.pod is not LivePod.NONE:
            losing |= cell.nodes
    fewest, most = course.reached_range
    return UpdateResult(
        keeping=frozenset(keeping),
        waiting_beside=course.failing_reached if course.is_surge else 0,
        waiting=frozenset(waiting),
        waiting_kept=(len(waiting) - (most - settled), len(waiting) - (fewest - settled)),
        removable=frozenset(removable),
        removable_kept=course.removable_kept,
        new=frozenset(new),
        failing=frozenset(failing),
        hanging=frozenset(hanging),
        hanging_beside=frozenset(beside),
        losing=frozenset(losing),
    )


def explain_blocking_nodes(rollout: Rollout, course: UpdateForecast, pods: Mapping[str, str]) -> Iterator[str]:
    """Why nodes use the budget up, a sentence a cause; `pods` has the names of the pods that are not Ready, by node."""
    found: defaultdict[BlockingCause, set[str]] = defaultdict(set)
    for cell, end in rollout.iter_ends(course):
        if end.holds and not cell.part.is_crowded:
            for name in cell.nodes:
                found[_find_cause(cell, has_unready_pod=name in pods)].add(name)
    for cause in BlockingCause:
        if nodes := sorted(found[cause]):
            shows_pods = cause is BlockingCause.POD_NOT_READY
            yield describe_blocking_cause(cause, [f"{pods[name]} on {name}" if shows_pods and pods[name] else name for name in nodes])


def _find_cause(cell: RolloutCell, *, has_unready_pod: bool) -> BlockingCause:
    if cell.part.new_pod is NewPodOutcome.PENDING and not cell.part.is_kubelet_silent:
        return BlockingCause.DOES_NOT_FIT
    if cell.part.is_kubelet_silent:
        return BlockingCause.POSSIBLE_POD if cell.doubt is RolloutDoubt.POD_PRESENCE else BlockingCause.SILENT
    if cell.doubt is RolloutDoubt.NODE_READINESS:
        return BlockingCause.NODE_NOT_READY
    return BlockingCause.POD_NOT_READY if has_unready_pod else BlockingCause.POD_MISSING
