"""Fields of listed pods that stay undecoded until somebody reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Raw

from preflight.model.convert import convert
from preflight.model.core import Affinity, CoveragePod, Toleration
from preflight.model.meta import Origin

GENERATION_LABEL = "pod-template-generation"
REVISION_LABEL = "controller-revision-hash"
_TARGET = re.compile(
    rb'"matchFields"\s*:\s*\[\s*\{(?=[^{}]*"key"\s*:\s*"metadata\.name")[^{}]*"values"\s*:\s*\[\s*"([a-z0-9.-]{1,253})"\s*\]'
)
_TOLERATIONS = msgspec.json.Decoder(tuple[Toleration, ...])


def parse_labels(raw: bytes) -> dict[str, str]:
    """The labels of a listed pod; what is no text is none."""
    labels = msgspec.json.decode(raw) if raw else None
    return {key: value for key, value in labels.items() if isinstance(value, str)} if isinstance(labels, dict) else {}


def parse_generation(labels: Mapping[str, str]) -> int:
    """The number of its DaemonSet's template that a pod with these labels is of; 0 where it is not known."""
    number = labels.get(GENERATION_LABEL, "")
    return int(number) if number.isdecimal() and number.isascii() and len(number) < 10 else 0


def decode_maps(raw: Raw) -> list[dict[str, Any]]:
    """The maps of a list that was kept undecoded; what is no list has none."""
    data = msgspec.json.decode(raw) if raw else None
    return [item for item in data if isinstance(item, dict)] if isinstance(data, list) else []


def parse_tolerations(raw: bytes) -> tuple[Toleration, ...]:
    """A pod's own tolerations; null is an absent field, and what the API would never hold tolerates nothing."""
    try:
        return _TOLERATIONS.decode(raw) if raw and raw != b"null" else ()
    except msgspec.MsgspecError:
        return tuple(_make_toleration(decode_map) for decode_map in decode_maps(Raw(raw)))


def decode_affinity(raw: bytes) -> Affinity | None:
    """The node affinity of a listed pod; what no API would hold is left out."""
    return convert(msgspec.json.decode(raw), Affinity, Origin("<none>"))[0] if raw else None


def _make_toleration(data: dict[str, Any]) -> Toleration:
    key, operator, value, effect = (text if isinstance(text, str) else "" for text in map(data.get, ("key", "operator", "value", "effect")))
    seconds = data.get("tolerationSeconds")
    return Toleration(key, operator, value, effect, seconds if type(seconds) is int else None)


def is_unschedulable(pod: CoveragePod) -> bool:
    """Whether the scheduler says that it finds no room for a pod."""
    conditions = decode_maps(pod.status.conditions)
    return any(condition.get("type") == "PodScheduled" and condition.get("status") == "False" for condition in conditions)


def find_target_node(pod: CoveragePod) -> str:
    """The node that the controller made a pod for; "" where the pod does not tell.

    Source: `pkg/controller/daemon/util/daemonset_util.go`, ReplaceDaemonSetPodNodeNameNodeAffinity.
    """
    match = _TARGET.search(bytes(pod.spec.affinity)) if pod.spec.affinity else None
    return match[1].decode() if match else ""
