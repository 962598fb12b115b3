"""A DaemonSet that was there before is gone.

Why it matters
    With a DaemonSet its pods go from every node at once. Nobody replaces them, and nothing counts as missing any more: what is not wanted
    is not missed.
How to fix
    Where nobody meant to delete it, apply its manifest again. Who deleted it is in the audit log of the API server.
Example
    `preflight verify world.json.gz` after `helm upgrade` of a chart that no longer has a part.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.verify import describe_daemonset_gone
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.verify._text import make_impact_note


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that is gone."""
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
                notes=make_impact_note(daemonset, since.world_before) if nodes else (),
            )


RULE = Rule(id="PF405", name="daemonset-gone", severity=Severity.ERROR, check=check)
