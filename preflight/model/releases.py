"""Releases of Kubernetes, and the behaviors that some of them have: since when is a table in `preflight.model.behaviors`."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

_VERSION = re.compile(r"v?1\.([0-9]{1,3})(?:\.([0-9]{1,4}))?(?:[-+].*)?", re.DOTALL)
ANY_PATCH = 9999
ANY_MINOR = 999


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
        return self.highest.patch == ANY_PATCH

    @property
    def is_open(self) -> bool:
        """Whether nothing bounds it above."""
        return self.highest.minor == ANY_MINOR

    @property
    def whole_minors(self) -> VersionRange:
        """The same minor versions with all their patches."""
        return VersionRange(Version(self.lowest.minor, 0), Version(self.highest.minor, ANY_PATCH))


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


def parse_version(text: str) -> VersionRange | None:
    """The releases that a text means: `v1.30.4-gke.1` is 1.30.4, `1.30` and `1.30+` are all patches of 1.30; None where it is none."""
    found = _VERSION.fullmatch(text)
    if found is None:
        return None
    minor = int(found[1])
    if found[2] is None:
        return VersionRange(Version(minor, 0), Version(minor, ANY_PATCH))
    version = Version(minor, int(found[2]))
    return VersionRange(version, version)
