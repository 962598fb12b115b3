"""Versions, and the table of what differs between them."""

from __future__ import annotations

import itertools

import pytest

from preflight.messages.behaviors import BEHAVIOR_TEXTS
from preflight.messages.versions import describe_versions, name_versions
from preflight.model.behaviors import BEHAVIORS, COMPARISON_GATE, GATES, Component
from preflight.model.releases import Behavior, Version, VersionRange, parse_version
from preflight.model.version_fields import list_fields_by_gate
from preflight.model.versions import ClusterVersions, VersionOptions, VersionSource, bound_server, resolve_versions
from tests.model.versions_page import PAGE, make_page

PATCHES = (0, 2, 3, 4, 5, 6, 7, 9, 10, 14, 15, 16, 9999)


def exact(minor: int, patch: int) -> VersionRange:
    return VersionRange(Version(minor, patch), Version(minor, patch))


def known(text: str) -> VersionRange:
    versions = parse_version(text)
    assert versions is not None
    return versions


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("v1.30.4", exact(30, 4)),
        ("1.30.4", exact(30, 4)),
        ("v1.30.4-gke.1", exact(30, 4)),
        ("v1.18.4-tke.5", exact(18, 4)),
        ("v1.31.9-eks-5d4a308", exact(31, 9)),
        ("v1.33.5+rke2r1", exact(33, 5)),
        ("1.37+", VersionRange(Version(37, 0), Version(37, 9999))),
        ("1.30", VersionRange(Version(30, 0), Version(30, 9999))),
        ("v1.37.0-alpha.1", exact(37, 0)),
        *((text, None) for text in ("", "1", "2.0", "v1.x", "1.30.4.5", "1.30,", "1.-3", "30.4", "1.1234", "latest", "v1.30.4 ")),
    ],
)
def test_the_releases_that_a_text_means(text: str, versions: VersionRange | None) -> None:
    assert parse_version(text) == versions


@pytest.mark.parametrize("behavior", list(Behavior))
def test_a_range_of_versions_has_what_each_of_its_releases_has(behavior: Behavior) -> None:
    row = BEHAVIORS[behavior]
    releases = [Version(minor, patch) for minor in range(25, 39) for patch in PATCHES]
    held = {version: row.holds_at(version) for version in releases}
    for low, high in itertools.combinations_with_replacement(range(0, len(releases), 3), 2):
        within = {held[version] for version in releases[low : high + 1]}
        expected = within.pop() if len(within) == 1 else None
        assert row.holds_in(VersionRange(releases[low], releases[high])) is expected, (releases[low], releases[high])
    assert held[Version(38, 0)]  # every behavior is that of the newest versions


@pytest.mark.parametrize(
    ("behavior", "version", "answer"),
    [
        (Behavior.COUNTS_UNAVAILABLE, "1.30.5", False),
        (Behavior.COUNTS_UNAVAILABLE, "1.30.6", True),
        (Behavior.COUNTS_UNAVAILABLE, "1.29.10", True),
        (Behavior.COUNTS_UNAVAILABLE, "1.27.99", False),
        (Behavior.COUNTS_UNAVAILABLE, "1.30", None),
        (Behavior.COUNTS_UNAVAILABLE, "1.31", True),
        (Behavior.EMPTY_SELECTOR_GUARDS, "v1.26.15", False),
        (Behavior.EMPTY_SELECTOR_GUARDS, "1.28.3", True),
        (Behavior.SIDECAR_PORTS, "1.33.5", False),
        (Behavior.SIDECAR_PORTS, "v1.33.6-gke.9", True),
        (Behavior.NARROW_NODE_SYNC, "1.32.13", False),
        (Behavior.EXPLAINS_ALL_NODES, "1.31.14", False),
    ],
)
def test_what_releases_do(behavior: Behavior, version: str, answer: bool | None) -> None:
    assert ClusterVersions(known(version), VersionSource.OPTION).has(behavior) is answer


def test_without_a_version_the_newest_behavior_holds() -> None:
    assert all(ClusterVersions().has(behavior) for behavior in Behavior)


def test_kubectl_has_a_version_of_its_own() -> None:
    server = known("1.30.4")
    assert ClusterVersions(server).has(Behavior.NO_DELETE_LOCAL_DATA) is False
    assert ClusterVersions(server, kubectl=known("1.34.1")).has(Behavior.NO_DELETE_LOCAL_DATA) is True
    assert ClusterVersions(None, kubectl=known("1.30.1")).has(Behavior.NO_DELETE_LOCAL_DATA) is False
    assert ClusterVersions(None, kubectl=known("1.30.1")).has(Behavior.COUNTS_UNAVAILABLE) is True


@pytest.mark.parametrize(
    ("gate", "version", "given", "answer"),
    [
        ("JobManagedBy", "1.29", None, False),
        ("JobManagedBy", "1.31.14", None, False),
        ("JobManagedBy", "1.31", True, True),
        ("JobManagedBy", "1.32", None, True),
        ("JobManagedBy", "1.34", False, False),
        ("JobManagedBy", "1.35", False, True),
        ("JobManagedBy", "1.29", True, False),
        ("PodLevelResources", "1.33", None, False),
        ("PodLevelResources", "1.34", None, True),
        (COMPARISON_GATE, "1.34", None, False),
        (COMPARISON_GATE, "1.34", True, False),
        (COMPARISON_GATE, "1.35", None, None),
        (COMPARISON_GATE, "1.37.2", True, True),
    ],
)
def test_gates(gate: str, version: str, given: bool | None, answer: bool | None) -> None:
    gates = {} if given is None else {gate: given}
    assert ClusterVersions(known(version), gates=gates).is_gate_on(gate) is answer


def test_a_gate_of_several_versions() -> None:
    assert GATES["JobManagedBy"].is_on_in(VersionRange(Version(30, 0), Version(33, 9999)), None) is None
    assert GATES["JobManagedBy"].is_on_in(VersionRange(Version(33, 0), Version(36, 9999)), None) is True
    assert GATES["JobManagedBy"].is_on_in(None, None) is True


@pytest.mark.parametrize(
    ("kubelets", "server"),
    [
        (["v1.30.4"], (30, 33)),
        (["v1.30.4", "v1.30.9", "v1.29.1"], (30, 32)),
        (["v1.26.1"], (26, 29)),
        (["v1.24.17"], (24, 26)),
        (["v1.34.0", "v1.14.3-vk-azure-aci"], (34, 999)),
        (["v1.34.0-eks-1", "unknown"], (34, 37)),
    ],
)
def test_the_kubelets_bound_the_server(kubelets: list[str], server: tuple[int, int]) -> None:
    assert bound_server(kubelets) == VersionRange(Version(server[0], 0), Version(server[1], 9999))


@pytest.mark.parametrize(
    ("options", "listed", "is_live", "source"),
    [
        (VersionOptions(server=known("1.34")), "v1.30.4", True, VersionSource.OPTION),
        (VersionOptions(policy=known("1.34")), "v1.30.4", True, VersionSource.SERVER),
        (VersionOptions(policy=known("1.34")), "v1.30.4", False, VersionSource.SNAPSHOT),
        (VersionOptions(policy=known("1.34")), "", True, VersionSource.POLICY),
        (VersionOptions(), "odd", True, VersionSource.KUBELETS),
    ],
)
def test_who_states_the_version(options: VersionOptions, listed: str, is_live: bool, source: VersionSource) -> None:
    assert resolve_versions(options, listed, is_live=is_live, kubelets=["v1.33.1"]).source is source


def test_the_words() -> None:
    assert name_versions(known("1.30.4")) == "Kubernetes 1.30.4"
    assert name_versions(known("1.30")) == "Kubernetes 1.30"
    assert describe_versions(resolve_versions(VersionOptions(), "", is_live=False, kubelets=["v1.30.1"])) == (
        "answers are for Kubernetes 1.30 to 1.33 (what the kubelets allow)"
    )
    assert describe_versions(ClusterVersions(known("1.24"), VersionSource.POLICY)) == (
        "answers are for Kubernetes 1.24 (the policy, and nothing before 1.26 was compared)"
    )
    assert describe_versions(ClusterVersions()) == ""


def test_every_row_has_a_source_and_links_are_links() -> None:
    assert set(BEHAVIORS) == set(Behavior)
    for row in BEHAVIORS.values():
        assert row.source
        assert row.component in Component
        assert all(link.partition("#")[2].isdigit() for link in row.links)


def test_every_row_has_words_and_the_page_is_made_from_the_table() -> None:
    assert set(BEHAVIOR_TEXTS) == set(Behavior)
    assert set(list_fields_by_gate()) | {COMPARISON_GATE} == set(GATES)
    assert PAGE.read_text(encoding="utf-8") == make_page(), "run: python -m tests.model.versions_page"
