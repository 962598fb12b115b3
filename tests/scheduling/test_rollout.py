"""What an update does to old pods, how much it may take at once, and which ports are in its way: semantics 6."""

from __future__ import annotations

import pytest

from preflight.model.apps import DaemonSetSpec, DaemonSetUpdateStrategy, RollingUpdateDaemonSet
from preflight.model.core import Container, ContainerPort, PodSpec, PodTemplate
from preflight.scheduling.update_strategy import UpdateEffect, find_shared_ports, predict_update, uses_surge
from preflight.scheduling.validation import resolve_int_or_percent

Limit = int | str | None

PLAIN = PodSpec()
HOST = PodSpec(containers=(Container(ports=(ContainerPort(80, hostPort=9100),)),))


def spec(unavailable: Limit = None, surge: Limit = None, kind: str = "", template: PodSpec = PLAIN) -> DaemonSetSpec:
    strategy = DaemonSetUpdateStrategy(kind, RollingUpdateDaemonSet(unavailable, surge))
    return DaemonSetSpec(template=PodTemplate(spec=template), updateStrategy=strategy)


@pytest.mark.parametrize(
    ("daemonset", "desired", "answer"),
    [
        pytest.param(spec(), 3, UpdateEffect.REPLACE, id="the default replaces"),
        pytest.param(spec(), 0, UpdateEffect.REPLACE, id="the default is an integer: it replaces where no node is desired too"),
        pytest.param(spec(kind="RollingUpdate"), 3, UpdateEffect.REPLACE, id="RollingUpdate"),
        pytest.param(spec(kind="OnDelete"), 3, UpdateEffect.HOLD, id="OnDelete holds"),
        pytest.param(spec(1, 1, "OnDelete", HOST), 3, UpdateEffect.HOLD, id="OnDelete reads none of the numbers"),
        pytest.param(spec("50%"), 3, UpdateEffect.REPLACE, id="a percentage of some nodes"),
        pytest.param(spec("1%"), 1, UpdateEffect.REPLACE, id="a percentage rounds up"),
        pytest.param(spec("50%"), 0, UpdateEffect.HOLD, id="a percentage of no node is nothing"),
        pytest.param(spec("100%"), 0, UpdateEffect.HOLD, id="all of no node is nothing too"),
        pytest.param(spec(0, 1), 3, UpdateEffect.REPLACE, id="a surge replaces"),
        pytest.param(spec(0, 1), 0, UpdateEffect.REPLACE, id="a surge that is an integer, where no node is desired"),
        pytest.param(spec(0, "50%"), 0, UpdateEffect.HOLD, id="a surge that is a percentage, where no node is desired"),
        pytest.param(spec(0, 1, template=HOST), 3, UpdateEffect.STALL, id="a surge with a port of the host"),
        pytest.param(spec(0, "10%", template=HOST), 3, UpdateEffect.STALL, id="a percentage of a surge with a port of the host"),
        pytest.param(spec(1, template=HOST), 3, UpdateEffect.REPLACE, id="a port of the host without a surge"),
        pytest.param(spec("0%", "0%"), 3, UpdateEffect.REPLACE, id="what the API server refuses is taken for the default"),
    ],
)
def test_update(daemonset: DaemonSetSpec, desired: int, answer: UpdateEffect) -> None:
    assert predict_update(daemonset, desired) is answer


@pytest.mark.parametrize(
    ("daemonset", "answer"),
    [
        pytest.param(spec(), False, id="the default"),
        pytest.param(spec(0, 1), True, id="an integer"),
        pytest.param(spec(0, "1%"), True, id="a percentage"),
        pytest.param(spec(1, 0), False, id="0"),
        pytest.param(spec(1, "0%"), False, id="0 %"),
        pytest.param(spec(0, 1, "OnDelete"), False, id="OnDelete"),
    ],
)
def test_surges(daemonset: DaemonSetSpec, answer: bool) -> None:
    assert uses_surge(daemonset) is answer


MANY = PodSpec(
    hostNetwork=True,
    containers=(Container(ports=(ContainerPort(80, 80),)), Container(ports=(ContainerPort(53), ContainerPort(80)))),
)
SIDECAR = PodSpec(initContainers=(Container(ports=(ContainerPort(53, 53),), restartPolicy="Always"),))


def one_port(protocol: str = "", address: str = "") -> PodSpec:
    return PodSpec(containers=(Container(ports=(ContainerPort(80, 80, protocol, address),)),))


@pytest.mark.parametrize(
    ("old", "new", "shared"),
    [
        pytest.param(one_port("TCP"), one_port("UDP"), (), id="another protocol"),
        pytest.param(one_port("TCP", "10.0.0.1"), one_port("TCP", "10.0.0.2"), (), id="another address"),
        pytest.param(one_port(), one_port("TCP"), (80,), id="no protocol is TCP"),
        pytest.param(one_port("TCP", "10.0.0.1"), one_port("TCP"), (80,), id="every address clashes with each"),
        pytest.param(one_port("TCP", "0.0.0.0"), one_port("TCP", "10.0.0.2"), (80,), id="0.0.0.0 is every address"),
        pytest.param(PLAIN, PLAIN, (), id="no ports"),
        pytest.param(MANY, MANY, (53, 80), id="each port once, in order"),
        pytest.param(SIDECAR, SIDECAR, (53,), id="a sidecar has ports, too"),
    ],
)
def test_ports_that_keep_two_pods_apart(old: PodSpec, new: PodSpec, shared: tuple[int, ...]) -> None:
    assert find_shared_ports(old, new) == shared


@pytest.mark.parametrize(
    ("value", "total", "answer"),
    [
        pytest.param(None, 10, 7, id="absent is the default"),
        pytest.param(0, 10, 0, id="0"),
        pytest.param(12, 10, 12, id="an integer"),
        pytest.param("0%", 10, 0, id="0 %"),
        pytest.param("1%", 10, 1, id="rounded up"),
        pytest.param("25%", 10, 3, id="a half is rounded up"),
        pytest.param("100%", 10, 10, id="100 %"),
        pytest.param("-5%", 10, 7, id="a negative percentage is none"),
        pytest.param("5", 10, 7, id="a text without a percent sign is none"),
        pytest.param("\u0665%", 10, 7, id="a digit of another script is none"),
        pytest.param("9" * 400 + "%", 10, 7, id="a number without end is none"),
    ],
)
def test_scaled(value: Limit, total: int, answer: int) -> None:
    assert resolve_int_or_percent(value, total, default=7) == answer
