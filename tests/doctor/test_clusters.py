"""Several clusters: side by side, and the failure of one hides no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.doctor.test_report import broken, healthy
from tests.load.live.api_server import ApiServer, serving
from tests.load.snapshot.marked_cluster import save, write


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save(Path("a.json.gz"), write(Path("a.json"), healthy()))
    save(Path("b.json"), write(Path("world.json"), broken()))


def test_two_snapshots_stand_side_by_side() -> None:
    result = program("doctor", "--from", "b.json", "--from", "a.json.gz")
    assert result.code == 1
    assert result.out.startswith(
        "  CLUSTER    NODES  ERRORS  WARNINGS  NOTES\n"
        "x b.json         4       1         1      0\n"
        "  a.json.gz      4       0         0      0\n"
        "\n"
        "x 2 faults found\n"
        "\n"
        "b.json: problems found on 2 of 4 nodes at 2026-03-01T12:00:00Z\n"
    )
    assert "\na.json.gz: no problems found on 4 nodes at 2026-03-01T12:00:00Z\n" in result.out
    alone = program("doctor", "--from", "b.json", "-o", "json")
    together = json.loads(program("doctor", "--from", "a.json.gz", "--from", "b.json", "-o", "json").out)
    expected = [{**load, "step": 2} for load in json.loads(alone.out)["findings"]]
    assert together["findings"] == expected
    assert [step["command"] for step in together["change"]["steps"]] == ["a.json.gz", "b.json"]


def test_files_beside_several_snapshots_are_of_nobody_knows_which() -> None:
    result = program("doctor", "--from", "b.json", "--from", "a.json.gz", "--from", "world.json")
    why = "several snapshots are several clusters, and it is unknown which one world.json belongs to: give it with one snapshot only"
    assert (result.code, result.err) == (2, f"error: {why}\n")


@pytest.mark.parametrize("flag", [["--node", "cpu-1"], ["--since", "a.json.gz"], ["--write-baseline", "x"]])
def test_some_questions_are_about_one_cluster(flag: list[str]) -> None:
    assert program("doctor", "--from", "b.json", "--from", "a.json.gz", *flag).code == 2


def test_a_cluster_that_cannot_be_asked_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ApiServer(broken()), tmp_path) as config:
        text = config.read_text(encoding="utf-8")
        settings = json.loads(text)
        here = settings["contexts"][0]
        settings["clusters"].append({"name": "dead", "cluster": {"server": "http://127.0.0.1:1"}})
        settings["contexts"].append({"name": "dead", "context": {**here["context"], "cluster": "dead"}})
        config.write_text(json.dumps(settings), encoding="utf-8")
        monkeypatch.setenv("KUBECONFIG", str(config))
        result = program("doctor", "--context", "dead", "--context", here["name"])
        nothing = program("doctor", "--context", "dead", "--context", "missing")
    assert result.code == 3
    assert "\nx dead     cannot be read\n" in result.out
    assert "pod-missing: kube-system/services has no pod on cpu-1" in result.out
    assert result.err.startswith("error: dead: http://127.0.0.1:1: cannot be reached: ")
    assert nothing.code == 3
    assert "dead: " in nothing.err
    assert "missing: " in nothing.err


def test_several_contexts_are_asked_each_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(ApiServer(healthy()), tmp_path) as config:
        settings = json.loads(config.read_text(encoding="utf-8"))
        name = settings["contexts"][0]["name"]
        settings["contexts"].append({**settings["contexts"][0], "name": "again"})
        config.write_text(json.dumps(settings), encoding="utf-8")
        monkeypatch.setenv("KUBECONFIG", str(config))
        report = json.loads(program("doctor", "--context", name, "--context", "again", "--context", name, "-o", "json").out)
    assert [step["command"] for step in report["change"]["steps"]] == [name, "again"]
    assert report["findings"] == []
    assert report["exit"] == 0


def test_nodes_of_one_name_in_two_clusters_are_two() -> None:
    """Both worlds have the same four node names."""
    last = program("doctor", "--from", "b.json", "--from", "a.json.gz").out.splitlines()[-1]
    assert "on 8 nodes" in last
    assert " of 8 " not in last
