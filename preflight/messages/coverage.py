"""Coverage in words: the reasons why a DaemonSet keeps, loses or never gets a node, and the messages of the rules on coverage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.messages.counts import format_count
from preflight.messages.lists import format_other_nodes, join_and, join_limited, join_node_names
from preflight.messages.tolerations import describe_untolerated
from preflight.model.core import Taint
from preflight.model.fit_reasons import FitDoubt, StaysPending
from preflight.model.image_platforms import ForeignPlatform
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
    UnknownVersion,
    UnreadyPod,
    Untolerated,
    UpdateUncertainty,
)
from preflight.model.report import Subject

_PLAIN_REASONS = {
    PlainReason.DELETED: "the DaemonSet is deleted",
    PlainReason.ORPHANED: "its pods no longer have an owner",
    PlainReason.HANGING: "its pod is deleted and hangs in Terminating: the kubelet of the node does not respond",
    PlainReason.MISSING: "it should run there and has no pod",
    PlainReason.CREATED: "a pod is created",
    PlainReason.IF_SELECTED: "if its selector matches",
    PlainReason.UNKNOWN_TEMPLATE: "unknown: whether the existing pod already has this template (only then it stays)",
    PlainReason.UNKNOWN_SURGE: "unknown: whether the new pod that does not fit waits for this node (only then the old pod stays)",
    PlainReason.UNKNOWN_START: "unknown since an earlier step: whether its pod runs there",
    PlainReason.NOT_CREATED: "it should run there, and no pod was created",
    PlainReason.TERMINATING: "its pod is being deleted",
}
_UNOWNED = "its pods have no owner, so no controller re-creates them"


def describe_reasons(reasons: Iterable[Reason]) -> tuple[str, ...]:
    """Each reason as a clause."""
    return tuple(describe_reason(reason) for reason in reasons)


def describe_reason(reason: Reason) -> str:
    """A reason as a clause that a tired person can act on, without a full stop."""
    match reason:
        case OtherNodeName(node):
            return f"its nodeName is {node}"
        case SelectorMismatch(key, required, actual):
            found = "does not have the label" if actual is None else f"has {key}={actual}"
            return f"its nodeSelector requires {key}={required} (the node {found})"
        case AffinityMismatch(terms):
            if not terms:
                return "its node affinity has no term, so it matches no node"
            return f"its node affinity does not match: {'; or '.join(_format_term(term) for term in terms)}"
        case Untolerated(taints):
            return describe_untolerated(taints)
        case NearMiss():
            return _describe_near_miss(reason)
        case LostLabels(labels, producer):
            return f"selects on {join_and(labels)}, which {'is' if len(labels) == 1 else 'are'} removed with the pod of {producer}"
        case EvictionLoop(taints, seconds):
            pace = f"every {seconds} s" if seconds else "without a pause"
            return f"tolerates {join_and(taints)} for {seconds} s only: its pod is deleted and re-created {pace}, without end"
        case TimedToleration(taints, seconds):
            return f"tolerates {join_and(taints)} for {seconds} s only"
        case PlainReason():
            return _PLAIN_REASONS[reason]
        case ConditionalOutcome(outcome, reasons, is_today):
            condition = f"{_PLAIN_REASONS[PlainReason.IF_SELECTED]}{' today' if is_today else ''}: {outcome.value}"
            return ", ".join((condition, *describe_reasons(reasons)))
        case UnknownLabels(labels):
            return f"unknown node {'label' if len(labels) == 1 else 'labels'} {join_and(labels)}"
        case UnknownGate(taints):
            gate = "feature gate TaintTolerationComparisonOperators, which is not given (--feature-gates)"
            return f"unknown whether it tolerates {join_and(taints)}: Lt and Gt depend on {gate}"
        case UnknownVersion(taints, since):
            return f"unknown whether it tolerates {join_and(taints)}: its operator adds that toleration from version {since} on"
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
    toleration = f'its toleration of "{own.key}"'
    match miss.kind:
        case NearMissKind.EMPTY_VALUE:
            return f"{toleration} has no operator and no value, so it matches only an empty value"
        case NearMissKind.VALUE:
            return f"{toleration} matches only {f'the value {own.value!r}' if own.value else 'an empty value'}, not {taint}"
        case NearMissKind.EFFECT:
            return f"{toleration} matches only the effect {own.effect}, not {taint.effect}"
        case NearMissKind.COMPARISON:
            return f"{toleration} matches only numbers {'above' if own.operator == 'Gt' else 'below'} {own.value}, not {taint}"
        case NearMissKind.OPERATOR:
            return f"{toleration} matches nothing: {own.operator!r} is not an operator"
        case NearMissKind.KEY:
            return f"{toleration} does not match {taint.key}: the case differs"


def _format_term(term: TermMismatch) -> str:
    if term.errors:
        return f"has an invalid term ({', '.join(term.errors)})"
    failed = [format_requirement(requirement) for requirement in (*term.expressions, *term.fields)]
    return f"requires {join_and(failed)}" if failed else "has an empty term, which matches no node"


def format_requirement(requirement: SelectorRequirement) -> str:
    """`zone In (a, b)`, `gpu Exists`."""
    return f"{requirement.key} {requirement.operator}" + (f" ({', '.join(requirement.values)})" if requirement.values else "")


def _describe_uncertainty(uncertainty: UpdateUncertainty) -> str:
    """`unknown which nodes: 2 of n1, n2 and n3 keep the old pod, ...`."""
    few, many = uncertainty.kept_range
    number = str(few) if few == many else f"{few} to {many}"
    keep = f"{number} of {join_node_names(uncertainty.nodes)} keep{'s' * (few == many == 1)} the old pod"
    if uncertainty.has_surge:
        cause = "as many as there are nodes that should run it and have no available pod"
    else:
        cause = (
            f"because the update stops once {uncertainty.budget} node{'s' * (uncertainty.budget != 1)} "
            f"{'has' if uncertainty.budget == 1 else 'have'} no available pod"
        )
    held = f" ({join_node_names(uncertainty.blocking_nodes)})" if uncertainty.blocking_nodes else ""
    if uncertainty.changed_behavior is not None:
        from preflight.messages.versions import explain_behavior  # few answers depend on the version

        return f"{explain_behavior(uncertainty.changed_behavior)}: {keep}, {cause}{held}"
    if not uncertainty.not_ready_nodes:
        return f"unknown which nodes: {keep}, {cause}{held}"
    are = "is" if len(uncertainty.not_ready_nodes) == 1 else "are"
    return f"depends on the new pods on {join_node_names(uncertainty.not_ready_nodes)}, which {are} not Ready: {keep}, {cause}"


def describe_running_update(update: RunningUpdate) -> str:
    """The note on an update that was not complete before the change."""
    return f"an earlier update of {update.daemonset} is not complete: its pods on {join_node_names(update.nodes)} have an older template"


def join_reasons(reasons: Iterable[Reason]) -> str:
    """The reasons of one finding in one line; without any, the pods have no owner."""
    return ", ".join(describe_reasons(reasons)) or _UNOWNED


def label_untolerated(taints: Sequence[Taint], *, is_patched: bool) -> str:
    """The label under the tolerations of a manifest."""
    return f"{'after the patch, no toleration' if is_patched else 'no toleration here'} matches {join_and(taints)}"


BOUND_PODS_STAY = "NoSchedule does not affect pods that are bound to the node already"


def describe_late_removal(taint: Taint, nodes: Sequence[str]) -> str:
    """PF116, of an agent that is there already."""
    keep = "keeps" if len(nodes) == 1 else "keep"
    return f"removes the startup taint {taint.key} only when its pod starts: {join_node_names(nodes)} {keep} it until the pod is re-created"


def describe_bound_pods(taint: Taint, nodes: Sequence[str], *, is_reboot: bool) -> str:
    """PF116, of pods that are on nodes with a startup taint."""
    where = format_other_nodes(nodes[1:])
    if is_reboot:
        return f"reboots{where}: the startup taint {taint} does not hold back pods that are bound already, which start with the node"
    return f"gets the startup taint {taint}{where}, which does not hold back pods that are bound already: they stay and restart there"


def describe_automatic_taints(taints: Iterable[Taint]) -> str:
    """That no manifest declares the taints."""
    found = tuple(taints)
    return f"{join_and(found)}: not declared in the pool, the provider adds {'it' if len(found) == 1 else 'them'} automatically"


def describe_leaving_taints(taints: Iterable[Taint]) -> str:
    """That the node is about to be removed, which the taints say."""
    found = tuple(taints)
    return f"{join_and(taint.key for taint in found)} {'says' if len(found) == 1 else 'say'} that the node is about to be removed"


def describe_transient_taints(taints: Sequence[Taint]) -> str:
    """The note on taints that the cluster removes by itself."""
    return f"the cluster removes {'this taint' if len(taints) == 1 else 'these taints'} when the node is healthy again"


def describe_lost_now(nodes: Sequence[str], cause: LossCause, reasons: Sequence[Reason], limit: TimedToleration | None) -> str:
    """PF101."""
    lost = f"loses {join_node_names(nodes)}"
    if limit is not None:
        taints = " and ".join(map(str, limit.taints))
        return f"{lost} after {limit.seconds} s, when its toleration of {taints} expires, and no new pod is created: {_join(reasons)}"
    match cause:
        case LossCause.UNOWNED:
            return f"{lost} now: its pod ends and has no owner, so no controller re-creates it"
        case LossCause.DELETED:
            return f"{lost} now: the DaemonSet is deleted together with its pods"
        case LossCause.EVICTED:
            return f"{lost} now: {_join(reasons)}"
        case LossCause.UPDATED:
            return f"{lost} now through its update, which deletes the pod and creates no new one: {_join(reasons)}"
        case LossCause.NOT_CREATED:
            return f"{lost} now (its pod is not created yet, and will not be): {_join(reasons)}"
        case LossCause.ENDED:
            return f"{lost} now, because the pod ends and no new one is created: {_join(reasons)}"


def _join(reasons: Sequence[Reason]) -> str:
    return ", ".join(describe_reasons(reasons))


def describe_lost_on_recreation(
    nodes: Sequence[str], event: RecreationEvent, producers: Sequence[ObjectKey], reasons: Sequence[Reason]
) -> str:
    """PF102."""
    match event:
        case RecreationEvent.NODES:
            return f"will not come back on {join_node_names(nodes)} when the nodes are replaced: {join_reasons(reasons)}"
        case RecreationEvent.PRODUCERS:
            return f"loses {join_node_names(nodes)} when the pods of {join_and(producers)} are re-created: {join_reasons(reasons)}"
        case RecreationEvent.PODS:
            return f"will not come back on {join_node_names(nodes)} when its pods are re-created: {join_reasons(reasons)}"


def describe_loop(nodes: Sequence[str], loop: EvictionLoop) -> str:
    """PF103."""
    pace = f"every {loop.seconds} s" if loop.seconds else "without a pause"
    limit = describe_reason(TimedToleration(loop.taints, loop.seconds))
    return f"has its pod evicted and re-created {pace} on {join_node_names(nodes)}: {limit}"


LOOP_LABEL = "this limit causes the loop"
LOOP_HELP = "remove tolerationSeconds to keep the pod on the node, or the toleration to let it leave"


def describe_gained(nodes: Sequence[str], foreign: ForeignPlatform | None, *, is_new: bool, fits: bool) -> str:
    """PF104; `fits`: the scheduler binds the new pods, as far as it decides; `foreign` are nodes of another platform."""
    where = join_node_names(nodes)
    text = f"{'is new and starts' if is_new else 'starts'} on {where}"
    if not fits:
        text = f"{'is new and gets' if is_new else 'gets'} a pod on {where}"
    if foreign is None:
        return text
    values, others = " or ".join(foreign.values), " or ".join(foreign.other_values)
    odd = "it has" if foreign.nodes == tuple(nodes) and len(nodes) == 1 else f"{join_node_names(foreign.nodes)} {_have(foreign.nodes)}"
    return f"{text}: {odd} {foreign.label}={values}, its other pods are on {others} nodes, and it does not select on that label"


def _have(names: Sequence[str]) -> str:
    return "has" if len(names) == 1 else "have"


def advise_platform_selector(label: str, value: str) -> str:
    """How to keep pods off nodes of another platform."""
    return f"set `nodeSelector: {{{label}: {value}}}` unless its image is for both"


def describe_fragile(nodes: Sequence[str], reasons: Sequence[Reason]) -> str:
    """PF106."""
    return f"has a pod on {join_node_names(nodes)} that will not come back after it ends: {join_reasons(reasons)}"


def describe_missing(nodes: Sequence[str]) -> str:
    """PF107."""
    return f"should run on {join_node_names(nodes)} and has no pod there"


def describe_kept_out(nodes: Sequence[str], taints: Sequence[Taint], reasons: Sequence[Reason]) -> str:
    """PF108."""
    what = "taints keep" if len(taints) > 1 else "a taint keeps"
    return f"does not run on {join_node_names(nodes)}, and only {what} it off: {_join(reasons)}"


def describe_signs(signs: Sequence[CoverageSign], peer_nodes: Sequence[str]) -> str:
    """What shows that a DaemonSet belongs on nodes that a taint keeps it out of; `peer_nodes` are those where a pod still runs."""
    texts = {
        CoverageSign.TARGETS_NODES: "its nodeSelector or node affinity selects these nodes",
        CoverageSign.NEARLY_TOLERATES: "one of its tolerations nearly matches the taint",
        CoverageSign.RUNS_ON_PEERS: f"its pod still runs on {join_node_names(peer_nodes)} with the same taint",
        CoverageSign.NODE_CRITICAL: "its priority class is system-node-critical",
    }
    return f"evidence that it belongs there: {join_and(texts[sign] for sign in signs)}"


def describe_unknown_coverage(nodes: Sequence[str], loss: PossibleLoss, reasons: Sequence[Reason]) -> str:
    """PF109."""
    verbs = {PossibleLoss.LOST: "may lose", PossibleLoss.GAINED: "may start on", PossibleLoss.MISSING: "may be missing on"}
    return f"{verbs[loss]} {join_node_names(nodes)}: {'; '.join(describe_reasons(reasons))}"


def describe_second_wave(nodes: Sequence[str], losses: Sequence[tuple[ObjectKey, tuple[str, ...]]], *, is_immediate: bool) -> str:
    """PF117: `losses` are the DaemonSets that are lost, in order, each with the labels that it selects on."""
    when = "at once" if is_immediate else "when its pods are re-created"
    steps = ", then of ".join(f"{daemonset} (selects on {join_and(labels)})" for daemonset, labels in losses)
    return f"loses its labels on {join_node_names(nodes)} {when}, which removes the pods of {steps}"


def describe_label_version(version: str, outlive: str) -> str:
    """That a labeller of this version takes its labels with its pods; from the version `outlive` on they stay."""
    return f"version {version} removes the labels with the pod; since {outlive} they stay while the DaemonSet exists"


def describe_labels_restart(nodes: Sequence[str], affected: Sequence[ObjectKey], waiting: Sequence[Subject]) -> str:
    """PF118: `affected` are the DaemonSets that select on the labels, `waiting` other workloads: their running pods stay."""
    effects = []
    if affected:
        effects.append(f"{join_and(affected)} {'loses its' if len(affected) == 1 else 'lose their'} pods there until the labels return")
    if waiting:
        names = join_limited((f"{workload.kind} {workload}" for workload in waiting), "workloads")
        effects.append(f"new pods of {names} stay Pending {'until then' if affected else 'until the labels return'}")
    return f"removes its labels from {join_node_names(nodes)} while its pods restart: {'; '.join(effects)}"


def describe_wait(waiting: ObjectKey, awaited: ObjectKey, cause: BootstrapWaitCause, name: str, *, is_subject: bool = False) -> str:
    """Why one DaemonSet waits for another on a new node; `name` is the label or the taint, `is_subject` where the message names it."""
    own = "it" if is_subject else str(waiting)
    other = "only it" if awaited == waiting else str(awaited)
    match cause:
        case BootstrapWaitCause.LABEL:
            return f"{own} selects on {name}, which {other} sets"
        case BootstrapWaitCause.TAINT:
            return f"{own} does not tolerate {name}, which {other} removes"
        case BootstrapWaitCause.CONTROLLED_TAINT:
            return f"{own} does not tolerate {name}, which stays until {'it' if awaited == waiting else other} runs there"
        case BootstrapWaitCause.SERVICE:
            return f"{own} reaches the API server through a Service address, which {other} provides"


def describe_deadlock(waits: Sequence[str]) -> str:
    """PF119."""
    return f"never starts on a new node: {', and '.join(waits)}"


def describe_foreign_scheduler(nodes: Sequence[str], scheduler: str) -> str:
    """PF120."""
    return f"has new pods on {join_node_names(nodes)} that wait for scheduler {scheduler}: unknown whether it runs"


def describe_quota(nodes: Sequence[str], quota: str, shortage: QuotaShortage, limit: int, used: int) -> str:
    """PF121."""
    states = f"ResourceQuota {quota} allows {limit} pod{'s' * (limit != 1)} in its namespace ({used} exist{'s' * (used == 1)})"
    match shortage:
        case QuotaShortage.NEW_PODS:
            return f"gets a pod on {max(limit - used, 0)} of {format_count(len(nodes), 'node')} ({join_node_names(nodes)}): {states}"
        case QuotaShortage.REPLACED_PODS:
            return f"does not get its pods back on {join_node_names(nodes)}: {states}"
        case QuotaShortage.SURGE:
            return f"cannot start its update on {join_node_names(nodes)}: maxSurge needs an extra pod, but {states}"


THE_QUOTA = "the quota"
