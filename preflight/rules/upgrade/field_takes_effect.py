"""An upgrade of Kubernetes makes a field of a manifest take effect that the cluster drops today.

Why it matters
    The field is in the manifest and does nothing. After the upgrade, the next apply sends it to a server that keeps it: another
    controller manages the Job, unhealthy pods may be evicted, a pod requests other amounts.
How to fix
    Decide whether the field is wanted. Remove it, or apply the manifest after the upgrade and check the result.
Example
    `managedBy: acme.io/queue` of a Job, upgraded from 1.30 to 1.34
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.upgrade import describe_kept_field
from preflight.model.report import Severity
from preflight.model.version_fields import FieldFate
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each object and field."""
    upgrade = context.upgrade
    if upgrade is None or upgrade.after.server is None:
        return
    for kept in upgrade.fields:
        yield Hit(
            subject=make_subject_of(kept.owner),
            key=(kept.field.gate, ".".join(map(str, kept.field.path))),
            severity=Severity.NOTE if kept.field.fate is FieldFate.MAYBE else None,
            location=ManifestLocation(kept.owner.origin, kept.field.path),
            message=describe_kept_field(kept.field, upgrade.after.server),
        )


RULE = Rule(id="PF243", name="field-takes-effect", severity=Severity.WARNING, check=check)
