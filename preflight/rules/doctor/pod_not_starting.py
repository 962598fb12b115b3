"""The pod of a DaemonSet is on its node and does not come up: it waits for an image, a mount or its kubelet, or is not Ready.

Why it matters
    The pod is there, so it counts as current, and what it provides does not work on the node.
How to fix
    For an image: its name, the registry, the pull secret. For ContainerCreating: `kubectl describe pod` shows the mount or the network that
    fails. Where the kubelet has not begun at all, look at the kubelet of the node.
Example
    A driver DaemonSet with a tag that nobody pushed: ImagePullBackOff on the nodes that the update has reached.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.lists import join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import (
    format_gap_start,
    get_cluster_facts,
    iter_gaps,
    make_gap_commands,
    make_gap_hit,
    make_list_command,
)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason: an error where workloads break without it, else a warning."""
    facts = get_cluster_facts(context)
    for gap in iter_gaps(context, GapKind.WAITING, GapKind.NOT_READY):
        verb = "does not start" if gap.kind is GapKind.WAITING else "is not Ready"
        yield make_gap_hit(
            gap,
            Severity.WARNING,
            (
                f"has a pod on {join_node_names(gap.nodes)} that "
                f"{verb}{format_gap_start(context, gap)}{f': {gap.reason}' if gap.reason else ''}"
            ),
            *(("note", text) for text in (*facts.list_event_texts(gap), *facts.describe_update(gap.daemonset))),
            commands=(make_gap_commands(gap)[1], make_list_command(gap)),
        )


RULE = Rule(id="PF414", name="pod-not-starting", severity=Severity.ERROR, check=check)
