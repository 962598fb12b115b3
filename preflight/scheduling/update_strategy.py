"""What an update of a DaemonSet's template does to its pods, and whether it can come to its end."""

from __future__ import annotations

from enum import Enum

from preflight.model.apps import DaemonSetSpec
from preflight.model.core import PodSpec
from preflight.scheduling.ports import is_port_taken, list_host_ports
from preflight.scheduling.validation import resolve_int_or_percent


class UpdateEffect(Enum):
    """What an update does to the pods of the old template, by strategy.

    1. REPLACE: each goes; a new one is created only where the DaemonSet should run.
    2. HOLD: nothing happens to an available pod (OnDelete, a budget that is 0 or used up).
    3. STALL: where the DaemonSet should run, the old pod stays and a new one waits beside it for ever; elsewhere the old pod goes.
    4. HANG: it is deleted and never ends, for the kubelet is silent; no new one is created beside it.
    """

    REPLACE = "replace"
    HOLD = "hold"
    STALL = "stall"
    HANG = "hang"


def predict_update(spec: DaemonSetSpec, desired: int, old_template: PodSpec | None = None) -> UpdateEffect:
    """What an update of the template does while all pods are available and all nodes well.

    `rollout_simulation.simulate_update` knows those that are not.

    1. OnDelete: nothing until a pod is deleted.
    2. maxSurge 0 (the default): every node that has a pod is a candidate, without asking whether it should run.
    3. maxUnavailable (default 1) or maxSurge as a percentage of a desired number of 0 is 0: available old pods are never deleted. Both 0
       otherwise, which the API server refuses, is taken for the default.
    4. maxSurge above 0 with a port of the host that the old template takes too: the new pod never runs beside the old one; old pods
       where the DaemonSet should not run go.

    `desired` is the number of nodes that should run the new template, `old_template` the template before (None: the same ports).

    Source: `pkg/controller/daemon/update.go`, rollingUpdate.
    """
    if spec.updateStrategy.type == "OnDelete":
        return UpdateEffect.HOLD
    rolling = spec.updateStrategy.rollingUpdate
    surge = resolve_int_or_percent(rolling.maxSurge, desired, default=0)
    if surge == 0:
        return (
            UpdateEffect.HOLD
            if desired == 0 and resolve_int_or_percent(rolling.maxUnavailable, desired, default=1) == 0
            else UpdateEffect.REPLACE
        )
    return UpdateEffect.STALL if find_shared_ports(old_template or spec.template.spec, spec.template.spec) else UpdateEffect.REPLACE


def uses_surge(spec: DaemonSetSpec) -> bool:
    """Whether an update creates the new pod before the old one goes: RollingUpdate with a maxSurge that is not 0."""
    return spec.updateStrategy.type != "OnDelete" and resolve_int_or_percent(spec.updateStrategy.rollingUpdate.maxSurge, 100, default=0) > 0


def find_shared_ports(old_template: PodSpec, new_template: PodSpec) -> tuple[int, ...]:
    """The numbers of the ports of the node that pods of both templates take, so that they cannot run beside one another.

    As `ports.is_port_taken` tells.
    """
    taken = list_host_ports(old_template)
    return tuple(sorted({port.number for port in list_host_ports(new_template) if is_port_taken(port, taken)}))
