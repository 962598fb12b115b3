"""Whether a node has room for the new pod of a surge beside the old one."""

from __future__ import annotations

from collections.abc import Mapping

from preflight.model.core import PodSpec
from preflight.scheduling.quantities import QuantityError, count_units, parse_millis
from preflight.scheduling.requests import Amounts, Quantities, sum_pod_requests


def sum_surge_requests(old: PodSpec, new: PodSpec) -> Amounts:
    """What pods of both templates ask for together, of each resource that the new one asks for.

    Empty where it asks for nothing, and where an amount cannot be read.
    """
    try:
        before, after = sum_pod_requests(old), sum_pod_requests(new)
    except QuantityError:
        return {}
    return {resource: amount + before.get(resource, 0) for resource, amount in after.items() if amount}


def find_insufficient_resources(requests: Mapping[str, int], allocatable: Quantities) -> tuple[str, ...]:
    """The resources of which a node can allocate less than is wanted, whatever else runs there; () where not known ({}).

    A resource that a node does not name is 0 there, as with a device whose plugin is gone. An amount that cannot be read is enough.

    Source: `pkg/scheduler/framework/plugins/noderesources/fit.go`, fitsRequest.
    """
    return (
        tuple(sorted(resource for resource, amount in requests.items() if amount > _read_allocatable(resource, allocatable)))
        if allocatable
        else ()
    )


def _read_allocatable(resource: str, allocatable: Quantities) -> float:
    try:
        return count_units(resource, parse_millis(allocatable.get(resource, 0)))
    except QuantityError:
        return float("inf")
