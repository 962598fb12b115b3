"""The kinds of which a cluster did not show all objects: which of them make an answer incomplete."""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import run as messages
from preflight.model.report import Problem, SkippedCheck
from preflight.model.world import ClusterState

_ESSENTIAL = frozenset({"Node", "DaemonSet", "Pod"})


def list_unlisted_problems(world: ClusterState) -> tuple[Problem, ...]:
    """The kinds without which nothing is judged in full, as problems.

    1. Nodes, DaemonSets and pods are needed by every answer, whatever keeps them away.
    2. Of a live cluster, only what the answer needs was asked for: anything that went wrong is a problem. Where only a right is missing,
       somebody has chosen that, and what needs the kind is unknown: it is a skipped check.
    """
    return tuple(
        Problem(messages.describe_unlisted_kind(_format_plural(kind), why), kind=kind)
        for kind, why in world.missing_kinds.items()
        if is_problem(world, kind)
    )


def iter_unlisted_checks(world: ClusterState) -> Iterator[SkippedCheck]:
    """The other kinds, as skipped checks; the custom resources of operators as one."""
    others = [(kind, why) for kind, why in world.missing_kinds.items() if not is_problem(world, kind)]
    resources = {kind: why for kind, why in others if _is_operators(kind)}
    yield from (SkippedCheck(_format_plural(kind), why) for kind, why in others if kind not in resources)
    if resources:
        yield SkippedCheck(*messages.describe_unlisted_resources(resources))


def is_problem(world: ClusterState, kind: str) -> bool:
    """Whether an answer is incomplete without all objects of a kind that was asked for."""
    survey = world.listing
    if _is_operators(kind):
        return False
    return kind in _ESSENTIAL or (survey is not None and survey.live and kind not in survey.forbidden)


def _is_operators(kind: str) -> bool:
    """Whether a kind is of the custom resources that known operators read: they are named as RBAC does."""
    return "." in kind


def _format_plural(kind: str) -> str:
    """The kind as people say more of it: `Pods`, `StorageClasses`."""
    return f"{kind}es" if kind.endswith("s") else f"{kind}s"
