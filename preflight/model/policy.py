"""PodDisruptionBudgets: what they select, what they want, and what the disruption controller last wrote of them."""

from __future__ import annotations

from msgspec import field

from preflight.model.meta import APIStruct, LabelSelector, Metadata, SourcedObject


class BudgetCondition(APIStruct, frozen=True, gc=False):
    """`status.conditions[]` of a budget: DisruptionAllowed, with the reason why not."""

    type: str = ""
    status: str = ""
    reason: str = ""
    message: str = ""


class BudgetSpec(APIStruct, frozen=True, gc=False):
    """`spec` of a budget: an empty selector selects every pod of the namespace, an absent one none."""

    selector: LabelSelector | None = None
    minAvailable: int | str | None = None
    maxUnavailable: int | str | None = None
    unhealthyPodEvictionPolicy: str = ""


class BudgetStatus(APIStruct, frozen=True, gc=False):
    """`status` of a budget; `disruptedPods` are pods that the API server let go and the controller has not seen leave, with the time."""

    observedGeneration: int = 0
    disruptionsAllowed: int = 0
    currentHealthy: int = 0
    desiredHealthy: int = 0
    expectedPods: int = 0
    disruptedPods: dict[str, str] = field(default_factory=dict)
    conditions: tuple[BudgetCondition, ...] = ()


class PodDisruptionBudget(SourcedObject, frozen=True, gc=False):
    """policy/v1 PodDisruptionBudget; `status` is None where it was never with a server, as in a manifest."""

    metadata: Metadata = Metadata()
    spec: BudgetSpec = BudgetSpec()
    status: BudgetStatus | None = None

    @property
    def key(self) -> tuple[str, str]:
        """Its namespace and its name."""
        return self.metadata.namespace, self.metadata.name
