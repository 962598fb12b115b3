"""A taint alone keeps a DaemonSet from a node where it is missed today.

Why it matters
    This is where a taint that was set days ago ends: the pods are gone, nothing is Pending, DESIRED counts only the nodes that are left.
    It is said only where something shows that the DaemonSet belongs there: its own selector, a pod of it that still runs beside the same
    taint, pods that wait for what it provides, or that every pod on a node needs it.
How to fix
    Tolerate exactly the taint (`operator: Equal`), or take the taint off the node. Where an operator or a chart makes the DaemonSet, set it
    there: an edit of the DaemonSet is put back. Where it selects these nodes among others that it runs on, it may be left out on purpose.
Example
    `dedicated=rdma:NoSchedule` on the RDMA nodes since the last maintenance, and a device plugin that does not tolerate it.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.change.node_lifecycle import is_controller_owned
from preflight.doctor.coverage_gaps import GapKind
from preflight.messages.doctor.gaps import describe_kept_out_pod, describe_sign_note, label_untolerated_taints
from preflight.messages.kubectl_hints import make_describe_command
from preflight.model.core import POD_TEMPLATE_SPEC
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import iter_gaps, make_daemonset_command, make_gap_hit
from preflight.rules.merged_groups import suggest_exact_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason: an error where workloads break without it, else a warning; one less where that is doubtful."""
    for gap, key in iter_gaps(context, GapKind.KEPT_OUT):
        lasting = [taint for taint in gap.taints if not is_controller_owned(taint)]
        yield make_gap_hit(
            gap,
            key,
            Severity.NOTE if gap.is_doubtful and not gap.is_critical else Severity.WARNING,
            describe_kept_out_pod(gap),
            *(("note", describe_sign_note(sign)) for sign in gap.signs),
            path=(*POD_TEMPLATE_SPEC, "tolerations"),
            label=label_untolerated_taints(gap),
            commands=(make_describe_command("node", gap.nodes[0]), make_daemonset_command(gap)),
            fix=suggest_exact_tolerations(lasting) if lasting else None,
        )


RULE = Rule(id="PF411", name="pod-kept-out", severity=Severity.ERROR, check=check)
