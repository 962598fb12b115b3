"""Fixes as patches: of a DaemonSet, or of the custom resource that declares it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.fix import kubectl_patch, resource_patch
from preflight.fix.edit_model import Operation
from preflight.model.apps import DaemonSet


def format_patch(daemonset: DaemonSet, operations: Sequence[Operation]) -> str:
    """The line of a shell that makes a fix."""
    if daemonset.declaration is not None:
        return resource_patch.format_kubectl_patch(daemonset, daemonset.declaration, operations)
    return kubectl_patch.format_kubectl_patch(daemonset, operations)


def format_kustomization(patches: Iterable[tuple[DaemonSet, Sequence[Operation]]]) -> str:
    """Fixes as a part of a kustomization, in which the manifests are `resources`; those of one custom resource once."""
    entries: dict[tuple[str, ...], None] = {}
    for daemonset, operations in patches:
        if daemonset.declaration is not None:
            lines = resource_patch.format_kustomize_lines(daemonset, daemonset.declaration, operations)
        else:
            lines = kubectl_patch.format_kustomize_lines(daemonset, operations)
        entries[tuple(lines)] = None
    return "\n".join(["patches:", *(line for entry in entries for line in entry)]) + "\n"
