"""What a report says of ordinary pods that have to go: node by node and pod by pod, and what becomes of Jobs and JobSets."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from preflight.model.eviction_reasons import (
    Advice,
    DrainFlag,
    DrainReason,
    EndReason,
    EvictionAssumption,
    EvictionReason,
    KubectlRefusal,
    MissingInput,
    MissingKind,
    NodeObstacle,
)
from preflight.model.job_reasons import JobFailure, JobLimit, JobReason, JobSetFailure, JobSetReason, JobSetRestarts, JobUnknown, SkipReason
from preflight.model.owners import OwnerKey
from preflight.model.termination_reasons import StaysTerminating


class EvictionVerdict(StrEnum):
    """What becomes of an ordinary pod.

    1. It goes: EVICTED, DELETED, ENDS (with its node), WAITS (goes once replacements are Ready).
    2. It does not: BLOCKED_NOW, BLOCKED_FOREVER, REFUSED (by kubectl), HELD (another pod of the node is refused), STAYS.
    """

    EVICTED = "evicted"
    DELETED = "deleted"
    ENDS = "ends"
    WAITS = "waits"
    BLOCKED_NOW = "blocked-now"
    BLOCKED_FOREVER = "blocked-for-ever"
    REFUSED = "refused"
    HELD = "held"
    STAYS = "stays"
    UNKNOWN = "unknown"


class ReplacementOutcome(StrEnum):
    """Whether a replacement finds a node: it FITS, stays PENDING, UNKNOWN; NONE if nothing creates one; NOT_DUE if the pod does not go."""

    FITS = "fits"
    PENDING = "pending"
    UNKNOWN = "unknown"
    NONE = "none"
    NOT_DUE = ""


class EvictionMechanism(StrEnum):
    """By what pods go: a drain, a deletion by name, a NoExecute taint, the graceful shutdown of their node, or its end."""

    DRAIN = "drain"
    DELETION = "delete"
    TAINT = "taint"
    SHUTDOWN = "shutdown"
    GONE = "gone"


class Eviction(Struct, frozen=True):
    """One ordinary pod of a node.

    1. `pod` is `namespace/name`, `owner` what controls it, None where nothing does.
    2. `why` is the main reason for its `verdict`, None if that was not asked; `reasons` are all that is to be said of it.
    3. `after` are the seconds until it is let go, from the start of its node, None where it is not; `grace` those that it then has.
    4. `budgets` are those that select it, `namespace/name`.
    5. `replacement` is whether its replacement finds a node, `where` the nodes that take it.
    6. `lost`: nothing creates it again. `localData`: its emptyDir goes with it. `last`: with it the last Ready pod of its owner goes.
    7. `hang` is why it stays in Terminating once it is let go, or may; None where it ends.
    """

    pod: str
    owner: OwnerKey | None
    verdict: EvictionVerdict
    why: DrainReason | EndReason | None = None
    reasons: tuple[EvictionReason, ...] = ()
    after: float | None = None
    grace: int = 0
    budgets: tuple[str, ...] = ()
    replacement: ReplacementOutcome = ReplacementOutcome.NOT_DUE
    where: tuple[str, ...] = ()
    lost: bool = False
    localData: bool = False
    last: bool = False
    hang: StaysTerminating | None = None

    @property
    def is_leaving(self) -> bool:
        """Whether it goes, now or later."""
        return self.verdict in _LEAVING

    @property
    def leaves_unless_covered(self) -> bool:
        """Whether it goes unless a budget covers it: only the budgets are not known."""
        return self.verdict is EvictionVerdict.UNKNOWN and any(
            isinstance(reason, MissingInput) and reason.missing is MissingKind.BUDGETS for reason in self.reasons
        )


_LEAVING = frozenset((EvictionVerdict.EVICTED, EvictionVerdict.DELETED, EvictionVerdict.ENDS, EvictionVerdict.WAITS))


class ReturningPod(Struct, frozen=True):
    """A pod of a DaemonSet that comes back to its node, and whether it then finds room there; None where nobody can tell."""

    daemonset: str
    fits: bool | None
    obstacles: tuple[NodeObstacle, ...] = ()


class NodeEvictions(Struct, frozen=True):
    """One node.

    1. `pods` are its ordinary pods, in the order in which they are asked for; `daemonsets` and `static` count the pods that stay for what
       they are, `staying` the others that do.
    2. `refusals` are kubectl's errors, with which nothing goes from the node; `missing` the flags that would help.
    3. `ends`: whether kubectl comes to an end here (None: nobody can tell, or once replacements are Ready), with one of `exitCodes`; these
       are () where no kubectl waits.
    4. `least` are the seconds that it takes at least, `withGrace` when each pod takes its whole grace period; None where it never ends.
    5. `reached`: False where kubectl waits for ever at a node before.
    """

    node: str
    pods: tuple[Eviction, ...] = ()
    daemonsets: int = 0
    static: tuple[str, ...] = ()
    staying: int = 0
    refusals: tuple[KubectlRefusal, ...] = ()
    missing: tuple[DrainFlag, ...] = ()
    ends: bool | None = True
    exitCodes: tuple[int, ...] = ()
    least: float | None = 0
    withGrace: float | None = 0
    reached: bool = True
    returning: tuple[ReturningPod, ...] = ()


class JobOutcome(Struct, frozen=True):
    """A Job that loses pods.

    1. `fails` is why it fails, `certain` whether it does however its pods end; `limit` is what the losses count against.
    2. `overlap` is for how many seconds, at most, two pods of one index or place run at once; `after` the seconds until a replacement is
       created at the earliest, None where none is.
    3. `unknown` is why nobody can tell, None where the rest is known.
    """

    job: str
    pods: tuple[str, ...]
    fails: JobFailure = JobFailure.NONE
    certain: bool = True
    limit: tuple[JobLimit, ...] = ()
    overlap: float = 0
    indexed: bool = False
    after: float | None = None
    unknown: JobUnknown | SkipReason | None = None
    reasons: tuple[JobReason, ...] = ()


class JobSetOutcome(Struct, frozen=True):
    """A JobSet whose Jobs lose pods.

    1. `fails` is why it fails; `restarts` whether all, one or none of its Jobs restart, `left` the restarts that are left then.
       `certain`: it is so however the pods end.
    2. `leader`: the leader of an exclusive placement goes. `unknown` is why nobody can tell, None where the rest is known.
    """

    jobSet: str
    jobs: tuple[str, ...]
    fails: JobSetFailure = JobSetFailure.NONE
    restarts: JobSetRestarts = JobSetRestarts.NONE
    certain: bool = True
    left: int = 0
    leader: bool = False
    unknown: JobUnknown | None = None
    reasons: tuple[JobSetReason, ...] = ()


class EvictionReport(Struct, frozen=True):
    """What a step does to ordinary pods.

    1. `way` is by what the pods go.
    2. `least` and `withGrace` are the seconds that all nodes take together, None where it never ends; `ends` as for a node.
    3. `first` says what to do before, `notes` what it rests on.
    """

    way: EvictionMechanism
    nodes: tuple[NodeEvictions, ...]
    jobs: tuple[JobOutcome, ...] = ()
    jobSets: tuple[JobSetOutcome, ...] = ()
    ends: bool | None = True
    least: float | None = None
    withGrace: float | None = None
    first: tuple[Advice, ...] = ()
    notes: tuple[EvictionAssumption, ...] = ()

    @property
    def has_unknown_pods(self) -> bool:
        """Whether nobody can tell of some pod whether it goes, or whether it ends."""
        return any(
            pod.verdict is EvictionVerdict.UNKNOWN or (pod.is_leaving and pod.hang is not None and not pod.hang.certain)
            for node in self.nodes
            for pod in node.pods
        )
