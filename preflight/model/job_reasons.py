"""Facts about Jobs and JobSets that lose pods, as values. Words for them are in `preflight.messages.jobs`."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class JobFailure(StrEnum):
    """Why a Job fails, in the words of its controller; NONE if it does not."""

    BACKOFF_LIMIT_EXCEEDED = "BackoffLimitExceeded"
    FAILED_INDEXES = "FailedIndexes"
    MAX_FAILED_INDEXES_EXCEEDED = "MaxFailedIndexesExceeded"
    POD_FAILURE_POLICY = "PodFailurePolicy"
    NONE = ""


class JobSetFailure(StrEnum):
    """Why a JobSet fails, in the words of its controller; NONE if it does not."""

    FAILED_JOBS = "FailedJobs"
    REACHED_MAX_RESTARTS = "ReachedMaxRestarts"
    FAIL_JOB_SET_ACTION = "FailJobSetFailurePolicyAction"
    NONE = ""


class JobSetRestarts(StrEnum):
    """Whether a JobSet restarts all of its Jobs, one, or none."""

    ALL = "all"
    ONE = "one"
    NONE = "none"


class JobLimit(StrEnum):
    """The field of a Job against which a lost pod counts."""

    BACKOFF_LIMIT = "backoffLimit"
    BACKOFF_LIMIT_PER_INDEX = "backoffLimitPerIndex"


class SkipCause(StrEnum):
    """Why the controller of a Job or JobSet does nothing for it."""

    MANAGED_BY_OTHER = "managed-by-other"
    COMPLETE = "complete"
    FAILED = "failed"
    SUCCEEDED = "succeeded"
    FAILING = "failing"
    DELETED = "deleted"
    SUSPENDED = "suspended"


class SkipReason(Struct, frozen=True):
    """Why nothing is predicted for a Job or JobSet; `manager` is the other controller that manages it."""

    cause: SkipCause
    manager: str = ""


class JobUnknownKind(StrEnum):
    """What keeps the outcome of a Job or JobSet from being known.

    1. Of the input: JOB, JOB_SET (it was not given), NAMESPACE_PODS (not all pods of its namespace were), JOB_OUTCOME (of one of its Jobs).
    2. Of a failure policy: FAILURE_MESSAGE (its rule matches the words of the failure), ACTION (its rule has an unknown action).
    """

    JOB = "job"
    JOB_SET = "job-set"
    NAMESPACE_PODS = "namespace-pods"
    JOB_OUTCOME = "job-outcome"
    FAILURE_MESSAGE = "failure-message"
    ACTION = "action"


class JobUnknown(Struct, frozen=True):
    """Why the outcome of a Job or JobSet is unknown; `name` is what it is about."""

    kind: JobUnknownKind
    name: str = ""


class JobFact(StrEnum):
    """A remark without further facts.

    BACK_OFF_UNKNOWN: it has failures already, so the back-off may be longer. IGNORE_RULE_BYPASSED: a deletion sets no DisruptionTarget.
    FOLLOWERS_WAIT: the followers of a leader are refused until it is scheduled.
    """

    BACK_OFF_UNKNOWN = "back-off-unknown"
    IGNORE_RULE_BYPASSED = "ignore-rule-bypassed"
    FOLLOWERS_WAIT = "followers-wait"


class QueueNotChecked(Struct, frozen=True):
    """What the queue of a Job does is not checked; `label` names the queue."""

    label: str


class LeaderMoves(Struct, frozen=True):
    """The leader of a Job goes and has to be scheduled in a domain, None for any that no other Job has."""

    job: str
    topology: str
    domain: str | None


class LeaderLabelMissing(Struct, frozen=True):
    """The node of a leader has no label of the topology, so that new followers are refused."""

    topology: str


class TooFewDomains(Struct, frozen=True):
    """The Jobs of a JobSet need more domains than there are nodes to schedule on."""

    topology: str
    needed: int
    available: tuple[str, ...]


JobReason = SkipReason | JobFact | QueueNotChecked
JobSetReason = SkipReason | JobFact | LeaderMoves | LeaderLabelMissing | TooFewDomains


class TeamSignKind(StrEnum):
    """What shows that the pods of a Job work together, the strongest first.

    1. HOST_NAMES: they have host names for one another. VARIABLE: a variable says where the others are, or how many.
    2. LAUNCHER_OF_PEERS: a launcher of a framework is told of other machines.
    3. LAUNCHER: such a launcher is not told whether there are others. DEVICES: they ask for an extended resource. IMAGE: their image is for
       distributed training. These three show it less surely.
    """

    HOST_NAMES = "host-names"
    VARIABLE = "variable"
    LAUNCHER_OF_PEERS = "launcher-of-peers"
    LAUNCHER = "launcher"
    DEVICES = "devices"
    IMAGE = "image"

    @property
    def is_sure(self) -> bool:
        """Whether pods with this sign surely work together."""
        return self in (TeamSignKind.HOST_NAMES, TeamSignKind.VARIABLE, TeamSignKind.LAUNCHER_OF_PEERS)


class TeamSign(Struct, frozen=True):
    """A sign that the pods of a Job work together; `name` is the variable, launcher or image, "" for other kinds."""

    kind: TeamSignKind
    name: str = ""
