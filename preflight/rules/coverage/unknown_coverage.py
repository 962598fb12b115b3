"""Whether a DaemonSet keeps a node cannot be known from what was given.

Why it matters
    A node that is named by a selector or by its name alone may have labels that the input does not state, and tolerations with Lt or Gt
    depend on a gate of the cluster. An update that stops, or a surge that leaves some old pods, reaches the nodes in random order: how many
    are lost is said then, which ones nobody can tell. An answer would be a guess, so there is none, and the exit code is 3.
How to fix
    Give the nodes: `kubectl get nodes -o json`, or all of `kubectl get nodes,ds,pods -A -o json`. For Lt and Gt, state
    `--feature-gates TaintTolerationComparisonOperators=true` or `=false`. For an update see what holds it up (PF105).
Example
    `preflight taint nodes -l pool=rdma dedicated=rdma:NoSchedule` with no node given, and a DaemonSet with a nodeSelector.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.coverage.reasons import why
from preflight.messages.lists import names
from preflight.model.report import Outcome, Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.merged_groups import Merged, merged, news

_LOSSES = frozenset((Outcome.LOST_NOW, Outcome.LOST_ON_RECREATION, Outcome.LOOP, Outcome.ALREADY_FRAGILE))


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and reason; in lint a note, since nothing is about to happen."""
    for each in merged(news(context, Outcome.UNKNOWN)):
        yield Hit(
            subject=each.subject,
            nodes=each.nodes,
            place=each.place,
            severity=Severity.NOTE if context.lint else None,
            message=f"{_what(each)} {names(each.nodes)}: {'; '.join(why(each.first))}",
            notes=each.notes,
            suggestion=each.suggestion,
        )


def _what(each: Merged) -> str:
    """The worst that it may be."""
    possible = {verdict.outcome for group in each.groups for _, verdict in group.possible}
    if possible & _LOSSES:
        return "may lose"
    return "may start on" if Outcome.GAINED in possible else "may be missing on"


RULE = Rule(id="PF109", name="unknown-coverage", severity=Severity.WARNING, needs_nodes=True, check=check)
