"""The links of the chain that explains one DaemonSet on one node, as data: from the change to what people see.

The words for them are in `messages.loss_chain`.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from preflight.model.core import Taint, Toleration
from preflight.model.meta import ObjectKey
from preflight.model.reasons import LostLabels, NearMiss, Reason
from preflight.model.report import Subject


class ChangeCommand(Struct, frozen=True):
    """The command that makes the change, "" without a change."""

    command: str


class TaintChange(Struct, frozen=True):
    """The change adds a taint to the node, or removes it."""

    node: str
    taint: Taint
    is_added: bool


class LabelChange(Struct, frozen=True):
    """The change sets a label of the node; `value` is None where it removes it."""

    node: str
    key: str
    value: str | None


class DaemonSetChange(Struct, frozen=True):
    """The change gives the DaemonSet a new template, or deletes it."""

    daemonset: ObjectKey
    is_deleted: bool


class LabelLoss(Struct, frozen=True):
    """Labels that the DaemonSet selects on are removed together with the pods of another one."""

    daemonset: ObjectKey
    reason: LostLabels


class Selection(Struct, frozen=True):
    """What in nodeName, nodeSelector or affinity leaves the node out."""

    reason: Reason


class TolerationGap(Struct, frozen=True):
    """A taint that nothing tolerates: the toleration that comes nearest and why it is not enough, None where none speaks of the key."""

    taint: Taint
    nearest: Toleration | None = None
    miss: NearMiss | None = None


class TolerationLimit(Struct, frozen=True):
    """A toleration tolerates a taint for some seconds only."""

    toleration: Toleration
    taint: Taint


class Decision(Enum):
    """What the DaemonSet controller decides for the node.

    1. RUN: a pod should run, and may stay. KEEP: none should run, one that is there may stay. DELETE: neither.
    2. DELETE_WITHOUT_LABELS: the same, once labels are gone. NO_DAEMONSET: nothing decides any more. UNKNOWN: it depends on what is not
       known.
    """

    RUN = "run"
    KEEP = "keep"
    DELETE = "delete"
    DELETE_WITHOUT_LABELS = "delete-without-labels"
    NO_DAEMONSET = "no-daemonset"
    UNKNOWN = "unknown"


class ControllerDecision(Struct, frozen=True):
    """The decision for the node; `reasons` of one that is unknown."""

    decision: Decision
    node: str
    reasons: tuple[Reason, ...] = ()


class PodFate(Enum):
    """What becomes of the pod on the node.

    1. LOOPS: it is deleted and re-created again and again. LOST_NOW and LOST_ON_RECREATION: it goes for good.
    2. KEPT, REPLACED: a pod stays, the same or a new one; KEPT_OR_REPLACED where it is not certain which.
    3. CREATED: a new one comes. HANGS: it is deleted, and the silent kubelet never ends it. MISSING: none is there though one should be.
    4. LOST_PENDING, STAYS_PENDING: the new pod does not fit; the old one goes, or none was there.
    5. KEPT_OUT: none is there, by a taint alone. EXCLUDED: none is meant to be there. UNKNOWN: it depends on what is not known.
    """

    LOOPS = "loops"
    LOST_NOW = "lost-now"
    LOST_ON_RECREATION = "lost-on-recreation"
    KEPT = "kept"
    REPLACED = "replaced"
    KEPT_OR_REPLACED = "kept-or-replaced"
    CREATED = "created"
    HANGS = "hangs"
    MISSING = "missing"
    LOST_PENDING = "lost-pending"
    STAYS_PENDING = "stays-pending"
    KEPT_OUT = "kept-out"
    EXCLUDED = "excluded"
    UNKNOWN = "unknown"


class PodOutcome(Struct, frozen=True):
    """What becomes of the pod. `producers` are those whose re-creation ends it, where that is not its own; `reasons` explain the fate."""

    fate: PodFate
    reasons: tuple[Reason, ...] = ()
    producers: tuple[ObjectKey, ...] = ()


class BrokenComponent(Struct, frozen=True):
    """What the DaemonSet is, and what people see where it is missing."""

    daemonset: ObjectKey
    title: str
    symptom: str


class BrokenWorkload(Struct, frozen=True):
    """A workload that depends on the DaemonSet there; `needs` are names, () where every pod needs what it provides."""

    workload: Subject
    needs: tuple[str, ...]
    can_run_elsewhere: bool | None


class KubectlView(Enum):
    """A kubectl command that shows the loss, or that looks fine though it should not.

    PODS, TAINTS, LABELS and ALLOCATABLE show it; READY_COUNT, ROLLOUT_STATUS and EVENTS look fine.
    """

    PODS = "pods"
    TAINTS = "taints"
    LABELS = "labels"
    ALLOCATABLE = "allocatable"
    READY_COUNT = "ready-count"
    ROLLOUT_STATUS = "rollout-status"
    EVENTS = "events"


class KubectlEvidence(Struct, frozen=True):
    """A kubectl command for one DaemonSet on one node."""

    view: KubectlView
    daemonset: ObjectKey
    node: str


LossLink = (
    ChangeCommand
    | TaintChange
    | LabelChange
    | DaemonSetChange
    | LabelLoss
    | Selection
    | TolerationGap
    | TolerationLimit
    | ControllerDecision
    | PodOutcome
    | BrokenComponent
    | BrokenWorkload
    | KubectlEvidence
)
