"""A DaemonSet of the snapshot no longer exists.

Why it matters
    A deleted DaemonSet loses its pods on every node at once. No controller replaces them, and no counter reports them as missing:
    nothing wants these pods any more.
How to fix
    If the deletion was not intended, apply its manifest again. The audit log of the API server shows who deleted it.
Example
    `preflight verify world.json.gz` after `helm upgrade` of a chart that no longer contains a component.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.verify import describe_daemonset_gone
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.verify._text import make_impact_note


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that no longer exists."""
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
