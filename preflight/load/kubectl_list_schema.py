"""What is decoded of a large list of JSON: only what is read, and the rest left as text."""

from __future__ import annotations

import re
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from preflight.load.kinds import CHECKED_KINDS, OPERATOR_KINDS, POOL_KINDS
from preflight.load.unknown_resources import may_place_pods
from preflight.model.core import CoveragePod, NodeSystemInfo
from preflight.model.meta import Condition, Metadata

# Kinds that people list together with ours: known by name, so that one of them does not make us take the slow way.
_OTHERS = (
    "APIService ClusterRole ClusterRoleBinding ControllerRevision CSINode CSIStorageCapacity CustomResourceDefinition Endpoints "
    "EndpointSlice Event Ingress IngressClass Lease LimitRange MutatingWebhookConfiguration NetworkPolicy "
    "PodTemplate ReplicationController Role RoleBinding Secret Service ServiceAccount "
    "ValidatingWebhookConfiguration VolumeAttachment"
)

_LIST_KIND = re.compile(rb'"kind":\s*"(Node|Pod)List"')
_UNKNOWN = re.compile(r"Invalid value '([A-Za-z0-9]+)' - at `\$\.items\[(?:\d+|\.\.\.)\]\.kind`")
_EDGE = 4096
_LEARNT = 3


class ExactTaint(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A taint with no field that Kubernetes does not know."""

    key: str = ""
    value: str = ""
    effect: str = ""
    timeAdded: Raw = Raw()


class LeanNodeSpec(Struct, frozen=True, gc=False):
    """`spec` of a Node, with exact taints."""

    taints: tuple[ExactTaint, ...] = ()
    unschedulable: bool = False


class LeanNodeStatus(Struct, frozen=True, gc=False):
    """`status` of a Node."""

    conditions: tuple[Condition, ...] = ()
    allocatable: dict[str, str | int | float] = {}
    nodeInfo: NodeSystemInfo = NodeSystemInfo()


class LeanNode(Struct, frozen=True, gc=False, tag="Node", tag_field="kind"):
    """A node of a list, without what `load` adds."""

    apiVersion: Literal["v1"] = "v1"
    metadata: Metadata = Metadata()
    spec: LeanNodeSpec = LeanNodeSpec()
    status: LeanNodeStatus = LeanNodeStatus()


class RawItem(Struct, frozen=True, gc=False, tag_field="kind"):
    """An object of another kind of ours, still as text."""

    apiVersion: Raw = Raw()
    metadata: Raw = Raw()
    spec: Raw = Raw()
    status: Raw = Raw()
    value: Raw = Raw()
    globalDefault: Raw = Raw()
    preemptionPolicy: Raw = Raw()
    provisioner: Raw = Raw()
    scheduling: Raw = Raw()
    overhead: Raw = Raw()
    data: Raw = Raw()
    preflight: Raw = Raw()
    nodeGroups: Raw = Raw()
    managedNodeGroups: Raw = Raw()
    items: Raw = Raw()


class ItemHeader(Struct, frozen=True, gc=False):
    """What tells an object's kind."""

    kind: str = ""
    apiVersion: str = ""


class IgnoredItem(Struct, frozen=True, gc=False, tag_field="kind"):
    """An object of a kind that is not judged."""


class UnknownItem(Struct, frozen=True, gc=False, tag_field="kind"):
    """An object of a kind that nothing here names: a custom resource, maybe."""

    apiVersion: Raw = Raw()
    metadata: Raw = Raw()
    spec: Raw = Raw()

    @property
    def may_place_pods(self) -> bool:
        """Whether it says where pods run; an apiVersion that is no text has no group."""
        version = bytes(self.apiVersion).decode("utf-8", "replace").strip('"')
        return may_place_pods(str(self.__struct_config__.tag), version, self.spec)


_KEPT = [kind for kind in (*CHECKED_KINDS, *POOL_KINDS, "List") if kind not in {"Node", "Pod"}]
_RESTS = tuple(msgspec.defstruct(f"_{kind}", (), bases=(RawItem,), tag=kind) for kind in _KEPT)
_IGNORED = tuple(msgspec.defstruct(f"_{kind}", (), bases=(IgnoredItem,), tag=kind) for kind in _OTHERS.split())


def _list_decoder(item: Any) -> msgspec.json.Decoder[Any]:
    fields: list[Any] = [("kind", str, ""), ("apiVersion", str, ""), ("metadata", Raw, Raw()), ("items", list[item] | None, None)]
    return msgspec.json.Decoder(msgspec.defstruct("_Envelope", fields, frozen=True, gc=False))


_UNION: Any = LeanNode | CoveragePod
for _struct in (*_RESTS, *_IGNORED):
    _UNION |= _struct

_KNOWN = frozenset(("Node", "Pod", *_KEPT, *_OTHERS.split()))
_MIXED = _list_decoder(_UNION)
_NODES = _list_decoder(LeanNode)
_PODS = _list_decoder(CoveragePod)
RAW_LIST_DECODER = _list_decoder(Raw)
POD_DECODER = msgspec.json.Decoder(CoveragePod)
NODE_DECODER = msgspec.json.Decoder(LeanNode)


def decode_list(view: memoryview) -> Any:
    """A List with its items as LeanNode, ListedPod, Rest or Other; None where an item is not what its kind says, or has a null.

    1. Lists of the API itself name the kind of their items once, at the start or the end.
    2. A kind that nobody knew is learnt, and all is decoded once more: that is still twice as fast as one by one. Not for many.
    3. Raises msgspec.DecodeError where the text is no JSON value, or more than one, and RecursionError where it is too deep.
    """
    for edge in (view[:_EDGE], view[-_EDGE:]):
        if match := _LIST_KIND.search(edge):
            return _try_decode(_NODES if match[1] == b"Node" else _PODS, view)[0]
    envelope, unknown = _try_decode(_MIXED, view)
    union, known = _UNION, set(_KNOWN)
    for _ in range(_LEARNT):
        if envelope is not None or not unknown or unknown in known:  # known, and refused all the same: `kind` is there twice
            break
        known.add(unknown)
        base = RawItem if unknown in OPERATOR_KINDS else UnknownItem
        union |= msgspec.defstruct("_Learnt", (), bases=(base,), tag=unknown)
        envelope, unknown = _try_decode(_list_decoder(union), view)
    return envelope


def _try_decode(decoder: msgspec.json.Decoder[Any], view: memoryview) -> tuple[Any, str]:
    """The decoded list, or None and the kind that the decoder does not know, "" where something else is wrong."""
    try:
        return decoder.decode(view), ""
    except msgspec.ValidationError as error:
        match = _UNKNOWN.fullmatch(str(error))
        return None, match[1] if match else ""
