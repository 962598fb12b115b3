"""What breaks where a DaemonSet is missing, in words: the messages of the rules on consequences and the line that other findings add."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from preflight.messages.lists import join_limited, join_node_names
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome, Subject

MAX_LISTED = 4
"""How many workloads a finding shows with what they need."""


class BrokenNodes(Struct, frozen=True):
    """Where, when and for whom a component of a DaemonSet is missing.

    1. `outcome` is what becomes of the DaemonSet's pods, after `seconds` where taint eviction waits; NEVER: a taint keeps it out.
    2. `names` are the resources, drivers or taints that it provides or removes; `workloads` depend on it.
    """

    nodes: tuple[str, ...]
    outcome: Outcome
    seconds: int
    names: tuple[str, ...]
    workloads: tuple[Subject, ...]

    @property
    def is_kept_out(self) -> bool:
        """Whether it was not there before."""
        return self.outcome is Outcome.NEVER


def join_workloads(workloads: Iterable[Subject]) -> str:
    """The workloads by kind and name: `Job research/train and Deployment web/shop`."""
    return join_limited((f"{workload.kind} {workload}" for workload in workloads), "workloads")


def describe_time(broken: BrokenNodes) -> str:
    """When it breaks, to end a sentence with."""
    if broken.outcome in (Outcome.LOST_ON_RECREATION, Outcome.ALREADY_FRAGILE):
        return "when its pods are re-created"
    return f"after {broken.seconds} s" if broken.seconds else "now"


def describe_need(workload: Subject, needs: Iterable[str]) -> str:
    """What a workload needs, beside the field that says so."""
    return f"{workload.kind} {workload} needs {join_limited(needs, 'of these')}"


RUNNING_PODS_KEEP_DEVICES = "pods that run keep their devices until they end"


def describe_alternative(workloads: Sequence[Subject], resources: Sequence[str]) -> str:
    """The note of PF110 on workloads that have other nodes."""
    return f"{join_workloads(workloads)} can run on other nodes with {join_limited(resources, 'resources')}"


def describe_unlisted_nodes(workloads: Sequence[Subject], resources: Sequence[str]) -> str:
    """The note of PF110 on workloads that may have other nodes."""
    what = join_limited(resources, "resources")
    return f"unknown: whether {join_workloads(workloads)} can run on other nodes with {what} (only the nodes of the change were listed)"


def describe_lost_resources(
    broken: BrokenNodes, waiting: Sequence[Subject], *, is_certain: bool, is_known: bool, producer: ObjectKey | None, labels: Sequence[str]
) -> str:
    """PF110: `waiting` are the workloads that can run nowhere else for all that is known, and for certain where `is_certain`.

    `producer` sets the labels that the device plugin waits for.
    """
    resources, nodes = join_limited(broken.names, "resources"), join_node_names(broken.nodes)
    workloads, then = join_workloads(waiting or broken.workloads), "" if broken.is_kept_out else " then"
    if not waiting:
        effect = f"{workloads} can{then} only run elsewhere"
    elif is_certain:
        effect = f"{workloads}{then} {'stays' if len(waiting) == 1 else 'stay'} Pending"
    else:
        effect = f"{workloads} may{then} stay Pending"
    if broken.is_kept_out:
        there = f"{'is' if len(broken.names) == 1 else 'are'} not there" if is_known else "may not be there"
        if producer:
            label = join_limited(labels, "labels")
            cause = f"waits on {nodes} for the label {label}, which {producer} sets, and a taint keeps that out"
            return f"{cause}; {resources} {there}: {effect}"
        return f"is kept out of {nodes}, so {resources} {there}: {effect}"
    if not is_known:
        return f"takes its resources off {nodes} {describe_time(broken)}, perhaps {resources}: {effect}"
    return f"takes {resources} off {nodes} {describe_time(broken)}: {effect}"


def describe_hanging_volumes(broken: BrokenNodes) -> str:
    """PF111, of a CSI driver."""
    drivers, workloads, nodes = join_limited(broken.names, "drivers"), join_workloads(broken.workloads), join_node_names(broken.nodes)
    if broken.is_kept_out:
        return f"is kept out of {nodes}, so mounts of {drivers} hang there: {workloads} can be placed there"
    use = f"{'uses' if len(broken.workloads) == 1 else 'use'} {'it' if len(broken.names) == 1 else 'them'} there"
    return f"leaves mounts and unmounts of {drivers} hanging on {nodes} {describe_time(broken)}: {workloads} {use}"


def describe_missing_secrets(broken: BrokenNodes) -> str:
    """PF111, of a provider of secrets."""
    nodes, mount = join_node_names(broken.nodes), "mounts" if len(broken.workloads) == 1 else "mount"
    effect = f"{join_workloads(broken.workloads)} {mount} secrets there, which fails where they are this provider's"
    if broken.is_kept_out:
        return f"is kept out of {nodes}: {effect}"
    return f"takes its provider of secrets off {nodes} {describe_time(broken)}: {effect}"


def describe_missing_network(broken: BrokenNodes) -> str:
    """PF112."""
    nodes, placed = join_node_names(broken.nodes), _describe_placed(broken)
    if broken.is_kept_out:
        return f"is kept out of {nodes}, so new pods get no network there: {placed}"
    return f"leaves new pods on {nodes} without a network {describe_time(broken)}: {placed}"


def describe_missing_service_addresses(broken: BrokenNodes) -> str:
    """PF113."""
    nodes, placed = join_node_names(broken.nodes), _describe_placed(broken)
    if broken.is_kept_out:
        return f"is kept out of {nodes}, so there are no Service addresses there: {placed}"
    return f"leaves Service addresses on {nodes} behind their endpoints {describe_time(broken)}: {placed}"


def describe_missing_dns(broken: BrokenNodes) -> str:
    """PF114."""
    nodes, placed = join_node_names(broken.nodes), _describe_placed(broken)
    if broken.is_kept_out:
        return f"is kept out of {nodes}, so pods that ask the DNS of the node get no answer there: {placed}"
    return f"leaves pods on {nodes} without the DNS of their node {describe_time(broken)}: {placed}"


def _describe_placed(broken: BrokenNodes) -> str:
    return f"{join_workloads(broken.workloads)} can be placed there"


def describe_stuck_taint(broken: BrokenNodes, stuck_nodes: Sequence[str]) -> str:
    """PF115: `stuck_nodes` keep the startup taint."""
    keep = f"{join_node_names(stuck_nodes)} {'keeps' if len(stuck_nodes) == 1 else 'keep'} it"
    removes = f"is what removes the startup taint {join_limited(broken.names, 'taints')}"
    if broken.is_kept_out:
        return f"{removes}, and is kept out of {join_node_names(broken.nodes)}: {keep}"
    return f"{removes}, and goes {describe_time(broken)}: {keep}"


def describe_impact(broken: BrokenNodes, kind: str, symptom: str, *, finding_nodes: Sequence[str], others: Sequence[str]) -> str:
    """What breaks on the nodes of a finding about coverage.

    `broken` is the loss of the worst component, of this kind and with this symptom; `others` are the titles of what else the DaemonSet is.
    """
    affected = set(broken.nodes).intersection(finding_nodes)
    if affected < set(finding_nodes):
        place = f"on {join_node_names(sorted(affected))}"
    else:
        place = "on this node" if len(finding_nodes) == 1 else "on these nodes"
    away = "missing" if broken.is_kept_out else "gone"
    also = f"; also {away}: {join_limited(others, 'things')}" if others else ""
    return _describe_effect(broken, kind, symptom, place) + also


def _describe_effect(broken: BrokenNodes, kind: str, symptom: str, place: str) -> str:
    """What breaks, in one sentence."""
    names, number = broken.names, len(broken.workloads)
    one, is_there = len(names) == 1, not broken.is_kept_out
    workloads = "1 workload" if number == 1 else f"{number} workloads"
    if kind == "device-plugin" and names:
        asked = f"; {workloads} {'asks' if number == 1 else 'ask'} for {'it' if one else 'them'}" if number else ""
        leave = (
            ("leaves Allocatable" if one else "leave Allocatable") if is_there else ("is not Allocatable" if one else "are not Allocatable")
        )
        return f"{join_limited(names, 'resources')} {leave} {place}{asked}"
    if kind == "device-plugin":
        return f"its extended resources {'leave' if is_there else 'are not'} Allocatable {place}; which ones is not known"
    if kind == "csi-node-driver":
        used = f"; {workloads} {'uses' if number == 1 else 'use'} {'it' if one else 'them'}" if number else ""
        return f"mounts {'and unmounts ' if is_there else ''}of {join_limited(names, 'drivers') or 'its volumes'} hang {place}{used}"
    if kind == "startup-taint-remover" and names:
        return f"new nodes keep {join_limited(names, 'taints')} and never become usable"
    return symptom
