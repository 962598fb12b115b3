"""The examples of a diagnosis: every planted cause is found, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import program
from tests.paths import ROOT


def found(example: str) -> list[tuple[str, str, str, list[str]]]:
    """The findings."""
    result = program("doctor", "--from", str(ROOT / "examples" / example), "-o", "json")
    findings = json.loads(result.out)["findings"]
    return [(finding["rule"], finding["severity"], finding["subject"]["name"], finding["nodes"]) for finding in findings]


def test_thirteen_gpus_are_free() -> None:
    assert found("gpu-13-free/cluster.json") == [
        ("PF430", "error", "gpu-07", ["gpu-07"]),
        ("PF433", "error", "gpu-11", ["gpu-11"]),
        ("PF434", "error", "nvidia.com/gpu", ["gpu-05", "gpu-07"]),
        ("PF416", "warning", "gpu-07", ["gpu-07"]),
        ("PF440", "warning", "train", []),
        ("PF442", "warning", "sweep", []),
    ]


def test_after_the_incident() -> None:
    assert found("rdma-incident/thursday.json") == [
        ("PF411", "error", "csi-rdma-node", ["rdma-1", "rdma-2"]),
        ("PF411", "error", "rdma-device-plugin", ["rdma-1", "rdma-2"]),
        ("PF417", "warning", "log-agent", ["rdma-1", "rdma-2"]),
    ]


def test_a_scheduler_that_forgot_a_node() -> None:
    assert found("uneven-zones/cluster.json") == [
        ("PF444", "error", "csi-disk-node", ["worker-a-5"]),
        ("PF444", "warning", "log-agent", ["worker-a-5"]),
        ("PF412", "warning", "node-exporter", ["worker-a-3"]),
    ]


@pytest.mark.parametrize(("version", "rule"), [("v1.18.8", "PF441"), ("v1.37.2", "PF441"), ("v1.18.0", "PF444")])
def test_the_same_of_another_version(version: str, rule: str, tmp_path: Path) -> None:
    text = (ROOT / "examples" / "uneven-zones" / "cluster.json").read_text(encoding="utf-8")
    (tmp_path / "other.json").write_text(text.replace('"v1.18.6"', f'"{version}"', 1), encoding="utf-8")
    assert sorted(each[:3] for each in found(str(tmp_path / "other.json"))) == sorted(
        [(rule, "error", "csi-disk-node"), (rule, "warning", "log-agent"), ("PF412", "warning", "node-exporter")]
    )


def test_a_leader_has_the_answer() -> None:
    assert found("jobset-leader/cluster.json") == [
        ("PF446", "error", "tune", ["gpu-7"]),
        ("PF445", "warning", "pretrain", []),
    ]


@pytest.mark.parametrize("example", ["rdma-incident/monday.json"])
def test_before_anything_happened(example: str) -> None:
    assert found(example) == []
