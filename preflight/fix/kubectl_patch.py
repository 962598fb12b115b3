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

from preflight.fix.edits import Add, DropField, Operation, Replace, SetFields
from preflight.fix.plan import written
from preflight.fix.yaml_tree import CannotEdit
from preflight.model.objects import DaemonSet

PATH = "/spec/template/spec/tolerations"
_NAME = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?")


def stored(daemonset: DaemonSet) -> list[dict[str, Any]]:
    """The tolerations as the API server stores them: no null, no empty text."""
    stored: list[dict[str, Any]] = msgspec.to_builtins(daemonset.spec.template.spec.tolerations)
    return stored


def operations(current: Sequence[Mapping[str, Any]] | None, wanted: Sequence[Operation]) -> list[dict[str, Any]]:
    """A JSON patch: first a `test` that the tolerations are what they were when the fix was made, then the changes.

    1. `current` None means that there is no list: the test is for null, and the list is added whole.
    2. What is added goes to the end (`/-`); other changes name the toleration by its place, which the test makes safe.
    """
    test: dict[str, Any] = {"op": "test", "path": PATH, "value": None if current is None else list(current)}
    added: list[Any] = []
    changed: list[dict[str, Any]] = []
    for each in wanted:
        if isinstance(each, Add):
            added.append(dict(each.toleration))
            continue
        if current is None:
            raise CannotEdit("it has no tolerations to change")
        place = f"{PATH}/{each.index}"
        if isinstance(each, SetFields):
            changed += ({"op": "add", "path": f"{place}/{name}", "value": value} for name, value in each.fields.items())
        elif isinstance(each, DropField):
            changed.append({"op": "remove", "path": f"{place}/{each.name}"})
        elif isinstance(each, Replace):
            changed.append({"op": "replace", "path": place, "value": dict(each.tolerations[0])})
            added += map(dict, each.tolerations[1:])
    if current is None:
        return [test, {"op": "add", "path": PATH, "value": added}]
    return [test, *changed, *({"op": "add", "path": f"{PATH}/-", "value": each} for each in added)]


def kubectl(daemonset: DaemonSet, wanted: Sequence[Operation]) -> str:
    """The patch as one line for a shell."""
    name, namespace = _names(daemonset)
    patch = json.dumps(operations(stored(daemonset) or None, wanted), separators=(",", ":"))
    place = f" -n {namespace}" if namespace else ""
    return f"kubectl patch daemonset {name}{place} --type=json -p {shlex.quote(patch)}"


def kustomize(patches: Sequence[tuple[DaemonSet, Sequence[Operation]]]) -> str:
    """The patches as a part of a kustomization, in which the manifests are `resources`."""
    lines = ["patches:"]
    for daemonset, wanted in patches:
        name, namespace = _names(daemonset)
        target = {"group": "apps", "version": "v1", "kind": "DaemonSet", "name": name.replace(".", r"\."), "namespace": namespace}
        current = written(daemonset)
        lines.append("  - target:")
        lines += (f"      {field}: {json.dumps(text)}" for field, text in target.items() if text)
        lines.append("    patch: |-")
        lines += (f"      - {json.dumps(each)}" for each in operations(current, wanted))
    return "\n".join(lines) + "\n"


def _names(daemonset: DaemonSet) -> tuple[str, str]:
    metadata = daemonset.metadata
    for name in (metadata.name, metadata.namespace):
        if name and not _NAME.fullmatch(name):
            raise CannotEdit("its name or namespace is none that the API server takes")
    return metadata.name, metadata.namespace
