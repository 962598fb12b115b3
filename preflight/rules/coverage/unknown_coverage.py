"""The input does not show whether a DaemonSet keeps a node.

Why it matters
    A node that is given only by a selector or by its name may have labels that are not in the input. Tolerations with Lt or Gt depend on a
    feature gate of the cluster. An update that stops, or a surge that leaves some old pods, reaches the nodes in random order: the finding
    says how many nodes are lost, but which ones is unknown. preflight does not guess, and exits with code 3.
How to fix
    Add the nodes: `kubectl get nodes -o json`, or everything: `kubectl get nodes,ds,pods -A -o json`. For Lt and Gt, set `--feature-gates
    TaintTolerationComparisonOperators=true` or `=false`. For an update, see what blocks it (PF105).
Example
    `preflight taint nodes -l pool=rdma dedicated=rdma:NoSchedule` with no node in the input, and a DaemonSet with a nodeSelector.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from preflight.coverage.reasons import list_outcome_reasons, list_unknowns
from preflight.messages.coverage import describe_unknown_coverage
from preflight.model.reasons import PossibleLoss
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, FixKind, Hit, Rule
from preflight.rules.merged_groups import MergedGroups, iter_new_groups, merge_groups
from preflight.rules.reason_keys import make_reason_key

_LOSS_OUTCOMES = frozenset((Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP, Outcome.ALREADY_FRAGILE))


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; in lint a note, since nothing is about to happen."""
    for group in merge_groups(iter_new_groups(context, Outcome.UNKNOWN)):
        yield Hit(
            subject=group.subject,
            nodes=group.nodes,
            location=group.location,
            severity=Severity.NOTE if context.is_lint else None,
            message=describe_unknown_coverage(group.nodes, _find_worst(group), list_outcome_reasons(group.first_group)),
            notes=group.notes,
            suggestion=group.suggestion,
            key=(*group.key, *make_reason_key(reason for part in group.groups for reason in list_unknowns(part))),
            effect=replace(group.effect, reasons=list_outcome_reasons(group.first_group)),
        )


def _find_worst(merged_groups: MergedGroups) -> PossibleLoss:
    """The worst that it may be."""
    outcomes = {possible.forecast.outcome for group in merged_groups.groups for possible in group.possible_forecasts}
    if outcomes & _LOSS_OUTCOMES:
        return PossibleLoss.LOST
    return PossibleLoss.GAINED if Outcome.GAINED in outcomes else PossibleLoss.MISSING


RULE = Rule(id="PF109", name="unknown-coverage", severity=Severity.WARNING, needs_nodes=True, check=check, fix=FixKind.COVERAGE)
