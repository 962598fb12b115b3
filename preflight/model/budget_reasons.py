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


class ReplicaSource(StrEnum):
    """Who says how many replicas a workload has: its manifest, the default of Kubernetes, or an autoscaler's minimum."""

    STATED = "stated"
    DEFAULT = "default"
    AUTOSCALER = "autoscaler"


class AllReplicasNeeded(Struct, frozen=True):
    """A budget needs as many pods as its owners have replicas, or more.

    1. `min_available` is as it is written, `allows_from` the number of replicas from which it allows one disruption.
    2. `source` says where the replicas are from; `autoscalers` are those that may leave so few.
    3. `is_patched`: a kustomization changes the budget or an owner, so that this is not the last word.
    """

    min_available: int | str
    owners: tuple[str, ...]
    replicas: int
    allows_from: int
    source: ReplicaSource = ReplicaSource.STATED
    autoscalers: tuple[str, ...] = ()
    is_patched: bool = False


ZeroBudgetReason = NoLimit | FullLimit | AllReplicasNeeded
