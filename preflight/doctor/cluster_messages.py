"""Facts in texts that the cluster writes and states in no field: messages of schedulers, of the API server and of webhooks."""

from __future__ import annotations

import re
from enum import Enum

_NODE_COUNT_PATTERN = re.compile(r"^0/([0-9]+) nodes are available")
_EXPLAINED_PATTERN = re.compile(r"0/([0-9]+) nodes are available: (.*?)\.(?:\s|$)")
_REASON_PATTERN = re.compile(r"(?:^|, )(?=[0-9]+ )")
_QUOTA_PATTERN = re.compile(r"exceeded quota: ([a-z0-9.-]+)")
_TOPOLOGY_PATTERN = re.compile(r"(?:missing selector|topology label): ([A-Za-z0-9./_-]+)")
_FOLLOWER_TEXTS = (
    "follower pod node selector",
    "leader pod not yet scheduled",
    "expected 1 leader pod",
    "node does not have topology label",
)
"""What the webhook of JobSet says of followers that it refuses, in its old words and its new ones."""


class HoldReason(Enum):
    """Why a scheduler holds a pod: it waits for the other pods of its group, or a quota of its queue is used up."""

    GROUP = "group"
    QUEUE_QUOTA = "queue-quota"


_HOLD_TEXTS = (
    ("insufficientquota", HoldReason.QUEUE_QUOTA),
    ("insufficient quota", HoldReason.QUEUE_QUOTA),
    ("queue resource quota", HoldReason.QUEUE_QUOTA),
    ("exceeded quota", HoldReason.QUEUE_QUOTA),
    ("exceeds quota", HoldReason.QUEUE_QUOTA),
    ("quota exceeded", HoldReason.QUEUE_QUOTA),
    ("over quota", HoldReason.QUEUE_QUOTA),
    ("overquota", HoldReason.QUEUE_QUOTA),
    ("elasticquota", HoldReason.QUEUE_QUOTA),
    ("pod group is not ready", HoldReason.GROUP),
    ("podgroup is not ready", HoldReason.GROUP),
    ("tasks in gang unschedulable", HoldReason.GROUP),
    ("cannot find enough sibling pods", HoldReason.GROUP),
    ("from a gang to ", HoldReason.GROUP),
    ("to appear in scheduling queue", HoldReason.GROUP),
    ("pod group is unschedulable", HoldReason.GROUP),
    ("mincount (", HoldReason.GROUP),
    ("gang is not", HoldReason.GROUP),
    ("podgroup", HoldReason.GROUP),
)
"""What schedulers of groups and queues say, in lower case, and what it means.

kube-scheduler (`pkg/scheduler/framework/plugins/gangscheduling`), the coscheduling plugin, Volcano, Koordinator, YuniKorn.
"""


_NO_NETWORK_TEXTS = (
    "networkready=false",
    "networkpluginnotready",
    "network plugin is not ready",
    "cni plugin not initialized",
    "cni config uninitialized",
    "no cni configuration file",
)
"""What kubelets, and the runtimes that they ask, say of a node without a network, in lower case.

`pkg/kubelet/runtime.go` (networkErrors) of the kubelet, `internal/cri/server/status.go` of containerd, ocicni of CRI-O, dockershim.
"""


def reports_no_network(message: str) -> bool:
    """Whether a kubelet says that its node has no network for pods."""
    lower = message.lower()
    return any(text in lower for text in _NO_NETWORK_TEXTS)


def normalize_message(message: str) -> str:
    """A message on one line, with single spaces."""
    return " ".join(message.split())


def get_creation_error(message: str) -> str:
    """Why the API server refuses to create a pod, without the words that the controller puts in front of it."""
    return normalize_message(message).removeprefix("Error creating: ")


def find_quota_name(message: str) -> str:
    """The ResourceQuota that a refusal of the API server names; "" where it names none."""
    found = _QUOTA_PATTERN.search(message)
    return found[1].rstrip(".") if found else ""


def refuses_followers(message: str) -> bool:
    """Whether the webhook of JobSet refuses followers with this message."""
    return any(text in message for text in _FOLLOWER_TEXTS)


def find_topology_label(message: str) -> str:
    """The label of the topology domains that the webhook of JobSet names; "" where it names none."""
    found = _TOPOLOGY_PATTERN.search(message)
    return found[1] if found else ""


def find_hold_reason(message: str) -> HoldReason | None:
    """Why a scheduler holds a pod, where its message speaks of a group or a quota; else None."""
    lower = message.lower()
    return next((reason for text, reason in _HOLD_TEXTS if text in lower), None)


def parse_node_count(message: str) -> int | None:
    """How many nodes the scheduler counts in its message; None where it counts none."""
    found = _NODE_COUNT_PATTERN.match(message)
    return int(found[1]) if found else None


def count_explained_nodes(message: str) -> int | None:
    """For how many nodes the scheduler gives a reason; None where a reason of it has no number, or nothing is said of nodes."""
    found = _EXPLAINED_PATTERN.match(message)
    parts = [part for part in _REASON_PATTERN.split(found[2]) if part] if found else []
    if not parts or not all(re.match(r"[0-9]+ ", part) for part in parts):
        return None
    return sum(int(part.partition(" ")[0]) for part in parts)
