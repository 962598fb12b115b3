"""Coverage in words: the reasons why a DaemonSet keeps, loses or never gets a node, and the messages of the rules on coverage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.lists import join_and, join_node_names
from preflight.messages.tolerations import describe_untolerated
from preflight.model.core import Taint
from preflight.model.fit_reasons import FitDoubt, StaysPending
from preflight.model.meta import ObjectKey, SelectorRequirement
from preflight.model.reasons import (
    AffinityMismatch,
    BootstrapWaitCause,
    ConditionalOutcome,
    CoverageSign,
    EvictionLoop,
    LossCause,
    LostLabels,
    NearMiss,
    NearMissKind,
    OtherNodeName,
    PlainReason,
    PodEnded,
    PossibleLoss,
    QuotaShortage,
    Reason,
    RecreationEvent,
    RunningUpdate,
    SelectorMismatch,
    TermMismatch,
    TimedToleration,
    UnknownGate,
    UnknownLabels,
    UnreadyPod,
    Untolerated,
    UpdateUncertainty,
)

_PLAIN_REASONS = {
    PlainReason.DELETED: "the DaemonSet is deleted",
    PlainReason.ORPHANED: "nothing owns its pods any more",
    PlainReason.HANGING: "its pod is deleted and hangs in Terminating: the kubelet of the node is silent",
    PlainReason.MISSING: "it should run and no pod is there",
    PlainReason.CREATED: "a pod is created",
    PlainReason.IF_SELECTED: "if its selector matches",
    PlainReason.UNKNOWN_TEMPLATE: "whether the pod that is there is of this template already, and stays, is not known",
    PlainReason.UNKNOWN_SURGE: "the old pod stays if the new one that finds no room waits for this node, which is not known",
    PlainReason.UNKNOWN_START: "whether its pod runs there is not known since an earlier step",
    PlainReason.NOT_CREATED: "it should run there, and no pod was created",
    PlainReason.TERMINATING: "its pod is being deleted",
}
_UNOWNED = "nothing owns its pods any more, so nothing creates them again"


def describe_reasons(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Each reason as a clause."""
    return tuple(describe_reason(reason) for reason in reasons)


def describe_reason(reason: Reason) -> str:
    """A reason as a clause that a tired person can act on, without a full stop."""
    match reason:
        case OtherNodeName(node):
            return f"its nodeName is {node}"
        case SelectorMismatch(key, required, actual):
            found = "the label is absent" if actual is None else f"the node has {actual!r}"
            return f"its nodeSelector asks for {key}={required}: {found}"
        case AffinityMismatch(terms):
            if not terms:
                return "its node affinity has no term, which matches no node"
            return f"its node affinity does not match: {'; or '.join(_format_term(term) for term in terms)}"
        case Untolerated(taints):
            return describe_untolerated(taints)
        case NearMiss():
            return _describe_near_miss(reason)
        case LostLabels(labels, producer):
            return f"selects on {join_and(labels)}, which {'goes' if len(labels) == 1 else 'go'} with {producer}"
        case EvictionLoop(taints, seconds):
            pace = f"every {seconds} s" if seconds else "without a pause"
            return f"tolerates {join_and(taints)} for {seconds} s: deleted and re-created {pace}, for ever"
        case TimedToleration(taints, seconds):
            return f"tolerates {join_and(taints)} for {seconds} s only"
        case PlainReason():
            return _PLAIN_REASONS[reason]
        case ConditionalOutcome(outcome, reasons, is_today):
            condition = f"{_PLAIN_REASONS[PlainReason.IF_SELECTED]}{' today' if is_today else ''}: {outcome.value}"
            return ", ".join((condition, *describe_reasons(reasons)))
        case UnknownLabels(labels):
            one = len(labels) == 1
            return f"the node's {'label' if one else 'labels'} {join_and(labels)} {'is' if one else 'are'} not known"
        case UnknownGate(taints):
            gate = "the gate TaintTolerationComparisonOperators is not known (--feature-gates)"
            return f"whether it tolerates {join_and(taints)} depends on Lt or Gt: {gate}"
        case UpdateUncertainty():
            return _describe_uncertainty(reason)
        case StaysPending() | FitDoubt():
            from preflight.messages.pod_fit import describe_fit_reason  # most changes create no pod that may not fit

            return describe_fit_reason(reason)
        case PodEnded(phase):
            return f"its pod has {phase.lower()}"
        case UnreadyPod(is_pending, statement):
            state = f"its pod is {'Pending' if is_pending else 'not Ready'}"
            return f"{state}: {statement}" if statement else state


def _describe_near_miss(miss: NearMiss) -> str:
    """Why the toleration that comes nearest to a taint does not tolerate it."""
    own, taint = miss.toleration, miss.taint
    match miss.kind:
        case NearMissKind.EMPTY_VALUE:
            return f"tolerates {taint.key} only with an empty value (no operator means Equal)"
        case NearMissKind.VALUE:
            return f"tolerates {own.key} only with {repr(own.value) if own.value else 'an empty value'}, not {taint}"
        case NearMissKind.EFFECT:
            return f"tolerates {own.key} only with the effect {own.effect}, not {taint.effect}"
        case NearMissKind.COMPARISON:
            return f"tolerates {own.key} only with a number {'above' if own.operator == 'Gt' else 'below'} {own.value}, not {taint}"
        case NearMissKind.OPERATOR:
            return f"tolerates nothing of {own.key}: {own.operator!r} is no operator"
        case NearMissKind.KEY:
            return f"tolerates {own.key}, not {taint.key}: the case differs"


def _format_term(term: TermMismatch) -> str:
    if term.errors:
        return f"a term is broken ({', '.join(term.errors)})"
    failed = [format_requirement(requirement) for requirement in (*term.expressions, *term.fields)]
    return f"it asks for {join_and(failed)}" if failed else "an empty term matches no node"


def format_requirement(requirement: SelectorRequirement) -> str:
    """`zone In (a, b)`, `gpu Exists`."""
    return f"{requirement.key} {requirement.operator}" + (f" ({', '.join(requirement.values)})" if requirement.values else "")


def _describe_uncertainty(uncertainty: UpdateUncertainty) -> str:
    """`which nodes is chance: 2 of n1, n2 and n3 keep the old pod, ...`."""
    few, many = uncertainty.kept_range
    number = str(few) if few == many else f"{few} to {many}"
    keep = f"{number} of {join_node_names(uncertainty.nodes)} keep{'s' * (few == many == 1)} the old pod"
    if uncertainty.has_surge:
        cause = "as many as wanted nodes lack an available one"
    else:
        cause = (
            f"for the update stops once {uncertainty.budget} node{'s' * (uncertainty.budget != 1)} "
            f"lack{'s' * (uncertainty.budget == 1)} an available one"
        )
    held = f" ({join_node_names(uncertainty.blocking_nodes)})" if uncertainty.blocking_nodes else ""
    if not uncertainty.not_ready_nodes:
        return f"which nodes is chance: {keep}, {cause}{held}"
    are = "is" if len(uncertainty.not_ready_nodes) == 1 else "are"
    return f"new pods on {join_node_names(uncertainty.not_ready_nodes)}, which {are} not Ready, decide: {keep}, {cause}"


def describe_running_update(update: RunningUpdate) -> str:
    """The note on an update that was not complete before the change."""
    return f"an update of {update.daemonset} was not through before: its pods on {join_node_names(update.nodes)} are of an older template"


def join_reasons(reasons: Iterable[Reason]) -> str:
    """The reasons of one finding in one line; without any, nothing owns the pods any more."""
    return ", ".join(describe_reasons(reasons)) or _UNOWNED


def label_untolerated(taints: Sequence[Taint], *, is_patched: bool) -> str:
    """What stands under the tolerations of a manifest."""
    return f"{'after the patch nothing' if is_patched else 'nothing here'} tolerates {join_and(taints)}"


def describe_transient_taints(taints: Sequence[Taint]) -> str:
    """The note on taints that are no fault of the DaemonSet."""
    return f"the cluster clears {'this taint' if len(taints) == 1 else 'these taints'} once the node is well again"


def describe_lost_now(nodes: Sequence[str], cause: LossCause, reasons: Sequence[Reason], limit: TimedToleration | None) -> str:
    """PF101."""
    lost = f"loses {join_node_names(nodes)}"
    if limit is not None:
        taints = " and ".join(map(str, limit.taints))
        return f"{lost} after {limit.seconds} s: tolerates {taints} for {limit.seconds} s only, then no pod is created: {_join(reasons)}"
    match cause:
        case LossCause.UNOWNED:
            return f"{lost} now: the pod ends, and {_UNOWNED}"
        case LossCause.DELETED:
            return f"{lost} now: the DaemonSet is deleted, and its pods with it"
        case LossCause.EVICTED:
            return f"{lost} now: {_join(reasons)}"
        case LossCause.UPDATED:
            return f"{lost} now: its update deletes the pod and creates none: {_join(reasons)}"
        case LossCause.NOT_CREATED:
            return f"{lost} now: the pod is not created yet, and none will be: {_join(reasons)}"
        case LossCause.ENDED:
            return f"{lost} now: the pod ends and none is created: {_join(reasons)}"


def _join(reasons: Sequence[Reason]) -> str:
    return ", ".join(describe_reasons(reasons))


def describe_lost_on_recreation(
    nodes: Sequence[str], event: RecreationEvent, producers: Sequence[ObjectKey], reasons: Sequence[Reason]
) -> str:
    """PF102."""
    match event:
        case RecreationEvent.NODES:
            when = "once its nodes are replaced"
        case RecreationEvent.PRODUCERS:
            when = f"when the pods of {join_and(producers)} are re-created"
        case RecreationEvent.PODS:
            when = "when its pods are re-created"
    return f"loses {join_node_names(nodes)} {when}: {join_reasons(reasons)}"


def describe_loop(nodes: Sequence[str], loop: EvictionLoop) -> str:
    """PF103."""
    pace = f"every {loop.seconds} s" if loop.seconds else "without a pause"
    limit = describe_reason(TimedToleration(loop.taints, loop.seconds))
    return f"is deleted and re-created {pace} on {join_node_names(nodes)}: {limit}"


LOOP_LABEL = "these seconds make it loop"
LOOP_HELP = "remove tolerationSeconds to stay on the node, or the toleration to leave it"


def describe_gained(nodes: Sequence[str], *, is_new: bool, fits: bool) -> str:
    """PF104; `fits`: the scheduler binds the new pods, as far as it decides."""
    where = join_node_names(nodes)
    if fits:
        return f"{'is new and starts' if is_new else 'starts'} on {where}"
    return f"{'is new' if is_new else 'gains coverage'}: a pod is created on {where}"


def describe_fragile(nodes: Sequence[str], reasons: Sequence[Reason]) -> str:
    """PF106."""
    return f"has a pod on {join_node_names(nodes)} that does not come back once it ends: {join_reasons(reasons)}"


def describe_missing(nodes: Sequence[str]) -> str:
    """PF107."""
    return f"has no pod on {join_node_names(nodes)}, where it should run"


def describe_kept_out(nodes: Sequence[str], taints: Sequence[Taint], reasons: Sequence[Reason]) -> str:
    """PF108."""
    return f"is kept out of {join_node_names(nodes)} by {'taints' if len(taints) > 1 else 'a taint'} alone: {_join(reasons)}"


def describe_signs(signs: Sequence[CoverageSign], peer_nodes: Sequence[str]) -> str:
    """What shows that a DaemonSet belongs on nodes that a taint keeps it out of; `peer_nodes` are those where a pod still runs."""
    texts = {
        CoverageSign.TARGETS_NODES: "its own nodeSelector or affinity names these nodes",
        CoverageSign.NEARLY_TOLERATES: "a toleration of its own is meant for the taint",
        CoverageSign.RUNS_ON_PEERS: f"a pod of it still runs on {join_node_names(peer_nodes)} with the same taint",
        CoverageSign.NODE_CRITICAL: "its priority class is system-node-critical",
    }
    return f"it belongs there: {join_and(texts[sign] for sign in signs)}"


def describe_unknown_coverage(nodes: Sequence[str], loss: PossibleLoss, reasons: Sequence[Reason]) -> str:
    """PF109."""
    verbs = {PossibleLoss.LOST: "may lose", PossibleLoss.GAINED: "may start on", PossibleLoss.MISSING: "may be missing on"}
    return f"{verbs[loss]} {join_node_names(nodes)}: {'; '.join(describe_reasons(reasons))}"


def describe_second_wave(nodes: Sequence[str], losses: Sequence[tuple[ObjectKey, tuple[str, ...]]], *, is_immediate: bool) -> str:
    """PF117: `losses` are the DaemonSets that are lost, in order, each with the labels that it selects on."""
    when = "at once" if is_immediate else "once its pods are re-created"
    steps = "; then ".join(f"{daemonset}, which selects on {join_and(labels)}" for daemonset, labels in losses)
    return f"takes its labels from {join_node_names(nodes)} {when}, and with them {steps}"


def describe_labels_restart(nodes: Sequence[str], affected: Sequence[ObjectKey]) -> str:
    """PF118."""
    effect = "lose their pods there, and get them back" if len(affected) > 1 else "loses its pods there, and gets them back"
    return f"takes its labels from {join_node_names(nodes)} while its pods restart: {join_and(affected)} {effect}"


def describe_wait(waiting: ObjectKey, awaited: ObjectKey, cause: BootstrapWaitCause, name: str, *, is_subject: bool = False) -> str:
    """Why one DaemonSet waits for another on a new node; `name` is the label or the taint, `is_subject` where the message names it."""
    own = "it" if is_subject else str(waiting)
    other = "itself" if awaited == waiting else str(awaited)
    match cause:
        case BootstrapWaitCause.LABEL:
            return f"{own} selects on {name}, which {other} sets"
        case BootstrapWaitCause.TAINT:
            return f"{own} does not tolerate {name}, which {other} clears"
        case BootstrapWaitCause.SERVICE:
            return f"{own} reaches the API server through a Service address, which {other} provides"


def describe_deadlock(waits: Sequence[str]) -> str:
    """PF119."""
    return f"never starts on a new node: {', and '.join(waits)}"


def describe_foreign_scheduler(nodes: Sequence[str], scheduler: str) -> str:
    """PF120."""
    return f"has new pods on {join_node_names(nodes)} that wait for scheduler {scheduler}, of which nothing is known here"


def describe_quota(nodes: Sequence[str], quota: str, shortage: QuotaShortage, limit: int, used: int) -> str:
    """PF121."""
    states = f"ResourceQuota {quota} allows {limit} pods in its namespace, and {used} are there"
    match shortage:
        case QuotaShortage.NEW_PODS:
            return f"gets a pod on {max(limit - used, 0)} of the {len(nodes)} nodes {join_node_names(nodes)}: {states}"
        case QuotaShortage.REPLACED_PODS:
            return f"does not get its pods back on {join_node_names(nodes)}: {states}"
        case QuotaShortage.SURGE:
            return f"cannot begin its update on {join_node_names(nodes)}: maxSurge takes a pod more, {states}"


THE_QUOTA = "the quota"
