"""What a rule is, what it is given, and what it says."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from preflight.coverage.model import Impact
from preflight.dependents.consequences import Consequence
from preflight.model.objects import JobSet, Node, Origin, Taint, Workload
from preflight.model.report import Severity, Subject, Suggestion
from preflight.model.world import World
from preflight.rules.team_convention import Convention

if TYPE_CHECKING:
    from preflight.comparison.pods import Since
    from preflight.doctor.context import Diagnosis
    from preflight.model.budgets import PodDisruptionBudget
    from preflight.model.evictions import Evictions

T = TypeVar("T", bound=Struct)
Path = tuple[str | int, ...]


class Place(Struct, frozen=True):
    """A field of an object that was read: `path` leads to it from the object; an absent field stands for its nearest present parent."""

    origin: Origin
    path: Path = ()


class Hit(Struct, frozen=True):
    """What a rule says; the framework makes it a finding.

    1. `message` continues the subject's name, as in `storage/csi loses rdma-1`: one line, lower case, no full stop.
    2. `severity` None means the rule's own. `label` stands under the source line.
    3. `notes` are further lines with their headings; `related` other places.
    4. `toleration` is the place of a toleration: of the hits on one toleration only the worst is kept.
    """

    subject: Subject
    message: str
    place: Place
    nodes: tuple[str, ...] = ()
    severity: Severity | None = None
    label: str = ""
    notes: tuple[tuple[str, str], ...] = ()
    related: tuple[tuple[str, Place], ...] = ()
    suggestion: Suggestion | None = None
    toleration: Place | None = None


class Repeated(Struct, frozen=True):
    """A key that stands more than once in one map of an object: the lines of the first and of the last, which counts."""

    subject: Subject
    place: Place
    key: str
    first_line: int
    line: int


class Context(Struct, frozen=True):
    """What a rule may look at.

    1. `world` is the world before the change. `impact` is None where no node is known: coverage cannot be judged then.
    2. `lint`: there is no change.
    3. `workloads` and `nodes` are the objects whose hygiene is judged, each document by itself; `taints` are the taints known: of the
       change, or in lint of the nodes and of the policy.
    4. `evictions` is what the change does to ordinary pods, None where it lets none go.
    5. `consequences` is what breaks, worked out once for the rules that ask. `convention` is what the policy wants.
    6. `since` is what became of a cluster since it was saved: rules of `since` read nothing else, and no other rule is asked then.
    7. `today` is what is broken in a cluster: rules of `today` read nothing else, and no other rule is asked then.
    """

    world: World
    impact: Impact | None
    lint: bool
    workloads: tuple[Workload, ...]
    nodes: tuple[Node, ...]
    taints: tuple[Taint, ...]
    repeated: tuple[Repeated, ...] = ()
    consequences: Callable[[], tuple[Consequence, ...]] = tuple
    convention: Convention = Convention()
    evictions: Evictions | None = None
    since: Since | None = None
    today: Diagnosis | None = None

    def options(self, rule: str, type: type[T]) -> T:
        """The options of a rule, by its id: those of the policy, else the defaults of their type."""
        given = self.convention.options.get(rule)
        return given if isinstance(given, type) else type()


class Rule(Struct, frozen=True):
    """A rule: facts and a generator. It reads no file and no clock.

    `needs_nodes` for a rule that reads the impact: it is not run where there is none. `by_itself` for one that judges each object by
    itself, whatever else was given. `options` is the type of what a policy may set: a Struct that knows no other fields and has defaults.
    The text of `preflight explain` is the docstring of its module.
    """

    id: str
    name: str
    severity: Severity
    check: Callable[[Context], Iterator[Hit]]
    needs_nodes: bool = False
    module: str = ""
    options: type[Struct] | None = None
    by_itself: bool = False

    @property
    def explanation(self) -> str:
        """The docstring of the rule's module: a summary line, then sections."""
        return (importlib.import_module(self.module).__doc__ or "").strip()

    @property
    def summary(self) -> str:
        """The first line of the explanation, without its full stop."""
        return self.explanation.partition("\n")[0].rstrip(".")


def subject_of(each: Workload | JobSet | PodDisruptionBudget) -> Subject:
    """A namespaced object as the subject of a finding."""
    return Subject(type(each).__name__, each.metadata.namespace, each.metadata.name)


def worst_of_each(hits: Iterable[tuple[Rule, Hit]]) -> list[tuple[Rule, Hit]]:
    """The hits, with only the worst of those on one toleration; among equals the one of the lowest rule id."""
    best: dict[Place, tuple[int, str]] = {}
    every = list(hits)
    for rule, hit in every:
        if hit.toleration is not None:
            rank = ((hit.severity or rule.severity).rank, rule.id)
            best[hit.toleration] = min(best.get(hit.toleration, rank), rank)
    return [
        (rule, hit)
        for rule, hit in every
        if hit.toleration is None or best[hit.toleration] == ((hit.severity or rule.severity).rank, rule.id)
    ]
