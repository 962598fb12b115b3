"""Where an update comes to its end, in words: how many nodes keep the old pod, get a new one, lose it or hang, and what holds it up."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from preflight.coverage.rollout.simulation import Doubt, Rollout
from preflight.messages.lists import names
from preflight.scheduling.rollout_simulation import Course, Pod


def state(rollout: Rollout, course: Course) -> str:
    """`8 nodes keep the old pod (n1, ...), 2 nodes get a new one (n5, n6), 1 node hangs in Terminating (n3)`.

    Where it is chance which nodes are reached, how many are: `2 to 3 of 4 nodes keep the old pod, which ones is chance (n1, n2, n3, n4)`.
    """
    kept, new, failing, hanging, both, lost, waiting, sunset = (set[str]() for _ in range(8))
    settled = course.bad_reached
    for cell, end in rollout.ends(course):
        if all(there.same for there in end.possible):
            kept |= cell.nodes
        elif len(end.possible) > 1:
            (sunset if end.sunset else waiting).update(cell.nodes)
            settled = 0 if end.holds else settled
        elif end.reached.hangs:
            (both if end.reached.new else hanging).update(cell.nodes)
        elif end.reached.new:
            (failing if end.holds else new).update(cell.nodes)
        elif cell.part.pod is not Pod.NONE:
            lost |= cell.nodes
    fewest, most = course.reached
    number = course.bad_reached if course.surge else 0
    beside = f", and beside {'it' if len(kept) == 1 else f'{number} of them'} a new one waits" if number else ""
    pieces = [
        _many(kept, "keeps the old pod", "keep the old pod") + (beside if kept else ""),
        _some(waiting, len(waiting) - (most - settled), len(waiting) - (fewest - settled)),
        _some(sunset, course.sunset_kept, course.sunset_kept),
        _many(new, "gets a new pod", "get a new pod"),
        _many(failing, "gets one that does not become Ready", "get one that does not become Ready"),
        _many(hanging, "hangs in Terminating", "hang in Terminating"),
        _many(
            both,
            "has a new pod that does not start beside the one that hangs",
            "have a new pod that does not start beside the one that hangs",
        ),
        _many(lost, "loses its pod for good", "lose their pods for good"),
    ]
    return "; ".join(piece for piece in pieces if piece)


def _many(nodes: Collection[str], one: str, many: str) -> str:
    return f"{len(nodes)} node{'s' * (len(nodes) > 1)} {one if len(nodes) == 1 else many} ({names(sorted(nodes))})" if nodes else ""


def _some(nodes: Collection[str], fewest: int, most: int) -> str:
    if not nodes:
        return ""
    number = str(fewest) if fewest == most else f"{fewest} to {most}"
    return f"{number} of {len(nodes)} nodes keep the old pod, which ones is chance ({names(sorted(nodes))})"


def causes(rollout: Rollout, course: Course, pods: Mapping[str, str]) -> Iterator[str]:
    """Why nodes use the budget up, a sentence a reason; `pods` has the names of the pods that are not Ready, by node."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for cell, end in rollout.ends(course):
        if end.holds and not cell.part.crowded:
            for name in cell.nodes:
                found[_cause(cell.part.silent, cell.doubt, name in pods)].add(name)
    for cause, nodes in sorted(found.items()):
        shown = [f"{pods[name]} on {name}" if cause == _UNREADY and pods[name] else name for name in sorted(nodes)]
        yield cause.format(names(shown), *(("is", "its", "has") if len(shown) == 1 else ("are", "their", "have")))


_SILENT = "{0}: no kubelet answers there, so a deleted pod hangs in Terminating and a new one does not start"
_PERHAPS = "{0}: no kubelet answers there, and if a pod is there (none were given) it hangs in Terminating once deleted"
_UNWELL = "{0} {1} not Ready: it is not known whether new pods become Ready there"
_UNREADY = "{0} {1} not Ready: it is not known whether {2} successor becomes Ready"
_MISSING = "{0} {3} no pod though one should run there: it is not known whether a new one starts"


def _cause(silent: bool, doubt: Doubt | None, is_listed: bool) -> str:
    if silent:
        return _PERHAPS if doubt is Doubt.THERE else _SILENT
    if doubt is Doubt.NODE:
        return _UNWELL
    return _UNREADY if is_listed else _MISSING
