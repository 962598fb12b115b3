"""What a pod asks of its node, as the scheduler adds it up."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from preflight.model.core import Container, PodSpec
from preflight.model.pod_scheduling import ContainerStatus, SchedulerPod, SchedulerPodStatus
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.name_validation import validate_qualified_name
from preflight.scheduling.quantities import QuantityError, count_units, parse_millis

Quantities = Mapping[str, str | int | float]
"""`requests`, `limits`, `allocatable`: quantities as they are written."""

Amounts = dict[str, int]
"""Amounts by resource: in thousandths while they are added up, then as the scheduler counts them (see `quantities.count_units`)."""

ContainerView = Callable[[Container], Amounts]
"""One way to tell what a container takes."""


@lru_cache(maxsize=4096)
def is_counted_resource(resource: str) -> bool:
    """Whether the scheduler counts a resource: cpu, memory, ephemeral-storage, huge pages, and every name with a domain.

    The number of pods is counted apart. Source: `pkg/scheduler/util/utils.go`, IsScalarResourceName.
    """
    if resource in ("cpu", "memory", "ephemeral-storage") or resource.startswith(("hugepages-", "attachable-volumes-")):
        return True
    if "kubernetes.io/" in resource:
        return True
    return "/" in resource and not resource.startswith("requests.") and not validate_qualified_name(f"requests.{resource}")


def sum_pod_requests(spec: PodSpec) -> Amounts:
    """What a new pod asks for, whether or not the API server has filled in its defaults.

    1. A container that states a limit and no request asks for the limit, resource by resource.
    2. Containers run side by side with the sidecars (init containers that restart always): these add up. An init container runs with
       the sidecars before it. The larger of both counts, resource by resource.
    3. What the pod as a whole asks for of cpu, memory and huge pages takes the place of that. Where it states a limit alone, the sum
       of its containers counts for cpu and memory, and the limit for what they do not ask for.
    4. The overhead of its RuntimeClass comes on top.
    5. A resource that nobody asks for is absent; one that the scheduler does not count is left out.

    Raises QuantityError, naming the resource, for an amount that cannot be read.

    Source: `staging/src/k8s.io/component-helpers/resource/helpers.go`, PodRequests; `pkg/apis/core/v1/defaults.go`, SetDefaults_Pod;
    `pkg/api/pod/util.go`, DefaultPodLevelResources.
    """
    total = _aggregate_containers(spec, _read_stated_requests)
    limits = _select_pod_level(_parse_quantities(spec.resources.limits))
    for name in [name for name in limits if name in total and not name.startswith("hugepages-")]:
        del limits[name]
    total.update(limits)
    total.update(_select_pod_level(_parse_quantities(spec.resources.requests)))
    _add_amounts(total, _parse_quantities(spec.overhead))
    return _count_amounts(total)


def sum_allocated_requests(pod: ClusterPod) -> Amounts:
    """What a pod takes of its node's room: what it asks for, or what its node has set aside for it where that is more.

    1. While its size changes, the largest of what is asked for, set aside and given counts, resource by resource.
    2. Where the node can never give what is asked for (PodResizePending, Infeasible), that does not count.
    3. A pod whose status was not read whole (no ScheduledPod) takes what it asks for; `is_being_resized` tells when that may be wrong.

    Raises QuantityError as `sum_pod_requests` does.

    Source: `staging/src/k8s.io/component-helpers/resource/helpers.go`, PodRequests with UseStatusResources.
    """
    infeasible = any(condition.type == "PodResizePending" and condition.reason == "Infeasible" for condition in pod.status.conditions)
    if not isinstance(pod, SchedulerPod) or not (infeasible or _has_sizes(pod.status)):
        return sum_pod_requests(pod.spec)
    spec, status = pod.spec, pod.status
    given = _parse_quantities(status.resources.requests) if status.resources else {}
    set_aside = _parse_quantities(status.allocatedResources)
    whole = bool(given and set_aside)
    views = [given, set_aside] if whole else [_aggregate_containers(spec, view) for view in _make_container_views(status, infeasible)]
    if not infeasible:
        views.append(_aggregate_containers(spec, _read_stated_requests))
    total = _merge_largest(views)
    own = _select_pod_level(_parse_quantities(spec.resources.requests))
    if own and status.resources is not None:
        own = _select_pod_level(_merge_largest([{} if infeasible else own, given, set_aside]))
    total.update(own)
    _add_amounts(total, _parse_quantities(spec.overhead))
    return _count_amounts(total)


def is_being_resized(pod: ClusterPod) -> bool:
    """Whether what a pod takes may differ from what it asks for, as far as its conditions tell."""
    return any(condition.type in ("PodResizePending", "PodResizeInProgress") for condition in pod.status.conditions)


def _read_stated_requests(container: Container) -> Amounts:
    """What a container asks for; a limit without a request is one."""
    return _parse_quantities({**container.resources.limits, **container.resources.requests})


def _has_sizes(status: SchedulerPodStatus) -> bool:
    """Whether a status says anything of what was set aside or given."""
    return bool(status.resources or status.allocatedResources or status.containerStatuses or status.initContainerStatuses)


def _make_container_views(status: SchedulerPodStatus, is_infeasible: bool) -> tuple[ContainerView, ContainerView]:
    """What was given to a container, and what was set aside for it; where its status does not say, what stands in for it."""
    by_name: dict[str, ContainerStatus] = {}
    for container_status in (*status.containerStatuses, *status.initContainerStatuses):
        by_name.setdefault(container_status.name, container_status)

    def set_aside(container: Container) -> Amounts:
        found = by_name.get(container.name)
        if found and found.allocatedResources:
            return _parse_quantities(found.allocatedResources)
        return {} if is_infeasible else _read_stated_requests(container)

    def given(container: Container) -> Amounts:
        found = by_name.get(container.name)
        if found and found.resources and found.resources.requests:
            return _parse_quantities(found.resources.requests)
        return set_aside(container)

    return given, set_aside


def _aggregate_containers(spec: PodSpec, view: ContainerView) -> Amounts:
    """The larger of the containers that stay and of each init container with the sidecars before it."""
    total: Amounts = {}
    for container in spec.containers:
        _add_amounts(total, view(container))
    sidecars: Amounts = {}
    starting: list[Amounts] = []
    for container in spec.initContainers:
        amounts = view(container)
        if container.restartPolicy == "Always":
            _add_amounts(total, amounts)
            _add_amounts(sidecars, amounts)
            starting.append(dict(sidecars))
        else:
            _add_amounts(amounts, sidecars)
            starting.append(amounts)
    return _merge_largest([total, *starting])


def _select_pod_level(amounts: Amounts) -> Amounts:
    """The amounts that may be asked for by a pod as a whole: cpu, memory and huge pages."""
    return {name: milli for name, milli in amounts.items() if name in ("cpu", "memory") or name.startswith("hugepages-")}


def _add_amounts(total: Amounts, amounts: Mapping[str, int]) -> None:
    for name, milli in amounts.items():
        total[name] = total.get(name, 0) + milli


def _merge_largest(views: Iterable[Mapping[str, int]]) -> Amounts:
    total: Amounts = {}
    for amounts in views:
        for name, milli in amounts.items():
            total[name] = max(milli, total.get(name, 0))
    return total


def _parse_quantities(quantities: Quantities) -> Amounts:
    amounts = {}
    for name, quantity in quantities.items():
        try:
            amounts[name] = parse_millis(quantity)
        except QuantityError as error:
            raise QuantityError(f"{name}: {error}") from None
    return amounts


def _count_amounts(total: Amounts) -> Amounts:
    return {name: count_units(name, milli) for name, milli in total.items() if is_counted_resource(name)}
