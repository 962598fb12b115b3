"""Upgrades of Kubernetes in words: what changes for an object, and the order of the nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from preflight.messages.lists import join_and, join_node_names
from preflight.messages.versions import format_since, name_versions
from preflight.model.behaviors import BEHAVIORS
from preflight.model.releases import Behavior, VersionRange
from preflight.model.version_fields import FieldFate, GatedField

if TYPE_CHECKING:
    from preflight.scheduling.upgrade import NodeGroup, Upgrade

_CHANGES: Mapping[Behavior, str] = {
    Behavior.COUNTS_UNAVAILABLE: "counts old pods that are not available against maxUnavailable: an update can stop that went on before",
    Behavior.SURGE_REMOVES_UNWANTED: "removes old pods where it should not run in an update with maxSurge: before, they stayed",
    Behavior.EMPTY_SELECTOR_GUARDS: "begins to protect all pods of its namespace: evictions ignored its empty selector before",
    Behavior.AWAITS_POD_END: "replaces a pod only after its end: before, the replacement started at once",
    Behavior.SIDECAR_PORTS: "fits once per node, because host ports of sidecars begin to count",
}
NO_VERSION = "upgrade: the version of the cluster is unknown: state it with --kubernetes-version"


def describe_headline(upgrade: Upgrade) -> str:
    """`upgrade from Kubernetes 1.30.4 to Kubernetes 1.34`."""
    start, end = upgrade.before.server, upgrade.after.server
    assert start is not None
    assert end is not None
    return f"upgrade from {name_versions(start)} to {name_versions(end)}"


def describe_changed_behavior(behavior: Behavior, *, is_certain: bool) -> str:
    """PF242: what an upgrade changes for an object."""
    may = "" if is_certain else ", if the version of today does not do so already"
    return f"{_CHANGES[behavior]} (since {format_since(BEHAVIORS[behavior].since)}{may})"


def describe_kept_field(field: GatedField, versions: VersionRange) -> str:
    """PF243: `spec.managedBy takes effect with Kubernetes 1.34`."""
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in field.path).removeprefix(".")
    now = {FieldFate.MAYBE: "may drop", FieldFate.DROPPED: "drops", FieldFate.UNKNOWN: "does not know"}[field.fate]
    return f"gets {path} with {name_versions(versions)}: the version of today {now} it (feature gate {field.gate})"


def iter_order(upgrade: Upgrade) -> Iterator[str]:
    """The order of the upgrade, a note a step."""
    if upgrade.minors:
        where = "".join(f" ({join_node_names(group.nodes)})" for group in upgrade.groups if group.is_control_plane)
        steps = join_and(f"1.{minor}" for minor in upgrade.minors)
        yield f"first the control plane{where}, one minor version after the other: {steps}"
    if upgrade.outdated_groups:
        groups = join_and(map(_name_group, upgrade.outdated_groups))
        end = upgrade.minors[-1] if upgrade.minors else 0
        yield f"before the control plane is 1.{end}, the kubelets of {groups}: they may be 3 minor versions older at most"
    for group in upgrade.groups:
        if not group.is_control_plane:
            yield _describe_group(group)


def _describe_group(group: NodeGroup) -> str:
    nodes = join_node_names(group.nodes)
    return f"then {_name_group(group)}, node by node ({nodes}): check each with preflight drain and preflight replace"


def _name_group(group: NodeGroup) -> str:
    if group.is_control_plane:
        return "the control plane"
    return f"pool {group.name}" if group.name else "the nodes without a pool label"


def describe_not_newer(start: VersionRange, target: VersionRange) -> str:
    """A target that is no upgrade."""
    return f"upgrade: {name_versions(target)} is not newer than {name_versions(start)}"
