"""The ways in which a pod is lost, and what each of them does to it."""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class _DisruptionEffect(NamedTuple):
    condition: bool
    deletes: bool
    forced: bool = False
    ran: bool = True


class Disruption(Enum):
    """How a pod is lost.

    Sources: `pkg/registry/core/pod/storage/eviction.go`, `pkg/controller/tainteviction/taint_eviction.go`,
    `pkg/scheduler/framework/preemption/executor.go`, `pkg/kubelet/eviction/eviction_manager.go`,
    `pkg/kubelet/nodeshutdown/nodeshutdown_manager.go`, `pkg/controller/podgc/gc_controller.go`, `pkg/kubelet/kubelet.go` (rejectPod).
    """

    EVICTION = _DisruptionEffect(condition=True, deletes=True), "the eviction API, as `kubectl drain` uses it"
    TAINT = _DisruptionEffect(condition=True, deletes=True), "a NoExecute taint"
    PREEMPTION = _DisruptionEffect(condition=True, deletes=True), "a pod of higher priority"
    NODE_PRESSURE = _DisruptionEffect(condition=True, deletes=False), "node pressure"
    SHUTDOWN = _DisruptionEffect(condition=True, deletes=False), "a graceful shutdown of the node"
    POD_GC = _DisruptionEffect(condition=True, deletes=True, forced=True), "pod garbage collection, when the node is gone"
    DELETION = _DisruptionEffect(condition=False, deletes=True), "`kubectl delete pod`, or `kubectl drain --disable-eviction`"
    REFUSAL = _DisruptionEffect(condition=False, deletes=False, forced=True, ran=False), "a kubelet that refuses the pod"

    @property
    def has_condition(self) -> bool:
        """Whether the pod bears the condition DisruptionTarget, which a rule can ignore."""
        return self.value[0].condition

    @property
    def deletes_pod(self) -> bool:
        """Whether the pod is deleted first, and ends within its grace period; else it fails where it is, once it has ended."""
        return self.value[0].deletes

    @property
    def is_forced(self) -> bool:
        """Whether the pod counts as failed at once, whatever its containers do."""
        return self.value[0].forced

    @property
    def leaves_containers(self) -> bool:
        """Whether its containers ran, and say when and how they ended. After a refusal nothing does."""
        return self.value[0].ran and not self.value[0].forced
