"""What a snapshot keeps of an object: the fields that are read, and of a DaemonSet what was made of the rest."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from msgspec import Raw, Struct

from preflight.model.annotations import EXEMPTION_ANNOTATION
from preflight.model.apps import TEMPLATE_GENERATION, DaemonSet
from preflight.model.meta import Metadata

SNAPSHOT_ANNOTATIONS = frozenset(
    (
        EXEMPTION_ANNOTATION,
        *("meta.helm.sh/release-name", "meta.helm.sh/release-namespace"),
        *("scheduler.alpha.kubernetes.io/node-selector", "openshift.io/node-selector"),
        *("cluster.x-k8s.io/owner-kind", "cluster.x-k8s.io/owner-name"),
        *("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"),
        *("volume.kubernetes.io/storage-provisioner", "volume.beta.kubernetes.io/storage-provisioner"),
        *("volume.beta.kubernetes.io/storage-class", "pv.kubernetes.io/migrated-to"),
        TEMPLATE_GENERATION,
        "kubernetes.io/config.mirror",
        *(f"batch.kubernetes.io/job-{name}" for name in ("completion-index", "index-failure-count", "index-ignored-failure-count")),
        *("alpha.jobset.sigs.k8s.io/exclusive-topology", "alpha.jobset.sigs.k8s.io/node-selector"),
    )
)
"""The annotations that somebody reads: a snapshot holds no other."""

_PRIVATE_PREFIX = "\ue000"
_PLAIN_TYPES = (str, int, float, bool)


class SnapshotExtras(Struct, frozen=True):
    """The field `preflight` of a DaemonSet in a snapshot: `components` are what it was recognised as by its whole template, as JSON.

    See `preflight/components/snapshot_codec.py`. There is `lastApplied` too, which stands in its annotation again once it is read.
    """

    components: Raw = Raw()


def decode_snapshot_extras(daemonset: DaemonSet) -> SnapshotExtras:
    """What a snapshot has of the rest of a DaemonSet; nothing for one that is whole.

    Errors: msgspec.MsgspecError for what no snapshot holds, and `load` lets through none.
    """
    return msgspec.json.decode(daemonset.kept, type=SnapshotExtras) if daemonset.kept else SnapshotExtras()


def select_read_fields(data: object, field_type: Any) -> Any:
    """Of plain data what a type reads, as plain data again; None where nothing is left.

    1. Of a map for a Struct only the fields of that Struct stay, of annotations only `SNAPSHOT_ANNOTATIONS`. What the Struct adds itself
       does not.
    2. A value that the API server would refuse stays where it is a scalar and one was wanted, so that it is refused again. A map or list
       where a scalar was wanted, and the other way round, does not stay: nobody knows what is in it.
    3. Of a map of anything (`dict[str, Any]`, `dict[str, object]`) only the keys stay: that it is there is all that is read of it.
    4. The order of maps and lists stays, and so do empty values: `kubectl apply` tells an empty field from an absent one.
    """
    if field_type in (Any, object):
        return None
    wanted, *others = _split_union(field_type)
    origin = typing.get_origin(wanted)
    if origin is tuple:
        inner = typing.get_args(wanted)[0]
        return [select_read_fields(item, inner) for item in data] if isinstance(data, list | tuple) else None
    if origin is dict:
        inner = typing.get_args(wanted)[1]
        return (
            {name: select_read_fields(value, inner) for name, value in data.items() if isinstance(name, str)}
            if isinstance(data, dict)
            else None
        )
    if isinstance(wanted, type) and issubclass(wanted, Struct):
        return _select_struct_fields(data, wanted) if isinstance(data, dict) else None
    assert wanted in _PLAIN_TYPES, f"{wanted} or {others} is no type of a field that a snapshot keeps"
    return data if isinstance(data, _PLAIN_TYPES) else None


def _select_struct_fields(data: Mapping[str, Any], struct_type: type[Struct]) -> dict[str, Any]:
    hints = _list_field_types(struct_type)
    found = {}
    for name, value in data.items():
        if name in hints:
            if name == "annotations" and issubclass(struct_type, Metadata) and isinstance(value, dict):
                value = {key: text for key, text in value.items() if key in SNAPSHOT_ANNOTATIONS}
                if not value:
                    continue
            read = select_read_fields(value, hints[name])
            if read is not None or value is None:
                found[name] = read
    return found


@cache
def _list_field_types(struct_type: type[Struct]) -> Mapping[str, Any]:
    """The types of the fields that an input may state, by their encoded names."""
    hints = typing.get_type_hints(struct_type)
    pairs = zip(struct_type.__struct_fields__, struct_type.__struct_encode_fields__, strict=True)
    return {encoded: hints[name] for name, encoded in pairs if not encoded.startswith(_PRIVATE_PREFIX)}


def _split_union(field_type: Any) -> tuple[Any, ...]:
    if typing.get_origin(field_type) in {types.UnionType, typing.Union}:
        return tuple(argument for argument in typing.get_args(field_type) if argument is not types.NoneType)
    return (field_type,)
