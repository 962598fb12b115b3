"""The room for a pod in one line a cluster, for scripts and for grep."""

from __future__ import annotations

from preflight.model.capacity import CapacityReport, ClusterAnswer
from preflight.report.capacity import formatting
from preflight.report.terminal import inert, plain


def render(report: CapacityReport, **_options: object) -> str:
    """`prod: 0 copies fit now: 13 of 120 nvidia.com/gpu free (5 on nodes that are not Ready, ...)` for each cluster."""
    return "".join(inert(plain(_line(each))) + "\n" for each in report.clusters)


def _line(each: ClusterAnswer) -> str:
    return f"{each.name}: {f'error: {each.error}' if each.room is None else formatting.glance(each.room)}"
