"""What a snapshot says of itself, read: its version, and the survey of the cluster that it was made of."""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from preflight.kubectl.apiserver.defaults import LAST_APPLIED
from preflight.load.collector import ObjectCollector
from preflight.load.kinds import PlainObject
from preflight.model.objects import Origin
from preflight.model.world import ClusterListing

SNAPSHOT_VERSION = 1
_HEAD = 200
_VERSION = re.compile(r"preflight/v([1-9][0-9]{0,5})")


def read_head(collector: ObjectCollector, api_version: str, metadata: object, origin: Origin) -> bool:
    """Take the version and the survey of a snapshot; False, and a problem, where its items cannot be read or do not belong here.

    1. `metadata` is JSON text or plain data: the fields of Survey. What this program does not know of it is ignored. Where it does not say
       which namespaces were listed, none was; nor every node.
    2. A snapshot of another listing than one that was read is a problem: what both say together is of no cluster at any time.
    """
    problem = _explain_version(api_version)
    if not problem:
        try:
            data: Any = msgspec.json.decode(bytes(metadata) or b"{}") if isinstance(metadata, Raw) else metadata
            survey = replace(msgspec.convert({"listed": [], "nodes": False, **(data or {})}, ClusterListing), live=False, templates=False)
        except (msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
            problem = f"metadata of the snapshot cannot be read: {str(error)[:1].lower()}{str(error)[1:]}"
        else:
            if collector.survey is not None and collector.survey != survey:
                problem = "a second snapshot, of another time or cluster: give one"
    if problem:
        collector.add_problem(problem, origin.file, origin.line)
        return False
    collector.survey = survey
    collector.snapshots.add((origin.file, origin.document))
    return True


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
    from preflight.components.snapshot_codec import decode_components
    from preflight.model.snapshot_fields import SnapshotExtras

    try:
        decode_components(msgspec.json.decode(saved_rest, type=SnapshotExtras).components)
    except msgspec.MsgspecError:
        return False
    return True


def _explain_version(api_version: str) -> str:
    """Why this program does not read snapshots of a version, "" where it does."""
    match = _VERSION.fullmatch(api_version)
    if match is None:
        return f"no version of a snapshot: {api_version[:60]!r}"
    if int(match[1]) > SNAPSHOT_VERSION:
        return f"written by a newer preflight: version {match[1]}; this one reads {SNAPSHOT_VERSION}"
    return ""


def is_snapshot_file(path: str) -> bool:
    """Whether a path is a file that begins as a snapshot does; one that cannot be read, a folder and standard input are none."""
    if path == "-":
        return False
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            start = file.read(2)
        if start == b"\x1f\x8b":
            import gzip

            with gzip.open(path, "rb") as packed:
                start = packed.read(_HEAD)
        else:
            with open(path, "rb") as file:  # noqa: PTH123
                start = file.read(_HEAD)
    except (OSError, EOFError):
        return False
    return re.match(rb'\s*\{\s*"apiVersion":\s*"preflight/v[0-9]+",\s*"kind":\s*"Snapshot"', start) is not None
