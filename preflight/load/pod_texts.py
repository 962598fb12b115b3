"""The texts of listed pods, kept until somebody asks for one of them as a whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from preflight.errors import InputError
from preflight.messages.load import describe_broken_pod, lower_first
from preflight.model.convert import decode_object
from preflight.model.core import CoveragePod
from preflight.model.lazy_pods import LazyPods
from preflight.model.pod_scheduling import SchedulerPod

T = TypeVar("T")


def make_pod_texts() -> LazyPods[SchedulerPod]:
    """No pods yet, of those that are read when they are asked for."""
    return LazyPods(_decode_pod)


def add_pod_texts(pods: LazyPods[SchedulerPod], items: Sequence[Any], texts: Sequence[Raw]) -> None:
    """Keep the texts of the pods among the decoded items of a list."""
    for item, text in zip(items, texts, strict=True):
        if type(item) is CoveragePod:
            pods.add_text((item.metadata.namespace, item.metadata.name), text)


def _decode_pod(text: Raw | memoryview) -> SchedulerPod | None:
    return decode_kept_pod(text, SchedulerPod)


def decode_kept_pod(text: Raw | memoryview, type: type[T]) -> T | None:
    """A pod of which only a part was read before.

    Errors: InputError where the rest is no JSON: what a list skips is not read, not even for bytes that are no UTF-8.
    """
    try:
        return decode_object(text, type)
    except (msgspec.DecodeError, RecursionError) as error:
        raise InputError(describe_broken_pod(lower_first(error))) from None
