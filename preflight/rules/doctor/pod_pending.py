"""The pod of a DaemonSet is Pending: the scheduler does not bind it to its node.

Why it matters
    The DaemonSet counts as desired and current there, and nothing of it runs. The scheduler's message speaks of all nodes; only one of them
    is meant, the one in the pod's affinity. What the node itself lacks is worked out here and said beside the scheduler's words.
How to fix
    Make room on this one node: pods of lower priority, or a priority class for the DaemonSet. Where the scheduler counts fewer nodes than
    there are, or its words do not hold for this node, the scheduler is at fault: restart it, and look at its version.
Example
    A log agent that asks for 2 CPUs, on a node that has one left.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import begun, facts_of, gaps, hit, listing, own


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and message: an error where workloads break without it, else a warning."""
    facts = facts_of(context)
    for gap in gaps(context, GapKind.PENDING):
        if all(each.pod.key in facts.pending.explained for each in gap.pending):
            continue  # another rule says what holds them
        where = f" for {names(gap.nodes)}" if gap.nodes else ""
        said = f": {gap.why}" if gap.why else ": no scheduler has looked at it"
        yield hit(
            gap,
            Severity.WARNING,
            f"has a pod that is Pending{where}{begun(context, gap)}{said}",
            *(("note", text) for text in facts.on_its_node(gap)),
            commands=(own(gap)[1], listing(gap)),
        )


RULE = Rule(id="PF412", name="pod-pending", severity=Severity.ERROR, check=check)
