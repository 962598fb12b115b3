"""What has to be asked of a cluster before the answer about replacements is that of all its nodes."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from preflight.evictions.replacement_placement import MissingNodes, ReplacementPlacement, find_missing_nodes
from preflight.model.evictions import ReplacementOutcome
from preflight.model.pod_scheduling import SchedulerPod
from tests.builders import make_pod


def pod(name: str) -> SchedulerPod:
    return msgspec.convert(make_pod(name, "shop", node="n1"), SchedulerPod)


A, B = pod("a"), pod("b")
DECIDED = ReplacementPlacement(ReplacementOutcome.FITS, ("n2",))
OPEN = ReplacementPlacement(ReplacementOutcome.PENDING, undecided_nodes=frozenset({"n3"}))
ASKED = ReplacementPlacement(ReplacementOutcome.PENDING, undecided_nodes=frozenset())


@pytest.mark.parametrize(
    ("placements", "needs_all", "expected"),
    [
        pytest.param({}, False, None, id="nothing is placed"),
        pytest.param({A.key: DECIDED}, False, None, id="all is decided"),
        pytest.param({}, True, MissingNodes(needs_all_nodes=True), id="every node counts"),
        pytest.param(
            {A.key: DECIDED, B.key: OPEN},
            False,
            MissingNodes((B,), undecided=frozenset({"n3"})),
            id="one may go to a node that is not known",
        ),
        pytest.param({A.key: ASKED}, False, MissingNodes((A,)), id="one finds no place on those that are known"),
        pytest.param(
            {A.key: OPEN, B.key: ASKED}, True, MissingNodes((A, B), undecided=frozenset({"n3"}), needs_all_nodes=True), id="all of it"
        ),
    ],
)
def test_nodes_are_missing(placements: dict[Any, ReplacementPlacement], needs_all: bool, expected: MissingNodes | None) -> None:
    assert find_missing_nodes([A, B], placements, needs_all_nodes=needs_all) == expected
