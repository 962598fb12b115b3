"""Versions of Kubernetes in words: which one an answer is about, and what it depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from preflight.messages.lists import join_and
from preflight.model.releases import Behavior, VersionRange
from preflight.model.versions import ClusterVersions, VersionSource

_SOURCES = {
    VersionSource.OPTION: "--kubernetes-version",
    VersionSource.SERVER: "the server",
    VersionSource.SNAPSHOT: "the snapshot",
    VersionSource.POLICY: "the policy",
    VersionSource.KUBELETS: "what the kubelets allow",
}


def describe_invalid_version(option: str, text: str) -> str:
    """A version that cannot be read."""
    return f'invalid value "{text}" for {option}: must be a version such as 1.30.4, or 1.30 for all its patches'


def describe_unknown_gate(gate: str, known: Sequence[str]) -> str:
    """A gate of --feature-gates that decides nothing."""
    return f'unknown feature gate "{gate}" for --feature-gates: the gates that change an answer are {join_and(known)}'


def describe_invalid_gate(text: str) -> str:
    """A value of --feature-gates that cannot be read."""
    return f'invalid value "{text}" for --feature-gates: must be GATE=true or GATE=false'


def name_versions(versions: VersionRange) -> str:
    """`Kubernetes 1.30.4`, `1.30` for all its patches, `1.30 to 1.33`, `1.30 or later`."""
    lowest, highest = versions
    if versions.is_exact:
        return f"Kubernetes 1.{lowest.minor}.{lowest.patch}"
    if versions.is_open:
        return f"Kubernetes 1.{lowest.minor} or later"
    return f"Kubernetes 1.{lowest.minor}" if lowest.minor == highest.minor else f"Kubernetes 1.{lowest.minor} to 1.{highest.minor}"


def describe_versions(versions: ClusterVersions) -> str:
    """Which version the answers are about and who states it, as a sentence; "" where nothing does."""
    if versions.server is None:
        return ""
    from preflight.model.behaviors import OLDEST_COMPARED

    old = f", and nothing before 1.{OLDEST_COMPARED} was compared" if versions.server.lowest.minor < OLDEST_COMPARED else ""
    return f"answers are for {name_versions(versions.server)} ({_SOURCES[versions.source]}{old})"


def format_since(since: Mapping[int, int]) -> str:
    """The first releases that have a behavior: `1.28.15, 1.29.10, 1.30.6 and 1.31.0`."""
    return join_and(f"1.{minor}.{patch}" for minor, patch in sorted(since.items()))


def describe_ignored_selector(versions: ClusterVersions) -> str:
    """PF241: `protects no pods: evictions ignore a budget with an empty selector in Kubernetes 1.26.15`."""
    if versions.has(Behavior.EMPTY_SELECTOR_GUARDS) is None or versions.server is None:
        return f"may protect no pods, because its selector is empty: {explain_behavior(Behavior.EMPTY_SELECTOR_GUARDS)}"
    return f"protects no pods: evictions ignore a budget with an empty selector in {name_versions(versions.server)}"


OLD_FLAG_UNKNOWN = "unknown flag: --delete-local-data: kubectl 1.31 and later only know --delete-emptydir-data (--kubectl-version)"


def note_old_flag() -> str:
    """The note on a flag that kubectl may not know."""
    return f"whether kubectl knows --delete-local-data {explain_behavior(Behavior.NO_DELETE_LOCAL_DATA)}: use --delete-emptydir-data"


def explain_behavior(behavior: Behavior) -> str:
    """Why an answer is unknown that changed with some releases: `depends on the Kubernetes version (changed in 1.33.6 and 1.34.0)`."""
    from preflight.model.behaviors import BEHAVIORS, Component

    row = BEHAVIORS[behavior]
    program = "kubectl" if row.component is Component.KUBECTL else "Kubernetes"
    return f"depends on the {program} version (changed in {format_since(row.since)}; --{program.lower()}-version)"
