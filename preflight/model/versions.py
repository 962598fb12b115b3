"""Which Kubernetes an answer is about: versions, as far as they are known, and the behaviors that depend on them.

What differs between versions is a table in `preflight.model.behaviors`; it is imported only where a version is known.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum, StrEnum
from typing import NamedTuple

from msgspec import Struct

_VERSION = re.compile(r"v?1\.([0-9]{1,3})(?:\.([0-9]{1,4}))?(?:[-+].*)?", re.DOTALL)
_ANY_PATCH = 9999
_ANY_MINOR = 999


class Version(NamedTuple):
    """A release of Kubernetes 1: its minor version and its patch. Versions compare by both."""

    minor: int
    patch: int


class VersionRange(NamedTuple):
    """The releases from `lowest` to `highest`, both included."""

    lowest: Version
    highest: Version

    @property
    def is_exact(self) -> bool:
        """Whether it is one release."""
        return self.lowest == self.highest

    @property
    def has_every_patch(self) -> bool:
        """Whether it has every patch of its last minor version."""
        return self.highest.patch == _ANY_PATCH

    @property
    def is_open(self) -> bool:
        """Whether nothing bounds it above."""
        return self.highest.minor == _ANY_MINOR

    @property
    def whole_minors(self) -> VersionRange:
        """The same minor versions with all their patches."""
        return VersionRange(Version(self.lowest.minor, 0), Version(self.highest.minor, _ANY_PATCH))


class VersionSource(Enum):
    """Who states the version: the option, the live server, the snapshot, the policy, the kubelets of the nodes; NONE: nothing does."""

    NONE = "none"
    OPTION = "option"
    SERVER = "server"
    SNAPSHOT = "snapshot"
    POLICY = "policy"
    KUBELETS = "kubelets"


class Behavior(StrEnum):
    """What newer versions do and older ones do not; the rows of `behaviors.BEHAVIORS` say since when.

    1. DaemonSets: COUNTS_UNAVAILABLE (an old pod that is not available counts against maxUnavailable), SURGE_REMOVES_UNWANTED (an update
       with maxSurge removes old pods where the DaemonSet should not run), NARROW_NODE_SYNC (a taint or label alone does not make the
       controller count again), RECREATES_SUCCEEDED and REPLACES_TERMINAL (pods that ended).
    2. Evictions: EMPTY_SELECTOR_GUARDS (a budget with `selector: {}` is asked).
    3. Jobs: AWAITS_POD_END (with a podFailurePolicy the replacement comes after the end of the pod), LONG_BACK_OFF (up to 10 minutes).
    4. The scheduler: SIDECAR_PORTS (host ports of sidecars count), SKIPS_ZERO_REQUESTS (a request of 0 keeps a pod from no node),
       SKIPS_EMPTY_NAME_TERMS (an affinity term that names no node leaves the others), EXPLAINS_ALL_NODES (nodes that are excluded by
       name have a reason).
    5. kubectl: DRAIN_KNOWS_APPS_ONLY (a DaemonSet of another API group is an ordinary owner), NO_DELETE_LOCAL_DATA (the flag is unknown).
    """

    COUNTS_UNAVAILABLE = "counts-unavailable"
    SURGE_REMOVES_UNWANTED = "surge-removes-unwanted"
    NARROW_NODE_SYNC = "narrow-node-sync"
    RECREATES_SUCCEEDED = "recreates-succeeded"
    REPLACES_TERMINAL = "replaces-terminal"
    EMPTY_SELECTOR_GUARDS = "empty-selector-guards"
    AWAITS_POD_END = "awaits-pod-end"
    LONG_BACK_OFF = "long-back-off"
    SIDECAR_PORTS = "sidecar-ports"
    SKIPS_ZERO_REQUESTS = "skips-zero-requests"
    SKIPS_EMPTY_NAME_TERMS = "skips-empty-name-terms"
    EXPLAINS_ALL_NODES = "explains-all-nodes"
    DRAIN_KNOWS_APPS_ONLY = "drain-knows-apps-only"
    NO_DELETE_LOCAL_DATA = "no-delete-local-data"


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

    def is_gate_on(self, gate: str) -> bool | None:
        """Whether a feature gate of `behaviors.GATES` is on; None where that is not known."""
        from preflight.model.behaviors import GATES

        return GATES[gate].is_on_in(self.server, self.gates.get(gate))


def parse_version(text: str) -> VersionRange | None:
    """The releases that a text means: `v1.30.4-gke.1` is 1.30.4, `1.30` and `1.30+` are all patches of 1.30; None where it is none."""
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    minor = int(found[1])
    if found[2] is None:
        return VersionRange(Version(minor, 0), Version(minor, _ANY_PATCH))
    version = Version(minor, int(found[2]))
    return VersionRange(version, version)


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
    return VersionRange(Version(lowest, 0), Version(highest if highest >= lowest else _ANY_MINOR, _ANY_PATCH))


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
