"""An operator cannot read the tolerations or the node selection that a setting states as text, and ignores the text.

Why it matters
    The operator uses its default, often no toleration, and only writes a line into its log: the DaemonSet does not run where the
    setting says.
How to fix
    Write the text as the operator reads it: Longhorn separates tolerations by semicolons, Rook reads a list in YAML.
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
    """One hit for each DaemonSet and text. Only in lint."""
    if not context.is_lint:
        return
    for daemonset in (*context.world.daemonsets.values(), *context.world.declared_daemonsets.values()):
        declaration = daemonset.declaration
        if declaration is None:
            continue
        resource = replace(daemonset.origin, declares="", fields=())
        for path, problem in declaration.problems:
            field = ".".join(map(str, path))
            yield Hit(
                subject=make_subject_of(daemonset),
                key=(field,),
                location=ManifestLocation(resource, path),
                message=messages.describe_ignored_field(field, declaration.operator, problem),
                notes=(("help", messages.IGNORED_HELP),),
            )


RULE = Rule(id="PF223", name="ignored-setting", severity=Severity.ERROR, check=check)
