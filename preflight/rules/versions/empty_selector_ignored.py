"""A PodDisruptionBudget with an empty selector protects no pods in the cluster's version of Kubernetes.

Why it matters
    `selector: {}` selects all pods of the namespace, and the controller computes the status for them. But evictions ignore such a budget
    before Kubernetes 1.27.7, 1.28.3 and 1.29.0: a drain evicts all replicas at once.
How to fix
    Select on labels, or update the cluster. It is a note if only some of the versions that the cluster may have ignore the budget.
Example
    `selector: {}` with `maxUnavailable: 0`, in Kubernetes 1.26
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.versions import describe_ignored_selector
from preflight.model.releases import Behavior
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.scheduling.budgets import has_empty_selector


def check(context: Context) -> Iterator[Hit]:
    """One hit for each such budget; under a change that evicts pods for those of the namespaces of these."""
    budgets = [budget for budget in context.world.budgets if has_empty_selector(budget)]
    guards = context.world.versions.has(Behavior.EMPTY_SELECTOR_GUARDS) if budgets else True
    if guards:
        return
    namespaces: frozenset[str] | None = None
    if not context.is_lint:
        nodes = context.evictions.nodes if context.evictions is not None else ()
        namespaces = frozenset(pod.pod.partition("/")[0] for node in nodes for pod in node.pods)
    for budget in budgets:
        if namespaces is None or budget.metadata.namespace in namespaces:
            yield Hit(
                subject=make_subject_of(budget),
                key=("empty-selector",),
                severity=Severity.NOTE if guards is None else None,
                location=ManifestLocation(budget.origin, ("spec", "selector")),
                message=describe_ignored_selector(context.world.versions),
            )


RULE = Rule(id="PF241", name="empty-selector-ignored", severity=Severity.WARNING, check=check)
