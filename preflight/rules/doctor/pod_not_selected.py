"""Only its nodeSelector or node affinity keeps a DaemonSet off a node that needs it now.

Why it matters
    The DaemonSet looks healthy: DESIRED counts only the nodes that it selects, and may be 0. What it provides is missing all the same:
    pods wait for its resource, its volumes or its labels, or the node has no network and is not Ready. Reported only with such evidence,
    and only where no other DaemonSet provides the same. A label that was moved to an annotation of the node, as scripts do before a
    maintenance, is evidence too.
How to fix
    Set the label that the DaemonSet selects on, with the component that sets it if there is one, or correct the selector. If an operator
    or a chart generates the DaemonSet, set it there: an edit of the DaemonSet is reverted.
Example
    A device plugin with the nodeSelector `gpu: "on"`, nodes with GPUs and without this label, and pods that wait for `nvidia.com/gpu`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.doctor.gaps import describe_sign_note, describe_unselected_pod
from preflight.messages.kubectl_hints import make_describe_command
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import iter_gaps, make_daemonset_command, make_gap_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason: an error where workloads break without it, else a warning."""
    for gap, key in iter_gaps(context, GapKind.NOT_SELECTED):
        yield make_gap_hit(
            gap,
            key,
            Severity.WARNING,
            describe_unselected_pod(gap),
            *(("note", describe_sign_note(sign)) for sign in gap.signs),
            path=(*POD_TEMPLATE_SPEC, "nodeSelector"),
            commands=(make_daemonset_command(gap), *(make_describe_command("node", name) for name in gap.nodes[:1])),
        )


RULE = Rule(id="PF448", name="pod-not-selected", severity=Severity.ERROR, check=check)
