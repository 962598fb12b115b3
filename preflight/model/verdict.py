"""The first sentence of a report as data: how good or bad the answer is, and the facts that it states.

The words for the facts are in `messages.verdict`.
"""

from __future__ import annotations

from enum import Enum, StrEnum

from msgspec import Struct

from preflight.model.evictions import EvictionMechanism
from preflight.model.report import CoverageEffect, Severity


class VerdictSign(StrEnum):
    """How good or bad an answer is; the values are the markers of tables."""

    BAD = "x"
    UNKNOWN = "?"
    WARNING = "!"
    FINE = "="


class LossMoment(Enum):
    """When DaemonSets lose nodes: now, when their pods are re-created, some now and some later, again and again, or before today."""

    NOW = "now"
    RECREATION = "recreation"
    MIXED = "mixed"
    LOOP = "loop"
    PAST = "past"


class CoverageLoss(Struct, frozen=True):
    """DaemonSets that lose nodes."""

    daemonsets: tuple[str, ...]
    nodes: tuple[str, ...]
    moment: LossMoment


class CoverageGain(Struct, frozen=True):
    """DaemonSets that start on nodes where they had no pod."""

    daemonsets: tuple[str, ...]
    nodes: tuple[str, ...]


class ReplacementLoss(Struct, frozen=True):
    """DaemonSets that keep nodes, and lose them once these are replaced by new ones."""

    daemonsets: tuple[str, ...]
    nodes: tuple[str, ...]


class AffectedWorkloads(Struct, frozen=True):
    """How many workloads depend on what is lost."""

    count: int


class UnknownCoverage(Struct, frozen=True):
    """DaemonSets of which it is unknown whether they keep their nodes; `effect` is why, of the first one, as far as a finding says so.

    `reason` is the same in words, where no finding does.
    """

    count: int
    total: int
    reason: str
    effect: CoverageEffect | None = None


class UnreadInput(Struct, frozen=True):
    """What could not be read, or was missing: the first problem, and how many there are."""

    message: str
    count: int


class DrainEnd(Enum):
    """How a drain ends.

    REFUSED: kubectl refuses nodes. NEVER: it waits forever. UNKNOWN: that cannot be determined. REPLACEMENTS: it ends once replacements
    are Ready. ENDS: it ends.
    """

    REFUSED = "refused"
    NEVER = "never"
    UNKNOWN = "unknown"
    REPLACEMENTS = "replacements"
    ENDS = "ends"


class DrainResult(Struct, frozen=True):
    """How a drain ends, and why.

    1. `nodes` are those that it is about: refused, or where kubectl is stuck; `total` is how many are drained.
    2. `flags` would help where kubectl refuses. `budgets` never allow an eviction. `seconds` is the longest time that it takes, None where
       not known.
    """

    end: DrainEnd
    nodes: tuple[str, ...]
    total: int
    flags: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    seconds: float | None = None


class LeavingPods(Struct, frozen=True):
    """Ordinary pods that have to go: how many, how many of them are lost for good, and of how many the replacement stays Pending.

    `placed_count` is how many find another node, `unplaced_count` of how many that is unknown; `unknown_count` counts the pods of which it
    is unknown whether they go.
    """

    mechanism: EvictionMechanism
    count: int
    lost_count: int = 0
    pending_count: int = 0
    placed_count: int = 0
    unplaced_count: int = 0
    unknown_count: int = 0


class StuckPods(Struct, frozen=True):
    """Pods that stay in Terminating, or may; `is_certain` where they do."""

    count: int
    is_certain: bool


class FailingJobs(Struct, frozen=True):
    """How many Jobs and JobSets fail, or may."""

    count: int
    is_certain: bool


class InterruptedWorkloads(Struct, frozen=True):
    """How many workloads have no Ready pod until a replacement is Ready."""

    count: int


class FindingCount(Struct, frozen=True):
    """Findings of one severity that no other fact of the verdict states, and the names of their rules."""

    severity: Severity
    count: int
    rules: tuple[str, ...]


class Faults(Struct, frozen=True):
    """How many faults there are today; `has_causes`: some follow from others, which are reported first."""

    count: int
    has_causes: bool = False


class NoFault(Struct, frozen=True):
    """Nothing is broken on so many nodes."""

    node_count: int


class PlainFact(Enum):
    """A fact without a number: see `messages.verdict`."""

    RULE_CRASHED = "rule-crashed"
    NOTHING_CHECKED = "nothing-checked"
    NOT_ALL_KNOWN = "not-all-known"
    NO_LOSS = "no-loss"
    NO_PAST_LOSS = "no-past-loss"
    NO_ERROR = "no-error"
    NO_FINDING = "no-finding"
    NO_POD_LEAVES = "no-pod-leaves"


VerdictFact = (
    CoverageLoss
    | CoverageGain
    | ReplacementLoss
    | AffectedWorkloads
    | UnknownCoverage
    | UnreadInput
    | DrainResult
    | LeavingPods
    | StuckPods
    | FailingJobs
    | InterruptedWorkloads
    | FindingCount
    | Faults
    | NoFault
    | PlainFact
)


class Verdict(Struct, frozen=True):
    """The first sentence of a report: never better than its exit code and its findings."""

    sign: VerdictSign
    facts: tuple[VerdictFact, ...]
