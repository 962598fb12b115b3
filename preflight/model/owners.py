"""What controls a pod."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from preflight.model.meta import OwnerReference


class OwnerKey(Struct, frozen=True, order=True):
    """The kind, namespace and name of an object that controls pods; as text `Deployment shop/web`."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"


def find_controller(references: Iterable[OwnerReference]) -> OwnerReference | None:
    """The owner that controls an object, as a ReplicaSet or a Job controls a pod; None where there is none."""
    return next((reference for reference in references if reference.controller), None)
