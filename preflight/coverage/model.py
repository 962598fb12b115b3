"""What a change means for coverage, as data: groups of nodes with one outcome, second waves, and the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.change.model import Change
from preflight.coverage.component_cache import ComponentCache
from preflight.coverage.daemonset_pods import DaemonSetPods, PodGroup
from preflight.coverage.outcome import PodForecast, PossibleForecast
from preflight.coverage.shared_analysis import SharedAnalysis
from preflight.model.apps import DaemonSet
from preflight.model.core import Node
from preflight.model.fit_reasons import FitDoubt, PodFit, StaysPending
from preflight.model.meta import ObjectKey
from preflight.model.reasons import LostLabels, PartialLoss, UpdateUncertainty
from preflight.model.report import Outcome
from preflight.scheduling.placement import Placement
from preflight.scheduling.update_strategy import UpdateEffect

if TYPE_CHECKING:
    from preflight.coverage.rollout.daemonset_rollout import Rollout


class CascadeLoss(Struct, frozen=True):
    """A DaemonSet that is lost because another one takes labels with it.

    `producer` sets the `labels` and is lost on `nodes`; `consumer` selects on them. `is_immediate`: at once, else at the producer's
    re-creation.
    """

    producer: ObjectKey
    labels: tuple[str, ...]
    consumer: ObjectKey
    nodes: tuple[str, ...]
    is_immediate: bool


class CoverageGroup(Struct, frozen=True):
    """Nodes on which a change means the same for one DaemonSet, for the same reasons.

    1. `daemonset` is the one after the change, or the one before where the change deletes it; `before_daemonset` None where it is new.
    2. The outcome is UNKNOWN where it depends on what is not known; `possible_forecasts` then holds the forecasts that it may be.
    3. `outcome_before` is the outcome without the change. `is_touched`: the change differs something here, or acts on the pod; without a
       change everything is touched.
    4. `placement_before` and `placement_after` are the placements, None where the DaemonSet or the node is not there; `runs_on_replacement`
       is whether a pod comes back on a replacement of the node, None where not asked.
    5. `node_names` are the nodes' names, sorted.
    6. `cascade_losses` are the label producers that take it with them, where a second wave reaches it.
    7. `is_assumed`: the pod is assumed, none was listed. `is_conditional`: all this holds if the unknown labels match.
    8. `update_uncertainty` says why it is not certain which of some nodes an update reaches; None where it is. Where the outcome is the
       same either way it is the one of a node that is not reached.
    9. `fit` is why a new pod stays Pending there, or may. `partial_loss`: an update takes only some of the pods whose successors stay
       Pending, which ones is chance; `lost_count` of these nodes then lose theirs, and all do on re-creation.
    10. `pod_group` are the pods before the change, where they are known, and `possible_updates` what an update may do to them.
    """

    key: ObjectKey
    daemonset: DaemonSet
    before_daemonset: DaemonSet | None
    nodes: frozenset[str]
    node_names: tuple[str, ...]
    forecast: PodForecast
    outcome_before: Outcome | None
    is_touched: bool
    placement_before: Placement | None
    placement_after: Placement | None
    node: Node
    runs_on_replacement: bool | None = None
    is_assumed: bool = False
    is_conditional: bool = False
    possible_forecasts: tuple[PossibleForecast, ...] = ()
    cascade_losses: tuple[CascadeLoss, ...] = ()
    update_uncertainty: UpdateUncertainty | None = None
    fit: StaysPending | FitDoubt | None = None
    partial_loss: PartialLoss | None = None
    lost_count: int = 0
    pod_group: PodGroup | None = None
    possible_updates: tuple[UpdateEffect | None, ...] = (None,)

    @property
    def outcome(self) -> Outcome:
        """The outcome of these pairs."""
        assert self.forecast.outcome is not None
        return self.forecast.outcome

    @property
    def keeps_old_pod(self) -> bool:
        """Whether these nodes should run the DaemonSet and keep a pod of an older template, whose successor has to fit too."""
        return self.outcome is Outcome.KEPT and self.pod_group is not None and self.pod_group.is_old

    @property
    def lost_labels(self) -> tuple[LostLabels, ...]:
        """The labels that it selects on and loses in a second wave, with their producers."""
        return tuple(LostLabels(loss.labels, loss.producer) for loss in self.cascade_losses)

    @property
    def sort_key(self) -> tuple[object, ...]:
        """Where it stands in an impact: by DaemonSet, then by outcome, worst first, then by node name."""
        return (self.key.namespace, self.key.name, self.key.file, self.outcome.rank, self.node_names)


class Impact(Struct, frozen=True):
    """What a change does to coverage.

    1. `groups` are sorted by DaemonSet, then by outcome, worst first, then by node name. A pair without a pod, before and after,
       whose DaemonSet is deleted is in none.
    2. `scope` are the nodes judged for every DaemonSet; `fully_judged` the DaemonSets judged on all nodes: those that the change names or
       differs.
    3. `pods_after` is what is there once the change has settled, worked out when it is asked for: the next step of a plan starts from it.
    4. `shared_analysis` is what the looks at one change share.
    5. `cascade_losses` are the second waves, in the order in which they happen: see `label_cascade.predict_impact`.
    6. `rollouts` is, for each DaemonSet that updates, where its update comes to its end.
    7. `pods_before` are the pods that the change met, as far as they are known.
    8. `pod_fits` says of the pods that are created whether their nodes take them.
    9. `fading_labels` are the labels of nodes that go once the pod of their producer is re-created: by node and label the producer.
    """

    change: Change
    groups: tuple[CoverageGroup, ...]
    scope: frozenset[str]
    fully_judged: frozenset[ObjectKey]
    compute_pods: Callable[[], Mapping[ObjectKey, DaemonSetPods]]
    pair_count: int
    rollouts: Mapping[ObjectKey, Rollout]
    shared_analysis: SharedAnalysis
    cascade_losses: tuple[CascadeLoss, ...] = ()
    pods_before: Mapping[ObjectKey, DaemonSetPods] = {}
    pod_fits: Mapping[ObjectKey, Mapping[str, PodFit]] = {}
    fading_labels: Mapping[str, Mapping[str, ObjectKey]] = {}

    @property
    def component_cache(self) -> ComponentCache:
        """What the DaemonSets are."""
        return self.shared_analysis.component_cache

    @property
    def pods_after(self) -> Mapping[ObjectKey, DaemonSetPods]:
        """The pods once the change has settled, by DaemonSet."""
        return self.compute_pods()

    def iter_groups(self, *outcomes: Outcome) -> Iterator[CoverageGroup]:
        """The groups with one of these outcomes."""
        return (group for group in self.groups if group.outcome in outcomes)
