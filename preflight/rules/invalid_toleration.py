"""The API server refuses a toleration.

Why it matters
    The object is refused as a whole, when it is applied and not before: no pod tolerates what was meant.
How to fix
    As the reason says: quote what has to be a string, give `operator: Exists` where there is no key, `effect: NoExecute` where there are
    seconds, and spell operators and effects as Kubernetes does.
Example
    `{key: dedicated, operator: exists}`, `{key: dedicated, value: true}`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.objects import Refusal, Workload, pod_spec
from preflight.model.report import Severity
from preflight.rules._framework import Context, Hit, Path, Place, Rule, subject_of
from preflight.scheduling.tolerations import tolerates
from preflight.scheduling.validation import toleration_refusals


def check(context: Context) -> Iterator[Hit]:
    """One hit for each wrong field; under a change only in tolerations that speak of a changed taint."""
    for workload in context.workloads:
        spec, path = pod_spec(workload)
        base: Path = (*path, "tolerations")
        read = [refusal for refusal in workload.refusals if refusal.path[: len(base)] == base]
        for refusal in (*read, *toleration_refusals(spec.tolerations, base, context.world.comparison_operators)):
            number = refusal.path[len(base)] if len(refusal.path) > len(base) else None
            if context.lint or number is None or _speaks(context, workload, number):
                yield _hit(workload, refusal, len(base))


def _speaks(context: Context, workload: Workload, number: int | str) -> bool:
    own = pod_spec(workload)[0].tolerations
    if not isinstance(number, int) or number >= len(own):
        return True
    toleration = own[number]
    return any(not toleration.key or toleration.key == taint.key or tolerates(toleration, taint, None) for taint in context.taints)


def _hit(workload: Workload, refusal: Refusal, depth: int) -> Hit:
    return Hit(
        subject=subject_of(workload),
        place=Place(workload.origin, refusal.path),
        toleration=Place(workload.origin, refusal.path[: depth + 1]),
        message=f"has a toleration that the API server refuses: {refusal.reason}",
    )


RULE = Rule(id="PF205", name="invalid-toleration", severity=Severity.ERROR, check=check)
