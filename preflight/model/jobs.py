"""What a Job and a JobSet say of failures: the parts of their specs that decide what becomes of a lost pod."""

from __future__ import annotations

from msgspec import Struct


class OnExitCodes(Struct, frozen=True, gc=False, omit_defaults=True):
    """`onExitCodes` of a rule; `containerName` None means any container of the pod."""

    containerName: str | None = None
    operator: str = ""
    values: tuple[int, ...] = ()


class OnPodCondition(Struct, frozen=True, gc=False, omit_defaults=True):
    """`onPodConditions[]` of a rule; an absent status means True."""

    type: str = ""
    status: str = ""


class PodFailurePolicyRule(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.podFailurePolicy.rules[]`: one of the two requirements; the first rule that matches a failed pod counts."""

    action: str = ""
    onExitCodes: OnExitCodes | None = None
    onPodConditions: tuple[OnPodCondition, ...] = ()


class PodFailurePolicy(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.podFailurePolicy` of a Job."""

    rules: tuple[PodFailurePolicyRule, ...] = ()


class SuccessPolicyRule(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.successPolicy.rules[]`: indexes as `0,2-4`; None means all of them, or as many as it takes."""

    succeededIndexes: str | None = None
    succeededCount: int | None = None


class SuccessPolicy(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.successPolicy` of a Job."""

    rules: tuple[SuccessPolicyRule, ...] = ()


class JobSetFailureRule(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.failurePolicy.rules[]` of a JobSet: an empty list means any reason, any message, any replicated Job."""

    action: str = ""
    onJobFailureReasons: tuple[str, ...] = ()
    onJobFailureMessagePatterns: tuple[str, ...] = ()
    targetReplicatedJobs: tuple[str, ...] = ()


class JobSetFailurePolicy(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.failurePolicy` of a JobSet."""

    maxRestarts: int = 0
    rules: tuple[JobSetFailureRule, ...] = ()


class JobSetNetwork(Struct, frozen=True, gc=False, omit_defaults=True):
    """`spec.network` of a JobSet: without DNS host names its pods have no headless service."""

    enableDNSHostnames: bool = True
