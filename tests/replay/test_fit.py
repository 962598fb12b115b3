"""The recorded worlds of a real scheduler and of its own filters, all equal; and a fault planted in scheduling is seen by both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from preflight.scheduling import requests
from tests.paths import VECTORS
from tests.replay import fit

WORLDS = sorted([*VECTORS.glob("fit-*.jsonl.gz"), *VECTORS.glob("filters-*.jsonl.gz")])
NAMES = ["filters-300.jsonl.gz", "fit-loose-seed3.jsonl.gz", "fit-seed1.jsonl.gz", "fit-seed2.jsonl.gz"]


def test_the_recordings_are_there() -> None:
    assert [path.name for path in WORLDS] == NAMES


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.name)
def test_every_value_of_a_recorded_world_is_equal(path: Path) -> None:
    assert [found for found in fit.mismatches(path) if found] == []


@pytest.mark.parametrize("path", WORLDS, ids=lambda path: path.name)
def test_a_fault_planted_in_what_pods_ask_for_is_seen(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sum that forgets what starts before the containers."""

    def wrong(views: Iterable[Mapping[str, int]]) -> dict[str, int]:
        return dict(next(iter(views)))

    monkeypatch.setattr(requests, "_merge_largest", wrong)
    assert fit.main([str(path)]) == 1
    assert "and we say" in capsys.readouterr().out


def test_a_file_without_a_difference_ends_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert fit.main([str(WORLDS[0])]) == 0
    assert "0 different" in capsys.readouterr().out


def test_the_message_of_the_scheduler_is_taken_apart() -> None:
    text = "0/10 nodes are available: 1 Insufficient cpu, 2 node(s) were unschedulable. preemption: 0/10 nodes are available: 10 No luck."
    assert fit.said(text) == ({"Insufficient cpu": 1, "node(s) were unschedulable": 2}, {"No luck": 10})
    assert fit.said("0/10 nodes are available: pod affinity terms conflict.") == ({"pod affinity terms conflict": 0}, {})
