"""Reasons as data: why a DaemonSet has or has no pod on a node. The words for them are in `messages.coverage`.

Two reasons are equal exactly where they say the same, so that nodes can be grouped by them.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from preflight.model.core import Taint, Toleration
from preflight.model.fit_reasons import FitDoubt, StaysPending
from preflight.model.meta import ObjectKey, SelectorRequirement
from preflight.model.outcome import Outcome
from preflight.model.releases import Behavior


class OtherNodeName(Struct, frozen=True):
    """The template's `nodeName` is another node."""

    node: str


class SelectorMismatch(Struct, frozen=True):
    """An entry of nodeSelector that a node does not have; `actual` is None where the label is absent."""

    key: str
    required: str
    actual: str | None


class TermMismatch(Struct, frozen=True):
    """A term of the required node affinity that does not match: what in it fails; `errors` where it cannot be parsed."""

    expressions: tuple[SelectorRequirement, ...] = ()
    fields: tuple[SelectorRequirement, ...] = ()
    errors: tuple[str, ...] = ()


class AffinityMismatch(Struct, frozen=True):
    """The required node affinity does not match: no term does. An affinity without a term matches no node."""

    terms: tuple[TermMismatch, ...]


class Untolerated(Struct, frozen=True):
    """No toleration tolerates these taints, and none comes near."""

    taints: tuple[Taint, ...]


class NearMissKind(Enum):
    """How a toleration misses a taint of its key.

    1. EMPTY_VALUE: it has no operator, which means Equal, and no value. VALUE: it has another value. EFFECT: it has another effect.
    2. COMPARISON: its Lt or Gt does not hold. OPERATOR: Kubernetes has no such operator. KEY: the keys differ by case.
    """

    EMPTY_VALUE = "empty-value"
    VALUE = "value"
    EFFECT = "effect"
    COMPARISON = "comparison"
    OPERATOR = "operator"
    KEY = "key"


class NearMiss(Struct, frozen=True):
    """A toleration that nearly tolerates a taint. Both are reduced to the fields that `kind` is about: see `reduce_near_miss`."""

    kind: NearMissKind
    toleration: Toleration
    taint: Taint


def reduce_near_miss(kind: NearMissKind, toleration: Toleration, taint: Taint) -> NearMiss:
    """The near miss of a toleration and a taint, with the fields that its kind is about."""
    key, value, operator, effect = toleration.key, toleration.value, toleration.operator, toleration.effect
    if kind is NearMissKind.VALUE:
        return NearMiss(kind, Toleration(key, value=value), taint)
    if kind is NearMissKind.COMPARISON:
        return NearMiss(kind, Toleration(key, operator, value), taint)
    if kind is NearMissKind.EFFECT:
        return NearMiss(kind, Toleration(key, effect=effect), Taint(effect=taint.effect))
    if kind is NearMissKind.OPERATOR:
        return NearMiss(kind, Toleration(key, operator), Taint())
    return NearMiss(kind, Toleration(key), Taint(taint.key))


class LostLabels(Struct, frozen=True):
    """The second wave: the DaemonSet selects on `labels`, and these are removed together with the pods of `producer`."""

    labels: tuple[str, ...]
    producer: ObjectKey


class EvictionLoop(Struct, frozen=True):
    """Taint eviction deletes each new pod after so many seconds, because these taints are tolerated for that time only."""

    taints: tuple[Taint, ...]
    seconds: int


class TimedToleration(Struct, frozen=True):
    """These taints are tolerated for so many seconds only; taint eviction then deletes the pod."""

    taints: tuple[Taint, ...]
    seconds: int


class PlainReason(Enum):
    """A reason that has no fields.

    1. DELETED: the DaemonSet is deleted. ORPHANED: it is deleted and has left its pods without an owner.
    2. HANGING: an update deletes the pod, and the silent kubelet never ends it. MISSING: it should run and has no pod. CREATED: a pod is
       created.
    3. IF_SELECTED: all this holds if the unknown labels match.
    4. UNKNOWN_TEMPLATE: the pod, adopted or left by an earlier step, may be of its own template, or of an older one that the update
       replaces. UNKNOWN_SURGE: a new pod that finds no room may wait beside the old one there, or on another node. UNKNOWN_START: an
       earlier step left open whether the node took its pod.
    5. NOT_CREATED, TERMINATING: since a snapshot, no pod was created although it should run; its pod is being deleted.
    """

    DELETED = "deleted"
    ORPHANED = "orphaned"
    HANGING = "hanging"
    MISSING = "missing"
    CREATED = "created"
    IF_SELECTED = "if-selected"
    UNKNOWN_TEMPLATE = "unknown-template"
    UNKNOWN_SURGE = "unknown-surge"
    UNKNOWN_START = "unknown-start"
    NOT_CREATED = "not-created"
    TERMINATING = "terminating"


class ConditionalOutcome(Struct, frozen=True):
    """What becomes of the pod if the unknown labels match, and why; `is_today` where only the labels before the change are unknown."""

    outcome: Outcome
    reasons: tuple[Reason, ...]
    is_today: bool


class UnknownLabels(Struct, frozen=True):
    """Labels of a partly known node that the answer depends on."""

    labels: tuple[str, ...]


class UnknownGate(Struct, frozen=True):
    """Taints whose toleration by Lt or Gt depends on a feature gate that is not known."""

    taints: tuple[Taint, ...]


class UnknownVersion(Struct, frozen=True):
    """Taints that the DaemonSets of an operator tolerate from a version on, where the version is not known."""

    taints: tuple[Taint, ...]
    since: str


class UpdateUncertainty(Struct, frozen=True):
    """Why it is not certain on which of some nodes the old pod goes.

    1. `nodes` are all of them, `kept_range` how many keep it, at least and at most.
    2. `blocking_nodes` are the nodes that use the budget up, or with a surge the wanted ones without an available pod.
    3. `not_ready_nodes` are nodes that are not Ready, where it depends on whether new pods become Ready there; else it is the order of
       nodes. `changed_behavior`: it depends on the version of the controller, which does that or does not.
    """

    nodes: tuple[str, ...]
    kept_range: tuple[int, int]
    blocking_nodes: tuple[str, ...]
    not_ready_nodes: tuple[str, ...]
    has_surge: bool
    budget: int
    changed_behavior: Behavior | None = None


class PartialLoss(Struct, frozen=True):
    """An update deletes the old pod on some of these nodes, where the new one stays Pending, and then stops; which ones is chance.

    `lost_range` is how many are lost, at least and at most.
    """

    nodes: tuple[str, ...]
    lost_range: tuple[int, int]


class PodEnded(Struct, frozen=True):
    """The pod of the node has ended, in this phase."""

    phase: str


class UnreadyPod(Struct, frozen=True):
    """The pod of the node is Pending or not Ready; `statement` is what its conditions say, "" where they say nothing."""

    is_pending: bool
    statement: str = ""


Reason = (
    OtherNodeName
    | SelectorMismatch
    | AffinityMismatch
    | Untolerated
    | NearMiss
    | LostLabels
    | EvictionLoop
    | TimedToleration
    | PlainReason
    | ConditionalOutcome
    | UnknownLabels
    | UnknownGate
    | UnknownVersion
    | UpdateUncertainty
    | StaysPending
    | FitDoubt
    | PodEnded
    | UnreadyPod
)


class RunningUpdate(Struct, frozen=True):
    """An update of a DaemonSet that was not complete before the change; the pods on these nodes are of an older template."""

    daemonset: ObjectKey
    nodes: tuple[str, ...]


class BlockingCause(Enum):
    """Why a node uses up the budget of an update.

    1. NODE_NOT_READY: unknown whether new pods become Ready on a node that is not. POD_NOT_READY: the same where the pod is not Ready now.
       POD_MISSING: the same where a pod is missing now.
    2. DOES_NOT_FIT: the scheduler binds no new pod there.
    3. POSSIBLE_POD: the kubelet is silent, and a pod that hangs once deleted may be there. SILENT: the kubelet is silent.
    """

    NODE_NOT_READY = "node-not-ready"
    POD_NOT_READY = "pod-not-ready"
    POD_MISSING = "pod-missing"
    DOES_NOT_FIT = "does-not-fit"
    POSSIBLE_POD = "possible-pod"
    SILENT = "silent"


class LossCause(Enum):
    """What ends a pod now that is not created again.

    UNOWNED: the pod of no DaemonSet ends. DELETED: the DaemonSet is deleted with its pods. EVICTED: the pod may not stay on the node.
    UPDATED: an update deletes it. ENDED: it ends in another way.
    """

    UNOWNED = "unowned"
    DELETED = "deleted"
    EVICTED = "evicted"
    UPDATED = "updated"
    NOT_CREATED = "not-created"
    ENDED = "ended"


class RecreationEvent(Enum):
    """What a pod that is lost on re-creation is waiting for: its nodes are replaced, label producers are re-created, or pods are."""

    NODES = "nodes"
    PRODUCERS = "producers"
    PODS = "pods"


class CoverageSign(Enum):
    """What shows that a DaemonSet belongs on nodes.

    Its selector names them, a toleration of its own misses the taint by its value or effect alone, it runs on others with the same taint,
    its priority class.
    """

    TARGETS_NODES = "targets-nodes"
    NEARLY_TOLERATES = "nearly-tolerates"
    RUNS_ON_PEERS = "runs-on-peers"
    NODE_CRITICAL = "node-critical"


class PossibleLoss(Enum):
    """The worst that an unknown coverage may be."""

    LOST = "lost"
    GAINED = "gained"
    MISSING = "missing"


class BootstrapWaitCause(Enum):
    """What a DaemonSet waits for on a new node: a label that another one sets, a taint that it clears, or Service addresses.

    CONTROLLED_TAINT: a controller clears the taint once the other DaemonSet runs there.
    """

    LABEL = "label"
    TAINT = "taint"
    CONTROLLED_TAINT = "controlled-taint"
    SERVICE = "service"


class QuotaShortage(Enum):
    """Which pods a quota has no room for: those of more nodes, those that are replaced, or the one more that a surge takes."""

    NEW_PODS = "new-pods"
    REPLACED_PODS = "replaced-pods"
    SURGE = "surge"


class SelectsNoNode(Struct, frozen=True):
    """The nodeSelector or affinity of a DaemonSet selects no node.

    `reasons` are what leaves nodes out; `absent_labels` are the labels that it asks for and no node has.
    """

    reasons: tuple[Reason, ...]
    absent_labels: tuple[str, ...]
