"""The chain of one loss: from the change to what people see, for one DaemonSet on one node."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator

from preflight.coverage.model import CoverageGroup, Impact
from preflight.coverage.outcome import PodAfter
from preflight.coverage.reasons import (
    describe_cascade,
    describe_loop,
    describe_near_miss,
    describe_uncertainty,
    describe_unselected,
    explain_outcome,
    find_first_evicting_taints,
)
from preflight.messages.lists import join_and
from preflight.model.objects import Toleration
from preflight.model.report import Outcome
from preflight.scheduling.tolerations import add_implicit_tolerations, find_near_miss, find_toleration

LossLink = tuple[str, str]


def explain_loss(impact: Impact, group: CoverageGroup, node: str, dependents: Iterable[LossLink] = ()) -> Iterator[LossLink]:
    """The links of the chain, each a heading and a sentence, in the order in which things happen.

    1. What the change does to the node or the DaemonSet; for each taint in the way the toleration that comes nearest, and why it is
       not enough; what the DaemonSet controller and taint eviction make of it; what then breaks.
    2. `dependents` are the links of what depends on the DaemonSet there (`dependents.explain`); they come after the outcome.
    3. The kubectl lines that show it, and those that look fine though they should not.
    """
    yield "change", impact.change.command or "none: this is what is there today"
    yield from _explain_difference(impact, group, node)
    yield from _explain_selection(group)
    yield from _explain_tolerations(group)
    yield "controller", _explain_decision(group, node)
    yield "outcome", _describe_outcome(group)
    for component in impact.component_cache.recognize(group.daemonset):
        yield "breaks", f"{group.key} is a {component.kind.title}: {component.kind.symptom}"
    yield from dependents
    yield from _iter_kubectl_lines(impact, group, node)


def _explain_difference(impact: Impact, group: CoverageGroup, name: str) -> Iterator[LossLink]:
    before, after = impact.change.before.nodes.get(name), impact.change.after.nodes.get(name)
    if before is not None and after is not None and before is not after:
        for taint in after.spec.taints:
            if taint not in before.spec.taints:
                yield "node", f"{name} gets the taint {taint}"
        for taint in before.spec.taints:
            if taint not in after.spec.taints:
                yield "node", f"{name} loses the taint {taint}"
        old, new = before.metadata.labels, after.metadata.labels
        gone = {label for fall in group.cascade_losses for label in fall.labels}
        for key in sorted({*old, *new}):
            if old.get(key) != new.get(key) and key not in gone:
                yield "node", f"{name} loses the label {key}" if key not in new else f"{name} gets the label {key}={new[key]}"
    if group.key in impact.change.updated_daemonsets:
        yield "DaemonSet", f"{group.key} gets a new template: its pods are re-created"
    if group.key in impact.change.deleted_daemonsets:
        yield "DaemonSet", f"{group.key} is deleted"
    for text in describe_cascade(group):
        yield "labels", f"{group.key} {text}"


def _explain_selection(group: CoverageGroup) -> Iterator[LossLink]:
    placement = group.placement_after or group.placement_before
    if placement is not None and not group.cascade_losses:
        for text in describe_unselected(placement):
            yield "selection", text


def _explain_tolerations(group: CoverageGroup) -> Iterator[LossLink]:
    placement = group.placement_after
    tolerations = add_implicit_tolerations(group.daemonset.spec.template.spec)
    for taint in placement.untolerated_taints if placement else ():
        miss = find_near_miss(tolerations, taint)
        if miss is None:
            yield "toleration", f"nothing in the template tolerates {taint}: no toleration speaks of {taint.key}"
        else:
            yield (
                "toleration",
                f"{_format_toleration(miss.toleration)} comes nearest to {taint}, and is not enough: it {describe_near_miss(miss, taint)}",
            )
    for taint in find_first_evicting_taints(group.daemonset.spec.template.spec, group):
        found, _ = find_toleration(tolerations, taint, None)
        if found is not None:
            yield "toleration", f"{_format_toleration(found)} tolerates {taint} for {found.tolerationSeconds} s only"


def _format_toleration(toleration: Toleration) -> str:
    fields = {"key": toleration.key, "operator": toleration.operator, "value": toleration.value, "effect": toleration.effect}
    parts = [f"{name}: {value}" for name, value in fields.items() if value]
    if toleration.tolerationSeconds is not None:
        parts.append(f"tolerationSeconds: {toleration.tolerationSeconds}")
    return "{" + ", ".join(parts) + "}"


def _explain_decision(group: CoverageGroup, node: str) -> str:
    placement = group.placement_after
    if placement is None:
        return "there is no DaemonSet any more that would create the pod again"
    if placement.should_run is None or placement.may_stay is None:
        return f"cannot be told: {'; '.join(explain_outcome(group))}"
    if group.cascade_losses and group.forecast.pod_after is PodAfter.SAME:
        return f"once the labels are gone, no pod may stay on {node}: the controller deletes it"
    if placement.should_run:
        return f"a pod should run on {node}, and may stay"
    if placement.may_stay:
        return f"no pod should run on {node}, but one that is there may stay: only NoSchedule taints are in the way"
    return f"no pod should run on {node}, and one that is there may not stay: the controller deletes it"


def _describe_outcome(group: CoverageGroup) -> str:
    outcome, pod = group.outcome, group.forecast.pod_after
    if outcome is Outcome.LOOP:
        return describe_loop(group)
    if outcome is Outcome.LOST_NOW:
        return "the pod goes now, and none is created"
    if outcome in (Outcome.LOST_ON_RECREATION, Outcome.ALREADY_FRAGILE):
        producers = join_and(dict.fromkeys(fall.producer for fall in group.cascade_losses))
        when = f"the pods of {producers} are re-created" if producers else "an update, a deletion, an eviction or a new node re-creates it"
        return f"the pod runs on, and is gone for good once {when}"
    if outcome is Outcome.KEPT and group.update_uncertainty is not None:
        return f"a pod stays there, the old one or a new one: {describe_uncertainty(group.update_uncertainty)}"
    words = {
        Outcome.KEPT: "a new pod takes the place of the old one"
        if pod is PodAfter.NEW
        else "the pod stays, and comes back when it is re-created",
        Outcome.GAINED: "a pod is created",
        Outcome.MISSING: "the pod is deleted and hangs in Terminating, and none is created beside it until the kubelet speaks again"
        if group.forecast.had_pod
        else "a pod should be there, and none is",
        Outcome.NEVER: "no pod is there, and none is created: a taint alone keeps it out",
        Outcome.EXCLUDED: "no pod is there, and none is meant to be",
    }
    return words.get(outcome, f"cannot be told: {'; '.join(explain_outcome(group))}")


def _never_completes(impact: Impact, group: CoverageGroup) -> bool:
    """Whether `rollout status` never ends: a wanted node keeps the old pod or has none that is available."""
    rollout = impact.rollouts.get(group.key)
    return rollout is not None and (rollout.worst_course.may_stop or bool(rollout.unavailable_nodes))


def _iter_kubectl_lines(impact: Impact, group: CoverageGroup, node: str) -> Iterator[LossLink]:
    """The kubectl lines; those that need a name of a pod or a namespace which nobody stated are left out."""
    if group.outcome in (Outcome.KEPT, Outcome.EXCLUDED, Outcome.GAINED):
        return
    name, where = shlex.quote(group.key.name), shlex.quote(node)
    space = f"-n {shlex.quote(group.key.namespace)} " if group.key.namespace else ""
    yield "shows it", f"kubectl {space}get pods -o wide --field-selector spec.nodeName={where}"
    if group.placement_after is not None and group.placement_after.untolerated_taints:
        yield "shows it", f"kubectl get node {where} -o jsonpath='{{.spec.taints}}'"
    if group.placement_after is not None and group.placement_after.is_selected is False:
        yield "shows it", f"kubectl get node {where} --show-labels"
    if any(component.kind.id == "device-plugin" for component in impact.component_cache.recognize(group.daemonset)):
        yield "shows it", f"kubectl get node {where} -o jsonpath='{{.status.allocatable}}'"
    if group.outcome is not Outcome.MISSING:
        yield (
            "looks fine",
            f"kubectl {space}get daemonset {name}: DESIRED counts only the nodes that tolerate and match, so READY equals it",
        )
        if group.daemonset.spec.updateStrategy.type != "OnDelete" and not _never_completes(impact, group):
            yield "looks fine", f"kubectl {space}rollout status daemonset/{name}: says that it was successfully rolled out"
        yield "looks fine", f"kubectl {space}get events: no pod is Pending, so there is nothing to warn of"
