"""Large lists of JSON, as `kubectl get nodes,ds,pods -A -o json` writes them, decoded without an untyped value between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from preflight.documents.json_values import decode_json_value
from preflight.load.collector import ObjectCollector
from preflight.load.kinds import (
    CLUES_BY_KIND,
    SINGLE_KINDS,
    SNAPSHOT,
    STATE_KINDS,
    WANTED_KINDS,
    PlainObject,
    explain_unchecked,
    has_clue,
    is_snapshot,
)
from preflight.load.kubectl_list_schema import (
    NODE_DECODER,
    POD_DECODER,
    RAW_LIST_DECODER,
    IgnoredItem,
    ItemHeader,
    LeanNode,
    RawItem,
    UnknownItem,
    decode_list,
)
from preflight.load.locations import format_path, locate_item
from preflight.load.unknown_resources import may_place_pods
from preflight.messages.load import describe_unreadable, lower_first
from preflight.model.convert import decode_object
from preflight.model.core import CoveragePod, Node, NodeSpec, NodeStatus, Taint
from preflight.model.meta import Origin

T = TypeVar("T")

_HEAD = re.compile(rb'\s*\{\s*"apiVersion":\s*"([^"\\]*)",\s*"kind":\s*"([^"\\]*)"')
_UNREAD: Any = object()


def take_list(collector: ObjectCollector, view: memoryview, origin: Origin, *, has_template_text: bool, is_page: bool = False) -> bool:
    """Take the objects of one JSON text if it is a List; False, and nothing taken, where it is something else that reads as JSON.

    1. All items are decoded at once into what is read of them. Where that fails, because of a null or a wrong type, they are
       decoded one by one, and the odd ones by way of plain data.
    2. `is_page`: the caller has the other parts of a list that goes on elsewhere; else such a list is a problem.
    3. A snapshot is a List, of which its head says more; nothing of it is taken where this program cannot read it.
    4. Raises msgspec.DecodeError where the text is no JSON value, or more than one, and RecursionError where it is too deep.
    """
    if collector.wants_whole_pods and collector.runtime_state is None:
        _collect_whole_pods(collector, view)
    envelope = decode_list(view)
    if envelope is not None:
        if not _is_checked_list(collector, envelope):
            return False
        if not (is_page or _begin_list(collector, envelope, origin)):
            return True
        collector.complete_kinds.add(envelope.kind.removesuffix("List"))
        items = envelope.items or ()
        pods = [item for item in items if type(item) is CoveragePod]
        if all(_is_existing_pod(pod) for pod in pods if not (pod.spec.nodeName and pod.metadata.name)):
            _take_decoded(collector, items, pods, origin, has_template_text=has_template_text)
            if collector.runtime_state is not None:
                collector.runtime_state.take_items(items, RAW_LIST_DECODER.decode(view).items or ())
            elif collector.pod_texts is not None and pods:
                from preflight.load.pod_texts import add_pod_texts

                add_pod_texts(collector.pod_texts, items, RAW_LIST_DECODER.decode(view).items or ())
            return True
        del items, pods, envelope
    try:
        envelope = RAW_LIST_DECODER.decode(view)
    except msgspec.ValidationError:
        return False
    if not _is_checked_list(collector, envelope):
        return False
    if is_page or _begin_list(collector, envelope, origin):
        collector.complete_kinds.add(envelope.kind.removesuffix("List"))
        _take_one_by_one(collector, envelope, origin, has_template_text=has_template_text)
    return True


def _collect_whole_pods(collector: ObjectCollector, view: memoryview) -> None:
    """Take the pods of a list as a whole, beside the little of them that every run reads."""
    try:
        envelope = RAW_LIST_DECODER.decode(view)
    except msgspec.ValidationError:
        return
    own = (envelope.kind.removesuffix("List"), envelope.apiVersion)
    for raw in (envelope.items or ()) if _is_checked_list(collector, envelope) else ():
        if _read_header(raw, own) == ("Pod", "v1"):
            take_whole_pod(collector, raw)


def take_whole_pod(collector: ObjectCollector, raw: Raw | memoryview) -> None:
    """Take one pod as a whole; one with a null or a wrong type in it by way of plain data."""
    from preflight.model.pod_scheduling import SchedulerPod

    collector.add_whole_pod(decode_object(raw, SchedulerPod))


def _begin_list(collector: ObjectCollector, envelope: Any, origin: Origin) -> bool:
    """Take what a list says of itself; False where nothing of it can be read."""
    if envelope.kind == SNAPSHOT:
        return collector.begin_snapshot(envelope.apiVersion, envelope.metadata, origin)
    if b"continue" in bytes(envelope.metadata):
        metadata = msgspec.json.decode(envelope.metadata)
        if isinstance(metadata, dict) and metadata.get("continue"):
            collector.add_truncated(envelope.kind, origin)
    return True


def _is_checked_list(collector: ObjectCollector, envelope: Any) -> bool:
    if envelope.kind == SNAPSHOT:
        return is_snapshot(envelope.kind, envelope.apiVersion)
    return collector.is_state_list(envelope.kind) or (envelope.kind in WANTED_KINDS and envelope.kind not in SINGLE_KINDS)


def _is_existing_pod(pod: CoveragePod) -> bool:
    """As `is_evidence`, of a decoded pod; no other API group has a kind Pod, so its apiVersion is not read."""
    return bool(pod.metadata.name) and bool(pod.spec.nodeName or pod.status.phase or len(memoryview(pod.status.conditions)) > 2)


def _take_decoded(
    collector: ObjectCollector, items: Sequence[Any], pods: list[CoveragePod], origin: Origin, *, has_template_text: bool
) -> None:
    if len(pods) < len(items):
        for index, item in enumerate(items):
            if type(item) is CoveragePod:
                continue
            if type(item) is LeanNode:
                _take_node(collector, item, locate_item(origin, index))
            elif isinstance(item, RawItem) or (isinstance(item, UnknownItem) and item.may_place_pods):
                pods += _take_raw_item(collector, item, locate_item(origin, index), has_template_text=has_template_text)
            elif isinstance(item, IgnoredItem | UnknownItem) and not _is_state_only(collector, item.__struct_config__.tag, origin):
                collector.count_skipped(explain_unchecked({"kind": type(item).__struct_config__.tag, "apiVersion": "-"}), noun="object")
    collector.add_pods(pods, origin.file)


def _take_one_by_one(collector: ObjectCollector, envelope: Any, origin: Origin, *, has_template_text: bool) -> None:
    own = (envelope.kind.removesuffix("List"), envelope.apiVersion)
    pods: list[CoveragePod] = []
    for index, raw in enumerate(envelope.items or ()):
        kind, api_version = _read_header(raw, own)
        if collector.runtime_state is not None:
            collector.runtime_state.note_times(raw)
            if kind == "Node":
                collector.runtime_state.take_text(kind, raw)
        if kind == "Pod" and api_version == "v1":
            pod = _decode(POD_DECODER, raw)
            if pod is not None and _is_existing_pod(pod):
                pods.append(pod)
                if collector.runtime_state is not None:
                    collector.runtime_state.pods.add_text((pod.metadata.namespace, pod.metadata.name), raw)
                elif collector.pod_texts is not None:
                    collector.pod_texts.add_text((pod.metadata.namespace, pod.metadata.name), raw)
                continue
        elif kind == "Node" and api_version == "v1":
            node = _decode(NODE_DECODER, raw)
            if node is not None:
                _take_node(collector, node, locate_item(origin, index))
                continue
        elif kind and kind not in WANTED_KINDS and not may_place_pods(kind, api_version, raw):
            if _is_state_only(collector, kind, origin):
                if collector.runtime_state is not None:
                    collector.runtime_state.take_text(kind, raw)
                continue
            collector.count_skipped(explain_unchecked({"kind": kind, "apiVersion": api_version or None}), noun="object")
            continue
        data = _to_plain(collector, raw, locate_item(origin, index))
        if isinstance(data, dict) and own[0]:
            data = {"apiVersion": own[1], "kind": own[0], **data}
        if data is not _UNREAD:
            pods += collector.add(data, locate_item(origin, index), has_template_text=has_template_text, is_item=True)
    collector.add_pods(pods, origin.file)


def _is_state_only(collector: ObjectCollector, kind: object, origin: Origin) -> bool:
    """Whether a kind is read for the state only, so that nobody misses it where that is not asked for."""
    return kind in STATE_KINDS and (collector.runtime_state is not None or collector.is_from_snapshot(origin))


def _read_header(raw: Raw, list_header: tuple[str, str]) -> tuple[str, str]:
    """The kind and the apiVersion of an item, the last of a repeated one, or the ones that its list states; "" where neither is text."""
    try:
        head = msgspec.json.decode(raw, type=ItemHeader)
    except (msgspec.DecodeError, RecursionError):
        return "", ""
    return head.kind or list_header[0], head.apiVersion or list_header[1]


def decode_bound_pod(view: memoryview) -> CoveragePod | None:
    """The pod that a JSON value is, where it is one that was there; else None."""
    match = _HEAD.match(view)
    pod = _decode(POD_DECODER, view) if match and match[2] == b"Pod" and match[1] == b"v1" else None
    return pod if pod is not None and _is_existing_pod(pod) else None


def _decode(decoder: msgspec.json.Decoder[T], raw: Raw | memoryview) -> T | None:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _take_node(collector: ObjectCollector, item: LeanNode, origin: Origin) -> None:
    if not item.metadata.name:
        collector.count_skipped(explain_unchecked({"kind": "Node", "apiVersion": item.apiVersion}), noun="object")
        return
    taints = tuple(Taint(taint.key, taint.value, taint.effect) for taint in item.spec.taints)
    node = Node(
        origin=origin,
        metadata=item.metadata,
        spec=NodeSpec(taints=taints, unschedulable=item.spec.unschedulable),
        status=NodeStatus(item.status.conditions, item.status.allocatable, item.status.nodeInfo),
    )
    collector.objects.append(node)


def _take_raw_item(
    collector: ObjectCollector, item: RawItem | UnknownItem, origin: Origin, *, has_template_text: bool
) -> Sequence[CoveragePod]:
    kind = str(type(item).__struct_config__.tag)
    data: PlainObject = {"kind": kind}
    may_lack_clues = isinstance(item, RawItem) and kind in CLUES_BY_KIND and not collector.is_from_snapshot(origin)
    says_nothing = may_lack_clues and isinstance(item, RawItem) and not has_clue(kind, str(item.data, "utf-8", "replace"))
    for name in item.__struct_fields__:
        if len(memoryview(raw := getattr(item, name))) and not (says_nothing and name == "data"):
            value = _to_plain(collector, raw, origin)
            if value is not _UNREAD:
                data[name] = value
    return collector.add(data, origin, has_template_text=has_template_text, is_item=True)


def _to_plain(collector: ObjectCollector, raw: Raw, origin: Origin) -> Any:
    """The value as plain data; a problem, and _UNREAD, where JSON holds what no program can."""
    try:
        return decode_json_value(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        message = describe_unreadable(lower_first(error))
        collector.add_problem(message, origin.file, origin.line, path=format_path(origin.path))
        return _UNREAD
