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
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import begun, facts_of, gaps, hit, listing, own


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason: an error where workloads break without it, else a warning."""
    facts = facts_of(context)
    for gap in gaps(context, GapKind.CRASHING, GapKind.LOOP):
        if gap.kind is GapKind.LOOP:
            yield hit(gap, Severity.WARNING, f"does not stay on {names(gap.nodes)}: {gap.why}", commands=own(gap))
            continue
        yield hit(
            gap,
            Severity.WARNING,
            f"has a pod on {names(gap.nodes)} that does not stay up{begun(context, gap)}: {gap.why or 'it failed'}",
            *(("note", text) for text in facts.update_of(gap.daemonset)),
            commands=(own(gap)[1], listing(gap)),
        )


RULE = Rule(id="PF415", name="pod-restarting", severity=Severity.ERROR, check=check)
