"""Gaps in words: what is missing, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from preflight.doctor.coverage_gaps import CoverageGap, GapKind
from preflight.messages.lists import join_and

if TYPE_CHECKING:
    from preflight.components import Component

_GAP_TEXTS = {
    GapKind.MISSING: "it should run there, and no pod is there; no event says why",
    GapKind.REFUSED: "its pods are refused: {why}",
    GapKind.KEPT_OUT: "{why}",
    GapKind.LOOP: "{why}",
    GapKind.PENDING: "its pod is Pending: {why}",
    GapKind.WAITING: "its pod does not start: {why}",
    GapKind.CRASHING: "{why}",
    GapKind.NOT_READY: "its pod is not Ready: {why}",
    GapKind.TERMINATING: "its pod hangs in Terminating {why}",
}


def describe_component(component: Component | None) -> str:
    """What a DaemonSet gives, in a few words: `the device plugin of rdma/hca`."""
    if component is None:
        return "a DaemonSet"
    of = component.resources or component.drivers
    return f"the {component.kind.title}{f' of {join_and(of[:3])}' if of else ''}"


def explain_gap(gap: CoverageGap) -> str:
    """Why a DaemonSet is missing, to stand after a colon."""
    return _GAP_TEXTS[gap.kind].format(why=gap.reason or ("it says nothing" if gap.kind is not GapKind.TERMINATING else "")).rstrip(" :")
