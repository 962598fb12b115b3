"""Which words are taken for slips of others, and which are words of their own."""

from __future__ import annotations

import pytest

from preflight.messages.hygiene import describe_typo
from preflight.rules.spelling import find_typo

SLIPS = [
    ("RDMA", "rdma", "the case differs"),
    ("Nvidia.com/GPU", "nvidia.com/gpu", "the case differs"),
    ("gpu_node", "gpu-node", "a separator differs"),
    ("gpunode", "gpu-node", "a separator differs"),
    ("dedicatd", "dedicated", "one letter differs"),
    ("dedicatted", "dedicated", "one letter differs"),
    ("deidcated", "dedicated", "one letter differs"),
    ("dedicaded", "dedicated", "one letter differs"),
    ("gpus", "gpu", "one letter differs"),
    ("rmda", "rdma", "one letter differs"),
    ("nvidia.com/gpus", "nvidia.com/gpu", "one letter differs"),
]
OTHERS = [
    ("rdma", "rdma"),
    ("rack-1", "rack-2"),
    ("pool1", "pool2"),
    ("pool", "pool1"),
    ("team-a", "team-b"),
    ("cpu", "gpu"),
    ("prod", "pred"),
    ("gp", "gpu"),
    ("storage", "rdma"),
    ("nvidia.com/gpu", "amd.com/gpu"),
    ("batch", "batching"),
    ("a-b", "a-b-c"),
    ("", "a"),
]


@pytest.mark.parametrize(("written", "meant", "difference"), SLIPS, ids=[f"{written} for {meant}" for written, meant, _ in SLIPS])
def test_a_slip(written: str, meant: str, difference: str) -> None:
    typo = find_typo(written, meant)
    assert typo is not None
    assert describe_typo(typo) == difference


@pytest.mark.parametrize(("written", "other"), OTHERS, ids=[f"{written!r} is not {other!r}" for written, other in OTHERS])
def test_a_word_of_its_own(written: str, other: str) -> None:
    assert find_typo(written, other) is None
    assert find_typo(other, written) is None
