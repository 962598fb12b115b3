"""The table of known faults, and how many nodes a message of the scheduler has reasons for."""

from __future__ import annotations

import re

import pytest

from preflight.doctor.cluster_messages import count_explained_nodes
from preflight.doctor.pending.known_bugs import _SIGN_CHECKS, KNOWN_BUGS, KnownBug
from preflight.messages.doctor.known_bugs import BUG_TEXTS
from preflight.model.releases import parse_version


@pytest.mark.parametrize(
    ("message", "told"),
    [
        pytest.param("", None, id="nothing is said"),
        pytest.param("no nodes available to schedule pods", None, id="there is no node at all"),
        pytest.param('0/3 nodes are available: persistentvolumeclaim "x" not found.', None, id="a reason for the pod has no number"),
        pytest.param("0/3 nodes are available: 3 Insufficient cpu.", 3, id="one reason for all"),
        pytest.param("0/3 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.", 2, id="a node has none"),
        pytest.param("0/2 nodes are available: 2 Insufficient cpu, 2 Insufficient nvidia.com/gpu.", 4, id="a node may have several"),
        pytest.param(
            "0/4 nodes are available: 1 node(s) had taint {example.com/a: b}, that the pod didn't tolerate, 3 Too many pods.",
            4,
            id="a reason of an older scheduler has a comma in it",
        ),
        pytest.param(
            "0/3 nodes are available: 2 Insufficient cpu. preemption: 0/3 nodes are available: 1 No preemption victims found.",
            2,
            id="what is said of preemption does not count",
        ),
    ],
)
def test_the_nodes_that_a_message_has_reasons_for(message: str, told: int | None) -> None:
    assert count_explained_nodes(message) == told


@pytest.mark.parametrize("fault", KNOWN_BUGS, ids=lambda fault: fault.id)
def test_a_fault_has_a_sign_and_ranges_that_are_ranges(fault: KnownBug) -> None:
    assert fault.id in _SIGN_CHECKS
    assert fault.ranges
    assert all(since < fixed for since, fixed in fault.ranges)
    assert all(re.fullmatch(r"[\w-]+/[\w-]+#\d+", link) for link in fault.links)


def test_every_sign_is_of_a_fault_and_no_fault_stands_twice() -> None:
    assert sorted(_SIGN_CHECKS) == sorted(fault.id for fault in KNOWN_BUGS)


def test_every_fault_has_texts_and_every_text_is_of_a_fault() -> None:
    assert sorted(BUG_TEXTS) == sorted(fault.id for fault in KNOWN_BUGS)
    assert all(text.what and text.help for text in BUG_TEXTS.values())


@pytest.mark.parametrize(
    ("version", "covered"),
    [
        ("v1.17.17", False),
        ("v1.18.0", True),
        ("v1.18.4-tke.5", True),
        ("v1.18.8", False),
        ("1.19.0", False),
        ("1.18", None),
        ("1.30", False),
        ("", None),
    ],
)
def test_the_releases_that_forget_nodes(version: str, covered: bool | None) -> None:
    assert [fault.affects(parse_version(version)) for fault in KNOWN_BUGS if fault.id == "kubernetes#91601"] == [covered]
