"""The words about DaemonSets that custom resources declare."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.lists import join_limited
from preflight.model.declaration import Declaration, IgnoredSetting


def describe_resource(declaration: Declaration) -> str:
    """The object that declares a DaemonSet."""
    return f"{declaration.kind} {declaration.name}"


def describe_drift(declaration: Declaration, missing: Sequence[str], added: Sequence[str]) -> str:
    """That a DaemonSet does not have the tolerations that its custom resource declares."""
    parts = [f"lacks {join_limited(missing)}"] if missing else []
    parts += [f"has {join_limited(added)} in addition"] if added else []
    return f"differs from its declaration in {describe_resource(declaration)}: it {' and '.join(parts)}"


def describe_field_drift(declaration: Declaration, difference: str) -> str:
    """That another field of a DaemonSet is not as its custom resource declares it."""
    return f"differs from its declaration in {describe_resource(declaration)}: {difference}"


def describe_missing_label(label: str, value: str) -> str:
    """A label that a node selector does not require."""
    return f"its nodeSelector lacks {label}={value}"


OTHER_AFFINITY = "its required node affinity is another one"


def describe_other_value(field: str, actual: str, expected: str) -> str:
    """A field with another value than the declared one."""
    return f"{field} is {actual or 'not set'}, not {expected}"


def explain_drift(declaration: Declaration) -> str:
    """What to do about it."""
    return (
        f"{declaration.operator} sets what the custom resource states again: change it there, or look at the operator's log if it does not "
        f"(its own defaults are those of {declaration.versions})"
    )


def describe_ignored_setting(setting: IgnoredSetting, operator: str) -> str:
    """That a field of a custom resource has no effect."""
    if setting.reason:
        return f"does not get its {setting.name}: {setting.reason}"
    return f"does not get its {setting.name}: {operator} cannot read the text ({setting.problem})"


NOT_TOLERATIONS = "the text is not a list of tolerations"
IGNORED_HELP = "correct the text; until then the operator's default applies"
DECLARED_LABEL = "declared here"
