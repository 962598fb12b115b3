"""The room for a pod in one line a cluster, for scripts and for grep."""

from __future__ import annotations

from preflight.inert_text import escape_ci_commands, escape_unprintable
from preflight.messages import capacity as formatting
from preflight.model.capacity import CapacityReport, ClusterCapacityAnswer


def render(report: CapacityReport, **_options: object) -> str:
    """`prod: 0 copies fit now: 13 of 120 nvidia.com/gpu free (5 on nodes that are not Ready, ...)` for each cluster."""
    return "".join(escape_ci_commands(escape_unprintable(_format_line(cluster))) + "\n" for cluster in report.clusters)


def _format_line(answer: ClusterCapacityAnswer) -> str:
    return f"{answer.name}: {f'error: {answer.error}' if answer.room is None else formatting.format_answer(answer.room)}"
