"""The seconds of a toleration never count, for an earlier one matches first.

Why it matters
    For each NoExecute taint the first toleration that matches it, in the order of the list, says how long the pod stays. What a later one
    says of seconds has no effect: a pod that was to leave after 300 s stays for ever, or leaves at once. A DaemonSet must not have
    seconds anyway, so there it is a note.
How to fix
    Put the toleration that is to count first, and the wildcard last.
Example
    `[{operator: Exists}, {key: maintenance, operator: Exists, effect: NoExecute, tolerationSeconds: 300}]`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule, make_subject_of
from preflight.rules.identity import format_toleration_key
from preflight.rules.workload_fields import WorkloadToleration, format_tolerated, iter_tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration of NoExecute that says other seconds than an earlier one that matches all it matches."""
    for item in iter_tolerations(context):
        earlier = item.shadowing_toleration
        if earlier is None or item.is_replaced or item.toleration.effect not in ("", "NoExecute"):
            continue
        own, first = item.toleration.tolerationSeconds, _get_seconds(earlier)
        if _format_seconds(own) != _format_seconds(first):
            yield Hit(
                subject=make_subject_of(item.workload),
                key=(*item.key, format_toleration_key(earlier.toleration)),
                location=item.location,
                toleration_location=item.location,
                severity=Severity.NOTE if item.is_daemon else None,
                message=f"tolerates {format_tolerated(item.toleration)} {_format_seconds(own)} to no effect: "
                f"an earlier toleration of {format_tolerated(earlier.toleration)} counts, {_format_seconds(first)}",
                label="the first match counts",
                related_locations=(("this one counts", earlier.location),),
            )


def _get_seconds(item: WorkloadToleration) -> int | None:
    return None if item.is_replaced else item.toleration.tolerationSeconds


def _format_seconds(seconds: int | None) -> str:
    return "for ever" if seconds is None else f"for {max(seconds, 0)} s"


RULE = Rule(id="PF210", name="shadowed-toleration", severity=Severity.WARNING, check=check, is_per_object=True)
