"""Gaps: DaemonSets that do not work on nodes today, each for one reason. `gap_finder` finds them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum

from msgspec import Struct

from preflight.components import Component
from preflight.doctor.belonging import BelongingSign
from preflight.doctor.pod_health import (
    CrashLoop,
    FailedContainer,
    NotStarted,
    PodReason,
    RunningInitContainer,
    StartingPod,
    StatedReason,
    UnhealthyPod,
    WaitingContainer,
    WrongPlatform,
)
from preflight.model.apps import DaemonSet
from preflight.model.core import Taint
from preflight.model.meta import ObjectKey
from preflight.model.reasons import EvictionLoop, NearMiss, Reason, SelectsNoNode, Untolerated


class GapKind(Enum):
    """How a DaemonSet is missing from a node."""

    MISSING = "missing"
    REFUSED = "refused"
    KEPT_OUT = "kept-out"
    NOT_SELECTED = "not-selected"
    LOOP = "loop"
    PENDING = "pending"
    WAITING = "waiting"
    CRASHING = "crashing"
    NOT_READY = "not-ready"
    TERMINATING = "terminating"


class CoverageReason(Struct, frozen=True):
    """Coverage itself keeps the pods away, for these reasons."""

    reasons: tuple[Reason, ...]


GapReason = PodReason | CoverageReason | SelectsNoNode
GapKey = tuple[ObjectKey, GapKind, GapReason | None]


class CoverageGap(Struct, frozen=True):
    """One DaemonSet that does not work on some nodes, for one reason.

    1. `reason` is None where nothing states one; `signs` show that the DaemonSet belongs there, where that is a question.
    2. `component` is the component whose loss breaks most, None where the DaemonSet is not recognized. `pod_names` are the pods in
       question, in order of the nodes.
    3. `since` is when the oldest of them was created. `taints` are what keeps it out. `nodes` is empty where it runs nowhere, and where
       only an event says that something is wrong.
    4. `pending_pods` are the pods themselves that no scheduler has bound.
    5. `is_doubtful`: the DaemonSet may be left out there on purpose: it selects these nodes among others that it runs on, or it tolerates
       another value of the taint.
    """

    daemonset: DaemonSet
    kind: GapKind
    nodes: tuple[str, ...]
    reason: GapReason | None = None
    pod_names: tuple[str, ...] = ()
    since: str = ""
    signs: tuple[BelongingSign, ...] = ()
    taints: tuple[Taint, ...] = ()
    component: Component | None = None
    pending_pods: tuple[UnhealthyPod, ...] = ()
    is_doubtful: bool = False

    @property
    def is_critical(self) -> bool:
        """Whether workloads break without it."""
        return self.component is not None and self.component.kind.critical

    @property
    def key(self) -> GapKey:
        """What tells it from the other gaps: equal gaps are merged."""
        return self.daemonset.key, self.kind, self.reason


def merge_gaps(gaps: Iterable[CoverageGap]) -> Iterator[CoverageGap]:
    """Gaps of one DaemonSet, kind and reason as one; the worst components first."""
    yield from sorted(_iter_merged(gaps), key=_make_sort_key)


def _iter_merged(gaps: Iterable[CoverageGap]) -> Iterator[CoverageGap]:
    alike: dict[GapKey, list[CoverageGap]] = {}
    for gap in gaps:
        alike.setdefault(gap.key, []).append(gap)
    for same in alike.values():
        first = same[0]
        yield CoverageGap(
            first.daemonset,
            first.kind,
            tuple(sorted({name for gap in same for name in gap.nodes})),
            first.reason,
            tuple(name for gap in same for name in gap.pod_names),
            min((gap.since for gap in same if gap.since), default=""),
            tuple(dict.fromkeys(sign for gap in same for sign in gap.signs)),
            tuple(dict.fromkeys(taint for gap in same for taint in gap.taints)),
            first.component,
            tuple(pending_pod for gap in same for pending_pod in gap.pending_pods),
            all(gap.is_doubtful for gap in same),
        )


def _make_sort_key(gap: CoverageGap) -> tuple[int, int, str, str, tuple[str, ...]]:
    rank = gap.component.kind.rank if gap.component else 99
    return rank, -len(gap.nodes), str(gap.daemonset.key), gap.kind.value, _make_reason_sort_key(gap.reason)


def _make_reason_sort_key(reason: GapReason | None) -> tuple[str, ...]:
    match reason:
        case None:
            return ()
        case StatedReason(text) | StartingPod(text):
            return ("0", text)
        case WaitingContainer(container, stated, message):
            return ("1", container, "", stated, message)
        case WrongPlatform(container, stated, platform):
            return ("1", container, "", stated, platform)
        case CrashLoop(container, _, last_reason, exit_code):
            return ("1", container, "crashes", last_reason, "" if exit_code is None else str(exit_code))
        case FailedContainer(container, code, restarts):
            return ("1", container, "ended", str(code), str(restarts))
        case RunningInitContainer(container):
            return ("2", container)
        case NotStarted():
            return ("3",)
        case SelectsNoNode(_, absent_labels):
            return ("4", *absent_labels)
        case CoverageReason(reasons):
            return ("0", *(text for reason in reasons for text in _iter_sort_texts(reason)))


def _iter_sort_texts(reason: Reason) -> Iterator[str]:
    match reason:
        case Untolerated(taints) | EvictionLoop(taints):
            yield from map(str, taints)
        case NearMiss():
            yield f"~{reason.taint}"
