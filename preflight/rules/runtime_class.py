"""A RuntimeClass may add a node selector and tolerations to the pods of a DaemonSet, which its placement does not see.

Why it matters
    The DaemonSet controller chooses nodes by the template alone. What `scheduling` of the RuntimeClass adds comes after it, at the creation
    of each pod: its tolerations bring the DaemonSet to no tainted node, and on a node that its nodeSelector does not match the pod stays
    Pending for ever, and is counted in desired and current.
How to fix
    Repeat nodeSelector and tolerations of the RuntimeClass in the template.
Example
    `runtimeClassName: nvidia`, of a RuntimeClass with `scheduling: {nodeSelector: {gpu: "true"}}`, in a DaemonSet without that selector.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules._framework import Context, Hit, Place, Rule, subject_of
from preflight.rules._hygiene import daemonsets


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet with a RuntimeClass. Only in lint."""
    for daemonset in daemonsets(context):
        name = daemonset.spec.template.spec.runtimeClassName
        if name:
            yield Hit(
                subject=subject_of(daemonset),
                place=Place(daemonset.origin, ("spec", "template", "spec", "runtimeClassName")),
                message=f"is placed without the nodeSelector and tolerations that RuntimeClass {name} may add to its pods",
            )


RULE = Rule(id="PF219", name="runtime-class", severity=Severity.NOTE, check=check)
