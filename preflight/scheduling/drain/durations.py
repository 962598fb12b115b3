"""How long a node's drain takes, and how kubectl ends with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from msgspec import Struct

from preflight.model.objects import Node
from preflight.scheduling.drain.model import Assumed, PodDrain
from preflight.scheduling.drain.pod_filters import DrainFlags


class End(Struct, frozen=True):
    """When kubectl is done with one pod, in seconds from the start of its node (None: never), and whether well."""

    at: float | None
    is_well: bool


def why_hangs(done: PodDrain, node: Node, assumed: Assumed) -> str:
    """Why a pod that was let go stays in Terminating; "" where it ends.

    1. Without a grace period it is gone at once, whatever the kubelet does.
    2. It hangs where the kubelet is silent (Ready Unknown), where it is past its grace period already, and where that is assumed.
    """
    if done.at is None or not done.grace:
        return ""
    if any(each.type == "Ready" and each.status == "Unknown" for each in node.status.conditions):
        return f"the kubelet of {node.name} is silent"
    deletion = done.pod.metadata.deletionTimestamp
    if deletion and assumed.now is not None and assumed.now > datetime.fromisoformat(deletion).timestamp():
        return "it is being deleted already, and past its grace period"
    return "it does not end" if assumed.ends_after(done.pod, done.grace) is None else ""


def ends(pods: Iterable[PodDrain], flags: DrainFlags, assumed: Assumed) -> Iterator[End]:
    """When kubectl is done with each pod that it asked for.

    1. One that is not let go: when kubectl gives up.
    2. One that is let go: when it is gone; at the timeout, and not well, where it is not gone by then.
    3. With --skip-wait-for-delete-timeout kubectl waits no longer than that after the grace period.
    """
    for each in pods:
        if each.at is None:
            yield End(each.given_up, False)
            continue
        after = None if each.hangs else assumed.ends_after(each.pod, each.grace) if each.grace else 0.0
        if flags.skip_wait_for_delete_timeout > 0:
            skipped = float(each.grace + flags.skip_wait_for_delete_timeout + 1)
            after = skipped if after is None else min(after, skipped)
        if after is None:
            yield End(flags.timeout or None, False)
        elif flags.timeout and after and each.at + after >= flags.timeout:
            yield End(flags.timeout, False)
        else:
            yield End(each.at + after, True)


def exit_code(pods: Iterable[PodDrain], flags: DrainFlags, assumed: Assumed) -> int | None:
    """With what kubectl ends as far as this node goes; None where it waits for ever."""
    found = list(ends(pods, flags, assumed))
    if any(each.at is None for each in found):
        return None
    return 0 if all(each.is_well for each in found) else 1


def longest(pods: Iterable[PodDrain], flags: DrainFlags, assumed: Assumed) -> float | None:
    """Seconds until kubectl is done with every pod; None where it waits for ever."""
    latest = 0.0
    for each in ends(pods, flags, assumed):
        if each.at is None:
            return None
        latest = max(latest, each.at)
    return latest
