"""The `tolerationSeconds` of a toleration have no effect, because an earlier toleration matches first.

Why it matters
    For each NoExecute taint the first matching toleration in the list decides how long the pod stays. The seconds of a later toleration
    have no effect: a pod that should leave after 300 s stays without a time limit, or leaves at once. In a DaemonSet it is a note, because
    a DaemonSet must not set `tolerationSeconds` anyway.
How to fix
    Put the toleration that should apply first, and the wildcard last.
Example
    `[{operator: Exists}, {key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.core import Toleration
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule, make_subject_of
from preflight.rules.identity import format_toleration_key
from preflight.rules.workload_fields import iter_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration of NoExecute that says other seconds than an earlier one that matches all it matches."""
    for item in iter_tolerations(context):
        earlier = item.shadowing_toleration
        if earlier is None or item.is_replaced or item.toleration.effect not in ("", "NoExecute"):
            continue
        own, first = _get_seconds(item.toleration), None if earlier.is_replaced else _get_seconds(earlier.toleration)
        if own != first:
            yield Hit(
                subject=make_subject_of(item.workload),
                key=(*item.key, format_toleration_key(earlier.toleration)),
                location=item.location,
                toleration_location=item.location,
                severity=Severity.NOTE if item.is_daemon else None,
                message=messages.describe_shadowed_toleration(item.toleration, own, earlier.toleration, first),
                label=messages.FIRST_MATCH_LABEL,
                related_locations=((messages.COUNTING_TOLERATION_LABEL, earlier.location),),
            )


def _get_seconds(toleration: Toleration) -> int | None:
    """The seconds that count: less than 0 is 0."""
    return None if toleration.tolerationSeconds is None else max(toleration.tolerationSeconds, 0)


RULE = Rule(id="PF210", name="shadowed-toleration", severity=Severity.WARNING, check=check, is_per_object=True)
