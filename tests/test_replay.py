"""The recordings of real clusters and of the real code, all equal; and a fault planted in scheduling is seen by both."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight.model.objects import Taint, Toleration
from preflight.scheduling import tolerations
from tests.replay import cluster, vectors

DATA = Path(__file__).parent / "data" / "vectors"
CLUSTERS = sorted(DATA.glob("cluster-*.jsonl.gz"))
PLACEMENTS = DATA / "placement-3000-seed1.jsonl.gz"


def test_the_recordings_are_there() -> None:
    assert [path.name for path in CLUSTERS] == [f"cluster-seed{seed}.jsonl.gz" for seed in (1, 2, 3)]


def test_every_recorded_placement_is_equal() -> None:
    assert [found for found in vectors.mismatches(PLACEMENTS) if found] == []


@pytest.mark.parametrize("path", CLUSTERS, ids=lambda path: path.name)
def test_every_state_of_a_recorded_cluster_is_equal(path: Path) -> None:
    assert [found for found in cluster.mismatches(path) if found] == []


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """A matcher that takes an absent operator for Exists."""
    real = tolerations.tolerates

    def wrong(toleration: Toleration, taint: Taint, gate: bool | None) -> bool | None:
        if not toleration.operator:
            toleration = Toleration(toleration.key, "Exists", "", toleration.effect, toleration.tolerationSeconds)
        return real(toleration, taint, gate)

    monkeypatch.setattr(tolerations, "tolerates", wrong)


@pytest.mark.usefixtures("fault")
def test_a_fault_planted_in_scheduling_is_seen_by_the_placements(capsys: pytest.CaptureFixture[str]) -> None:
    assert vectors.main([str(PLACEMENTS)]) == 1
    assert "and we say" in capsys.readouterr().out


@pytest.mark.usefixtures("fault")
def test_a_fault_planted_in_scheduling_is_seen_by_the_clusters(capsys: pytest.CaptureFixture[str]) -> None:
    assert cluster.main([str(CLUSTERS[0])]) == 1
    assert "and we say" in capsys.readouterr().out


def test_a_file_without_a_difference_ends_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert cluster.main([str(CLUSTERS[0])]) == 0
    assert "0 different" in capsys.readouterr().out
