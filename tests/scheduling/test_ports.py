"""Which ports of its node a pod takes, and which of them clash."""

from __future__ import annotations

import pytest

from preflight.model.core import Container, ContainerPort, PodSpec
from preflight.scheduling.ports import HostPort, is_port_taken, list_host_ports


def pod(*ports: ContainerPort, host: bool = False) -> PodSpec:
    return PodSpec(containers=(Container(ports=ports),), hostNetwork=host)


@pytest.mark.parametrize(
    ("spec", "taken"),
    [
        pytest.param(pod(), set(), id="no ports"),
        pytest.param(pod(ContainerPort(80)), set(), id="a port of the container alone"),
        pytest.param(pod(ContainerPort(80, 8080)), {HostPort(8080, "TCP", "0.0.0.0")}, id="a port of the host"),
        pytest.param(pod(ContainerPort(80, 8080, "UDP", "10.0.0.1")), {HostPort(8080, "UDP", "10.0.0.1")}, id="protocol and address"),
        pytest.param(pod(ContainerPort(80, 8080, "", "::")), {HostPort(8080, "TCP", "::")}, id="every address of IPv6 is one address"),
        pytest.param(pod(ContainerPort(80), host=True), {HostPort(80, "TCP", "0.0.0.0")}, id="the host's network: the container's port"),
        pytest.param(PodSpec(hostNetwork=True, containers=(Container(),)), set(), id="the host's network and no port"),
        pytest.param(
            PodSpec(initContainers=(Container(ports=(ContainerPort(80, 80),), restartPolicy="Always"),)),
            {HostPort(80, "TCP", "0.0.0.0", is_sidecar=True)},
            id="a sidecar",
        ),
        pytest.param(PodSpec(initContainers=(Container(ports=(ContainerPort(80, 80),)),)), set(), id="an init container that ends"),
    ],
)
def test_the_ports_of_the_node_that_a_pod_takes(spec: PodSpec, taken: set[HostPort]) -> None:
    assert list_host_ports(spec) == taken


EVERY = "0.0.0.0"


@pytest.mark.parametrize(
    ("one", "other", "do_they"),
    [
        pytest.param((80, "TCP", EVERY), (80, "TCP", EVERY), True, id="the same"),
        pytest.param((80, "TCP", EVERY), (81, "TCP", EVERY), False, id="another number"),
        pytest.param((80, "TCP", EVERY), (80, "UDP", EVERY), False, id="another protocol"),
        pytest.param((80, "TCP", "10.0.0.1"), (80, "TCP", "10.0.0.2"), False, id="another address"),
        pytest.param((80, "TCP", "10.0.0.1"), (80, "TCP", "10.0.0.1"), True, id="the same address"),
        pytest.param((80, "TCP", "10.0.0.1"), (80, "TCP", EVERY), True, id="one address and every address"),
        pytest.param((80, "TCP", "::"), (80, "TCP", EVERY), True, id="an address of IPv6 and every address"),
        pytest.param((80, "TCP", "::"), (80, "TCP", "fd00::1"), False, id="two addresses of IPv6"),
    ],
)
def test_two_ports_clash_whichever_comes_first(one: tuple[int, str, str], other: tuple[int, str, str], do_they: bool) -> None:
    assert is_port_taken(HostPort(*one), [HostPort(*other)]) is do_they
    assert is_port_taken(HostPort(*other), [HostPort(*one)]) is do_they
    assert not is_port_taken(HostPort(*one), [])
