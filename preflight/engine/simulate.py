"""Commands, one after the other, each over the cluster state that the one before leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from preflight.change.apply_command import perform_command
from preflight.change.model import Change, ObjectReader
from preflight.coverage.daemonset_pods import DaemonSetPods, collect_listed_pods
from preflight.coverage.label_cascade import predict_impact
from preflight.coverage.model import Impact
from preflight.errors import PreflightError, RefusalError, UsageError
from preflight.kubectl.commands import Command, PatchObjects
from preflight.messages import run as messages
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome
from preflight.model.world import ClusterState

if TYPE_CHECKING:
    from preflight.evictions.evaluate import EvictionImpact
    from preflight.evictions.stranded_workloads import StrandedWorkload
    from preflight.evictions.workload_exposure import WorkloadExposure
    from preflight.model.evictions import EvictionReport

RefusalHandler = Callable[[int, PreflightError], None]
"""Is told the index of a command that is refused, and why."""
PodEvaluator = Callable[[Change, Impact], "EvictionImpact | None"]
"""Says what a change does to ordinary pods, of which its impact on coverage is known."""


class StartState(Struct, frozen=True):
    """A cluster state, and the pods of its DaemonSets."""

    world: ClusterState
    pods: Mapping[ObjectKey, DaemonSetPods]


class SimulatedStep(Struct, frozen=True, dict=True):
    """What one command does: the change, its impact on coverage, and what becomes of ordinary pods where some have to go."""

    index: int
    change: Change
    impact: Impact
    pod_impact: EvictionImpact | None = None

    @property
    def evictions(self) -> EvictionReport | None:
        """What becomes of ordinary pods."""
        return self.pod_impact.evictions if self.pod_impact else None

    @cached_property
    def exposures(self) -> tuple[WorkloadExposure, ...]:
        """The workloads that may have pods on the nodes of the change, by their templates."""
        if not self.change.nodes or not (
            len(self.change.before.workloads) > len(self.change.before.daemonsets) or self.change.before.job_sets
        ):
            return ()
        from preflight.evictions.workload_exposure import list_exposed_workloads

        return list_exposed_workloads(self.change)

    @cached_property
    def stranded_workloads(self) -> tuple[StrandedWorkload, ...]:
        """The workloads whose next pod finds no node any more."""
        before, after = self.change.before, self.impact.change.after
        if not (len(before.workloads) > len(before.daemonsets) or before.job_sets or before.pods):
            return ()
        if before.nodes is after.nodes and not self.impact.fading_labels:
            return ()
        from preflight.evictions.stranded_workloads import list_stranded_workloads

        return list_stranded_workloads(self.impact)

    @property
    def unknown_losers(self) -> tuple[WorkloadExposure, ...]:
        """Those of them that may lose pods, where no pods were given."""
        return () if self.evictions is not None else tuple(exposure for exposure in self.exposures if exposure.may_lose_pods)

    @property
    def is_unknown(self) -> bool:
        """Whether something about this step cannot be determined."""
        has_unknown_pods = self.evictions is not None and self.evictions.has_unknown_pods
        return bool(self.change.unknowns) or any(self.impact.iter_groups(Outcome.UNKNOWN)) or has_unknown_pods

    def make_next_state(self) -> StartState:
        """The state that the next command meets."""
        world = self.impact.change.after
        if self.pod_impact is not None:
            left = self.pod_impact.after
            world = replace(world, pods_by_key=left.pods_by_key, budgets=left.budgets, has_displaced_pods=left.has_displaced_pods)
        return StartState(world, self.impact.pods_after)


def make_start_state(world: ClusterState) -> StartState:
    """The state before the first command."""
    return StartState(world, collect_listed_pods(world))


def evaluate_pods(change: Change, impact: Impact) -> EvictionImpact | None:
    """What a change does to ordinary pods; None where it lets none go, or pods were not read."""
    if change.after.pods_by_key is None:
        return None
    from preflight.evictions.evaluate import evaluate_evictions

    return evaluate_evictions(change, impact)


def simulate_commands(
    commands: Sequence[Command],
    start: StartState,
    read_objects: ObjectReader,
    base: str = "",
    *,
    on_refusal: RefusalHandler | None = None,
    evaluate_pods: PodEvaluator = evaluate_pods,
) -> Iterator[SimulatedStep]:
    """What each command does; the next one is only performed when it is asked for.

    1. `base` is the file that paths of patch files are relative to.
    2. A command that is refused is an error, with its step where there are several. With `on_refusal` it is told, and the rest goes on.
    3. `evaluate_pods` says what becomes of ordinary pods.
    """
    state, last = start, None
    for index, command in enumerate(commands):
        if last is not None:
            state = last.make_next_state()
            last = None
        try:
            change = perform_command(_inline_patch(command, base), state.world, read_objects)
        except PreflightError as error:
            if on_refusal is None:
                label = messages.label_step(index + 1, command.text) if len(commands) > 1 else ""
                kind = RefusalError if isinstance(error, UsageError) else type(error)
                raise kind(f"{label}{error}") from None
            on_refusal(index, error)
            continue
        impact = predict_impact(change, state.pods)
        last = SimulatedStep(index, change, impact, evaluate_pods(change, impact))
        yield last


def _inline_patch(command: Command, base: str) -> Command:
    """The command with the text of the patch file that it names."""
    if not isinstance(command, PatchObjects) or not command.file:
        return command
    from preflight.load import read_patch

    return replace(command, patch=read_patch(command.file, base), file="")
