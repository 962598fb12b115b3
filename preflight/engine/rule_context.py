"""What rules are given, and what the report says of a step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from preflight import load
from preflight.change.model import Change
from preflight.coverage.model import Impact
from preflight.dependents.consequences import find_consequences
from preflight.engine.coverage_rows import build_coverage_rows
from preflight.messages import run as messages
from preflight.messages.coverage import describe_running_update
from preflight.model.apps import DaemonSet
from preflight.model.core import Node, Taint
from preflight.model.report import COVERAGE_COLUMNS, ReportStep, Subject
from preflight.model.workloads import Workload
from preflight.model.world import ClusterState
from preflight.rules.api import Context, ManifestLocation, RepeatedField

if TYPE_CHECKING:
    from preflight.comparison.pods import ClusterComparison
    from preflight.doctor.diagnose import Diagnosis
    from preflight.evictions.stranded_workloads import StrandedWorkload
    from preflight.evictions.workload_exposure import WorkloadExposure
    from preflight.model.evictions import EvictionReport
    from preflight.scheduling.upgrade import Upgrade

_REPLACEMENT_COLUMNS = ("NOW", messages.AFTER_REBOOT, messages.AFTER_REPLACEMENT)


def build_step(change: Change, impact: Impact, extra_notes: tuple[str, ...] = (), evictions: EvictionReport | None = None) -> ReportStep:
    """A change and its impact as a step of the report; `extra_notes` are further notes."""
    nodes = frozenset().union(impact.scope, *(group.nodes for group in impact.groups))
    if impact.rollouts:
        from preflight.coverage.rollout.effects import find_running_updates  # no part of a run without an update

        extra_notes = (*extra_notes, *map(describe_running_update, find_running_updates(impact)))
    return ReportStep(
        command=change.command,
        headline=change.headline,
        notes=(*change.notes, *extra_notes, *(messages.note_unknown(reason) for reason in change.unknowns)),
        nodes=tuple(sorted(nodes)),
        taints=tuple(str(taint) for taint in change.taints),
        columns=_REPLACEMENT_COLUMNS if change.replacements else COVERAGE_COLUMNS,
        coverage=build_coverage_rows(impact),
        evictions=evictions,
    )


def make_change_context(
    change: Change,
    impact: Impact,
    evictions: EvictionReport | None = None,
    exposures: tuple[WorkloadExposure, ...] = (),
    stranded_workloads: tuple[StrandedWorkload, ...] = (),
) -> Context:
    """What rules may look at under a change."""
    taints = tuple(
        taint for taint in change.taints if taint.key != "node.kubernetes.io/unschedulable"
    )  # a cordon is nobody's choice of words
    return Context(
        change.before,
        impact,
        is_lint=False,
        workloads=change.after.workloads,
        nodes=(),
        taints=taints,
        get_consequences=cache(lambda: find_consequences(impact)),
        evictions=evictions,
        exposures=exposures,
        stranded_workloads=stranded_workloads,
        asks_budgets=change.drain_flags is not None and not change.drain_flags.disable_eviction,
    )


def make_lint_context(loaded: load.LoadResult, impact: Impact | None, upgrade: Upgrade | None = None) -> Context:
    """What rules may look at where nothing is changed."""
    world = loaded.world
    taints: dict[Taint, None] = {taint: None for node in world.nodes.values() for taint in node.spec.taints}
    return Context(
        world,
        impact,
        is_lint=True,
        workloads=select_linted_workloads(loaded),
        nodes=loaded.nodes,
        taints=tuple(taints),
        repeated_fields=tuple(_iter_repeated_keys(loaded)),
        custom_resources=tuple(
            resource for resource in world.custom_resources if loaded.checked_files is None or resource.origin.file in loaded.checked_files
        ),
        get_consequences=cache(lambda: find_consequences(impact) if impact else ()),
        upgrade=upgrade,
    )


def make_comparison_context(before: ClusterState, comparison: ClusterComparison) -> Context:
    """What rules may look at where a cluster is compared with what it was."""
    return Context(before, None, is_lint=False, workloads=(), nodes=(), taints=(), comparison=comparison)


def make_diagnosis_context(world: ClusterState, diagnosis: Diagnosis) -> Context:
    """What rules may look at where a cluster is diagnosed."""
    return Context(world, None, is_lint=False, workloads=(), nodes=(), taints=(), diagnosis=diagnosis)


def select_linted_workloads(loaded: load.LoadResult) -> tuple[Workload, ...]:
    """The workloads that lint judges: all, but for those of the surroundings."""
    return tuple(
        workload for workload in loaded.world.workloads if loaded.checked_files is None or workload.origin.file in loaded.checked_files
    )


def select_linted_daemonsets(loaded: load.LoadResult) -> tuple[DaemonSet, ...]:
    """The DaemonSets that lint judges, those that are only declared included."""
    files = loaded.checked_files
    return tuple(daemonset for daemonset in loaded.world.list_daemonsets() if files is None or daemonset.origin.file in files)


def _iter_repeated_keys(loaded: load.LoadResult) -> Iterator[RepeatedField]:
    """The repeated keys, each with the object that it stands in."""
    objects: dict[tuple[str, int], list[Workload | Node]] = {}
    for workload in (*loaded.world.workloads, *loaded.nodes):
        objects.setdefault((workload.origin.file, workload.origin.document), []).append(workload)
    for origin, key in loaded.repeated_keys:
        for item in objects.get((origin.file, origin.document), ()):
            path = item.origin.path
            if key.path[: len(path)] == path:
                subject = Subject(type(item).__name__, item.metadata.namespace, item.metadata.name)
                yield RepeatedField(subject, ManifestLocation(item.origin, key.path[len(path) :]), key.key, key.first_line, key.line)
                break
