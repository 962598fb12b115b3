"""An upgrade of Kubernetes changes what the cluster does with an object.

Why it matters
    Nothing in the manifest changes, but the controllers and the scheduler do other things with it: an update stops that went on before,
    a budget begins to block drains, pods with one host port no longer fit on one node. It is a note if the version of today may do so
    already.
How to fix
    Check the next update, drain or scale-up after the upgrade. `docs/kubernetes-versions.md` has what changed since when.
Example
    `selector: {}` of a PodDisruptionBudget, upgraded from 1.26 to 1.29
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.upgrade import describe_changed_behavior
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each object and behavior."""
    for changed in context.upgrade.behaviors if context.upgrade is not None else ():
        yield Hit(
            subject=make_subject_of(changed.owner),
            key=(changed.behavior.value,),
            severity=None if changed.is_certain else Severity.NOTE,
            location=ManifestLocation(changed.owner.origin, ("spec",)),
            message=describe_changed_behavior(changed.behavior, is_certain=changed.is_certain),
        )


RULE = Rule(id="PF242", name="changed-behavior", severity=Severity.WARNING, check=check)
