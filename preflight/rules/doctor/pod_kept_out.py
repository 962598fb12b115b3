"""Only a taint keeps a DaemonSet off a node that needs it now.

Why it matters
    This is the late effect of a taint that was set days ago: the pods are missing, nothing is Pending, and DESIRED counts only the
    remaining nodes. Reported only with evidence that the DaemonSet belongs there: its own selector, a pod that still runs on a node with
    the same taint, a toleration that nearly fits, pods that wait for what it provides, or that every pod on a node needs it.
How to fix
    Add a toleration for exactly this taint (`operator: Equal`), or remove the taint from the node. If an operator or a chart generates the
    DaemonSet, set it there: an edit of the DaemonSet is reverted. If it selects these nodes among others on which it runs, it may be
    excluded on purpose.
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
        lasting = [taint for taint in gap.taints if not is_controller_owned(taint)] or list(gap.taints)
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
