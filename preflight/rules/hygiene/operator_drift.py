"""A DaemonSet has other tolerations than the custom resource from which an operator makes it.

Why it matters
    The operator sets the tolerations of the custom resource when it reconciles the DaemonSet the next time. A toleration that was
    added to the DaemonSet by hand is lost then; one that is only in the custom resource is not in effect yet, or the operator does
    not read the field.
How to fix
    Change the tolerations in the custom resource. If they are right there, look at the operator's log.
Example
    A `ClusterPolicy` without tolerations, and a device plugin that was patched to tolerate `dedicated`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.messages import operators as messages
from preflight.messages.tolerations import format_toleration
from preflight.model.core import Toleration
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that was read and is declared with other tolerations. Only in lint."""
    if not context.is_lint:
        return
    for key, declared in context.world.declared_daemonsets.items():
        made, declaration = context.world.daemonsets[key], declared.declaration
        if declaration is None or declaration.problems:
            continue
        wanted, found = _index(declared.spec.template.spec.tolerations), _index(made.spec.template.spec.tolerations)
        missing = [format_toleration(wanted[content]) for content in wanted.keys() - found.keys()]
        added = [format_toleration(found[content]) for content in found.keys() - wanted.keys()]
        if missing or added:
            yield Hit(
                subject=make_subject_of(made),
                key=(*sorted(missing), "", *sorted(added)),
                location=ManifestLocation(made.origin, ("spec", "template", "spec", "tolerations")),
                message=messages.describe_drift(declaration, sorted(missing), sorted(added)),
                notes=(("help", messages.explain_drift(declaration)),),
                related_locations=(
                    (messages.DECLARED_LABEL, ManifestLocation(declared.origin, ("spec", "template", "spec", "tolerations"))),
                ),
            )


def _index(tolerations: Iterable[Toleration]) -> dict[tuple[object, ...], Toleration]:
    """The tolerations by what they mean: no operator is Equal."""
    return {(item.key, item.operator or "Equal", item.value, item.effect, item.tolerationSeconds): item for item in tolerations}


RULE = Rule(id="PF222", name="operator-drift", severity=Severity.WARNING, check=check)
