"""How many lines a person reads at 100 columns: an answer has to fit on a screen."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from preflight import Files, Session, analyze
from preflight.report.text import render
from tests.builders import write_list
from tests.paths import ROOT
from tests.report.busy_cluster import list_busy_cluster

INCIDENT = ROOT / "examples" / "rdma-incident" / "cluster"
FLAGS = "--ignore-daemonsets --delete-emptydir-data --force"


def _run(line: str, path: Path, width: int = 100) -> list[str]:
    with contextlib.chdir(path.parent):  # the folder of a test has a long name
        lines = render(analyze(Session(Files((path.name,))), [line]).report, width=width).splitlines()
    assert [text for text in lines if len(text) > width and not text.startswith(("  preflight ", "  kubectl "))] == []
    return lines


@pytest.fixture(scope="module")
def half(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("half") / "cluster.json"
    path.write_text(write_list(list_busy_cluster(90)), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def busy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("busy") / "cluster.json"
    path.write_text(write_list(list_busy_cluster(180)), encoding="utf-8")
    return path


def test_the_taint_of_the_incident() -> None:
    assert len(_run("taint nodes rdma-1 rdma-2 dedicated=rdma:NoSchedule", INCIDENT)) <= 40


@pytest.mark.parametrize("width", [80, 100, 120])
def test_a_drain_is_no_wider_than_its_terminal(half: Path, width: int) -> None:
    assert _run(f"drain gpu-h100-001 gpu-h100-002 {FLAGS}", half, width)
    assert _run("drain gpu-1 gpu-2 --ignore-daemonsets", ROOT / "examples" / "drain" / "cluster.yaml", width)


def test_a_taint_of_180_nodes_that_16_daemonsets_do_not_tolerate(busy: Path) -> None:
    lines = _run("taint nodes --all reserved=research:NoSchedule", busy)
    assert lines[1] == "x 16 DaemonSets lose 180 nodes when their pods are re-created"
    assert "  17 DaemonSets keep their pods (--all-rows lists them)" in lines
    assert sum("-->" in line for line in lines) == 0
    assert sum("no toleration for reserved=research:NoSchedule" in line for line in lines) == 1
    assert len(lines) <= 60


@pytest.mark.parametrize("flags", [FLAGS, "--ignore-daemonsets", ""], ids=["stuck", "refused", "refused for DaemonSets"])
def test_a_drain_of_180_nodes(busy: Path, flags: str) -> None:
    assert len(_run(f"drain -l pool=gpu {flags}", busy)) <= 60


@pytest.mark.parametrize("nodes", ["gpu-h100-001 gpu-h100-002", "gpu-h100-003 gpu-h100-005", "gpu-h100-007 gpu-h100-012"])
def test_a_drain_of_2_nodes(half: Path, nodes: str) -> None:
    assert len(_run(f"drain {nodes} {FLAGS}", half)) <= 30


def test_all_rows_hides_nothing(half: Path) -> None:
    report = analyze(Session(Files((str(half),))), [f"drain gpu-h100-001 gpu-h100-002 {FLAGS}"]).report
    text = render(report, width=100, all_rows=True)
    assert "--all-rows" not in text
    for name in ("debug-0", "infer-1-0", "shop-1-0", "train-0-0", "agent-32"):
        assert name in text
