"""What controls a pod."""

from __future__ import annotations

from msgspec import Struct


class OwnerKey(Struct, frozen=True, order=True):
    """The kind, namespace and name of an object that controls pods; as text `Deployment shop/web`."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}"
