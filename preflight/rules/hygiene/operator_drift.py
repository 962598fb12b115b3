"""A DaemonSet differs from the custom resource from which an operator makes it.

Why it matters
    The operator sets what the custom resource states when it reconciles the DaemonSet the next time. A toleration that was added to
    the DaemonSet by hand is lost then, and so is a node selector, an affinity, a priority class or an update strategy; what is only in
    the custom resource is not in effect yet, or the operator does not read the field.
How to fix
    Change the custom resource. If it is right, look at the operator's log.
Example
    A `ClusterPolicy` without tolerations, and a device plugin that was patched to tolerate `dedicated`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from preflight.messages import operators as messages
from preflight.messages.tolerations import format_toleration
from preflight.model.apps import DaemonSet
from preflight.model.core import POD_TEMPLATE_SPEC, NodeSelectorTerm, PodSpec, Toleration
from preflight.model.declaration import Declaration
from preflight.model.report import Severity
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.workload_fields import get_required_terms

_DEFAULT_STRATEGY = "RollingUpdate"


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet that was read and each field that is declared otherwise. Only in lint.

    1. Tolerations: all of them count, those of the operator too, but for those that only some of its versions set.
    2. Other fields: what the custom resource states has to be in the DaemonSet; an operator adds to it.
    """
    if not context.is_lint:
        return
    for key, declared in context.world.declared_daemonsets.items():
        made, declaration = context.world.daemonsets[key], declared.declaration
        if declaration is None or any(setting.problem for setting in declaration.ignored):
            continue
        yield from _compare_tolerations(made, declared, declaration)
        for field, path, difference in _list_differences(made, declared, declaration):
            yield _make_hit(made, declared, declaration, path, (field,), messages.describe_field_drift(declaration, difference))


def _compare_tolerations(made: DaemonSet, declared: DaemonSet, declaration: Declaration) -> Iterator[Hit]:
    wanted, found = _index(declared.spec.template.spec.tolerations), _index(made.spec.template.spec.tolerations)
    missing = [format_toleration(toleration) for content, toleration in wanted.items() if content not in found and not toleration.since]
    added = [format_toleration(found[content]) for content in found.keys() - wanted.keys()]
    if missing or added:
        message = messages.describe_drift(declaration, sorted(missing), sorted(added))
        key = (*sorted(missing), "", *sorted(added))
        yield _make_hit(made, declared, declaration, (*POD_TEMPLATE_SPEC, "tolerations"), key, message)


def _list_differences(made: DaemonSet, declared: DaemonSet, declaration: Declaration) -> Iterator[tuple[str, FieldPath, str]]:
    """The fields of a DaemonSet that are not as the custom resource states them: name, path, and the difference."""
    wanted, found, stated = declared.spec.template.spec, made.spec.template.spec, declaration.stated
    selector = stated.get("nodeSelector")
    for label in selector if isinstance(selector, dict) else ():
        if label in wanted.nodeSelector and found.nodeSelector.get(label) != wanted.nodeSelector[label]:
            difference = messages.describe_missing_label(label, wanted.nodeSelector[label])
            yield f"nodeSelector {label}", (*POD_TEMPLATE_SPEC, "nodeSelector"), difference
    if "affinity" in stated and _list_terms(wanted) != _list_terms(found):
        yield "affinity", (*POD_TEMPLATE_SPEC, "affinity"), messages.OTHER_AFFINITY
    if stated.get("priorityClassName") and found.priorityClassName != wanted.priorityClassName:
        difference = messages.describe_other_value("priorityClassName", found.priorityClassName, wanted.priorityClassName)
        yield "priorityClassName", (*POD_TEMPLATE_SPEC, "priorityClassName"), difference
    if "updateStrategy" in stated:
        own, other = declared.spec.updateStrategy, made.spec.updateStrategy
        pairs = [("updateStrategy.type", other.type or _DEFAULT_STRATEGY, own.type)]
        if (own.type or _DEFAULT_STRATEGY) == (other.type or _DEFAULT_STRATEGY) == _DEFAULT_STRATEGY:
            now, then = other.rollingUpdate, own.rollingUpdate
            pairs.append(("updateStrategy.rollingUpdate.maxUnavailable", _format(now.maxUnavailable, "1"), _format(then.maxUnavailable)))
            pairs.append(("updateStrategy.rollingUpdate.maxSurge", _format(now.maxSurge, "0"), _format(then.maxSurge)))
        for field, actual, expected in pairs:
            if expected and actual != expected:
                yield field, ("spec", *field.split(".")), messages.describe_other_value(field, actual, expected)


def _format(value: int | str | None, default: str = "") -> str:
    return default if value is None else str(value)


def _list_terms(spec: PodSpec) -> list[NodeSelectorTerm]:
    """The terms of the required node affinity, without the requirements that preflight adds to them."""
    return [
        NodeSelectorTerm(tuple(item for item in term.matchExpressions if not item.is_presumed), term.matchFields)
        for term in get_required_terms(spec)
    ]


def _make_hit(made: DaemonSet, declared: DaemonSet, declaration: Declaration, path: FieldPath, key: tuple[str, ...], message: str) -> Hit:
    return Hit(
        subject=make_subject_of(made),
        key=key,
        location=ManifestLocation(made.origin, path),
        message=message,
        notes=(("help", messages.explain_drift(declaration)),),
        related_locations=((messages.DECLARED_LABEL, ManifestLocation(declared.origin, path)),),
    )


def _index(tolerations: Iterable[Toleration]) -> dict[tuple[object, ...], Toleration]:
    """The tolerations by what they mean: no operator is Equal."""
    return {(item.key, item.operator or "Equal", item.value, item.effect, item.tolerationSeconds): item for item in tolerations}


RULE = Rule(id="PF222", name="operator-drift", severity=Severity.WARNING, check=check)
