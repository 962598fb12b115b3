"""Large lists of JSON, as `kubectl get nodes,ds,pods -A -o json` writes them, decoded without an untyped value between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any, TypeVar

import msgspec
from msgspec import Raw

from preflight.load.collector import Gathered
from preflight.load.json_plain import plain
from preflight.load.kinds import CLUES, KINDS, POOLS, SAVED_STATE, SNAPSHOT, WANTED, Data, has_clue, is_snapshot, why_not
from preflight.load.kubectl_list_schema import NODE, POD, RAWS, Head, LeanNode, Other, Rest, decode_list
from preflight.load.locations import path_text
from preflight.model.convert import convert
from preflight.model.objects import ListedPod, Node, NodeSpec, NodeStatus, Origin, Taint

T = TypeVar("T")

_HEAD = re.compile(rb'\s*\{\s*"apiVersion":\s*"([^"\\]*)",\s*"kind":\s*"([^"\\]*)"')
_UNREAD: Any = object()


def take_list(gathered: Gathered, view: memoryview, origin: Origin, *, has_template_text: bool, is_page: bool = False) -> bool:
    """Take the objects of one JSON text if it is a List; False, and nothing taken, where it is something else that reads as JSON.

    1. All items are decoded at once into what is read of them. Where that fails, because of a null or a wrong type, they are
       decoded one by one, and the odd ones by way of plain data.
    2. `is_page`: the caller has the other parts of a list that goes on elsewhere; else such a list is a problem.
    3. A snapshot is a List, of which its head says more; nothing of it is taken where this program cannot read it.
    4. Raises msgspec.DecodeError where the text is no JSON value, or more than one, and RecursionError where it is too deep.
    """
    if gathered.wants_whole_pods and gathered.observed is None:
        _take_whole_pods(gathered, view)
    envelope = decode_list(view)
    if envelope is not None:
        if not _is_ours(envelope):
            return False
        if not (is_page or _begin(gathered, envelope, origin)):
            return True
        gathered.complete.add(envelope.kind.removesuffix("List"))
        items = envelope.items or ()
        pods = [item for item in items if type(item) is ListedPod]
        if all(_was_there(pod) for pod in pods if not (pod.spec.nodeName and pod.metadata.name)):
            _take_decoded(gathered, items, pods, origin, has_template_text=has_template_text)
            if gathered.observed is not None:
                gathered.observed.take_items(items, RAWS.decode(view).items)
            return True
        del items, pods, envelope
    try:
        envelope = RAWS.decode(view)
    except msgspec.ValidationError:
        return False
    if not _is_ours(envelope):
        return False
    if is_page or _begin(gathered, envelope, origin):
        gathered.complete.add(envelope.kind.removesuffix("List"))
        _take_one_by_one(gathered, envelope, origin, has_template_text=has_template_text)
    return True


def _take_whole_pods(gathered: Gathered, view: memoryview) -> None:
    """Take the pods of a list as a whole, beside the little of them that every run reads."""
    try:
        envelope = RAWS.decode(view)
    except msgspec.ValidationError:
        return
    own = (envelope.kind.removesuffix("List"), envelope.apiVersion)
    for raw in (envelope.items or ()) if _is_ours(envelope) else ():
        if _head(raw, own) == ("Pod", "v1"):
            take_whole_pod(gathered, raw)


def take_whole_pod(gathered: Gathered, raw: Raw | memoryview) -> None:
    """Take one pod as a whole; one with a null or a wrong type in it by way of plain data."""
    from preflight.model.pod_scheduling import ScheduledPod

    try:
        gathered.add_running(_decoder(ScheduledPod).decode(raw))
    except msgspec.ValidationError:
        gathered.add_running(convert(plain(raw), ScheduledPod, Origin("<none>"))[0])


@cache
def _decoder(of: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(of)


def _begin(gathered: Gathered, envelope: Any, origin: Origin) -> bool:
    """Take what a list says of itself; False where nothing of it can be read."""
    if envelope.kind == SNAPSHOT:
        from preflight.load.snapshot.reader import take_head

        return take_head(gathered, envelope.apiVersion, envelope.metadata, origin)
    if b"continue" in bytes(envelope.metadata):
        metadata = msgspec.json.decode(envelope.metadata)
        if isinstance(metadata, dict) and metadata.get("continue"):
            gathered.cut_off(envelope.kind, origin)
    return True


def _is_ours(envelope: Any) -> bool:
    if envelope.kind == SNAPSHOT:
        return is_snapshot(envelope.kind, envelope.apiVersion)
    return envelope.kind in WANTED and envelope.kind not in KINDS and envelope.kind not in POOLS


def _was_there(pod: ListedPod) -> bool:
    """As `is_evidence`, of a decoded pod; no other API group has a kind Pod, so its apiVersion is not read."""
    return bool(pod.metadata.name) and bool(pod.spec.nodeName or pod.status.phase or len(memoryview(pod.status.conditions)) > 2)


def _take_decoded(gathered: Gathered, items: Sequence[Any], pods: list[ListedPod], origin: Origin, *, has_template_text: bool) -> None:
    if len(pods) < len(items):
        for index, item in enumerate(items):
            if type(item) is ListedPod:
                continue
            if type(item) is LeanNode:
                _take_node(gathered, item, _place(origin, index))
            elif isinstance(item, Rest):
                pods += _take_rest(gathered, item, _place(origin, index), has_template_text=has_template_text)
            elif isinstance(item, Other) and not _is_state(gathered, item.__struct_config__.tag, origin):
                gathered.leave_out(why_not({"kind": type(item).__struct_config__.tag, "apiVersion": "-"}), noun="object")
    gathered.add_pods(pods, origin.file)


def _take_one_by_one(gathered: Gathered, envelope: Any, origin: Origin, *, has_template_text: bool) -> None:
    own = (envelope.kind.removesuffix("List"), envelope.apiVersion)
    pods: list[ListedPod] = []
    for index, raw in enumerate(envelope.items or ()):
        kind, api_version = _head(raw, own)
        if gathered.observed is not None and kind == "Node":
            gathered.observed.take_text(kind, raw)
        if kind == "Pod" and api_version == "v1":
            pod = _decoded(POD, raw)
            if pod is not None and _was_there(pod):
                pods.append(pod)
                if gathered.observed is not None:
                    gathered.observed.pods.put((pod.metadata.namespace, pod.metadata.name), raw)
                continue
        elif kind == "Node" and api_version == "v1":
            node = _decoded(NODE, raw)
            if node is not None:
                _take_node(gathered, node, _place(origin, index))
                continue
        elif kind and kind not in WANTED:
            if _is_state(gathered, kind, origin):
                if gathered.observed is not None:
                    gathered.observed.take_text(kind, raw)
                continue
            gathered.leave_out(why_not({"kind": kind, "apiVersion": api_version or None}), noun="object")
            continue
        data = _plain(gathered, raw, _place(origin, index))
        if isinstance(data, dict) and own[0]:
            data = {"apiVersion": own[1], "kind": own[0], **data}
        if data is not _UNREAD:
            pods += gathered.add(data, _place(origin, index), has_template_text=has_template_text, is_item=True)
    gathered.add_pods(pods, origin.file)


def _is_state(gathered: Gathered, kind: object, origin: Origin) -> bool:
    """Whether a kind is read for the state only, so that nobody misses it where that is not asked for."""
    return kind in SAVED_STATE and (gathered.observed is not None or gathered.is_saved(origin))


def _head(raw: Raw, own: tuple[str, str]) -> tuple[str, str]:
    """The kind and the apiVersion of an item, or the ones that its list states; "" where nobody can say without reading all of it."""
    match = _HEAD.match(raw)
    if match:
        return match[2].decode("utf-8", "replace"), match[1].decode("utf-8", "replace")
    try:
        head = msgspec.json.decode(raw, type=Head)
    except (msgspec.DecodeError, RecursionError):
        return "", ""
    return head.kind or own[0], head.apiVersion or own[1]


def bound_pod(view: memoryview) -> ListedPod | None:
    """The pod that a JSON value is, where it is one that was there; else None."""
    match = _HEAD.match(view)
    pod = _decoded(POD, view) if match and match[2] == b"Pod" and match[1] == b"v1" else None
    return pod if pod is not None and _was_there(pod) else None


def _decoded(decoder: msgspec.json.Decoder[T], raw: Raw | memoryview) -> T | None:
    try:
        return decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None


def _take_node(gathered: Gathered, item: LeanNode, origin: Origin) -> None:
    if not item.metadata.name:
        gathered.leave_out(why_not({"kind": "Node", "apiVersion": item.apiVersion}), noun="object")
        return
    taints = tuple(Taint(each.key, each.value, each.effect) for each in item.spec.taints)
    node = Node(
        origin=origin,
        metadata=item.metadata,
        spec=NodeSpec(taints=taints, unschedulable=item.spec.unschedulable),
        status=NodeStatus(item.status.conditions, item.status.allocatable),
    )
    gathered.objects.append(node)


def _take_rest(gathered: Gathered, item: Rest, origin: Origin, *, has_template_text: bool) -> Sequence[ListedPod]:
    kind = str(type(item).__struct_config__.tag)
    data: Data = {"kind": kind}
    says_nothing = kind in CLUES and not gathered.is_saved(origin) and not has_clue(kind, str(item.data, "utf-8", "replace"))
    for name in Rest.__struct_fields__:
        if len(memoryview(raw := getattr(item, name))) and not (says_nothing and name == "data"):
            value = _plain(gathered, raw, origin)
            if value is not _UNREAD:
                data[name] = value
    return gathered.add(data, origin, has_template_text=has_template_text, is_item=True)


def _plain(gathered: Gathered, raw: Raw, origin: Origin) -> Any:
    """The value as plain data; a problem, and _UNREAD, where JSON holds what no program can."""
    try:
        return plain(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        gathered.problem(f"cannot be read: {str(error)[:1].lower()}{str(error)[1:]}", origin.file, origin.line, path=path_text(origin.path))
        return _UNREAD


def _place(origin: Origin, index: int) -> Origin:
    return Origin(origin.file, origin.document, origin.line, (*origin.path, "items", index))
