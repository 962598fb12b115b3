"""Every run answers as recorded; in parts, which several processes can share."""

from __future__ import annotations

import pytest

from tests.safety import record
from tests.safety.record import Record
from tests.safety.runs import Run

OURS = ("examples", "cases", "generated", "own")
PARTS, CORPUS_PARTS = 20, 4


def check(runs: tuple[Run, ...]) -> None:
    differences = list(record.compare(runs, Record()))
    if differences:
        pytest.fail(record.explain(differences, Record()), pytrace=False)


@pytest.mark.parametrize("part", range(PARTS))
def test_a_run_of_ours_answers_as_recorded(part: int) -> None:
    check(tuple(run for source in OURS for run in record.list_runs(source))[part::PARTS])


@pytest.mark.parametrize("part", range(CORPUS_PARTS))
def test_a_run_of_the_corpus_answers_as_recorded(part: int) -> None:
    if not record.list_runs("corpus"):
        pytest.skip("the corpus is not here")
    check(record.list_runs("corpus")[part::CORPUS_PARTS])


@pytest.mark.parametrize("source", record.SOURCES)
def test_no_recorded_run_is_dropped(source: str) -> None:
    if not record.list_runs(source):
        assert source == "corpus"
        pytest.skip("the corpus is not here")
    dropped = record.find_dropped(source, Record())
    assert dropped == [], "if this is on purpose: python -m tests.safety record"


def test_there_are_200_clusters_and_the_names_of_runs_tell_them_apart() -> None:
    names = [run.name for source in record.SOURCES for run in record.list_runs(source)]
    assert len(names) == len(set(names))
    assert len({name.partition("-")[0] for name in names if name.startswith("generated/")}) == 200
