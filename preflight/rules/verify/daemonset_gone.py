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

from preflight.messages.verify import describe_daemonset_gone, describe_daemonset_new
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.verify._text import make_impact_note


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that is gone, and a note for each that is new."""
    since = context.comparison
    assert since is not None
    for daemonset in since.daemonsets:
        if daemonset.daemonset_now is None and daemonset.daemonset_before is not None and since.knows_daemonsets:
            nodes = tuple(sorted(daemonset.nodes_before))
            yield Hit(
                subject=make_subject_of(daemonset.daemonset_before),
                nodes=nodes,
                location=ManifestLocation(daemonset.daemonset_before.origin),
                message=describe_daemonset_gone(nodes),
                key=("gone",),
                notes=make_impact_note(daemonset, since.world_before) if nodes else (),
            )
        elif daemonset.daemonset_before is None and daemonset.daemonset_now is not None:
            nodes = tuple(sorted(daemonset.nodes_now))
            yield Hit(
                subject=make_subject_of(daemonset.daemonset_now),
                nodes=nodes,
                location=ManifestLocation(daemonset.daemonset_now.origin),
                severity=Severity.NOTE,
                message=describe_daemonset_new(nodes),
                key=("new",),
            )


RULE = Rule(id="PF405", name="daemonset-gone", severity=Severity.ERROR, check=check)
