"""Fields that a version of Kubernetes does not keep, in words."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.messages.lists import join_and
from preflight.messages.versions import name_versions
from preflight.model.behaviors import GATES
from preflight.model.version_fields import FieldFate, GatedField
from preflight.model.versions import ClusterVersions


def describe_lost_fields(fields: Sequence[GatedField], versions: ClusterVersions) -> str:
    """PF240: `loses spec.managedBy: Kubernetes 1.30.4 drops it (feature gate JobManagedBy, on by default since 1.32)`."""
    names = join_and(dict.fromkeys(_format_path(field.path) for field in fields))
    gate, fate = fields[0].gate, fields[0].fate
    row = GATES[gate]
    since = f"feature gate {gate}, on by default since 1.{row.default_since}" if row.default_since is not None else f"feature gate {gate}"
    server = name_versions(versions.server) if versions.server is not None else "the API server"
    if fate is FieldFate.MAYBE:
        return f"may lose {names}: depends on the Kubernetes version ({since}; --kubernetes-version)"
    if fate is FieldFate.UNKNOWN:
        return f"loses {names}: {server} does not know the field, and kubectl refuses the object ({since})"
    return f"loses {names}: {server} drops the field without a word ({since})"


def note_lost_fields(fields: Sequence[GatedField], versions: ClusterVersions) -> tuple[str, ...]:
    """The same of a pod whose copies are counted, a note for each gate."""
    by_gate: dict[str, list[GatedField]] = {}
    for field in fields:
        by_gate.setdefault(field.gate, []).append(field)
    return tuple(f"the pod {describe_lost_fields(group, versions)}" for group in by_gate.values())


def describe_lost_help(gate: str, fate: FieldFate) -> str:
    """What to do about a field that the server drops."""
    if fate is FieldFate.UNKNOWN:
        return "remove the field, or update the cluster first"
    return f"remove the field, or update the cluster first; if the cluster sets the gate: --feature-gates {gate}=true"


def _format_path(path: Sequence[str | int]) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
