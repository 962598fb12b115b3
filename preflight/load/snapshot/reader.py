"""What a snapshot says of itself: its version, the cluster that it was made of, and the rest of its DaemonSets."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from preflight.components.snapshot_codec import decode_components
from preflight.errors import InputError
from preflight.kubectl.apiserver.defaults import LAST_APPLIED
from preflight.load.kinds import PlainObject
from preflight.messages.load import describe_newer_version, describe_unreadable_metadata, describe_wrong_version
from preflight.model.snapshot_fields import SnapshotExtras
from preflight.model.world import ClusterListing

SNAPSHOT_VERSION = 1
_VERSION = re.compile(r"preflight/v([1-9][0-9]{0,5})")


def read_head(api_version: str, metadata: object) -> ClusterListing:
    """What a snapshot says of the cluster that it was made of.

    `metadata` is JSON text or plain data: the fields of ClusterListing. What this program does not know of it is ignored. Where it does not
    say which namespaces were listed, none was; nor every node.

    Errors: InputError where the snapshot is of a version that this program cannot read, or its metadata makes no sense.
    """
    if problem := _explain_version(api_version):
        raise InputError(problem)
    try:
        data: Any = msgspec.json.decode(bytes(metadata) or b"{}") if isinstance(metadata, Raw) else metadata
        listing = msgspec.convert({"listed": [], "nodes": False, **(data or {})}, ClusterListing)
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        raise InputError(describe_unreadable_metadata(error)) from None
    return replace(listing, live=False, templates=False)


def unpack_daemonset(item: PlainObject) -> tuple[PlainObject, Raw]:
    """A DaemonSet of a snapshot as an object of the API, and what the snapshot has of the rest of its template.

    The manifest that kubectl applied last stands in its annotation again, as far as it was kept.
    """
    kept = item.get("preflight") or {}
    whole = {name: value for name, value in item.items() if name != "preflight"}
    metadata, last = item.get("metadata"), kept.get("lastApplied") if isinstance(kept, dict) else None
    if last is not None and isinstance(metadata, dict):
        annotations = metadata.get("annotations")
        applied = {LAST_APPLIED: msgspec.json.encode(last).decode()}
        whole["metadata"] = {**metadata, "annotations": {**(annotations if isinstance(annotations, dict) else {}), **applied}}
    return whole, Raw(msgspec.json.encode(kept))


def is_valid_rest(saved_rest: Raw) -> bool:
    """Whether what a snapshot has of the rest of a DaemonSet is what a snapshot writes: somebody may have edited it."""
    try:
        decode_components(msgspec.json.decode(saved_rest, type=SnapshotExtras).components)
    except msgspec.MsgspecError:
        return False
    return True


def _explain_version(api_version: str) -> str:
    """Why this program does not read snapshots of a version, "" where it does."""
    match = _VERSION.fullmatch(api_version)
    if match is None:
        return describe_wrong_version(api_version)
    if int(match[1]) > SNAPSHOT_VERSION:
        return describe_newer_version(int(match[1]), SNAPSHOT_VERSION)
    return ""
