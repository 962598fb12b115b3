"""Which ports of its node a pod takes, and whether two pods can have theirs side by side."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from preflight.model.core import PodSpec


class HostPort(NamedTuple):
    """A port of the node: its number, its protocol, and its address ("0.0.0.0" for every address); `is_sidecar`: a sidecar takes it."""

    number: int
    protocol: str
    address: str
    is_sidecar: bool = False


def list_host_ports(spec: PodSpec) -> frozenset[HostPort]:
    """The ports of the node that a pod takes, whether or not the API server has filled in its defaults.

    1. Those of its containers and sidecars; an init container that ends takes none.
    2. With hostNetwork a port without a hostPort takes its containerPort.
    3. No protocol means TCP, no hostIP every address. "::" is an address as any other.

    Source: `pkg/scheduler/util/utils.go`, GetHostPorts; `pkg/apis/core/v1/defaults.go`, defaultHostNetworkPorts.
    """
    containers = ((container, False) for container in spec.containers)
    sidecars = ((container, True) for container in spec.initContainers if container.restartPolicy == "Always")
    return frozenset(
        HostPort(number, port.protocol or "TCP", port.hostIP or "0.0.0.0", is_sidecar)
        for container, is_sidecar in (*containers, *sidecars)
        for port in container.ports
        if (number := port.hostPort or (port.containerPort if spec.hostNetwork else 0)) > 0
    )


def conflicts(
    ports: Collection[HostPort], taken_ports: Iterable[HostPort], *, has_copies: bool, counts_sidecars: bool | None = True
) -> bool | None:
    """Whether a pod with some ports finds one of them taken, by other pods or by a copy of it.

    `counts_sidecars`: the scheduler sees the ports of sidecars too; None where that is not known, and then the answer may be None.
    """
    if not ports:
        return False
    taken = tuple(taken_ports)
    if not has_copies and not any(is_port_taken(port, taken) for port in ports):
        return False
    if counts_sidecars:
        return True
    own = [port for port in ports if not port.is_sidecar]
    others = [port for port in taken if not port.is_sidecar]
    return (bool(own) and (has_copies or any(is_port_taken(port, others) for port in own))) or counts_sidecars


def is_port_taken(port: HostPort, taken_ports: Iterable[HostPort]) -> bool:
    """Whether a port is taken: number and protocol are equal, and the addresses are, or one of them is 0.0.0.0.

    Source: `staging/src/k8s.io/kube-scheduler/framework/types.go`, HostPortInfo.CheckConflict.
    """
    return any(
        (port.number, port.protocol) == (other.number, other.protocol)
        and (port.address == other.address or "0.0.0.0" in (port.address, other.address))
        for other in taken_ports
    )
