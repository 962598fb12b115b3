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
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import begun, facts_of, gaps, hit, listing, own


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason: an error where workloads break without it, else a warning."""
    facts = facts_of(context)
    for gap in gaps(context, GapKind.WAITING, GapKind.NOT_READY):
        verb = "does not start" if gap.kind is GapKind.WAITING else "is not Ready"
        yield hit(
            gap,
            Severity.WARNING,
            f"has a pod on {names(gap.nodes)} that {verb}{begun(context, gap)}{f': {gap.why}' if gap.why else ''}",
            *(("note", text) for text in (*facts.said_of(gap), *facts.update_of(gap.daemonset))),
            commands=(own(gap)[1], listing(gap)),
        )


RULE = Rule(id="PF414", name="pod-not-starting", severity=Severity.ERROR, check=check)
