"""Which Kubernetes an answer is about: the versions of a cluster, as far as they are known, and what they do.

What differs between versions is a table in `preflight.model.behaviors`; it is imported only where a version is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from preflight.model.releases import ANY_MINOR, ANY_PATCH, Behavior, Version, VersionRange, parse_version


class VersionSource(Enum):
    """Who states the version: the option, the live server, the snapshot, the policy, the kubelets of the nodes; NONE: nothing does."""

    NONE = "none"
    OPTION = "option"
    SERVER = "server"
    SNAPSHOT = "snapshot"
    POLICY = "policy"
    KUBELETS = "kubelets"


class VersionOptions(Struct, frozen=True):
    """What a run is told of versions: the server's by the option or by a policy, that of kubectl, and feature gates by their names."""

    server: VersionRange | None = None
    policy: VersionRange | None = None
    kubectl: VersionRange | None = None
    gates: Mapping[str, bool] = {}


NO_VERSION_OPTIONS = VersionOptions()
"""Nothing is said of versions."""


class ClusterVersions(Struct, frozen=True):
    """The versions of one cluster, as far as they are known.

    `server` are the versions that the server may have, its controllers and scheduler with it; None where nothing states it: then the
    answers are those of the newest version that is known here. `kubectl` None means the minor versions of the server.
    """

    server: VersionRange | None = None
    source: VersionSource = VersionSource.NONE
    kubectl: VersionRange | None = None
    gates: Mapping[str, bool] = {}

    def has(self, behavior: Behavior) -> bool | None:
        """Whether the cluster, or kubectl, does what newer versions do; None where only some of the possible versions do."""
        if self.server is None and self.kubectl is None:
            return True
        from preflight.model.behaviors import BEHAVIORS, Component

        row = BEHAVIORS[behavior]
        if row.component is Component.KUBECTL:
            versions = self.kubectl or (self.server.whole_minors if self.server is not None else None)
        else:
            versions = self.server
        return True if versions is None else row.holds_in(versions)

    def apply_to(self, options: VersionOptions) -> VersionOptions:
        """What is told of versions where manifests are for this cluster: its version, unless they come with one that states its own."""
        return options if self.server is None else replace(options, policy=self.server)

    def is_gate_on(self, gate: str) -> bool | None:
        """Whether a feature gate of `behaviors.GATES` is on; None where that is not known."""
        from preflight.model.behaviors import GATES

        return GATES[gate].is_on_in(self.server, self.gates.get(gate))


def bound_server(kubelets: Iterable[str]) -> VersionRange | None:
    """The versions that a server with these kubelets may have; None where no kubelet states its version.

    1. No kubelet is of a newer minor version than the server, and none is more than 3 minor versions older (2 before 1.28).
    2. Patches do not matter for that: the server may have any.
    3. Where the kubelets are further apart than that, the server is as new as the newest, or newer.

    Source: the version skew policy of Kubernetes.
    """
    minors = {found.lowest.minor for found in map(parse_version, set(kubelets)) if found is not None}
    if not minors:
        return None
    lowest, oldest = max(minors), min(minors)
    highest = oldest + 3 if oldest + 3 >= 28 else oldest + 2
    return VersionRange(Version(lowest, 0), Version(highest if highest >= lowest else ANY_MINOR, ANY_PATCH))


def resolve_versions(options: VersionOptions, listed: str, *, is_live: bool, kubelets: Iterable[str]) -> ClusterVersions:
    """The versions of a cluster, by the first that states the server's.

    1. The option, since it may be about an upgrade; then what the server said, live or when a snapshot was taken (`listed`). A policy holds
       for many clusters, and one that asked knows better; it is nearer than what the kubelets of the nodes allow.
    2. Nothing of it: see `ClusterVersions`.
    """
    candidates = (
        (options.server, VersionSource.OPTION),
        (parse_version(listed) if listed else None, VersionSource.SERVER if is_live else VersionSource.SNAPSHOT),
        (options.policy, VersionSource.POLICY),
    )
    for versions, source in candidates:
        if versions is not None:
            return ClusterVersions(versions, source, options.kubectl, options.gates)
    bounded = bound_server(kubelets)
    source = VersionSource.NONE if bounded is None else VersionSource.KUBELETS
    return ClusterVersions(bounded, source, options.kubectl, options.gates)
