"""Patches of the custom resource, or the ConfigMap, from which an operator makes a DaemonSet: as kubectl lines or for kustomize."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from preflight.fix.custom_resource import make_resource_change
from preflight.fix.edit_model import Operation, apply_operations
from preflight.fix.kubectl_patch import check_name, make_json_patch
from preflight.fix.text_fields import TextChange
from preflight.model.apps import DaemonSet
from preflight.model.declaration import Declaration, FieldPath
from preflight.operators.resource import CustomKind


class ResourcePatch(Struct, frozen=True):
    """A patch of a resource: a JSON patch, which tests what it changes, or a merge patch for a text or for a field that is not stated."""

    kind: str
    body: Any


def make_resource_patch(daemonset: DaemonSet, declaration: Declaration, operations: Sequence[Operation]) -> ResourcePatch:
    """The patch that changes the tolerations of a declared DaemonSet. Raises CannotEdit where none can."""
    check_name(declaration.name)
    if declaration.namespace:
        check_name(declaration.namespace)
    field = declaration.tolerations
    change = make_resource_change(daemonset, declaration, operations)
    if isinstance(change, TextChange):
        return ResourcePatch("merge", _nest(field.path, change.after))
    if not field.is_stated:
        return ResourcePatch("merge", _nest(field.path, apply_operations((), change.operations)))
    path = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in field.path)
    return ResourcePatch("json", make_json_patch(list(change.tolerations) or None, change.operations, path))


def _nest(path: FieldPath, value: Any) -> Any:
    for step in reversed(path):
        value = {step: value}
    return value


def format_kubectl_patch(daemonset: DaemonSet, declaration: Declaration, operations: Sequence[Operation]) -> str:
    """The patch as one line for a shell."""
    patch = make_resource_patch(daemonset, declaration, operations)
    resource = CustomKind(declaration.kind, declaration.group).resource if declaration.group else declaration.kind.lower()
    place = f" -n {declaration.namespace}" if declaration.namespace else ""
    body = json.dumps(patch.body, separators=(",", ":"))
    return f"kubectl patch {resource} {declaration.name}{place} --type={patch.kind} -p {shlex.quote(body)}"


def format_kustomize_lines(daemonset: DaemonSet, declaration: Declaration, operations: Sequence[Operation]) -> list[str]:
    """The patch as an entry of `patches` of a kustomization."""
    patch = make_resource_patch(daemonset, declaration, operations)
    group, _, version = declaration.api_version.rpartition("/")
    target = {"group": group, "version": version, "kind": declaration.kind, "name": declaration.name.replace(".", r"\.")}
    lines = ["  - target:", *(f"      {name}: {json.dumps(text)}" for name, text in target.items() if text), "    patch: |-"]
    if patch.kind == "json":
        return [*lines, *(f"      - {json.dumps(operation)}" for operation in patch.body)]
    metadata = {"name": declaration.name}
    whole = {"apiVersion": declaration.api_version, "kind": declaration.kind, "metadata": metadata, **patch.body}
    return [*lines, f"      {json.dumps(whole)}"]
