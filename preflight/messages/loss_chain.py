"""The chain that explains one DaemonSet on one node, in words: a heading and a sentence a link."""

from __future__ import annotations

import shlex

from preflight.messages.coverage import describe_reason, describe_reasons
from preflight.messages.lists import join_and
from preflight.model.core import Toleration
from preflight.model.loss_chain import (
    BrokenComponent,
    BrokenWorkload,
    ChangeCommand,
    ControllerDecision,
    DaemonSetChange,
    Decision,
    KubectlEvidence,
    KubectlView,
    LabelChange,
    LabelLoss,
    LossLink,
    PodFate,
    PodOutcome,
    Selection,
    TaintChange,
    TolerationGap,
    TolerationLimit,
)

_DECISIONS = {
    Decision.RUN: "a pod should run on {node} and may stay",
    Decision.KEEP: "no new pod should run on {node}, but an existing pod may stay: only NoSchedule taints are in the way",
    Decision.DELETE: "no pod should run on {node}, and an existing pod may not stay: the controller deletes it",
    Decision.DELETE_WITHOUT_LABELS: "once the labels are removed, no pod may stay on {node}: the controller deletes it",
    Decision.NO_DAEMONSET: "no DaemonSet exists any more that would re-create the pod",
    Decision.UNKNOWN: "cannot be determined: {reasons}",
}
_FATES = {
    PodFate.LOOPS: "{reasons}",
    PodFate.LOST_NOW: "the pod is removed now, and no new one is created",
    PodFate.LOST_ON_RECREATION: "the pod keeps running, and does not come back once {event}",
    PodFate.KEPT: "the pod stays, and comes back when it is re-created",
    PodFate.REPLACED: "a new pod replaces the old one",
    PodFate.KEPT_OR_REPLACED: "a pod stays, the old one or a new one: {reasons}",
    PodFate.CREATED: "a pod is created",
    PodFate.HANGS: "the pod is deleted and hangs in Terminating, and no new one is created until the kubelet responds again",
    PodFate.MISSING: "a pod should exist, and none does",
    PodFate.LOST_PENDING: "the pod is removed, and {reasons}",
    PodFate.STAYS_PENDING: "a pod is created, and {reasons}",
    PodFate.KEPT_OUT: "no pod exists, and none is created: only a taint keeps it off",
    PodFate.EXCLUDED: "no pod exists, and none is intended",
    PodFate.UNKNOWN: "cannot be determined: {reasons}",
}
_KUBECTL = {
    KubectlView.PODS: ("check", "kubectl {space}get pods -o wide --field-selector spec.nodeName={node}"),
    KubectlView.TAINTS: ("check", "kubectl get node {node} -o jsonpath='{{.spec.taints}}'"),
    KubectlView.LABELS: ("check", "kubectl get node {node} --show-labels"),
    KubectlView.ALLOCATABLE: ("check", "kubectl get node {node} -o jsonpath='{{.status.allocatable}}'"),
    KubectlView.READY_COUNT: (
        "looks fine",
        "kubectl {space}get daemonset {name}: DESIRED counts only the nodes that tolerate and match, so READY equals it",
    ),
    KubectlView.ROLLOUT_STATUS: (
        "looks fine",
        "kubectl {space}rollout status daemonset/{name}: reports that it was successfully rolled out",
    ),
    KubectlView.EVENTS: ("looks fine", "kubectl {space}get events: no pod is Pending, so there is no warning"),
}


def describe_link(link: LossLink) -> tuple[str, str]:
    """A link of the chain as a heading and a sentence."""
    match link:
        case ChangeCommand(command):
            return "change", command or "none: this is the current state"
        case TaintChange(node, taint, is_added):
            return "node", f"{node} {'gets' if is_added else 'loses'} the taint {taint}"
        case LabelChange(node, key, value):
            return "node", f"{node} loses the label {key}" if value is None else f"{node} gets the label {key}={value}"
        case DaemonSetChange(daemonset, is_deleted):
            return "DaemonSet", f"{daemonset} {'is deleted' if is_deleted else 'gets a new template: its pods are re-created'}"
        case LabelLoss(daemonset, reason):
            return "labels", f"{daemonset} {describe_reason(reason)}"
        case Selection(reason):
            return "selection", describe_reason(reason)
        case TolerationGap():
            return "toleration", _describe_gap(link)
        case TolerationLimit(toleration, taint):
            return "toleration", f"{_format_toleration(toleration)} tolerates {taint} for {toleration.tolerationSeconds} s only"
        case ControllerDecision(decision, node, reasons):
            return "controller", _DECISIONS[decision].format(node=node, reasons="; ".join(describe_reasons(reasons)))
        case PodOutcome():
            return "outcome", _describe_outcome(link)
        case BrokenComponent(daemonset, title, symptom):
            return "impact", f"{daemonset} is a {title}: {symptom}"
        case BrokenWorkload(workload, needs, can_run_elsewhere):
            where = {True: ", available on other nodes", False: " there", None: "; other nodes were not listed"}[can_run_elsewhere]
            return "impact", f"{workload.kind} {workload} needs {join_and(needs) if needs else 'it'}{where}"
        case KubectlEvidence():
            return _describe_command(link)


def _describe_gap(gap: TolerationGap) -> str:
    if gap.nearest is None or gap.miss is None:
        return f"no toleration of the template matches {gap.taint}: none has the key {gap.taint.key}"
    return f"{_format_toleration(gap.nearest)} comes closest to {gap.taint} but does not match: {describe_reason(gap.miss)}"


def _format_toleration(toleration: Toleration) -> str:
    fields = {"key": toleration.key, "operator": toleration.operator, "value": toleration.value, "effect": toleration.effect}
    parts = [f"{name}: {value}" for name, value in fields.items() if value]
    if toleration.tolerationSeconds is not None:
        parts.append(f"tolerationSeconds: {toleration.tolerationSeconds}")
    return "{" + ", ".join(parts) + "}"


def _describe_outcome(outcome: PodOutcome) -> str:
    producers = join_and(outcome.producers)
    event = f"the pods of {producers} are re-created" if producers else "an update, a deletion, an eviction or a new node re-creates it"
    return _FATES[outcome.fate].format(reasons="; ".join(describe_reasons(outcome.reasons)), event=event)


def _describe_command(command: KubectlEvidence) -> tuple[str, str]:
    namespace = f"-n {shlex.quote(command.daemonset.namespace)} " if command.daemonset.namespace else ""
    heading, text = _KUBECTL[command.view]
    return heading, text.format(space=namespace, name=shlex.quote(command.daemonset.name), node=shlex.quote(command.node))
