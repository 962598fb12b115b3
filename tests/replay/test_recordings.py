"""The recordings of real clusters and of the real code, all equal; and a fault planted in scheduling is seen by each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from msgspec import structs

from preflight.model.core import Taint, Toleration
from preflight.model.pod_status import ClusterPod
from preflight.scheduling import tolerations
from preflight.scheduling.drain import eviction_loop, pod_filters
from preflight.scheduling.drain.pdb_state import BudgetTracker
from preflight.scheduling.eviction import EVICTION_ALLOWED, BudgetView, EvictionResponse, answer_eviction
from preflight.scheduling.jobs import controller
from preflight.scheduling.jobs.tracked_pod import BACK_OFF, compute_back_off
from tests.paths import VECTORS
from tests.replay import cluster, drain, jobs, vectors

CLUSTERS = sorted(VECTORS.glob("cluster-*.jsonl.gz"))
DRAINS = sorted(VECTORS.glob("drain-*.jsonl.gz"))
PLACEMENTS = VECTORS / "placement-3000-seed1.jsonl.gz"
JOBS = VECTORS / "jobs.jsonl.gz"
JOBS_THAT_EXIT_WITH_0 = VECTORS / "jobs-exit0.jsonl.gz"


def test_the_recordings_are_there() -> None:
    assert [path.name for path in CLUSTERS] == [f"cluster-seed{seed}.jsonl.gz" for seed in (1, 2, 3)]
    drains = ("dense-seed1", "dense-seed2", "seed1", "seed2", "seed3", "seed4")
    assert [path.name for path in DRAINS] == [f"drain-{name}.jsonl.gz" for name in drains]


def test_every_recorded_placement_is_equal() -> None:
    assert [found for found in vectors.mismatches(PLACEMENTS) if found] == []


@pytest.mark.parametrize("path", CLUSTERS, ids=lambda path: path.name)
def test_every_state_of_a_recorded_cluster_is_equal(path: Path) -> None:
    assert [found for found in cluster.mismatches(path) if found] == []


@pytest.mark.parametrize("path", DRAINS, ids=lambda path: path.name)
def test_every_value_of_a_recorded_drain_is_so(path: Path) -> None:
    found = list(drain.compared(path))
    assert [compared for compared in found if not compared.is_so] == []
    chance = {each.what.partition(" ")[0] for each in found if each.is_chance}
    assert chance <= ({"first", "let", "exit"} if "dense" in path.name else set())


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


def test_a_fault_planted_in_the_filters_is_seen_by_the_drains(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Filters that do not see local data."""
    monkeypatch.setattr(pod_filters, "has_local_data", lambda _: False)
    assert drain.main([str(DRAINS[-1])]) == 1
    assert "refused is {'Pods with local storage (use --delete-emptydir-data to override)'" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("wrong", "seen"),
    [
        pytest.param(
            lambda one, guards: EVICTION_ALLOWED if len(guards) > 1 else answer_eviction(one, guards),
            "exit code is 1",
            id="two budgets let a pod go",
        ),
        pytest.param(
            lambda one, guards: answer_eviction(one, [structs.replace(guard, allowed=9) for guard in guards]),
            "first answer to",
            id="all is allowed",
        ),
        pytest.param(
            lambda one, guards: answer_eviction(one, [structs.replace(guard, allowed=0) for guard in guards]),
            "first answer to",
            id="nothing is",
        ),
        pytest.param(lambda one, _: answer_eviction(one, ()), "first answer to", id="no budget is asked"),
    ],
)
def test_a_fault_planted_in_the_answers_is_seen_by_the_drains(
    wrong: Callable[[ClusterPod, Sequence[BudgetView]], EvictionResponse],
    seen: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(eviction_loop, "answer_eviction", wrong)
    assert drain.main([str(DRAINS[1])]) == 1
    assert seen in capsys.readouterr().out


@pytest.mark.parametrize("allowed", [pytest.param(0, id="none"), pytest.param(9, id="nine")])
def test_a_fault_planted_in_the_first_round_is_seen_by_the_drains(
    allowed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(BudgetTracker, "count_first_round", lambda *_: (allowed, allowed, allowed))
    assert drain.main([str(DRAINS[1])]) == 1
    assert "let go by" in capsys.readouterr().out


def test_a_file_of_drains_without_a_difference_ends_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert drain.main([str(DRAINS[0])]) == 0
    assert " 0 different" in capsys.readouterr().out


def test_every_recorded_job_is_equal() -> None:
    compared = list(jobs.lines(JOBS))
    assert [found for each in compared for found in each.mismatches] == []
    limits = "parallelism 3, completions 6, backoffLimit {}, backoffLimitPerIndex 0, maxFailedIndexes 1"
    shutdown = "podFailurePolicy unset, disruption shutdown, disruptedPods 2, terminationSeconds 0"
    assert [each.line for each in compared if each.apart] == [
        f"completionMode Indexed, {limits.format(1)}, {shutdown}",
        f"completionMode Indexed, {limits.format(1)}, podReplacementPolicy TerminatingOrFailed, {shutdown}",
        f"completionMode Indexed, {limits.format(6)}, podReplacementPolicy Failed, {shutdown}",
    ]


def test_every_recorded_job_that_exits_with_0_is_equal() -> None:
    assert [found for line in jobs.lines(JOBS_THAT_EXIT_WITH_0) for found in line.mismatches] == []


def test_a_back_off_that_does_not_double_is_seen_by_the_jobs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def never_double(failures: int, last_failure: float, now: float, _: float) -> float:
        return compute_back_off(failures, last_failure, now, BACK_OFF)

    monkeypatch.setattr(controller, "compute_back_off", never_double)
    assert jobs.main([str(JOBS)]) == 1
    assert "replaced after" in capsys.readouterr().out


def test_a_file_of_jobs_without_a_difference_ends_with_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert jobs.main([str(JOBS_THAT_EXIT_WITH_0)]) == 0
    assert capsys.readouterr().out == "90 lines, 1080 values equal, 0 different\n"
