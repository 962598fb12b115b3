"""JSON patches that append to tolerations, as kubectl lines or for kustomize; never a merge patch, which would replace them.

Source: semantics 4.8; `staging/src/k8s.io/apiserver/pkg/endpoints/handlers/patch.go` and gopkg.in/evanphx/json-patch.v4, for which a `test`
for null holds where the field is absent.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from preflight.fix.edit_model import AddToleration, DropField, Operation, ReplaceToleration, SetFields
from preflight.fix.plan import get_written_tolerations
from preflight.fix.yaml_tree import CannotEdit
from preflight.messages import fix as messages
from preflight.model.apps import DaemonSet

TOLERATIONS_PATH = "/spec/template/spec/tolerations"
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def get_stored_tolerations(daemonset: DaemonSet) -> list[dict[str, Any]]:
    """The tolerations as the API server stores them: no null, no empty text."""
    stored: list[dict[str, Any]] = msgspec.to_builtins(daemonset.spec.template.spec.tolerations)
    return stored


def make_json_patch(
    current: Sequence[Mapping[str, Any]] | None, changes: Sequence[Operation], path: str = TOLERATIONS_PATH
) -> list[dict[str, Any]]:
    """A JSON patch: first a `test` that the tolerations are what they were when the fix was made, then the changes.

    1. `current` None means that there is no list: the test is for null, and the list is added whole.
    2. What is added goes to the end (`/-`); other changes name the toleration by its place, which the test makes safe.
    """
    test: dict[str, Any] = {"op": "test", "path": path, "value": None if current is None else list(current)}
    added: list[Any] = []
    changed: list[dict[str, Any]] = []
    for change in changes:
        if isinstance(change, AddToleration):
            added.append(dict(change.toleration))
            continue
        if current is None:
            raise CannotEdit(messages.NO_TOLERATIONS)
        place = f"{path}/{change.index}"
        if isinstance(change, SetFields):
            changed += ({"op": "add", "path": f"{place}/{name}", "value": value} for name, value in change.fields.items())
        elif isinstance(change, DropField):
            changed.append({"op": "remove", "path": f"{place}/{change.name}"})
        elif isinstance(change, ReplaceToleration):
            changed.append({"op": "replace", "path": place, "value": dict(change.tolerations[0])})
            added += map(dict, change.tolerations[1:])
    if current is None:
        return [test, {"op": "add", "path": path, "value": added}]
    return [test, *changed, *({"op": "add", "path": f"{path}/-", "value": toleration} for toleration in added)]


def format_kubectl_patch(daemonset: DaemonSet, changes: Sequence[Operation]) -> str:
    """The patch as one line for a shell."""
    name, namespace = _get_names(daemonset)
    patch = json.dumps(make_json_patch(get_stored_tolerations(daemonset) or None, changes), separators=(",", ":"))
    place = f" -n {namespace}" if namespace else ""
    return f"kubectl patch daemonset {name}{place} --type=json -p {shlex.quote(patch)}"


def format_kustomize_lines(daemonset: DaemonSet, changes: Sequence[Operation]) -> list[str]:
    """The patch as an entry of `patches` of a kustomization, in which the manifests are `resources`."""
    name, namespace = _get_names(daemonset)
    target = {"group": "apps", "version": "v1", "kind": "DaemonSet", "name": name.replace(".", r"\."), "namespace": namespace}
    current = get_written_tolerations(daemonset)
    lines = ["  - target:", *(f"      {field}: {json.dumps(text)}" for field, text in target.items() if text), "    patch: |-"]
    return [*lines, *(f"      - {json.dumps(operation)}" for operation in make_json_patch(current, changes))]


def check_name(name: str) -> None:
    """Raises CannotEdit for a name that the API server does not accept."""
    if not _NAME.fullmatch(name):
        raise CannotEdit(messages.INVALID_KEY)


def _get_names(daemonset: DaemonSet) -> tuple[str, str]:
    metadata = daemonset.metadata
    for name in filter(None, (metadata.name, metadata.namespace)):
        check_name(name)
    return metadata.name, metadata.namespace
