"""What breaks where a DaemonSet is missing: the messages of the rules on consequences and the `impact` line of other findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from preflight.messages.lists import join_limited, join_node_names
from preflight.model.meta import ObjectKey
from preflight.model.report import Outcome, Subject

MAX_LISTED = 4
"""How many workloads a finding shows with what they need."""


class BrokenNodes(Struct, frozen=True):
    """Where and when a component of a DaemonSet is missing, and which workloads depend on it.

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
        """Whether it was missing before the change too."""
        return self.outcome is Outcome.NEVER


def join_workloads(workloads: Iterable[Subject]) -> str:
    """The workloads by kind and name: `Job research/train and Deployment web/shop`."""
    return join_limited((f"{workload.kind} {workload}" for workload in workloads), "workloads")


def describe_time(broken: BrokenNodes) -> str:
    """When it breaks, as the end of a clause."""
    if broken.outcome in (Outcome.LOST_ON_RECREATION, Outcome.ALREADY_FRAGILE):
        return "when its pods are re-created"
    return f"after {broken.seconds} s" if broken.seconds else "now"


def describe_need(workload: Subject, needs: Iterable[str]) -> str:
    """What a workload needs, next to the field that says so."""
    return f"{workload.kind} {workload} needs {join_limited(needs, 'of these')}"


RUNNING_PODS_KEEP_DEVICES = "running pods keep their devices until they end"


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
        effect = f"{workloads} can{then} run only on other nodes"
    elif is_certain:
        effect = f"{workloads}{then} {'stays' if len(waiting) == 1 else 'stay'} Pending"
    else:
        effect = f"{workloads} may{then} stay Pending"
    if broken.is_kept_out:
        missing = f"{'is' if len(broken.names) == 1 else 'are'} missing there" if is_known else "may be missing there"
        if producer:
            label = join_limited(labels, "labels")
            cause = f"waits on {nodes} for the label {label} of {producer}, which a taint keeps off"
            return f"{cause}; {resources} {missing}: {effect}"
        return f"does not run on {nodes}, so {resources} {missing}: {effect}"
    if not is_known:
        return f"removes its resources (possibly {resources}) from {nodes} {describe_time(broken)}: {effect}"
    return f"removes {resources} from {nodes} {describe_time(broken)}: {effect}"


def describe_hanging_volumes(broken: BrokenNodes) -> str:
    """PF111, of a CSI driver."""
    drivers, workloads, nodes = join_limited(broken.names, "drivers"), join_workloads(broken.workloads), join_node_names(broken.nodes)
    if broken.is_kept_out:
        return f"does not run on {nodes}, so mounts of {drivers} hang there: {workloads} can be scheduled there"
    return f"makes mounts and unmounts of {drivers} hang on {nodes} {describe_time(broken)}: affects {workloads}"


def describe_missing_secrets(broken: BrokenNodes) -> str:
    """PF111, of a provider of secrets."""
    nodes, mount = join_node_names(broken.nodes), "mounts" if len(broken.workloads) == 1 else "mount"
    effect = f"{join_workloads(broken.workloads)} {mount} secrets there, which fails if they come from this provider"
    if broken.is_kept_out:
        return f"does not run on {nodes}: {effect}"
    return f"removes its secrets provider from {nodes} {describe_time(broken)}: {effect}"


def describe_missing_network(broken: BrokenNodes) -> str:
    """PF112."""
    nodes, placed = join_node_names(broken.nodes), _describe_placed(broken)
    if broken.is_kept_out:
        return f"does not run on {nodes}, so new pods get no network there: {placed}"
    return f"leaves new pods on {nodes} without a network {describe_time(broken)}: {placed}"


def describe_possible_network(broken: BrokenNodes, others: Sequence[ObjectKey]) -> str:
    """PF112, of a plugin that may be the network of every pod: `others` may be it instead."""
    nodes, placed = join_node_names(broken.nodes), _describe_placed(broken)
    doubt = _describe_network_doubt(others)
    if broken.is_kept_out:
        return f"does not run on {nodes}, so new pods may get no network there ({doubt}): {placed}"
    return f"may leave new pods on {nodes} without a network {describe_time(broken)} ({doubt}): {placed}"


def describe_doubtful_network(others: Sequence[ObjectKey]) -> str:
    """The `impact` line of the same."""
    return f"new pods may get no network there: {_describe_network_doubt(others)}"


def _describe_network_doubt(others: Sequence[ObjectKey]) -> str:
    if others:
        stays = "stays" if len(others) == 1 else "stay"
        return f"unknown: whether it is the network of every pod, because {join_limited(map(str, others), 'networks')} {stays}"
    return "unknown: whether it is the network of every pod, because it writes no network configuration"


def describe_missing_service_addresses(broken: BrokenNodes) -> str:
    """PF113."""
    nodes, placed = join_node_names(broken.nodes), _describe_placed(broken)
    if broken.is_kept_out:
        return f"does not run on {nodes}, so Service addresses do not work there: {placed}"
    return f"stops updating Service addresses on {nodes} {describe_time(broken)}: {placed}"


def describe_missing_dns(broken: BrokenNodes) -> str:
    """PF114."""
    nodes, placed = join_node_names(broken.nodes), _describe_placed(broken)
    if broken.is_kept_out:
        return f"does not run on {nodes}, so pods that query the node-local DNS get no answer there: {placed}"
    return f"leaves pods on {nodes} without node-local DNS {describe_time(broken)}: {placed}"


def describe_missing_cluster_dns(broken: BrokenNodes) -> str:
    """PF114, of a DNS behind a Service of which no replica is left."""
    workloads = join_workloads(broken.workloads)
    if broken.is_kept_out:
        return f"runs nowhere, so the cluster DNS has no replica: affects {workloads}"
    return f"leaves the cluster DNS without a replica {describe_time(broken)}: affects {workloads}"


def _describe_placed(broken: BrokenNodes) -> str:
    return f"{join_workloads(broken.workloads)} can be scheduled there"


def describe_stuck_taint(broken: BrokenNodes, stuck_nodes: Sequence[str]) -> str:
    """PF115: `stuck_nodes` keep the startup taint."""
    keep = f"{join_node_names(stuck_nodes)} {'keeps' if len(stuck_nodes) == 1 else 'keep'} the taint"
    removes = f"removes the startup taint {join_limited(broken.names, 'taints')}"
    if broken.is_kept_out:
        return f"{removes}, but does not run on {join_node_names(broken.nodes)}: {keep}"
    return f"{removes}, but is lost {describe_time(broken)}: {keep}"


def describe_impact(broken: BrokenNodes, kind: str, symptom: str, *, finding_nodes: Sequence[str], others: Sequence[str]) -> str:
    """What breaks on the nodes of a finding about coverage.

    `broken` is the loss of the worst component, of this kind and with this symptom; `others` are the titles of what else the DaemonSet is.
    """
    affected = set(broken.nodes).intersection(finding_nodes)
    if affected < set(finding_nodes):
        place = join_node_names(sorted(affected))
    else:
        place = "this node" if len(finding_nodes) == 1 else "these nodes"
    also = f"; also {'missing' if broken.is_kept_out else 'lost'}: {join_limited(others, 'components')}" if others else ""
    return _describe_effect(broken, kind, symptom, place, is_one_node=len(affected) == 1) + also


def _describe_effect(broken: BrokenNodes, kind: str, symptom: str, place: str, *, is_one_node: bool) -> str:
    """What breaks, in one sentence."""
    names, number = broken.names, len(broken.workloads)
    one, is_there = len(names) == 1, not broken.is_kept_out
    workloads = "1 workload" if number == 1 else f"{number} workloads"
    offering = ("stops offering" if is_one_node else "stop offering") if is_there else ("does not offer" if is_one_node else "do not offer")
    if kind == "device-plugin" and names:
        requested = f"; {workloads} {'requests' if number == 1 else 'request'} {'it' if one else 'them'}" if number else ""
        return f"{place} {offering} {join_limited(names, 'resources')}{requested}"
    if kind == "device-plugin":
        return f"{place} {offering} its extended resources; unknown which ones"
    if kind == "csi-node-driver":
        used = f"; {workloads} {'uses' if number == 1 else 'use'} {'it' if one else 'them'}" if number else ""
        return f"mounts {'and unmounts ' if is_there else ''}of {join_limited(names, 'drivers') or 'its volumes'} hang on {place}{used}"
    if kind == "startup-taint-remover" and names:
        return f"new nodes keep {join_limited(names, 'taints')} and never become usable"
    return symptom
