"""Why a pod that is let go stays in Terminating, as facts. The words for them are in `preflight.messages.termination`."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class HangReason(StrEnum):
    """Why a pod stays in Terminating. The values are the words of `hang.cause` in JSON.

    1. SILENT_KUBELET: the kubelet of its node is silent. PAST_GRACE_PERIOD: it is being deleted, and its grace period is over already.
       REMOVED_NODE: its node does not exist, and pod garbage collection does not delete it. ASSUMED: it is assumed.
    2. MISSING_DRIVER: no pod of the CSI driver of a volume is on its node, so that the volume is not unmounted. LEAVING_DRIVER: the change
       takes that pod away.
    3. Not certain: UNREADY_DRIVER (the pod of the driver is there and is not Ready), UNLISTED_DRIVER (the pods of the driver were not
       listed), UNKNOWN_VOLUME (the driver of a volume is not known, and some driver has no pod on the node).
    """

    SILENT_KUBELET = "silent-kubelet"
    PAST_GRACE_PERIOD = "past-grace-period"
    REMOVED_NODE = "removed-node"
    ASSUMED = "assumed"
    MISSING_DRIVER = "missing-driver"
    LEAVING_DRIVER = "leaving-driver"
    UNREADY_DRIVER = "unready-driver"
    UNLISTED_DRIVER = "unlisted-driver"
    UNKNOWN_VOLUME = "unknown-volume"


class StaysTerminating(Struct, frozen=True):
    """A pod is let go and does not end.

    1. `driver` is the CSI driver of its `volume`, "" where it is not about one; `daemonsets` (`namespace/name`) provide the driver.
    2. `certain`: False where it may end all the same.
    """

    cause: HangReason
    node: str
    driver: str = ""
    daemonsets: tuple[str, ...] = ()
    volume: str = ""
    certain: bool = True
