"""The benchmarks' data: the same for the same seed, of the stated shape, and nothing that the program stumbles over."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

from benchmarks import manifests, snapshot
from benchmarks.__main__ import Bar, table
from benchmarks.measuring import FailedRun, Ratios, Run, ratios, run
from preflight.engine.analyze import analyze
from preflight.engine.lint import lint
from preflight.engine.session import Session
from preflight.load.inputs import Files

SCALE = 0.01


def test_the_same_seed_writes_the_same_manifests(tmp_path: Path) -> None:
    shapes = [manifests.write(tmp_path / name, seed=seed, scale=SCALE) for name, seed in (("one", 1), ("same", 1), ("other", 2))]
    texts = [_texts(tmp_path / name) for name in ("one", "same", "other")]
    assert shapes[0] == shapes[1]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]


def test_the_manifests_have_the_shape_that_they_say(tmp_path: Path) -> None:
    shape = manifests.write(tmp_path, scale=SCALE)
    texts = _texts(tmp_path)
    documents = [document for text in texts.values() for document in yaml.load_all(text, yaml.CSafeLoader) if document]
    kinds = Counter(document["kind"] for document in documents)
    workloads = sum(kinds[kind] for kind in ("DaemonSet", "Deployment", "StatefulSet", "Job", "CronJob"))
    assert shape == (15, 65, 7, sum(map(len, texts.values())))
    assert (len(texts), len(documents), workloads) == (15, 65, 7)
    assert len({(item["kind"], item["metadata"]["name"]) for item in documents}) == len(documents)


def test_lint_reads_the_manifests_without_problems(tmp_path: Path) -> None:
    shape = manifests.write(tmp_path, scale=SCALE)
    report = lint(Session(Files((str(tmp_path),)))).report
    assert report.problems == ()
    assert report.judged.files == shape.files
    assert report.judged.objects >= shape.workloads


@pytest.mark.parametrize("indent", [None, 4], ids=["compact", "indented as kubectl does"])
def test_the_same_seed_writes_the_same_snapshot(tmp_path: Path, indent: int | None) -> None:
    for name, seed in (("one", 1), ("same", 1), ("other", 2)):
        snapshot.write(tmp_path / name, seed=seed, scale=0.002, indent=indent)
    texts = [(tmp_path / name).read_text(encoding="utf-8") for name in ("one", "same", "other")]
    assert texts[0] == texts[1]
    assert texts[0] != texts[2]
    separators = (",", ":") if indent is None else None
    assert texts[0] == json.dumps(json.loads(texts[0]), indent=indent, separators=separators) + "\n"


def test_the_snapshot_has_the_shape_that_it_says(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    shape = snapshot.write(path, scale=SCALE)
    items: list[dict[str, Any]] = json.loads(path.read_bytes())["items"]
    assert shape == (50, 100, 1_500, path.stat().st_size)
    assert Counter(item["kind"] for item in items) == {"Node": 50, "DaemonSet": 100, "Pod": 1_500}
    assert len({item["metadata"].get("uid") for item in items}) == len(items)
    assert {item["spec"]["nodeName"] for item in items if item["kind"] == "Pod"} == {
        item["metadata"]["name"] for item in items if item["kind"] == "Node"
    }


def test_the_snapshot_is_judged_without_problems_and_nothing_is_lost_yet(tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    snapshot.write(path, scale=SCALE)
    report = analyze(Session(Files((str(path),))), ["taint nodes --all dedicated=x:PreferNoSchedule"]).report
    assert report.problems == ()
    assert (report.judged.daemonsets, report.judged.nodes, report.judged.pairs) == (100, 50, 5_000)
    assert {row.outcome for row in report.steps[0].coverage} == {"kept", "excluded", "never"}


def test_ratios_are_of_runs_side_by_side() -> None:
    runs = {"one": [Run(2, 1, 1), Run(9, 1, 1), Run(3, 1, 1)], "other": [Run(1, 1, 1), Run(3, 1, 1), Run(3, 1, 1)]}
    assert ratios(runs, "one", "other", lambda each: each.seconds) == Ratios(2, 1, 3)


def test_a_bar_that_is_not_met_says_so() -> None:
    bars = [Bar("fast", "1 ms", "1 ms", Ratios(1.0, 0.9, 1.1), 1.0), Bar("slow", "3 ms", "1 ms", Ratios(3.0, 2.9, 3.1), 2.5, 3.0)]
    assert [bar.is_met for bar in bars] == [True, False]
    assert table(bars).splitlines()[-1] == "| slow | 3 ms   | 1 ms      | 3.00  | 2.90 to 3.10 | 3.00      | 2.50 | **no** |"


def test_a_process_that_fails_measures_nothing() -> None:
    with pytest.raises(FailedRun, match="exit code 1: false"):
        run(["false"])


def _texts(folder: Path) -> dict[str, str]:
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.yaml"))}
