"""What the tolerations of DaemonSets tolerate, and how long their pods stay on a node that NoExecute empties."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from preflight.model.declaration import DeclaringResource


class TolerationMatch(StrEnum):
    """What a toleration matches, whatever the taints.

    1. EXACT: its key, by a value (Equal, or Lt and Gt). KEY: its key with any value (Exists).
    2. EFFECT: every taint of one effect. EVERYTHING: every taint there is. Neither has a key.
    3. IMPLICIT: the DaemonSet controller adds it to every pod of a DaemonSet.
    """

    EXACT = "exact"
    KEY = "key"
    EFFECT = "effect"
    EVERYTHING = "everything"
    IMPLICIT = "implicit"


class NoExecuteStay(StrEnum):
    """How long a pod stays by a toleration where a NoExecute taint that it matches comes.

    1. NOT_TOLERATED: it says nothing to NoExecute, so the pod is deleted at once.
    2. FOR_SECONDS: for so many seconds, then it is deleted. A DaemonSet's pod is created again.
    3. WITHOUT_LIMIT: it is never moved.
    """

    NOT_TOLERATED = "no"
    FOR_SECONDS = "seconds"
    WITHOUT_LIMIT = "without-limit"


class TolerationAnswer(Struct, frozen=True):
    """One toleration of a DaemonSet's pods: its fields as written, "" where absent, and what it does.

    `anyEffect` where it names no effect; `seconds` for FOR_SECONDS alone, 0 for at once.
    """

    key: str
    operator: str
    value: str
    effect: str
    match: TolerationMatch
    anyEffect: bool
    noExecute: NoExecuteStay
    seconds: int | None = None


class DaemonSetTolerations(Struct, frozen=True):
    """All tolerations of a DaemonSet's pods in their order, those that the controller adds included.

    `place` is the file of a DaemonSet whose manifest states no namespace, "" for others. `declaredBy` is what declares a
    DaemonSet that is not in the input itself.
    """

    daemonset: str
    tolerations: tuple[TolerationAnswer, ...]
    place: str = ""
    declaredBy: DeclaringResource | None = None
