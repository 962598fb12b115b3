"""The recorded updates, all equal; and a fault planted in the course of an update is seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight.scheduling import rollout_simulation
from preflight.scheduling.rollout_simulation import PodsOnNode, UpdateCohort
from tests.paths import VECTORS
from tests.replay import rollout

ROLLOUTS = sorted(VECTORS.glob("rollout-*.jsonl.gz"))


def test_the_recordings_are_there() -> None:
    assert [path.name for path in ROLLOUTS] == [f"rollout-seed{seed}.jsonl.gz" for seed in (1, 2, 3)]


@pytest.mark.parametrize("path", ROLLOUTS, ids=lambda path: path.name)
def test_every_pair_of_a_recorded_update_is_equal(path: Path) -> None:
    compared = [found for found in rollout.comparisons(path) if not isinstance(found, str)]
    assert [found for found in compared if not found.equal] == []
    assert {found.what for found in compared} >= {"same", "new", "absent", "number desired", "number budget", "number candidates"}


def test_only_the_lost_wake_up_is_left_out() -> None:
    left_out = {path.name: [found for found in rollout.comparisons(path) if isinstance(found, str)] for path in ROLLOUTS}
    assert left_out == {"rollout-seed1.jsonl.gz": [], "rollout-seed2.jsonl.gz": [], "rollout-seed3.jsonl.gz": ["d06"]}


def test_recorded_updates_without_a_difference_end_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert rollout.main([str(ROLLOUTS[2])]) == 0
    assert "0 different; left out: d06" in capsys.readouterr().out


def test_a_fault_planted_in_the_course_of_an_update_is_seen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def wrong(part: UpdateCohort, *, hangs: bool = False) -> PodsOnNode:
        """As if a pod that hangs did not keep the port, and nothing was ever refused."""
        return PodsOnNode(has_new=part.should_run, hangs=hangs)

    monkeypatch.setattr(rollout_simulation, "_make_new_pod", wrong)
    assert rollout.main([str(ROLLOUTS[1])]) == 1
    assert "and we say" in capsys.readouterr().out
