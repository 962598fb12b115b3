"""What a real `kubectl drain` did: what it asked for, what it was answered, what it printed, and which pods are there before and after."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from tests.truth.drawing import Object

AUDIT: Object = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "rules": [
        {
            "level": "Request",
            "users": ["admin"],
            "resources": [{"group": "", "resources": ["pods", "pods/eviction"]}],
            "verbs": ["create", "delete"],
            "omitStages": ["RequestReceived"],
        },
        {"level": "None"},
    ],
}
"""An audit policy that logs what kubectl asks of pods, with the answers."""

CORDON = "node.kubernetes.io/unschedulable"


class Request(NamedTuple):
    """A request of kubectl for a pod: evict or delete, and the answer with its causes."""

    how: str
    pod: str
    code: int
    words: tuple[str, ...] = ()


class Pod(NamedTuple):
    """A pod of the cluster, as far as it matters who it is."""

    uid: str
    node: str = ""
    owner: str = ""
    is_going: bool = False
    has_ended: bool = False
    tolerates_cordon: bool = False
    priority: int = 0

    @property
    def is_daemons(self) -> bool:
        """Whether a DaemonSet owns it."""
        return self.owner.startswith("DaemonSet ")


class Seen(NamedTuple):
    """What happened: kubectl's exit code (None where it was still at work after `seconds`), its requests in order, and pods by name."""

    code: int | None
    stderr: str
    seconds: float
    requests: tuple[Request, ...]
    before: Mapping[str, Pod]
    after: Mapping[str, Pod]

    @property
    def first(self) -> dict[str, Request]:
        """The first request for each pod."""
        found: dict[str, Request] = {}
        for request in self.requests:
            found.setdefault(request.pod, request)
        return found

    def preempted(self, drained: Collection[str]) -> list[str]:
        """The pods of other nodes that are gone and may have had to go for one of higher priority that left a drained one."""
        most = max((pod.priority for pod in self.before.values() if pod.node in drained and not pod.is_daemons), default=0)
        others = [name for name, pod in self.before.items() if pod.node not in drained and pod.node and pod.priority < most]
        return [name for name in others if not (self.before[name].is_going or self.before[name].has_ended or self.is_there(name))]

    def is_there(self, name: str) -> bool:
        """Whether the same pod is still there afterwards, and not on its way out."""
        now = self.after.get(name)
        return now is not None and now.uid == self.before[name].uid and not now.is_going


def requests(events: Iterable[Object]) -> tuple[Request, ...]:
    """What kubectl asked for, from the audit log."""
    found = []
    for event in events:
        where, status = event["objectRef"], event["responseStatus"]
        how = "evict" if where.get("subresource") == "eviction" else "delete" if event["verb"] == "delete" else ""
        if how:
            causes = [cause.get("message", "") for cause in status.get("details", {}).get("causes", ())]
            words = (status["message"], *causes) if status["code"] >= 400 else ()
            found.append(Request(how, f"{where['namespace']}/{where['name']}", status["code"], words))
    return tuple(found)


def pods(items: Iterable[Object]) -> dict[str, Pod]:
    """The pods of a cluster by `namespace/name`; the owner of a pod of a Deployment is its ReplicaSet."""
    return {f"{item['metadata']['namespace']}/{item['metadata']['name']}": _pod(item) for item in items}


def _pod(item: Object) -> Pod:
    metadata, spec = item["metadata"], item["spec"]
    owner = next(
        (
            f"{owner_reference['kind']} {metadata['namespace']}/{owner_reference['name']}"
            for owner_reference in metadata.get("ownerReferences", ())
        ),
        "",
    )
    tolerations = spec.get("tolerations", ())
    return Pod(
        metadata["uid"],
        spec.get("nodeName", ""),
        owner,
        "deletionTimestamp" in metadata,
        item["status"].get("phase") in ("Succeeded", "Failed"),
        any(toleration.get("operator") == "Exists" and toleration.get("key", CORDON) == CORDON for toleration in tolerations),
        item["spec"].get("priority", 0),
    )


def words(pattern: re.Pattern[str], text: str) -> dict[str, set[str]]:
    """What kubectl says of which pods, all nodes together."""
    found: dict[str, set[str]] = {}
    for said, names in pattern.findall(text):
        found.setdefault(said, set()).update(names.split(", "))
    return found
