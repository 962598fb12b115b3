"""How long a node's drain takes, and how kubectl ends with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import Struct

from preflight.model.core import Node
from preflight.model.drain_flags import DrainFlags
from preflight.model.pod_status import ClusterPod
from preflight.model.termination_reasons import HangReason, StaysTerminating
from preflight.model.timestamps import parse_time
from preflight.scheduling.drain.model import DrainAssumptions, PodDrain
from preflight.scheduling.node_health import is_kubelet_silent, is_out_of_service


class DrainEnd(Struct, frozen=True):
    """When kubectl is done with one pod, in seconds from the start of its node (None: never), and whether well."""

    ended_at: float | None
    is_clean: bool


def find_hang(pod: ClusterPod, grace_seconds: int, node: Node, assumptions: DrainAssumptions) -> StaysTerminating | None:
    """Why a pod that is let go stays in Terminating, or may; None where it ends.

    1. Without a grace period it is gone at once, whatever the kubelet does. On a node that is out of service pod garbage collection
       deletes it by force.
    2. It hangs where the kubelet is silent, where it is past its grace period already, for what else is known of it, and where that is
       assumed.
    """
    if not grace_seconds or is_out_of_service(node):
        return None
    if is_kubelet_silent(node):
        return StaysTerminating(HangReason.SILENT_KUBELET, node.name)
    deletion = parse_time(pod.metadata.deletionTimestamp)
    if deletion is not None and assumptions.now is not None and assumptions.now > deletion:
        return StaysTerminating(HangReason.PAST_GRACE_PERIOD, node.name)
    if pod.key in assumptions.obstacles:
        return assumptions.obstacles[pod.key]
    return StaysTerminating(HangReason.ASSUMED, node.name) if assumptions.ends_after(pod, grace_seconds) is None else None


def iter_drain_ends(pod_drains: Iterable[PodDrain], flags: DrainFlags, assumptions: DrainAssumptions) -> Iterator[DrainEnd]:
    """When kubectl is done with each pod that it asked for.

    1. One that is not let go: when kubectl gives up.
    2. One that is let go: when it is gone; at the timeout, and not well, where it is not gone by then.
    3. With --skip-wait-for-delete-timeout kubectl waits no longer than that after the grace period.
    """
    for pod_drain in pod_drains:
        if pod_drain.evicted_at is None:
            yield DrainEnd(pod_drain.gave_up_at, False)
            continue
        after = (
            None
            if pod_drain.hang is not None and pod_drain.hang.certain
            else assumptions.ends_after(pod_drain.pod, pod_drain.grace_seconds)
            if pod_drain.grace_seconds
            else 0.0
        )
        if flags.skip_wait_for_delete_timeout > 0:
            skipped = float(pod_drain.grace_seconds + flags.skip_wait_for_delete_timeout + 1)
            after = skipped if after is None else min(after, skipped)
        if after is None:
            yield DrainEnd(flags.timeout or None, False)
        elif flags.timeout and after and pod_drain.evicted_at + after >= flags.timeout:
            yield DrainEnd(flags.timeout, False)
        else:
            yield DrainEnd(pod_drain.evicted_at + after, True)


def predict_exit_code(pod_drains: Iterable[PodDrain], flags: DrainFlags, assumptions: DrainAssumptions) -> int | None:
    """With what kubectl ends as far as this node goes; None where it waits for ever."""
    found = list(iter_drain_ends(pod_drains, flags, assumptions))
    if any(end.ended_at is None for end in found):
        return None
    return 0 if all(end.is_clean for end in found) else 1


def measure_duration(pod_drains: Iterable[PodDrain], flags: DrainFlags, assumptions: DrainAssumptions) -> float | None:
    """Seconds until kubectl is done with every pod; None where it waits for ever."""
    latest = 0.0
    for drain_end in iter_drain_ends(pod_drains, flags, assumptions):
        if drain_end.ended_at is None:
            return None
        latest = max(latest, drain_end.ended_at)
    return latest
