"""Tolerations as text: what they tolerate, and for how long."""

from __future__ import annotations

from collections.abc import Iterable

from preflight.messages.lists import join_and
from preflight.model.core import Taint, Toleration


def describe_untolerated(taints: Iterable[Taint]) -> str:
    """`no toleration for dedicated=rdma:NoSchedule and a=b:NoExecute`."""
    return f"no toleration for {join_and(taints)}"


def format_tolerated(toleration: Toleration) -> str:
    """What a toleration tolerates, as a taint is written: `dedicated=rdma:NoSchedule`, `dedicated:*`."""
    value = "=" + toleration.value if toleration.value else ""
    return f"{toleration.key or '*'}{value}:{toleration.effect or '*'}"


def format_toleration(toleration: Toleration) -> str:
    """`dedicated=rdma:NoSchedule`, with `*` for any value, key or effect: `dedicated=*:NoSchedule`; seconds follow it."""
    value = "=*" if toleration.operator == "Exists" and toleration.key else f"={toleration.value}" if toleration.value else ""
    seconds = "" if toleration.tolerationSeconds is None else f" for {toleration.tolerationSeconds} s"
    return f"{toleration.key or '*'}{value}:{toleration.effect or '*'}{seconds}"


def format_toleration_time(seconds: int | None) -> str:
    """`for 30 s`, or `without a time limit`."""
    return "without a time limit" if seconds is None else f"for {max(seconds, 0)} s"
