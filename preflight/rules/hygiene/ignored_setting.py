"""An operator ignores tolerations or a node selection that its settings state: it cannot read the text, or never reads the field.

Why it matters
    The operator uses its default, often no toleration, and at most writes a line into its log: the DaemonSet does not run where the
    setting says. A field that nothing reads is a warning.
How to fix
    Write the text as the operator reads it: Longhorn separates tolerations by semicolons, Rook reads a list in YAML. Remove a field that
    nothing reads; the message names the field that counts.
Example
    Longhorn: `taint-toleration: "a=b:NoSchedule,c=d:NoSchedule"`
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from preflight.messages import operators as messages
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet and field. Only in lint."""
    if not context.is_lint:
        return
    for daemonset in (*context.world.daemonsets.values(), *context.world.declared_daemonsets.values()):
        declaration = daemonset.declaration
        if declaration is None:
            continue
        resource = replace(daemonset.origin, declares="", fields=())
        for setting in declaration.ignored:
            yield Hit(
                subject=make_subject_of(daemonset),
                key=(setting.name,),
                location=ManifestLocation(resource, setting.path),
                severity=Severity.WARNING if setting.reason else None,
                message=messages.describe_ignored_setting(setting, declaration.operator),
                notes=() if setting.reason else (("help", messages.IGNORED_HELP),),
            )


RULE = Rule(id="PF223", name="ignored-setting", severity=Severity.ERROR, check=check)
