"""Which values of taints stand for one occurrence: names that a team chose first, then times and ids."""

from __future__ import annotations

import pytest

from preflight.model.core import Taint
from preflight.scheduling.taint_values import is_passing_value

LASTING = (
    *(
        "",
        "true",
        "rdma",
        "gpu",
        "a100",
        "h100-80gb",
        "b200",
        "nvidia-tesla-a100",
        "team-42",
        "2026",
        "1",
        "100",
        "8080",
        "v1.33.2",
        "arm64",
    ),
    *("pool-2", "eu-1a", "cafe", "facade", "decade", "node-7", "blue", "m5.large", "Standard_D4s_v5", "8.0.0", "10-20", "deadbeef-team"),
    *("0123456", "4294967295", "kubernetes-node-0001", "1-2-3"),
)
PASSING = (
    *("1730000000", "1730000000123", "1730000000123456789", "2026-03-12", "20260312", "2026-03-12T08.59.00Z", "20260312T085900Z"),
    *("2026-03-12_08-59", "20260312085900", "550e8400-e29b-41d4-a716-446655440000", "3f2a9c1be7", "d41d8cd98f00b204e9800998ecf8427e"),
    *("sha256-9f86d081884c7d65", "i-0abc12345678def90", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "drain-1730000000", "event_71a2b3c4", "1730000000.5"),
)


@pytest.mark.parametrize("value", LASTING)
def test_a_name_is_a_value_that_lasts(value: str) -> None:
    assert not is_passing_value(Taint("dedicated", value, "NoSchedule"))


@pytest.mark.parametrize("value", PASSING)
def test_a_time_or_an_id_stands_for_one_occurrence(value: str) -> None:
    assert is_passing_value(Taint("example.com/maintenance", value, "NoSchedule"))


@pytest.mark.parametrize(
    "key",
    ["ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler", "aws-node-termination-handler/asg-lifecycle-termination"],
)
def test_some_keys_have_such_values_whatever_they_look_like(key: str) -> None:
    assert is_passing_value(Taint(key, "71a2b3", "NoSchedule"))
