"""Values of taints that stand for one occurrence, a time or an id: a toleration with such a value matches once in history."""

from __future__ import annotations

import re

from preflight.model.core import Taint

_KEYS = frozenset(("ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler", "karpenter.sh/disrupted"))
_DOMAINS = ("aws-node-termination-handler/",)

_EPOCH = r"[1-3]\d{9}(\d{3}){0,3}|[1-3]\d{9}\.\d+"
_DATE = r"(19|20)\d\d([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])([-_.T]?\d\d([-_.]?\d\d){0,2}([-_.]\d+)?Z?)?([-_.]?UTC)?"
_UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
_HEXADECIMAL = r"[0-9a-f]{8,}"
_ULID = r"[0-7][0-9A-HJKMNP-TV-Z]{25}"
_KSUID = r"[0-9A-Za-z]{27}"
_PREFIXED = r"([A-Za-z]{1,12}[-_.])?(sha(1|256|512)?[-_.])?(?P<rest>.+)"
_IDS = (_EPOCH, _DATE, _UUID, _ULID)
"""Compiled when they are needed: a taint has a value of its own in few runs."""
_LONG_DIGEST = 32
"""From this length on, a text of hexadecimal digits is a digest though it has only digits or only letters."""


def is_passing_value(taint: Taint) -> bool:
    """Whether the value of a taint stands for one occurrence.

    1. Its key is one whose value is the time or the event for which something set it: the cluster autoscaler, Karpenter, the AWS Node
       Termination Handler.
    2. Or the value itself is a time (seconds since 1970 or parts of them, a date), a UUID, a ULID, or a digest, with or without one word
       before it, as in `i-0abc12345678def90`.

    Source: cluster-autoscaler `utils/taints/taints.go` (AddTaints: the value is the current Unix time); aws-node-termination-handler
    `pkg/node/node.go` (TaintSpotItn: the event's id).
    """
    if taint.key in _KEYS or taint.key.startswith(_DOMAINS):
        return True
    return bool(taint.value) and (_is_id(taint.value) or _has_id_after_word(taint.value))


def _is_id(text: str) -> bool:
    return any(re.fullmatch(pattern, text, re.IGNORECASE) for pattern in _IDS) or _is_digest(text) or _is_ksuid(text)


def _is_digest(text: str) -> bool:
    if re.fullmatch(_HEXADECIMAL, text, re.IGNORECASE) is None:
        return False
    return len(text) >= _LONG_DIGEST or (any(map(str.isdigit, text)) and any(map(str.isalpha, text)))


def _is_ksuid(text: str) -> bool:
    return re.fullmatch(_KSUID, text) is not None and all(any(map(has, text)) for has in (str.isdigit, str.isupper, str.islower))


def _has_id_after_word(value: str) -> bool:
    match = re.fullmatch(_PREFIXED, value)
    return match is not None and match["rest"] != value and _is_id(match["rest"])
