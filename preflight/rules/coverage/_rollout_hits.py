"""Where an update comes to its end, in words: how many nodes keep the old pod, get a new one, lose it or hang, and what holds it up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from preflight.coverage.rollout.simulation import Rollout, RolloutDoubt
from preflight.messages.lists import join_node_names
from preflight.scheduling.rollout_simulation import LivePod, UpdateForecast


def describe_course(rollout: Rollout, course: UpdateForecast) -> str:
    """`8 nodes keep the old pod (n1, ...), 2 nodes get a new one (n5, n6), 1 node hangs in Terminating (n3)`.

    Where it is chance which nodes are reached, how many are: `2 to 3 of 4 nodes keep the old pod, which ones is chance (n1, n2, n3, n4)`.
    """
    kept, new, failing, hanging, both, lost, waiting, sunset = (set[str]() for _ in range(8))
    settled = course.failing_reached
    for cell, end in rollout.iter_ends(course):
        if all(there.has_previous for there in end.possible_states):
            kept |= cell.nodes
        elif len(end.possible_states) > 1:
            (sunset if end.awaits_removal else waiting).update(cell.nodes)
            settled = 0 if end.holds else settled
        elif end.reached.hangs:
            (both if end.reached.has_new else hanging).update(cell.nodes)
        elif end.reached.has_new:
            (failing if end.holds else new).update(cell.nodes)
        elif cell.part.pod is not LivePod.NONE:
            lost |= cell.nodes
    fewest, most = course.reached_range
    number = course.failing_reached if course.is_surge else 0
    beside = f", and beside {'it' if len(kept) == 1 else f'{number} of them'} a new one waits" if number else ""
    pieces = [
        _format_many(kept, "keeps the old pod", "keep the old pod") + (beside if kept else ""),
        _format_range(waiting, len(waiting) - (most - settled), len(waiting) - (fewest - settled)),
        _format_range(sunset, course.removable_remaining, course.removable_remaining),
        _format_many(new, "gets a new pod", "get a new pod"),
        _format_many(failing, "gets one that does not become Ready", "get one that does not become Ready"),
        _format_many(hanging, "hangs in Terminating", "hang in Terminating"),
        _format_many(
            both,
            "has a new pod that does not start beside the one that hangs",
            "have a new pod that does not start beside the one that hangs",
        ),
        _format_many(lost, "loses its pod for good", "lose their pods for good"),
    ]
    return "; ".join(piece for piece in pieces if piece)


def _format_many(nodes: Collection[str], singular: str, plural: str) -> str:
    return (
        f"{len(nodes)} node{'s' * (len(nodes) > 1)} {singular if len(nodes) == 1 else plural} ({join_node_names(sorted(nodes))})"
        if nodes
        else ""
    )


def _format_range(nodes: Collection[str], at_least: int, at_most: int) -> str:
    if not nodes:
        return ""
    number = str(at_least) if at_least == at_most else f"{at_least} to {at_most}"
    return f"{number} of {len(nodes)} nodes keep the old pod, which ones is chance ({join_node_names(sorted(nodes))})"


def explain_blocking_nodes(rollout: Rollout, course: UpdateForecast, pods: Mapping[str, str]) -> Iterator[str]:
    """Why nodes use the budget up, a sentence a reason; `pods` has the names of the pods that are not Ready, by node."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for cell, end in rollout.iter_ends(course):
        if end.holds and not cell.part.is_crowded:
            for name in cell.nodes:
                found[_select_cause_text(cell.part.is_kubelet_silent, cell.doubt, name in pods)].add(name)
    for cause, nodes in sorted(found.items()):
        shown = [f"{pods[name]} on {name}" if cause == _POD_NOT_READY_TEXT and pods[name] else name for name in sorted(nodes)]
        yield cause.format(join_node_names(shown), *(("is", "its", "has") if len(shown) == 1 else ("are", "their", "have")))


_SILENT_TEXT = "{0}: no kubelet answers there, so a deleted pod hangs in Terminating and a new one does not start"
_MAYBE_POD_TEXT = "{0}: no kubelet answers there, and if a pod is there (none were given) it hangs in Terminating once deleted"
_NODE_NOT_READY_TEXT = "{0} {1} not Ready: it is not known whether new pods become Ready there"
_POD_NOT_READY_TEXT = "{0} {1} not Ready: it is not known whether {2} successor becomes Ready"
_POD_MISSING_TEXT = "{0} {3} no pod though one should run there: it is not known whether a new one starts"


def _select_cause_text(is_silent: bool, doubt: RolloutDoubt | None, is_listed: bool) -> str:
    if is_silent:
        return _MAYBE_POD_TEXT if doubt is RolloutDoubt.POD_PRESENCE else _SILENT_TEXT
    if doubt is RolloutDoubt.NODE_READINESS:
        return _NODE_NOT_READY_TEXT
    return _POD_NOT_READY_TEXT if is_listed else _POD_MISSING_TEXT
