"""A few worlds of `make truth KIND=capacity` with a fixed seed: the scheduler binds as many copies as were said to fit, where they were."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cluster.bed import Bed
from tests.truth.rooms.batch import Rooms

WORLDS = 6


@pytest.mark.cluster
def test_the_scheduler_binds_what_was_said_to_fit(bed: Bed, tmp_path: Path) -> None:
    account = Rooms(bed, 7, tmp_path).run(WORLDS)
    assert account.mismatches == 0, json.dumps(account.different, indent=1)
    assert account.worlds.total() == WORLDS
    assert account.copies >= 20
    assert any("none fits" in kind for kind in account.worlds)
