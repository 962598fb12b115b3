"""What the API server refuses of the requests and limits of containers, with its own words.

Source: `pkg/apis/core/validation/validation.go`, validateResourceRequirements.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.core import PodSpec, Resources
from preflight.model.meta import Refusal
from preflight.scheduling.quantities import QuantityError, parse_millis

Path = tuple[str | int, ...]


def validate_requests(spec: PodSpec, path: Path) -> Iterator[Refusal]:
    """What is refused of the requests of a pod's containers; `path` is that of the pod's spec.

    1. A request is at most as high as the limit of its resource.
    2. A request of an extended resource or of huge pages equals its limit.

    A quantity that cannot be read is left to who reads it. That an extended resource has a limit is not asked: the server does.
    """
    for name, containers in (("initContainers", spec.initContainers), ("containers", spec.containers)):
        for number, container in enumerate(containers):
            if container.resources.requests and container.resources.limits:
                yield from _validate_resources(container.resources, (*path, name, number, "resources", "requests"))


def _validate_resources(resources: Resources, path: Path) -> Iterator[Refusal]:
    for resource, request in resources.requests.items():
        limit = resources.limits.get(resource)
        if limit is None:
            continue
        try:
            excess = parse_millis(request) - parse_millis(limit)
        except QuantityError:
            continue
        if excess and not _allows_overcommit(resource):
            yield Refusal(path, f'Invalid value: "{request}": must be equal to {resource} limit of {limit}', "requests")
        elif excess > 0:
            yield Refusal(path, f'Invalid value: "{request}": must be less than or equal to {resource} limit of {limit}', "requests")


def _allows_overcommit(resource: str) -> bool:
    """Whether a limit may be above the request: of cpu, memory and the like, not of extended resources and huge pages.

    Source: `pkg/apis/core/v1/helper/helpers.go`, IsOvercommitAllowed.
    """
    is_native = "/" not in resource or "kubernetes.io/" in resource
    return is_native and not resource.startswith("hugepages-")
