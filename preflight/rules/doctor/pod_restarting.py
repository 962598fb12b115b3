"""The pod of a DaemonSet ends again and again: it crashes, fails, or is evicted for a taint and created anew.

Why it matters
    Between two starts the pod counts as there, and the pauses grow to five minutes. An eviction loop restarts the pod for ever, with every
    restart of a CSI driver or device plugin felt by the pods on the node.
How to fix
    `kubectl logs --previous` shows the end of a crash; OOMKilled asks for memory. For an eviction loop, tolerate the NoExecute taint
    without seconds, or leave the node out.
Example
    An agent in CrashLoopBackOff since its ConfigMap was changed.
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
    for gap in iter_gaps(context, GapKind.CRASHING, GapKind.LOOP):
        if gap.kind is GapKind.LOOP:
            yield make_gap_hit(
                gap, Severity.WARNING, f"does not stay on {join_node_names(gap.nodes)}: {gap.reason}", commands=make_gap_commands(gap)
            )
            continue
        yield make_gap_hit(
            gap,
            Severity.WARNING,
            f"has a pod on {join_node_names(gap.nodes)} that does not stay up{format_gap_start(context, gap)}: {gap.reason or 'it failed'}",
            *(("note", text) for text in facts.describe_update(gap.daemonset)),
            commands=(make_gap_commands(gap)[1], make_list_command(gap)),
        )


RULE = Rule(id="PF415", name="pod-restarting", severity=Severity.ERROR, check=check)
