"""Two pods of one DaemonSet on a node: what both ask for, and of what a node has too little."""

from __future__ import annotations

import pytest

from preflight.model.core import Container, PodSpec, Resources
from preflight.scheduling.surge_fit import find_insufficient_resources, sum_surge_requests


def spec(**requests: str | int | float) -> PodSpec:
    return PodSpec(
        containers=(Container(resources=Resources(requests={name.replace("_", "/"): value for name, value in requests.items()})),)
    )


@pytest.mark.parametrize(
    ("old", "new", "together"),
    [
        pytest.param(spec(), spec(), {}, id="nothing"),
        pytest.param(spec(cpu="1"), spec(), {}, id="the new one asks for nothing"),
        pytest.param(spec(), spec(cpu="1"), {"cpu": 1000}, id="the old one asked for nothing"),
        pytest.param(spec(cpu="500m", memory="1Ki"), spec(cpu="1", a_gpu=1), {"cpu": 1500, "a/gpu": 1}, id="what the new one asks for"),
        pytest.param(spec(cpu="1"), spec(cpu=0), {}, id="0 is nothing"),
        pytest.param(spec(cpu="much"), spec(cpu="1"), {}, id="an amount that cannot be read"),
    ],
)
def test_what_both_ask_for(old: PodSpec, new: PodSpec, together: dict[str, int]) -> None:
    assert sum_surge_requests(old, new) == together


@pytest.mark.parametrize(
    ("wanted", "allocatable", "short"),
    [
        pytest.param({"a/gpu": 2}, {}, (), id="nothing is known of the node"),
        pytest.param({"a/gpu": 2}, {"a/gpu": "2"}, (), id="just enough"),
        pytest.param({"a/gpu": 2}, {"a/gpu": "1"}, ("a/gpu",), id="one device for two"),
        pytest.param({"a/gpu": 2}, {"cpu": "4"}, ("a/gpu",), id="a device whose plugin is gone"),
        pytest.param({"cpu": 1500, "memory": 1025}, {"cpu": "1", "memory": "1Ki"}, ("cpu", "memory"), id="all of them"),
        pytest.param({"cpu": 1500}, {"cpu": "much"}, (), id="an amount that cannot be read"),
    ],
)
def test_of_what_a_node_has_too_little(wanted: dict[str, int], allocatable: dict[str, str | int | float], short: tuple[str, ...]) -> None:
    assert find_insufficient_resources(wanted, allocatable) == short
