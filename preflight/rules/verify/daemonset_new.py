"""A DaemonSet is new since the snapshot.

Why it matters
    Nothing was lost. A change added the DaemonSet, or it was created in the meantime.
How to fix
    Nothing, if the DaemonSet was expected.
Example
    `preflight verify world.json.gz` after `helm upgrade` of a chart that contains a new component.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.verify import describe_daemonset_new
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that is new."""
    since = context.comparison
    assert since is not None
    for daemonset in since.daemonsets:
        if daemonset.daemonset_before is None and daemonset.daemonset_now is not None:
            nodes = tuple(sorted(daemonset.nodes_now))
            yield Hit(
                subject=make_subject_of(daemonset.daemonset_now),
                nodes=nodes,
                location=ManifestLocation(daemonset.daemonset_now.origin),
                message=describe_daemonset_new(nodes),
            )


RULE = Rule(id="PF407", name="daemonset-new", severity=Severity.NOTE, check=check)
