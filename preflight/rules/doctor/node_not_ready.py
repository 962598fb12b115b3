"""A node is not Ready.

Why it matters
    It takes no pod, and what it has counts all the same: dashboards that sum up Allocatable count its devices as free. Its pods are as the
    cluster last knew them; of its DaemonSets nothing else is said here.
How to fix
    Look at the kubelet of the node, its disk and its network. A node that will not come back is better deleted: its pods are then
    collected, and what they held is free.
Example
    A GPU node whose kubelet stopped two days ago, with eight devices that count as free.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import make_describe_command, make_node_pods_command
from preflight.doctor.stranded_capacity import format_resources
from preflight.doctor.timestamps import format_since
from preflight.kubectl.formatting import join_names
from preflight.messages.lists import format_other_nodes
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts, locate_node_field, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for the nodes that give the same reason."""
    facts = get_cluster_facts(context)
    for nodes in facts.idle_not_ready:
        first, *others = nodes.nodes
        begun = format_since(nodes.since, facts.latest_time)
        yield Hit(
            subject=Subject("Node", "", first),
            nodes=nodes.nodes,
            location=locate_node_field(context, first, ("status", "conditions")),
            message=f"is not Ready{f' {begun}' if begun else ''}{format_other_nodes(others, 'is')}"
            + (f": {nodes.reason}" if nodes.reason else ""),
            notes=(
                *((("then", f"{format_resources(nodes.free_resources)} count as free and cannot be had"),) if nodes.free_resources else ()),
                *((("note", f"cordoned: {join_names(nodes.cordoned_nodes)}"),) if nodes.cordoned_nodes else ()),
                *make_check_notes(make_describe_command("node", first), make_node_pods_command(first)),
            ),
        )


RULE = Rule(id="PF430", name="node-not-ready", severity=Severity.ERROR, check=check)
