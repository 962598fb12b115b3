"""A node is not Ready.

Why it matters
    It takes no pods, but its resources still count: dashboards that sum up Allocatable count its devices as free. The state of its pods is
    outdated; nothing else is reported about its DaemonSets. Where its kubelet reports that the network for pods is missing, the DaemonSet
    of the network is reported too: it is the cause, not a consequence.
How to fix
    If the pod network is missing, start with its DaemonSet. Else check the kubelet of the node, its disk and its network. If the node will
    not come back, delete it: its pods are then garbage-collected, and what they held becomes free.
Example
    A GPU node whose kubelet stopped two days ago, with eight devices that count as free.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.nodes import (
    describe_cordoned_nodes,
    describe_missing_network,
    describe_not_ready_nodes,
    describe_unusable_resources,
)
from preflight.messages.doctor.stuck_pods import describe_stuck_pods
from preflight.messages.kubectl_hints import make_describe_command, make_node_pods_command
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, locate_node_field, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for the nodes that give the same reason."""
    diagnosis = get_diagnosis(context)
    for not_ready in diagnosis.not_ready_nodes:
        first = not_ready.nodes[0]
        yield Hit(
            subject=Subject("Node", "", first),
            key=("Ready",),
            nodes=not_ready.nodes,
            location=locate_node_field(context, first, ("status", "conditions")),
            message=describe_not_ready_nodes(not_ready, diagnosis.index.latest_time),
            notes=(
                *(
                    ("note", describe_missing_network(network))
                    for network in diagnosis.missing_networks
                    if set(network.nodes) & set(not_ready.nodes)
                ),
                *((("impact", describe_unusable_resources(not_ready)),) if not_ready.free_resources else ()),
                *(
                    ("impact", describe_stuck_pods(stuck, diagnosis.index.latest_time))
                    for stuck in diagnosis.stuck_pods
                    if stuck.are_daemons and set(stuck.nodes) <= set(not_ready.nodes)
                ),
                *((("note", describe_cordoned_nodes(not_ready)),) if not_ready.cordoned_nodes else ()),
                *make_check_notes(make_describe_command("node", first), make_node_pods_command(first)),
            ),
        )


RULE = Rule(id="PF430", name="node-not-ready", severity=Severity.ERROR, check=check)
