"""The examples of a diagnosis: every planted cause is found, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.program import program

ROOT = Path(__file__).parents[2]


def found(example: str) -> list[tuple[str, str, str, list[str]]]:
    """The findings."""
    result = program("doctor", "--from", str(ROOT / "examples" / example), "-o", "json")
    findings = json.loads(result.out)["findings"]
    return [(each["rule"], each["severity"], each["subject"]["name"], each["nodes"]) for each in findings]


def test_thirteen_gpus_are_free() -> None:
    assert found("gpu-13-free/cluster.json") == [
        ("PF430", "error", "gpu-07", ["gpu-07"]),
        ("PF433", "error", "gpu-11", ["gpu-11"]),
        ("PF434", "error", "nvidia.com/gpu", ["gpu-05", "gpu-07"]),
        ("PF440", "warning", "train", []),
        ("PF442", "warning", "sweep", []),
    ]


def test_after_the_incident() -> None:
    assert found("rdma-incident/thursday.json") == [
        ("PF411", "error", "csi-rdma-node", ["rdma-1", "rdma-2"]),
        ("PF411", "error", "rdma-device-plugin", ["rdma-1", "rdma-2"]),
        ("PF417", "warning", "log-agent", ["rdma-1", "rdma-2"]),
    ]


@pytest.mark.parametrize("example", ["rdma-incident/monday.json"])
def test_before_anything_happened(example: str) -> None:
    assert found(example) == []
