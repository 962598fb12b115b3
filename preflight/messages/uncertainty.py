"""What keeps an answer of the scheduler from being known, in words."""

from __future__ import annotations

from preflight.scheduling.uncertainty import Uncertainty

_DOUBT_TEXTS = {
    "pods": "not all pods are known",
    "nodes": "not all nodes are known",
    "node": "{} is only partly known",
    "allocatable": "nobody knows what {} can allocate",
    "labels": "a label of {} is not known",
    "comparison": "a taint depends on the gate of Lt and Gt",
    "quantity": "an amount cannot be read: {}",
    "unread": "not all of a pod was read",
    "scheduler": "the scheduler {} decides",
    "gates": "it has the scheduling gate {}",
    "group": "it is scheduled with a group",
    "claims": "it claims a device ({})",
    "volumes": "its volume {} may be tied to a zone or a node",
    "affinity": "it has affinity to other pods",
    "spread": "it is to be spread over {}",
    "admission": "the RuntimeClass {} may add to it",
    "neighbours": "{} wants no such pod near it",
    "preemption": "pods of lower priority may have to go for it",
}


def describe_doubt(doubt: Uncertainty) -> str:
    """A doubt as a reason: `its volume data may be tied to a zone or a node`."""
    words = _DOUBT_TEXTS.get(doubt.kind, doubt.kind)
    return words.format(doubt.subject or "a node") if "{}" in words else words
