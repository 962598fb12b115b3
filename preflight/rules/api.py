"""What a rule is, what it is given, and what it says."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from enum import Enum, auto
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from preflight.coverage.model import Impact
from preflight.dependents.model import Consequence
from preflight.model.batch import JobSet
from preflight.model.core import Node, Taint
from preflight.model.meta import Origin
from preflight.model.report import CoverageEffect, Severity, Subject, TolerationSuggestion
from preflight.model.workloads import CustomResource, TolerationOwner, Workload
from preflight.model.world import ClusterState
from preflight.rules.team_convention import TeamConvention

if TYPE_CHECKING:
    from preflight.comparison.pods import ClusterComparison
    from preflight.doctor.diagnose import Diagnosis
    from preflight.evictions.stranded_workloads import StrandedWorkload
    from preflight.evictions.workload_exposure import WorkloadExposure
    from preflight.model.autoscaling import Autoscaler
    from preflight.model.evictions import EvictionReport
    from preflight.model.policy import PodDisruptionBudget
    from preflight.scheduling.upgrade import Upgrade

OptionsType = TypeVar("OptionsType", bound=Struct)
FieldPath = tuple[str | int, ...]


class ManifestLocation(Struct, frozen=True):
    """A field of an object that was read: `path` leads to it from the object; an absent field stands for its nearest present parent."""

    origin: Origin
    path: FieldPath = ()


class Hit(Struct, frozen=True):
    """What a rule says; the framework makes it a finding.

    1. `message` continues the subject's name, as in `storage/csi loses rdma-1`: one line, lower case, no full stop.
    2. `severity` None means the rule's own. `label` stands under the source line.
    3. `notes` are further lines with their headings; `related_locations` other places.
    4. `toleration_location` is the place of a toleration: of the hits on one toleration only the worst is kept.
    5. `key` tells this finding from others of its rule about the same subject: taints, a budget, a resource, a label, an index. It holds no
       sentence, count or line number, so that it stays when texts or lines change.
    6. `covering_location` is the place of another finding that says enough where both stand on one line.
    7. `effect` is what it says of coverage, None where it is about something else; `workloads` are those that it says are affected.
    """

    subject: Subject
    message: str
    location: ManifestLocation
    nodes: tuple[str, ...] = ()
    severity: Severity | None = None
    label: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    related_locations: tuple[tuple[str, ManifestLocation], ...] = ()
    suggestion: TolerationSuggestion | None = None
    toleration_location: ManifestLocation | None = None
    key: tuple[str, ...] = ()
    effect: CoverageEffect | None = None
    workloads: tuple[Subject, ...] = ()
    covering_location: ManifestLocation | None = None


class RepeatedField(Struct, frozen=True):
    """A key that stands more than once in one map of an object: the lines of the first and of the last, which counts."""

    subject: Subject
    location: ManifestLocation
    key: str
    first_line: int
    line: int


class Context(Struct, frozen=True):
    """What a rule may look at.

    1. `world` is the world before the change. `impact` is None where no node is known: coverage cannot be judged then.
    2. `is_lint`: there is no change.
    3. `workloads` and `nodes` are the objects whose hygiene is judged, each document by itself; `taints` are the taints known: of the
       change, or in lint of the nodes and of the policy. `custom_resources` are other lists of tolerations, judged in lint.
    4. `evictions` is what the change does to ordinary pods, None where it lets none go. `exposures` are the workloads that may have pods on
       the nodes of the change, by their templates; `asks_budgets` where what lets pods go holds to PodDisruptionBudgets.
       `stranded_workloads` are those whose next pod finds no node any more.
    5. `get_consequences` is what breaks, worked out once for the rules that ask. `convention` is what the policy wants.
    6. `comparison` is what became of a cluster since it was saved: rules of `comparison` read nothing else, and no other rule is asked
       then.
    7. `diagnosis` is what is broken in a cluster: rules of `doctor` read nothing else, and no other rule is asked then.
    8. `upgrade` is what an upgrade of Kubernetes changes: rules of `upgrade` read nothing else, and only those on old names are asked too.
    """

    world: ClusterState
    impact: Impact | None
    is_lint: bool
    workloads: tuple[Workload, ...]
    nodes: tuple[Node, ...]
    taints: tuple[Taint, ...]
    repeated_fields: tuple[RepeatedField, ...] = ()
    custom_resources: tuple[CustomResource, ...] = ()
    get_consequences: Callable[[], tuple[Consequence, ...]] = tuple
    convention: TeamConvention = TeamConvention()
    evictions: EvictionReport | None = None
    exposures: tuple[WorkloadExposure, ...] = ()
    stranded_workloads: tuple[StrandedWorkload, ...] = ()
    asks_budgets: bool = True
    comparison: ClusterComparison | None = None
    diagnosis: Diagnosis | None = None
    upgrade: Upgrade | None = None

    @property
    def losing_workloads(self) -> frozenset[Origin]:
        """The workloads that may lose pods by the change, where it is not known which pods there are."""
        if self.evictions is not None:
            return frozenset()
        return frozenset(exposure.origin for exposure in self.exposures if exposure.may_lose_pods)

    def get_options(self, rule: str, type: type[OptionsType]) -> OptionsType:
        """The options of a rule, by its id: those of the policy, else the defaults of their type."""
        given = self.convention.rule_options.get(rule)
        return given if isinstance(given, type) else type()


class FixKind(Enum):
    """How `preflight fix` fixes what a rule finds."""

    COVERAGE = auto()
    """Add the tolerations without which a DaemonSet loses nodes."""
    INTENTION = auto()
    """Complete or add the toleration that was meant."""
    ADDITION = auto()
    """Add the suggested tolerations."""
    SECONDS = auto()
    """Remove tolerationSeconds, which cost coverage."""
    IDLE_SECONDS = auto()
    """Remove tolerationSeconds, which have no effect."""
    VALUE = auto()
    """Replace Exists by the values that are known."""
    WILDCARD = auto()
    """Replace a wildcard by the taints that are known."""


class Rule(Struct, frozen=True):
    """A rule: facts and a generator. It reads no file and no clock.

    The text of `preflight explain` is the docstring of its module. The other facts:

    1. `needs_nodes`: it reads the impact, and is not run where there is none.
    2. `is_per_object`: it judges each object by itself, whatever else was given.
    3. `options` is the type of what a policy may set: a Struct that knows no other fields and has defaults.
    4. `fix` is how `preflight fix` fixes what it finds, None where no edit is known.
    5. `is_consequence`: it finds what breaks because a DaemonSet loses nodes, and finds nothing once that loss is fixed.
    6. `forbids_fix`: a fix that brings a finding of it is not made, as with findings about coverage.
    7. `is_standing`: it finds what is so before a change and after it, so that a change never brings a finding of it.
    8. `is_crash`: it reports that another rule crashed. No policy sets it, nothing exempts its findings, and they concern every file.
    9. `is_exemptible`: a policy, a manifest or a baseline may accept its findings.
    10. `concerns_change`: a rule of hygiene whose findings under a change are about the change, or say what its answer does not see.
    """

    id: str
    name: str
    severity: Severity
    check: Callable[[Context], Iterator[Hit]]
    needs_nodes: bool = False
    module: str = ""
    options: type[Struct] | None = None
    is_per_object: bool = False
    fix: FixKind | None = None
    is_consequence: bool = False
    forbids_fix: bool = False
    is_standing: bool = False
    is_crash: bool = False
    is_exemptible: bool = True
    concerns_change: bool = False

    @property
    def explanation(self) -> str:
        """The docstring of the rule's module: a summary line, then sections."""
        return (importlib.import_module(self.module).__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """The first line of the explanation, without its full stop."""
        return self.explanation.partition("\n")[0].rstrip(".")


def make_subject_of(item: TolerationOwner | JobSet | PodDisruptionBudget | Autoscaler) -> Subject:
    """A namespaced object as the subject of a finding."""
    kind = item.kind if isinstance(item, CustomResource) else type(item).__name__
    return Subject(kind, item.metadata.namespace, item.metadata.name)


def keep_worst_hits(hits: Iterable[tuple[Rule, Hit]]) -> list[tuple[Rule, Hit]]:
    """The hits, with only the worst of those on one toleration; among equals the one of the lowest rule id."""
    best: dict[ManifestLocation, tuple[int, str]] = {}
    every = list(hits)
    for rule, hit in every:
        if hit.toleration_location is not None:
            rank = ((hit.severity or rule.severity).rank, rule.id)
            best[hit.toleration_location] = min(best.get(hit.toleration_location, rank), rank)
    return [
        (rule, hit)
        for rule, hit in every
        if hit.toleration_location is None or best[hit.toleration_location] == ((hit.severity or rule.severity).rank, rule.id)
    ]
