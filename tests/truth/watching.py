"""The pods of a cluster as they come and go: a watch that remembers, and what it has seen of each pair."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from msgspec import Struct

Pair = tuple[str, str, str]
"""Namespace and name of a DaemonSet, and a node."""

SOON = 4.0
"""Seconds without an event after which a pair counts as settled."""

QUIET = 7.0
"""The same on a node with a NoExecute taint: longer than the 5 seconds of a loop."""

PREEMPTED = "PreemptionByScheduler"


class _Requirement(Struct, frozen=True):
    values: tuple[str, ...] = ()


class _Term(Struct, frozen=True):
    matchFields: tuple[_Requirement, ...] = ()


class _Required(Struct, frozen=True):
    nodeSelectorTerms: tuple[_Term, ...] = ()


class _NodeAffinity(Struct, frozen=True):
    requiredDuringSchedulingIgnoredDuringExecution: _Required = _Required()


class _Affinity(Struct, frozen=True):
    nodeAffinity: _NodeAffinity = _NodeAffinity()


class _Metadata(Struct, frozen=True):
    namespace: str = ""
    name: str = ""
    uid: str = ""
    resourceVersion: str = ""
    deletionTimestamp: str = ""
    labels: dict[str, str] = {}


class _Spec(Struct, frozen=True):
    nodeName: str = ""
    affinity: _Affinity = _Affinity()


class _Condition(Struct, frozen=True):
    type: str = ""
    status: str = ""
    reason: str = ""


class _Status(Struct, frozen=True):
    phase: str = ""
    conditions: tuple[_Condition, ...] = ()


class Pod(Struct):
    """What is read of a pod; the pods of a DaemonSet carry its name in the label `app`, orphans too."""

    metadata: _Metadata = _Metadata()
    spec: _Spec = _Spec()
    status: _Status = _Status()

    @property
    def pair(self) -> Pair | None:
        """The DaemonSet and the node that it is bound to or was made for; None where it says neither."""
        node = self.spec.nodeName
        if not node:
            terms = self.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms
            node = next((value for term in terms for field in term.matchFields for value in field.values), "")
        app = self.metadata.labels.get("app", "")
        return (self.metadata.namespace, app, node) if app and node else None

    @property
    def state(self) -> str:
        """ending, ended, or what There knows of it."""
        if self.metadata.deletionTimestamp:
            return "ending"
        if self.status.phase in ("Failed", "Succeeded"):
            return "ended"
        if not self.spec.nodeName:
            return "pending"
        return "live" if self.status.phase == "Running" else "bound"

    @property
    def is_preempted(self) -> bool:
        """Whether the scheduler ends it for a pod of higher priority."""
        return any(condition.type == "DisruptionTarget" and condition.reason == PREEMPTED for condition in self.status.conditions)


class Event(Struct):
    """An event of the watch API."""

    type: str
    object: Pod


class PodList(Struct):
    metadata: _Metadata
    items: list[Pod]


class There(NamedTuple):
    """The pods of a pair, by uid and state.

    `live` run; `pending` are not bound; `bound` are, and no kubelet has started them; `ending` were deleted and are still there.
    """

    live: frozenset[str] = frozenset()
    pending: frozenset[str] = frozenset()
    bound: frozenset[str] = frozenset()
    ending: frozenset[str] = frozenset()

    @property
    def on_node(self) -> frozenset[str]:
        """The pods that have the node: they run, or nothing but their kubelet keeps them from it."""
        return self.live | self.bound

    @property
    def any(self) -> bool:
        """Whether a pod is there that is not on its way out."""
        return bool(self.on_node or self.pending)

    @property
    def waits(self) -> bool:
        """Whether no more is there than a pod that is not bound."""
        return bool(self.pending and not self.on_node)


NOTHING = There()


class Memory:
    """The pods that are there, and when something last happened to each pair; safe to ask while a watch fills it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._pods: dict[str, Pod] = {}
        self._known: set[str] = set()
        self._last: dict[Pair, float] = {}
        self._new: defaultdict[Pair, int] = defaultdict(int)
        self._preempted: set[Pair] = set()

    def listed(self, pods: Iterable[Pod]) -> None:
        with self._lock:
            self._pods = {pod.metadata.uid: pod for pod in pods}
            self._known |= self._pods.keys()

    def heard(self, event: Event) -> None:
        """Take in an event."""
        pod = event.object
        uid, pair = pod.metadata.uid, pod.pair
        if pair is None:
            return
        with self._lock:
            self._last[pair] = self._clock()
            if uid not in self._known:
                self._known.add(uid)
                self._new[pair] += 1
            if pod.is_preempted:
                self._preempted.add(pair)
            if event.type == "DELETED":
                self._pods.pop(uid, None)
            else:
                self._pods[uid] = pod

    def mark(self) -> None:
        """Begin to count new pods, and preempted ones, afresh."""
        with self._lock:
            self._new.clear()
            self._preempted.clear()

    def preempted(self) -> frozenset[Pair]:
        """The pairs whose pod was preempted since the mark."""
        with self._lock:
            return frozenset(self._preempted)

    def failed(self) -> frozenset[Pair]:
        """The pairs with a pod that has ended and is not deleted: the controller counts it until it does that, after a while."""
        with self._lock:
            return frozenset(pod.pair for pod in self._pods.values() if pod.pair is not None and pod.state == "ended")

    def there(self) -> dict[Pair, There]:
        """The pods of every pair that has some; not those that have ended."""
        found: defaultdict[Pair, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        with self._lock:
            for uid, pod in self._pods.items():
                if pod.pair is not None and pod.state != "ended":
                    found[pod.pair][pod.state].add(uid)
        return {pair: There(*(frozenset(uids[state]) for state in There._fields)) for pair, uids in found.items()}

    def moving(self, slow: Collection[str], aside: Collection[Pair] = ()) -> tuple[frozenset[Pair], frozenset[Pair]]:
        """The pairs that something happened to within the quiet time: those that got two new pods or more since the mark, and the rest.

        `slow` are the nodes with a NoExecute taint; pairs in `aside` are not looked at.
        """
        with self._lock:
            now = self._clock()
            moving = {pair for pair, last in self._last.items() if last > now - (QUIET if pair[2] in slow else SOON)}
            moving -= set(aside)
            loops = frozenset(pair for pair in moving if self._new[pair] >= 2)
        return loops, frozenset(moving - loops)
