"""A pod that goes by a change, and all of them node by node."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from preflight.evictions.pod_index import PodKey
from preflight.model.evictions import EvictionMechanism, NodeEvictions
from preflight.model.pod_scheduling import SchedulerPod
from preflight.model.pod_status import ClusterPod
from preflight.model.termination_reasons import StaysTerminating


class LeavingPod(Struct, frozen=True):
    """A pod that goes: when, in seconds from the start of the change, what time it then has to end, and why it does not end."""

    pod: SchedulerPod
    leaves_at: float
    grace_seconds: int
    hang: StaysTerminating | None = None

    @property
    def hangs(self) -> bool:
        """Whether it stays in Terminating for certain."""
        return self.hang is not None and self.hang.certain


class LeavingPods(Struct, frozen=True):
    """The nodes of a change, and the pods that go from them in order; `completes` is None where nobody can tell."""

    mechanism: EvictionMechanism
    nodes: tuple[NodeEvictions, ...]
    pods: tuple[LeavingPod, ...]
    completes: bool | None = True


def as_scheduled_pod(pod: ClusterPod) -> SchedulerPod:
    """The pod as it was read: what drains speak of is one of those."""
    assert isinstance(pod, SchedulerPod)
    return pod


def iter_gone_keys(leaving_pods: LeavingPods) -> Iterator[PodKey]:
    """The pods that are gone once all is over."""
    return (pod.pod.key for pod in leaving_pods.pods if not pod.hangs)
