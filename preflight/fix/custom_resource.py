"""A fix of a DaemonSet that a custom resource declares: the edit goes to the field of the resource."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from preflight.fix.edit_model import AddToleration, DropField, Operation, ReplaceToleration, SetFields
from preflight.fix.manifest import ManifestChange
from preflight.fix.plan import get_raw_tolerations
from preflight.fix.yaml_tree import CannotEdit
from preflight.messages import fix as messages
from preflight.model.apps import DaemonSet
from preflight.model.declaration import Declaration, FieldForm, FieldMode, TolerationField


def check_resource_change(declaration: Declaration, operations: Sequence[Operation], *, makes_patches: bool) -> None:
    """Nothing where the field of the custom resource can be edited; CannotEdit, with what to set instead, where it cannot.

    1. The operator has no field for tolerations, or another object states the field.
    2. The field is text (Longhorn, Rook).
    3. A patch of the DaemonSet: the operator reverts it.
    """
    field = declaration.tolerations
    if not field.path:
        raise CannotEdit(messages.explain_no_resource_field(declaration))
    if field.form is not FieldForm.LIST:
        added = [operation.toleration for operation in operations if isinstance(operation, AddToleration)]
        raise CannotEdit(messages.explain_text_field(declaration, added))
    if makes_patches:
        raise CannotEdit(messages.explain_reverted_patch(declaration))


def make_resource_change(daemonset: DaemonSet, field: TolerationField, operations: Sequence[Operation]) -> ManifestChange:
    """The change of the field of the custom resource that changes the tolerations of the DaemonSet.

    1. Of a field that is added to the operator's tolerations, only what is the resource's own can be changed.
    2. A field that replaces the operator's tolerations, and is not stated, gets them too: they would be lost otherwise.
    """
    own = [dict(toleration) for toleration in get_raw_tolerations(daemonset)]
    origin = daemonset.origin
    path = (*origin.path, *field.path)
    count = len(field.default)
    if not field.is_stated:
        if not all(isinstance(operation, AddToleration) for operation in operations):
            raise CannotEdit(messages.OPERATORS_OWN_TOLERATION)
        carried = tuple(AddToleration(toleration) for toleration in field.default) if field.mode is FieldMode.REPLACE else ()
        return ManifestChange(origin.document, path, (), (*carried, *operations))
    if field.mode is FieldMode.REPLACE:
        return ManifestChange(origin.document, path, own, tuple(operations))
    return ManifestChange(origin.document, path, own[count:], tuple(_shift(operation, count) for operation in operations))


def _shift(operation: Operation, count: int) -> Operation:
    """The operation with its index counted from the first toleration of the resource's own."""
    if isinstance(operation, SetFields | DropField | ReplaceToleration):
        if operation.index < count:
            raise CannotEdit(messages.OPERATORS_OWN_TOLERATION)
        return replace(operation, index=operation.index - count)
    return operation


def carries_defaults(declaration: Declaration) -> bool:
    """Whether an edit has to write the operator's default tolerations, too."""
    field = declaration.tolerations
    return field.mode is FieldMode.REPLACE and not field.is_stated and bool(field.default)
