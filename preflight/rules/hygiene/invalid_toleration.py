"""The API server refuses a toleration.

Why it matters
    The API server refuses the whole object, but only when it is applied: no pod gets the intended toleration.
How to fix
    Follow the message: quote values that must be strings, set `operator: Exists` if there is no key, set `effect: NoExecute` if there are
    `tolerationSeconds`, and spell operators and effects as Kubernetes does.
Example
    `{key: dedicated, operator: exists}`, `{key: dedicated, value: true}`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.messages import hygiene as messages
from preflight.model.meta import Refusal
from preflight.model.report import Severity
from preflight.model.workloads import TolerationOwner, locate_pod_spec
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.identity import format_field_key, make_toleration_key, number_repeats
from preflight.scheduling.tolerations import tolerates
from preflight.scheduling.validation import validate_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each wrong toleration, with every reason; under a change only for tolerations that speak of a changed taint."""
    return number_repeats(_iter_hits(context))


def _iter_hits(context: Context) -> Iterator[Hit]:
    for workload in (*context.workloads, *context.custom_resources):
        spec, path = locate_pod_spec(workload)
        base: FieldPath = (*path, "tolerations")
        read = [refusal for refusal in workload.refusals if refusal.path[: len(base)] == base]
        wrong: dict[int | str | None, list[Refusal]] = {}
        for refusal in (*read, *validate_tolerations(spec.tolerations, base, context.world.comparison_operators)):
            number = refusal.path[len(base)] if len(refusal.path) > len(base) else None
            wrong.setdefault(number, []).append(refusal)
        for number, refusals in wrong.items():
            if context.is_lint or number is None or _matches_changed_taint(context, workload, number):
                yield _make_hit(workload, refusals, len(base))


def _matches_changed_taint(context: Context, workload: TolerationOwner, number: int | str) -> bool:
    own = locate_pod_spec(workload)[0].tolerations
    if not isinstance(number, int) or number >= len(own):
        return True
    toleration = own[number]
    return any(not toleration.key or toleration.key == taint.key or tolerates(toleration, taint, None) for taint in context.taints)


def _make_hit(workload: TolerationOwner, refusals: Sequence[Refusal], depth: int) -> Hit:
    """Points at the field where one alone is wrong, else at the toleration."""
    paths = {refusal.path for refusal in refusals}
    toleration = refusals[0].path[: depth + 1]
    tolerations, index = locate_pod_spec(workload)[0].tolerations, toleration[-1]
    known = make_toleration_key(tolerations, index) if isinstance(index, int) and index < len(tolerations) else ()
    return Hit(
        subject=make_subject_of(workload),
        key=(*known, *sorted({format_field_key(refusal.path[depth:]) for refusal in refusals})),
        location=ManifestLocation(workload.origin, paths.pop() if len(paths) == 1 else toleration),
        toleration_location=ManifestLocation(workload.origin, toleration),
        message=messages.describe_refused_toleration(refusal.reason for refusal in refusals),
    )


RULE = Rule(id="PF205", name="invalid-toleration", severity=Severity.ERROR, check=check, is_per_object=True, forbids_fix=True)
