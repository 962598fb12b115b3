"""ResourceQuotas: how many pods a namespace may have."""

from __future__ import annotations

from msgspec import field

from preflight.model.objects import APIStruct, Metadata, SourcedObject


class QuotaSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a ResourceQuota; one with scopes counts only some of the pods."""

    hard: dict[str, str | int | float] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    scopeSelector: dict[str, object] = field(default_factory=dict)


class QuotaStatus(APIStruct, frozen=True, gc=False):
    """`status` of a ResourceQuota: what is used, as the controller counts it."""

    used: dict[str, str | int | float] = field(default_factory=dict)


class ResourceQuota(SourcedObject, frozen=True, gc=False):
    """v1 ResourceQuota."""

    metadata: Metadata = Metadata()
    spec: QuotaSpec = QuotaSpec()
    status: QuotaStatus = QuotaStatus()
