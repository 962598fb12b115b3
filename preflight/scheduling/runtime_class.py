"""What the RuntimeClass of a pod adds to it when it is created."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from preflight.model.core import PodSpec, RuntimeClass
from preflight.scheduling.quantities import QuantityError, parse_millis

T = TypeVar("T", bound=PodSpec)


class RuntimeClassRefusedError(ValueError):
    """Why the API server refuses to create the pod."""


def apply_runtime_class(spec: T, runtime_class: RuntimeClass) -> T:
    """A new pod as it is once its RuntimeClass has added to it.

    1. Its overhead is that of the class; where the class has none, it stays as it is.
    2. The nodeSelector of the class is added, and its tolerations follow those of the pod.

    Raises RefusedError where the pod has another overhead than the class, or asks for another value of a label that the class selects by.

    Source: `plugin/pkg/admission/runtimeclass/admission.go`, setOverhead and setScheduling.
    """
    name, overhead = runtime_class.metadata.name, runtime_class.overhead.get("podFixed", {})
    if overhead:
        if spec.overhead and _parse_overhead(spec.overhead) != _parse_overhead(overhead):
            raise RuntimeClassRefusedError(f"its overhead is not that of the RuntimeClass {name}")
        spec = replace(spec, overhead=overhead)
    scheduling = runtime_class.scheduling
    if scheduling is None:
        return spec
    for key, value in scheduling.nodeSelector.items():
        if spec.nodeSelector.get(key, value) != value:
            raise RuntimeClassRefusedError(f"it selects {key}={spec.nodeSelector[key]}, and the RuntimeClass {name} {key}={value}")
    return replace(
        spec,
        nodeSelector={**spec.nodeSelector, **scheduling.nodeSelector},
        tolerations=(*spec.tolerations, *scheduling.tolerations),
    )


def _parse_overhead(overhead: dict[str, str | int | float]) -> object:
    """Amounts to compare, however they are written; as they are where one cannot be read."""
    try:
        return {name: parse_millis(quantity) for name, quantity in overhead.items()}
    except QuantityError:
        return overhead
