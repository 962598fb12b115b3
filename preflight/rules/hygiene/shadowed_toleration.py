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
from preflight.rules.api import Context, Hit, Rule, subject_of
from preflight.rules.workload_fields import Item, tolerated_words, tolerations


def check(context: Context) -> Iterator[Hit]:
    """One hit for each toleration of NoExecute that says other seconds than an earlier one that matches all it matches."""
    for item in tolerations(context):
        earlier = item.overtaker
        if earlier is None or item.replaced or item.toleration.effect not in ("", "NoExecute"):
            continue
        own, first = item.toleration.tolerationSeconds, _seconds(earlier)
        if _time(own) != _time(first):
            yield Hit(
                subject=subject_of(item.workload),
                place=item.place,
                toleration=item.place,
                severity=Severity.NOTE if item.daemon else None,
                message=f"tolerates {tolerated_words(item.toleration)} {_time(own)} to no effect: "
                f"an earlier toleration of {tolerated_words(earlier.toleration)} counts, {_time(first)}",
                label="the first match counts",
                related=(("this one counts", earlier.place),),
            )


def _seconds(item: Item) -> int | None:
    return None if item.replaced else item.toleration.tolerationSeconds


def _time(seconds: int | None) -> str:
    return "for ever" if seconds is None else f"for {max(seconds, 0)} s"


RULE = Rule(id="PF210", name="shadowed-toleration", severity=Severity.WARNING, check=check, by_itself=True)
