"""What stands behind what nodes lack for a pod: the DaemonSet that provides a resource, a label that drifted, pods that only hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from preflight.dependents.requirements import is_extended
from preflight.doctor.gap_text import because
from preflight.messages.lists import names
from preflight.model.report import Subject

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.doctor.coverage_gaps import Gap
    from preflight.doctor.pending.unschedulable import Account
    from preflight.model.runtime_state import StatedPod


def behind(facts: Diagnosis, account: Account) -> Iterator[tuple[str, Gap]]:
    """For each extended resource that is short: who provides it, and the nodes where that one is missing, with why."""
    for resource in account.short:
        if not is_extended(resource):
            continue
        for gap in facts.gaps:
            if gap.nodes and any(each.advertises(resource) for each in facts.recognised.of(gap.daemonset)):
                verb = "lacks" if len(gap.nodes) == 1 else "lack"
                yield f"{resource} comes from {gap.daemonset.key}, which {names(gap.nodes)} {verb}: {because(gap)}", gap


def causes(facts: Diagnosis, pod: StatedPod, account: Account) -> Iterator[tuple[str, Subject]]:
    """All that stands behind it, each with what a finding on it is about.

    1. Who provides a resource that is short, and is missing.
    2. Nodes that lack a label which the pod asks for and which their peers carry.
    3. Pods that hold a resource that is short, and of which nothing runs.
    """
    for text, gap in behind(facts, account):
        yield text, Subject("DaemonSet", gap.daemonset.metadata.namespace, gap.daemonset.metadata.name)
    asked = _asked(pod)
    for drift in facts.drifts:
        if drift.label in asked:
            verb = "lacks" if len(drift.nodes) == 1 else "lack"
            text = f"{names(drift.nodes)} {verb} the label {drift.label}, which {len(drift.peers)} peers carry"
            yield text, Subject("Node", "", drift.nodes[0])
    for held in facts.ghosts:
        if held.resource in account.short:
            text = f"{held.amount} {held.resource} on {names(held.nodes)} are held by pods of which nothing runs"
            yield text, Subject("Resource", "", held.resource)


def _asked(pod: StatedPod) -> frozenset[str]:
    """The labels of nodes that a pod asks for."""
    affinity = pod.spec.affinity.nodeAffinity if pod.spec.affinity else None
    required = affinity.requiredDuringSchedulingIgnoredDuringExecution if affinity else None
    keys = [each.key for term in required.nodeSelectorTerms for each in term.matchExpressions] if required else []
    return frozenset((*pod.spec.nodeSelector, *keys))
