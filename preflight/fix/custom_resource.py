"""A fix of a DaemonSet that a custom resource declares: the edit goes to the field of the resource."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from preflight.fix.edit_model import AddToleration, DropField, Operation, ReplaceToleration, SetFields
from preflight.fix.manifest import ManifestChange
from preflight.fix.plan import get_raw_tolerations
from preflight.fix.text_fields import TextChange, add_tolerations, format_tolerations, get_nested_value, set_nested_value
from preflight.fix.yaml_tree import CannotEdit
from preflight.messages import fix as messages
from preflight.model.apps import DaemonSet
from preflight.model.declaration import Declaration, FieldForm, FieldMode, FieldPath, OperatorResource, TolerationField


def check_resource_change(declaration: Declaration, operations: Sequence[Operation]) -> None:
    """Nothing where the field of the custom resource can be edited; CannotEdit, with what to set instead, where it cannot.

    1. The operator has no field for tolerations, or another object states the field.
    2. The field is text, and more is to be done than to add to it.
    """
    field = declaration.tolerations
    if not field.path:
        raise CannotEdit(messages.explain_no_resource_field(declaration))
    added = [operation.toleration for operation in operations if isinstance(operation, AddToleration)]
    if field.form is not FieldForm.LIST and len(added) < len(operations):
        raise CannotEdit(messages.explain_text_field(declaration, added))


def make_resource_change(daemonset: DaemonSet, declaration: Declaration, operations: Sequence[Operation]) -> ManifestChange | TextChange:
    """The change of the field of the custom resource that changes the tolerations of the DaemonSet.

    1. Of a field that is added to the operator's tolerations, only what is the resource's own can be changed.
    2. A field that replaces the operator's tolerations, and is not stated, gets them too: they would be lost otherwise.
    """
    field = declaration.tolerations
    own = [dict(toleration) for toleration in get_raw_tolerations(daemonset)]
    origin = daemonset.origin
    path = (*origin.path, *field.path)
    count = len(field.default)
    if field.form is not FieldForm.LIST:
        return _make_text_change(daemonset, field, operations)
    if not field.is_stated:
        if not all(isinstance(operation, AddToleration) for operation in operations):
            raise CannotEdit(messages.OPERATORS_OWN_TOLERATION)
        return ManifestChange(origin.document, path, (), (*list_carried_defaults(field), *operations))
    if field.mode is FieldMode.REPLACE:
        return ManifestChange(origin.document, path, own, tuple(operations))
    return ManifestChange(origin.document, path, own[count:], tuple(_shift(operation, count) for operation in operations))


def _make_text_change(daemonset: DaemonSet, field: TolerationField, operations: Sequence[Operation]) -> TextChange:
    origin = daemonset.origin
    if field.entry:
        value = add_tolerations(field.form, get_nested_value(field.text, field.entry), operations)
        after = set_nested_value(field.text, field.entry, value)
    else:
        after = add_tolerations(field.form, field.text, operations)
    return TextChange(origin.document, (*origin.path, *field.path), field.text, after)


def fix_resource(resource: OperatorResource, fixed: Iterable[DaemonSet]) -> OperatorResource:
    """A custom resource with the tolerations of the fixed DaemonSets that it declares."""
    data = copy.deepcopy(dict(resource.data))
    for daemonset in fixed:
        declaration, origin = daemonset.declaration, daemonset.origin
        if declaration is None or (origin.file, origin.document, origin.path) != _get_place(resource):
            continue
        field = declaration.tolerations
        own = [dict(toleration) for toleration in get_raw_tolerations(daemonset)]
        if field.mode is FieldMode.ADD:
            own = own[len(field.default) :]
        parent: Any = data
        for step in field.path[:-1]:
            parent = parent.setdefault(step, {})
        if field.form is FieldForm.LIST:
            parent[field.path[-1]] = own
        else:
            text = format_tolerations(field.form, own)
            parent[field.path[-1]] = set_nested_value(field.text, field.entry, text) if field.entry else text
    return replace(resource, data=data)


def _get_place(resource: OperatorResource) -> tuple[str, int, FieldPath]:
    return resource.origin.file, resource.origin.document, resource.origin.path


def list_carried_defaults(field: TolerationField) -> tuple[AddToleration, ...]:
    """The operator's tolerations that have to be written, too, so that they are not lost."""
    is_lost = field.mode is FieldMode.REPLACE and not field.is_stated
    return tuple(AddToleration(toleration) for toleration in field.default) if is_lost else ()


def _shift(operation: Operation, count: int) -> Operation:
    """The operation with its index counted from the first toleration of the resource's own."""
    if isinstance(operation, SetFields | DropField | ReplaceToleration):
        if operation.index < count:
            raise CannotEdit(messages.OPERATORS_OWN_TOLERATION)
        return replace(operation, index=operation.index - count)
    return operation


def carries_defaults(declaration: Declaration) -> bool:
    """Whether an edit has to write the operator's default tolerations, too."""
    return bool(list_carried_defaults(declaration.tolerations))
