"""Facts about PodDisruptionBudgets in manifests, as values. Words for them are in `preflight.messages.budgets`."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class BudgetLimit(StrEnum):
    """The field of a budget that states its limit."""

    MIN_AVAILABLE = "minAvailable"
    MAX_UNAVAILABLE = "maxUnavailable"


class NoLimit(Struct, frozen=True):
    """A budget states no limit, so it allows nothing."""


class FullLimit(Struct, frozen=True):
    """The value of a limit lets no pod go, however many there are."""

    limit: BudgetLimit
    value: int | str


class AllReplicasNeeded(Struct, frozen=True):
    """A budget needs as many pods as its owners have replicas, or more."""

    min_available: int
    owners: tuple[str, ...]
    replicas: int


ZeroBudgetReason = NoLimit | FullLimit | AllReplicasNeeded
