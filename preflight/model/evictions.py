"""What a report says of ordinary pods that have to go: node by node and pod by pod, and what becomes of Jobs and JobSets."""

from __future__ import annotations

from msgspec import Struct


class Eviction(Struct, frozen=True):
    """One ordinary pod of a node.

    1. `pod` is `namespace/name`, `owner` what controls it, as `Deployment shop/web`; "" where nothing does.
    2. `verdict`: evicted, deleted, ends (with its node), waits (goes once replacements are Ready), blocked-now, blocked-for-ever, refused
       (by kubectl), held (another pod of the node is refused), stays, or unknown. `why` is a word for it, `reasons` are sentences.
    3. `after` are the seconds until it is let go, from the start of its node, None where it is not; `grace` those that it then has.
    4. `budgets` are those that select it, `namespace/name`.
    5. `replacement`: fits (on the nodes `where`), pending (no node takes it), unknown, or none (nothing creates one); "" where none is due.
    6. `lost`: nothing creates it again. `localData`: its emptyDir goes with it. `last`: with it the last Ready pod of its owner goes.
    """

    pod: str
    owner: str
    verdict: str
    why: str = ""
    reasons: tuple[str, ...] = ()
    after: float | None = None
    grace: int = 0
    budgets: tuple[str, ...] = ()
    replacement: str = ""
    where: tuple[str, ...] = ()
    lost: bool = False
    localData: bool = False
    last: bool = False

    @property
    def is_leaving(self) -> bool:
        """Whether it goes, now or later."""
        return self.verdict in ("evicted", "deleted", "ends", "waits")


class ReturningPod(Struct, frozen=True):
    """A pod of a DaemonSet that comes back to its node, and whether it then finds room there; None where nobody can tell."""

    daemonset: str
    fits: bool | None
    reasons: tuple[str, ...] = ()


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
    refusals: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    ends: bool | None = True
    exitCodes: tuple[int, ...] = ()
    least: float | None = 0
    withGrace: float | None = 0
    reached: bool = True
    returning: tuple[ReturningPod, ...] = ()


class JobOutcome(Struct, frozen=True):
    """A Job that loses pods.

    1. `fails` is the reason for which it fails, "" where it does not, `certain` whether it does however its pods end; `limit` is what the
       losses count against.
    2. `overlap` is for how many seconds, at most, two pods of one index or place run at once; `after` the seconds until a replacement is
       created at the earliest, None where none is.
    3. `unknown` is why nobody can tell, "" where the rest is known.
    """

    job: str
    pods: tuple[str, ...]
    fails: str = ""
    certain: bool = True
    limit: tuple[str, ...] = ()
    overlap: float = 0
    indexed: bool = False
    after: float | None = None
    unknown: str = ""
    reasons: tuple[str, ...] = ()


class JobSetOutcome(Struct, frozen=True):
    """A JobSet whose Jobs lose pods.

    1. `fails` is the reason for which it fails, "" where it does not; `restarts` whether all, one or none of its Jobs start anew, `left`
       its restarts that are left then. `certain`: it is so however the pods end.
    2. `leader`: the leader of an exclusive placement goes. `unknown` is why nobody can tell, "" where the rest is known.
    """

    jobSet: str
    jobs: tuple[str, ...]
    fails: str = ""
    restarts: str = "none"
    certain: bool = True
    left: int = 0
    leader: bool = False
    unknown: str = ""
    reasons: tuple[str, ...] = ()


class EvictionReport(Struct, frozen=True):
    """What a step does to ordinary pods.

    1. `way`: drain, taint (NoExecute), shutdown (graceful, of the node) or gone (the node is deleted or replaced).
    2. `least` and `withGrace` are the seconds that all nodes take together, None where it never ends; `ends` as for a node.
    3. `first` says what to do before, `notes` what it rests on.
    """

    way: str
    nodes: tuple[NodeEvictions, ...]
    jobs: tuple[JobOutcome, ...] = ()
    jobSets: tuple[JobSetOutcome, ...] = ()
    ends: bool | None = True
    least: float | None = None
    withGrace: float | None = None
    first: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def has_unknown_pods(self) -> bool:
        """Whether nobody can tell of some pod whether it goes."""
        return any(pod.verdict == "unknown" for node in self.nodes for pod in node.pods)
