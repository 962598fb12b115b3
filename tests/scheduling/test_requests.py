"""What a pod asks for and takes: containers, sidecars, init containers, the pod as a whole, overhead, and a change of its size."""

from __future__ import annotations

from typing import Any

import pytest

from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.model.pod_status import ClusterPod
from preflight.scheduling.quantities import QuantityError
from preflight.scheduling.requests import is_being_resized, is_counted_resource, sum_allocated_requests, sum_pod_requests
from tests.builders import read_object


def spec(*containers: dict[str, Any], init: list[dict[str, Any]] | None = None, **others: Any) -> SchedulerPodSpec:
    return read_object({"containers": list(containers), "initContainers": init or [], **others}, SchedulerPodSpec)


def asks(name: str = "c", limits: dict[str, Any] | None = None, restart: str = "", **requests: Any) -> dict[str, Any]:
    named = {key.replace("_", "-").replace("gpu", "example.com/gpu"): value for key, value in requests.items()}
    return {"name": name, "resources": {"requests": named, "limits": limits or {}}, **({"restartPolicy": restart} if restart else {})}


SIDECAR = "Always"


@pytest.mark.parametrize(
    ("pod", "amounts"),
    [
        pytest.param(spec(asks()), {}, id="it asks for nothing"),
        pytest.param(spec(asks(cpu="250m", memory="1Gi")), {"cpu": 250, "memory": 2**30}, id="one container"),
        pytest.param(spec(asks(cpu="250m"), asks(cpu="1", memory=1)), {"cpu": 1250, "memory": 1}, id="containers add up"),
        pytest.param(spec(asks(memory="500m"), asks(memory="500m")), {"memory": 1}, id="they add up before they are rounded"),
        pytest.param(spec(asks(cpu="0.1m"), asks(cpu="0.1m")), {"cpu": 2}, id="a quantity is rounded to thousandths before it is added"),
        pytest.param(spec(asks(limits={"cpu": 1, "example.com/gpu": 2})), {"cpu": 1000, "example.com/gpu": 2}, id="a limit is a request"),
        pytest.param(spec(asks(limits={"cpu": 1, "memory": 9}, cpu="0")), {"cpu": 0, "memory": 9}, id="a request of 0 is one, too"),
        pytest.param(
            spec(asks(cpu=1), init=[asks(cpu=3), asks(cpu=2, memory=5)]),
            {"cpu": 3000, "memory": 5},
            id="init containers run one after another: the largest counts",
        ),
        pytest.param(spec(asks(cpu=1), init=[asks(cpu=1, restart=SIDECAR)]), {"cpu": 2000}, id="a sidecar runs with the containers"),
        pytest.param(
            spec(asks(cpu=1), init=[asks(cpu=1, restart=SIDECAR), asks(cpu=3)]),
            {"cpu": 4000},
            id="an init container runs with the sidecars before it",
        ),
        pytest.param(
            spec(asks(cpu=1), init=[asks(cpu=3), asks(cpu=1, restart=SIDECAR)]),
            {"cpu": 3000},
            id="and without those after it",
        ),
        pytest.param(
            spec(asks(cpu=1), init=[asks(cpu=2, restart=SIDECAR), asks(cpu=1), asks(cpu=4, restart=SIDECAR)]),
            {"cpu": 7000},
            id="sidecars add up",
        ),
        pytest.param(
            spec(asks(cpu=1, memory=1), resources={"requests": {"cpu": "3"}}),
            {"cpu": 3000, "memory": 1},
            id="what the pod asks for as a whole takes the place of its containers' sum",
        ),
        pytest.param(
            spec(asks(cpu=1, gpu=1, limits={"example.com/gpu": 1}), resources={"requests": {"example.com/gpu": 5}}),
            {"cpu": 1000, "example.com/gpu": 1},
            id="but only of cpu, memory and huge pages",
        ),
        pytest.param(
            spec(asks(cpu=1), resources={"limits": {"cpu": "3", "memory": "5"}}),
            {"cpu": 1000, "memory": 5},
            id="a limit of the pod counts where no container asks for the resource",
        ),
        pytest.param(
            spec(asks(cpu=1, limits={"hugepages-2Mi": "2Mi"}), resources={"limits": {"hugepages-2Mi": "4Mi"}}),
            {"cpu": 1000, "hugepages-2Mi": 4 * 2**20},
            id="and always for huge pages",
        ),
        pytest.param(
            spec(asks(cpu=1), init=[asks(cpu=3)], overhead={"cpu": "250m", "memory": "1"}),
            {"cpu": 3250, "memory": 1},
            id="overhead comes on top",
        ),
        pytest.param(spec(asks(storage="1Gi", foo="1")), {}, id="a resource that the scheduler does not count"),
    ],
)
def test_what_a_pod_asks_for(pod: SchedulerPodSpec, amounts: dict[str, int]) -> None:
    assert sum_pod_requests(pod) == amounts


def test_an_amount_that_cannot_be_read_names_its_resource() -> None:
    with pytest.raises(QuantityError) as error:
        sum_pod_requests(spec(asks(cpu="1K")))
    assert str(error.value) == "cpu: '1K' is no quantity: 'K' is no suffix"


@pytest.mark.parametrize(
    ("resource", "is_it"),
    [
        ("cpu", True),
        ("memory", True),
        ("ephemeral-storage", True),
        ("hugepages-1Gi", True),
        ("attachable-volumes-aws-ebs", True),
        ("nvidia.com/gpu", True),
        ("kubernetes.io/thing", True),
        ("deviceclass.resource.kubernetes.io/gpu", True),
        ("pods", False),
        ("storage", False),
        ("gpu", False),
        ("requests.nvidia.com/gpu", False),
        ("nvidia.com/", False),
    ],
)
def test_which_resources_are_counted(resource: str, is_it: bool) -> None:
    assert is_counted_resource(resource) is is_it


def running(status: dict[str, Any], *containers: dict[str, Any], kind: type[Any] = SchedulerPod, **others: Any) -> Any:
    pod = {"containers": list(containers) or [asks(cpu=1)], **others}
    return read_object({"kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": pod, "status": status}, kind)


def set_aside(cpu: str, name: str = "c", given: str = "") -> dict[str, Any]:
    resources = {"resources": {"requests": {"cpu": given}}} if given else {}
    return {"name": name, "allocatedResources": {"cpu": cpu}, **resources}


INFEASIBLE = {"conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]}


@pytest.mark.parametrize(
    ("pod", "amounts"),
    [
        pytest.param(running({}), {"cpu": 1000}, id="its status says nothing"),
        pytest.param(running({"containerStatuses": [set_aside("1", given="1")]}), {"cpu": 1000}, id="it has what it asks for"),
        pytest.param(running({"containerStatuses": [set_aside("3")]}), {"cpu": 3000}, id="it shrinks: what is set aside counts"),
        pytest.param(running({"containerStatuses": [set_aside("1", given="4")]}), {"cpu": 4000}, id="it shrinks: what it was given counts"),
        pytest.param(running({"containerStatuses": [set_aside("250m")]}), {"cpu": 1000}, id="it grows: what it asks for counts"),
        pytest.param(
            running({"containerStatuses": [set_aside("250m")], **INFEASIBLE}),
            {"cpu": 250},
            id="it can never grow on this node: what it asks for does not count",
        ),
        pytest.param(running({**INFEASIBLE}), {}, id="it can never grow, and nothing is set aside"),
        pytest.param(running({"containerStatuses": [set_aside("3", name="other")]}), {"cpu": 1000}, id="the status of another container"),
        pytest.param(
            running({"allocatedResources": {"cpu": "5"}, "resources": {"requests": {"cpu": "2"}}, "containerStatuses": [set_aside("9")]}),
            {"cpu": 5000},
            id="the status of the pod as a whole takes the place of its containers'",
        ),
        pytest.param(
            running({"allocatedResources": {"cpu": "5"}, "resources": {"requests": {"cpu": "2"}}}, resources={"requests": {"cpu": "3"}}),
            {"cpu": 5000},
            id="a pod that asks as a whole, and shrinks",
        ),
        pytest.param(
            running({"resources": {"requests": {"cpu": "2"}}, **INFEASIBLE}, resources={"requests": {"cpu": "3"}}),
            {"cpu": 2000},
            id="a pod that asks as a whole, and can never grow",
        ),
        pytest.param(running({"containerStatuses": [set_aside("3")]}, kind=ClusterPod), {"cpu": 1000}, id="a pod that was not read whole"),
    ],
)
def test_what_a_pod_takes(pod: ClusterPod, amounts: dict[str, int]) -> None:
    assert sum_allocated_requests(pod) == amounts


@pytest.mark.parametrize(
    ("conditions", "is_it"),
    [
        pytest.param([], False, id="no condition"),
        pytest.param([{"type": "Ready", "status": "True"}], False, id="another condition"),
        pytest.param([{"type": "PodResizePending", "status": "True"}], True, id="the node has not taken the change up"),
        pytest.param([{"type": "PodResizeInProgress", "status": "True"}], True, id="the change is under way"),
    ],
)
def test_whether_a_pod_is_being_resized(conditions: list[dict[str, str]], is_it: bool) -> None:
    assert is_being_resized(running({"conditions": conditions}, kind=ClusterPod)) is is_it
