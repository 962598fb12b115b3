"""What differs between versions of Kubernetes and changes an answer: a table of facts, read in the sources of the releases.

To add a row: an id in `versions.Behavior`, its row in BEHAVIORS, and its words in `preflight.messages.versions`; the page
docs/kubernetes-versions.md is printed from these. A field that a server drops is a row of `preflight.model.version_fields`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from preflight.model.releases import Behavior, Version, VersionRange

OLDEST_COMPARED = 26
"""The oldest minor version whose sources were read for every row."""

NEWEST_COMPARED = 37
"""The newest one; later versions are taken to do the same."""

COMPARISON_GATE = "TaintTolerationComparisonOperators"


class Component(StrEnum):
    """What behaves differently."""

    SERVER = "kube-apiserver"
    CONTROLLER_MANAGER = "kube-controller-manager"
    SCHEDULER = "kube-scheduler"
    KUBECTL = "kubectl"


class BehaviorRow(Struct, frozen=True):
    """One behavior of newer versions.

    `since` are the first patches that have it, by minor version; every minor version after the last one has it, and one before the first
    does not. `links` lead to the changes, as `OWNER/REPOSITORY#NUMBER`; `source` is the file that was read.
    """

    component: Component
    since: Mapping[int, int]
    source: str
    links: tuple[str, ...] = ()

    def holds_at(self, version: Version) -> bool:
        """Whether one release has it."""
        return version.minor > max(self.since) or version.patch >= self.since.get(version.minor, version.patch + 1)

    def holds_in(self, versions: VersionRange) -> bool | None:
        """Whether all of some releases have it; None where only some do."""
        changes = [Version(minor, patch) for minor, patch in self.since.items()]
        first_minors = (Version(minor, 0) for minor in range(min(self.since), max(self.since) + 2))
        lowest, highest = versions
        met = {self.holds_at(version) for version in (lowest, highest, *changes, *first_minors) if lowest <= version <= highest}
        return met.pop() if len(met) == 1 else None


_MANAGER, _SCHEDULER = Component.CONTROLLER_MANAGER, Component.SCHEDULER
_UPDATE = "pkg/controller/daemon/update.go"
_DAEMON = "pkg/controller/daemon/daemon_controller.go"
_JOB = "pkg/controller/job"
_PLUGINS = "pkg/scheduler/framework/plugins"

BEHAVIORS: Mapping[Behavior, BehaviorRow] = {
    Behavior.COUNTS_UNAVAILABLE: BehaviorRow(
        _MANAGER,
        {28: 15, 29: 10, 30: 6, 31: 0},
        f"{_UPDATE}, rollingUpdate",
        ("kubernetes/kubernetes#123233", "kubernetes/kubernetes#127774", "kubernetes/kubernetes#127775", "kubernetes/kubernetes#127776"),
    ),
    Behavior.SURGE_REMOVES_UNWANTED: BehaviorRow(
        _MANAGER, {25: 15, 26: 10, 27: 7, 28: 3, 29: 0}, f"{_UPDATE}, rollingUpdate", ("kubernetes/kubernetes#119317",)
    ),
    Behavior.NARROW_NODE_SYNC: BehaviorRow(_MANAGER, {33: 0}, f"{_DAEMON}, syncNodeUpdate"),
    Behavior.RECREATES_SUCCEEDED: BehaviorRow(
        _MANAGER, {26: 5, 27: 0}, f"{_DAEMON}, podsShouldBeOnNode", ("kubernetes/kubernetes#117073", "kubernetes/kubernetes#117496")
    ),
    Behavior.REPLACES_TERMINAL: BehaviorRow(
        _MANAGER, {26: 7, 27: 4, 28: 0}, f"{_DAEMON}, getNodesToDaemonPods", ("kubernetes/kubernetes#118716",)
    ),
    Behavior.EMPTY_SELECTOR_GUARDS: BehaviorRow(
        Component.SERVER,
        {27: 7, 28: 3, 29: 0},
        "pkg/registry/core/pod/storage/eviction.go, getPodDisruptionBudgets",
        ("kubernetes/kubernetes#119732", "kubernetes/kubernetes#121131", "kubernetes/kubernetes#121132"),
    ),
    Behavior.AWAITS_POD_END: BehaviorRow(_MANAGER, {28: 0}, f"{_JOB}/job_controller.go, manageJob"),
    Behavior.LONG_BACK_OFF: BehaviorRow(_MANAGER, {28: 0}, f"{_JOB}/backoff_utils.go"),
    Behavior.SIDECAR_PORTS: BehaviorRow(
        _SCHEDULER,
        {33: 6, 34: 0},
        f"{_PLUGINS}/nodeports/node_ports.go",
        ("kubernetes/kubernetes#132040", "kubernetes/kubernetes#133390"),
    ),
    Behavior.SKIPS_ZERO_REQUESTS: BehaviorRow(_SCHEDULER, {28: 0}, f"{_PLUGINS}/noderesources/fit.go, fitsRequest"),
    Behavior.SKIPS_EMPTY_NAME_TERMS: BehaviorRow(_SCHEDULER, {27: 0}, f"{_PLUGINS}/nodeaffinity/node_affinity.go, PreFilter"),
    Behavior.EXPLAINS_ALL_NODES: BehaviorRow(_SCHEDULER, {32: 0}, "pkg/scheduler/schedule_one.go, findNodesThatFitPod"),
    Behavior.DRAIN_KNOWS_APPS_ONLY: BehaviorRow(Component.KUBECTL, {34: 0}, "staging/src/k8s.io/kubectl/pkg/drain/filters.go"),
    Behavior.NO_DELETE_LOCAL_DATA: BehaviorRow(
        Component.KUBECTL, {31: 0}, "staging/src/k8s.io/kubectl/pkg/cmd/drain/drain.go", ("kubernetes/kubernetes#125842",)
    ),
}


class GateStage(StrEnum):
    """How a version has a feature gate: OFF or ON until somebody sets it, LOCKED on; OPT_IN is off too, and may well have been set."""

    OFF = "off"
    OPT_IN = "opt-in"
    ON = "on"
    LOCKED = "locked"


class GateRow(Struct, frozen=True):
    """A feature gate: by minor version the stage that begins there. Before the first the gate is unknown, and so is what it guards."""

    stages: Mapping[int, GateStage]

    @property
    def default_since(self) -> int | None:
        """The minor version since which it is on where nobody sets it."""
        return next((minor for minor, stage in sorted(self.stages.items()) if stage in (GateStage.ON, GateStage.LOCKED)), None)

    @property
    def known_since(self) -> int:
        """The minor version since which it exists."""
        return min(self.stages)

    def is_on_in(self, versions: VersionRange | None, given: bool | None) -> bool | None:
        """Whether it is on in some releases, `given` being how it is set; None where that is not known."""
        minors = {NEWEST_COMPARED}
        if versions is not None:
            begun = {versions.lowest.minor, versions.highest.minor, *self.stages}
            minors = {minor for minor in begun if versions.lowest.minor <= minor <= versions.highest.minor}
        met = {self._is_on_at(minor, given) for minor in minors}
        return met.pop() if len(met) == 1 else None

    def _is_on_at(self, minor: int, given: bool | None) -> bool | None:
        begun = [since for since in self.stages if since <= minor]
        stage = self.stages[max(begun)] if begun else None
        if stage is None or stage is GateStage.LOCKED:
            return stage is not None
        if given is not None:
            return given
        return None if stage is GateStage.OPT_IN else stage is GateStage.ON


GATES: Mapping[str, GateRow] = {
    "JobPodFailurePolicy": GateRow({25: GateStage.OFF, 26: GateStage.ON, 31: GateStage.LOCKED}),
    "PDBUnhealthyPodEvictionPolicy": GateRow({26: GateStage.OFF, 27: GateStage.ON, 31: GateStage.LOCKED}),
    "JobPodReplacementPolicy": GateRow({28: GateStage.OFF, 29: GateStage.ON, 34: GateStage.LOCKED}),
    "JobBackoffLimitPerIndex": GateRow({28: GateStage.OFF, 29: GateStage.ON, 33: GateStage.LOCKED}),
    "SidecarContainers": GateRow({28: GateStage.OFF, 29: GateStage.ON, 33: GateStage.LOCKED}),
    "JobSuccessPolicy": GateRow({30: GateStage.OFF, 31: GateStage.ON, 33: GateStage.LOCKED}),
    "JobManagedBy": GateRow({30: GateStage.OFF, 32: GateStage.ON, 35: GateStage.LOCKED}),
    "PodLevelResources": GateRow({32: GateStage.OFF, 34: GateStage.ON}),
    COMPARISON_GATE: GateRow({35: GateStage.OPT_IN}),
}
"""Every feature gate that decides an answer, as `pkg/features/kube_features.go` of each version has it."""
