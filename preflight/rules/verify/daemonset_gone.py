"""A DaemonSet that was there before is gone, or there is a new one.

Why it matters
    With a DaemonSet its pods go from every node at once. Nobody replaces them, and nothing counts as missing any more: what is not wanted
    is not missed. A new DaemonSet is worth knowing only.
How to fix
    Where nobody meant to delete it, apply its manifest again. Who deleted it is in the audit log of the API server.
Example
    `preflight verify world.json.gz` after `helm upgrade` of a chart that no longer has a part.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.verify._text import then


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that is gone, and a note for each that is new."""
    since = context.since
    assert since is not None
    for each in since.daemonsets:
        if each.now is None and each.before is not None and since.knows_daemonsets:
            nodes = tuple(sorted(each.was))
            yield Hit(
                subject=subject_of(each.before),
                nodes=nodes,
                place=Place(each.before.origin),
                message=f"is gone, and with it its pods on {names(nodes)}" if nodes else "is gone; it had no pod",
                notes=then(each, since.before) if nodes else (),
            )
        elif each.before is None and each.now is not None:
            nodes = tuple(sorted(each.there))
            yield Hit(
                subject=subject_of(each.now),
                nodes=nodes,
                place=Place(each.now.origin),
                severity=Severity.NOTE,
                message=f"is new, with pods on {names(nodes)}" if nodes else "is new",
            )


RULE = Rule(id="PF405", name="daemonset-gone", severity=Severity.ERROR, check=check)
