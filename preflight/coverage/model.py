"""What a change means for coverage, as data: groups of nodes that share a fate, second waves, and the whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.change.model import Change
from preflight.coverage.component_cache import Recognised
from preflight.coverage.daemonset_pods import PodsOf
from preflight.coverage.outcome import Verdict
from preflight.coverage.shared_analysis import Known
from preflight.model.objects import DaemonSet, Node, ObjectKey
from preflight.model.report import Outcome
from preflight.scheduling.placement import Placement

if TYPE_CHECKING:
    from preflight.coverage.rollout.simulation import Fate, Rollout


class Fall(Struct, frozen=True):
    """A DaemonSet that falls because another one takes labels with it.

    `producer` sets the `labels` and is lost on `nodes`; `consumer` selects on them. `now`: at once, else at the producer's re-creation.
    """

    producer: ObjectKey
    labels: tuple[str, ...]
    consumer: ObjectKey
    nodes: tuple[str, ...]
    now: bool


class Group(Struct, frozen=True):
    """Nodes on which one DaemonSet meets the same fate for the same reasons.

    1. `daemonset` is the one after the change, or the one before where the change deletes it; `before_daemonset` None where it is new.
    2. `verdict.outcome` is UNKNOWN where it depends on what is not known; `possible` then holds the verdicts that it may be, each
       with the assumption it rests on: whether the unknown labels match.
    3. `was` is the outcome without the change. `touched`: the change differs something here, or acts on the pod; without a change
       everything is touched.
    4. `before` and `after` are the placements, None where the DaemonSet or the node is not there; `replaced` is whether a pod comes
       back on a replacement of the node, None where not asked.
    5. `names` are the nodes' names, sorted.
    6. `falls` are the label producers that take it with them, where a second wave reaches it.
    7. `assumed`: the pod is assumed, none was listed. `conditional`: all this holds if the unknown labels match.
    8. `fate` says why it is not certain which of some nodes an update reaches; None where it is. Where the outcome is the same either way
       it is the one of a node that is not reached.
    """

    key: ObjectKey
    daemonset: DaemonSet
    before_daemonset: DaemonSet | None
    nodes: frozenset[str]
    names: tuple[str, ...]
    verdict: Verdict
    was: Outcome | None
    touched: bool
    before: Placement | None
    after: Placement | None
    node: Node
    replaced: bool | None = None
    assumed: bool = False
    conditional: bool = False
    possible: tuple[tuple[bool, Verdict], ...] = ()
    falls: tuple[Fall, ...] = ()
    fate: Fate | None = None

    @property
    def outcome(self) -> Outcome:
        """The outcome of these pairs."""
        assert self.verdict.outcome is not None
        return self.verdict.outcome

    @property
    def order(self) -> tuple[object, ...]:
        """Where it stands in an impact: by DaemonSet, then by outcome, worst first, then by node name."""
        return (self.key.namespace, self.key.name, self.key.place, self.outcome.rank, self.names)


class Impact(Struct, frozen=True):
    """What a change does to coverage.

    1. `groups` are sorted by DaemonSet, then by outcome, worst first, then by node name. A pair without a pod, before and after,
       whose DaemonSet is deleted is in none.
    2. `scope` are the nodes judged for every DaemonSet; `whole` the DaemonSets judged on all nodes: those that the change names or
       differs.
    3. `pods` is what is there once the change has settled, worked out when it is asked for: the next step of a plan starts from it.
    4. `known` is what the looks at one change share.
    5. `falls` are the second waves, in the order in which things go: see `waves.predict`.
    6. `rollouts` is, for each DaemonSet that updates, where its update comes to its end.
    """

    change: Change
    groups: tuple[Group, ...]
    scope: frozenset[str]
    whole: frozenset[ObjectKey]
    settled: Callable[[], Mapping[ObjectKey, PodsOf]]
    pairs: int
    rollouts: Mapping[ObjectKey, Rollout]
    known: Known
    falls: tuple[Fall, ...] = ()

    @property
    def recognised(self) -> Recognised:
        """What the DaemonSets are."""
        return self.known.recognised

    @property
    def pods(self) -> Mapping[ObjectKey, PodsOf]:
        """The pods once the change has settled, by DaemonSet."""
        return self.settled()

    def with_outcome(self, *outcomes: Outcome) -> Iterator[Group]:
        """The groups with one of these outcomes."""
        return (group for group in self.groups if group.outcome in outcomes)
