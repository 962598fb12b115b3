"""A world as a snapshot: only the fields that are read, and no argument, no environment, no Secret and no foreign annotation.

    {"apiVersion": "preflight/v1", "kind": "Snapshot",
     "metadata": {"preflight": "0.1.0", "context": "prod", "listed": null, "nodes": true, "missing": {}, ...},
     "items": [
     {"apiVersion": "v1", "kind": "Node", "metadata": {...}, "spec": {...}, "status": {...}},
     {"apiVersion": "apps/v1", "kind": "DaemonSet", ..., "preflight": {"components": [...], "lastApplied": {...}}}
    ]}

1. `metadata` is the survey: `listed` are the namespaces whose pods were listed, null for all of them; `nodes`, whether every node was;
   `missing` are kinds that could not be had, each with the reason.
2. `items` are objects as Kubernetes has them, with what this program reads of them; one stands on each line.
3. `preflight` of a DaemonSet stands for what is left out of its template: see `preflight/model/snapshot_fields.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from typing import Any, get_args, get_type_hints

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from preflight.components.recognize import recognize_components
from preflight.components.snapshot_codec import encode_components, filter_config_data
from preflight.errors import InputError
from preflight.file_write import LinkError, write_file
from preflight.kubectl.apiserver.defaults import LAST_APPLIED
from preflight.load.kinds import CHECKED_KINDS, SNAPSHOT, SNAPSHOT_GROUP, STATE_KINDS
from preflight.load.snapshot.reader import SNAPSHOT_VERSION
from preflight.load.snapshot.state import add_node_state, iter_state_objects, redact_pod
from preflight.messages.load import describe_link, describe_two_clusters, describe_unsaved_pod, describe_unwritable
from preflight.model.apps import DaemonSet
from preflight.model.convert import convert
from preflight.model.core import POD_TEMPLATE_SPEC, Node, Pod
from preflight.model.meta import ObjectKey, Origin, SourcedObject
from preflight.model.pod_scheduling import SchedulerPod, SchedulerPodSpec
from preflight.model.runtime_state import PodState
from preflight.model.snapshot_fields import SNAPSHOT_ANNOTATIONS, select_read_fields
from preflight.model.versions import VersionSource
from preflight.model.world import ClusterListing, ClusterState
from preflight.operators.saved_fields import select_saved_fields
from preflight.version import __version__

_API_ADDRESS = "KUBERNETES_SERVICE_HOST"
_VERSIONS = {"jobset.x-k8s.io": "v1alpha2"}
_BATCH = 1000
_LEVEL = 6


class UnsavedCounts(msgspec.Struct):
    """What of a world is in no snapshot, counted: nodes of pools that manifests declare, pods of manifests that name their node, and
    objects with values that the API server would refuse."""

    pools: int = 0
    bound: int = 0
    refused: int = 0


def iter_snapshot_lines(world: ClusterState, unsaved: UnsavedCounts) -> Iterator[bytes]:
    """The text of a snapshot, in pieces; `world` was read with `wants_state`.

    1. The same world gives the same bytes. Workloads stand in the order in which they were read, for some messages list them so.
    2. A world of a snapshot gives that snapshot again, but for what is new in the survey.

    Errors: InputError where the world is not of one cluster: two objects without a namespace have one name; and for a listed pod whose
    values make no sense, since it would look as if it were not there.
    """
    head = {"apiVersion": f"{SNAPSHOT_GROUP}/v{SNAPSHOT_VERSION}", "kind": SNAPSHOT, "metadata": _build_head(world)}
    objects, pods = (
        list(_iter_object_lines(world, unsaved)),
        _iter_whole_pods(world),
    )  # before the first piece: no part of what fails is ever printed
    yield msgspec.json.encode(head)[:-1] + b',"items":['
    lines = (line for part in (objects, map(_encode_pod, pods)) for line in part)
    between = b"\n "
    while batch := list(islice(lines, _BATCH)):
        yield between + b",\n ".join(batch)
        between = b",\n "
    yield b"\n]}\n"


def write_snapshot(pieces: Iterable[bytes], path: str) -> int:
    """Write a snapshot, packed where the name ends in .gz, and answer its size in bytes: see `write_file`.

    Errors: InputError where it cannot be written.
    """
    try:
        return write_file(path, _pack(pieces) if path.endswith(".gz") else pieces)
    except LinkError as error:
        raise InputError(describe_unwritable(path, describe_link(error.filename))) from None
    except (OSError, ValueError) as error:
        raise InputError(describe_unwritable(path, str(getattr(error, "strerror", None) or error))) from None


def _pack(pieces: Iterable[bytes]) -> Iterator[bytes]:
    import zlib

    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS + 16)  # as gzip, without a name and a time
    yield from map(packer.compress, pieces)
    yield packer.flush()


def _build_head(world: ClusterState) -> dict[str, Any]:
    """The survey: that of the cluster, or of files what they show."""
    survey = world.listing or ClusterListing(nodes=bool(world.nodes))
    survey = replace(
        survey,
        version=_find_version(survey, world),
        listed=world.listed_namespaces,
        missing=dict(world.missing_kinds),
        forbidden=frozenset(survey.forbidden),
        complete=world.complete_kinds | (world.runtime_state.given_kinds & STATE_KINDS if world.runtime_state else frozenset()),
        comparison_operators=world.comparison_operators,
        at=world.runtime_state.latest_time if world.runtime_state else "",
    )
    said = msgspec.to_builtins(survey, order="deterministic")
    head = {"preflight": __version__, **said, "listed": said.get("listed"), "nodes": survey.nodes}
    return {name: value for name, value in head.items() if name not in ("live", "templates")}


def _find_version(survey: ClusterListing, world: ClusterState) -> str:
    """The version of the server: what it said, or the release that the option states where it said none."""
    server = world.versions.server
    if survey.version or server is None or not server.is_exact or world.versions.source is not VersionSource.OPTION:
        return survey.version
    return f"v1.{server.lowest.minor}.{server.lowest.patch}"


def _iter_object_lines(world: ClusterState, unsaved: UnsavedCounts) -> Iterator[bytes]:
    """Every object but the listed pods, each once, one line each."""
    seen: set[int] = set()
    named: dict[tuple[str, ObjectKey], str] = {}
    for value in _iter_objects(world):
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, DaemonSet) and value.declaration is not None:
            continue
        if isinstance(value, Node) and (value.pool is not None or value.is_partial):
            unsaved.pools += value.pool is not None
            continue
        if isinstance(value, Pod) and value.spec.nodeName:
            unsaved.bound += 1
            continue
        unsaved.refused += bool(value.refusals)
        _check_unique(value, named)
        yield _encode_line(type(value).__name__, _to_saved_data(value, world))
    for resource in world.operator_resources:
        yield msgspec.json.encode(select_saved_fields(resource))
    settings = {(resource.namespace, resource.name) for resource in world.operator_resources if not resource.group}
    for (namespace, name), data in world.config_maps.items():
        if (namespace, name) not in settings and (found := filter_config_data(data)):
            yield _encode_line("ConfigMap", {"metadata": {"name": name, **({"namespace": namespace} if namespace else {})}, "data": found})
    if world.runtime_state is not None:
        yield from (msgspec.json.encode(state_object) for state_object in iter_state_objects(world.runtime_state))


def _iter_objects(world: ClusterState) -> Iterator[Any]:
    """Whatever was read of the kinds that are judged, in all collections of the world; nodes first, then workloads in order."""
    for field in ("nodes", "workloads", *world.__struct_fields__):
        held = getattr(world, field)
        if isinstance(held, tuple | dict):
            yield from (item for item in (held.values() if isinstance(held, dict) else held) if isinstance(item, SourcedObject))


def _check_unique(value: Any, seen: dict[tuple[str, ObjectKey], str]) -> None:
    """InputError where another object, of another file, has the same kind and name and no namespace either."""
    metadata, kind, file = value.metadata, type(value).__name__, value.origin.file
    if CHECKED_KINDS[kind].is_namespaced and not metadata.namespace and not metadata.name.endswith("*"):
        other = seen.setdefault((kind, ObjectKey("", metadata.name)), file)
        if other != file:
            raise InputError(describe_two_clusters(kind, metadata.name, (other, file)))


def _to_saved_data(value: Any, world: ClusterState) -> Any:
    """The fields of an object that are read, as plain data."""
    if not isinstance(value, DaemonSet):
        found = select_read_fields(msgspec.to_builtins(value), type(value))
        state = world.runtime_state.nodes.get(value.name) if world.runtime_state is not None and isinstance(value, Node) else None
        return add_node_state(found, state) if state is not None else found
    data = select_read_fields(value.data or msgspec.to_builtins(value), DaemonSet)
    _keep_scheduler_fields(data, value.data)
    _mark_api_address(data, value.data)
    if value.kept:
        return {**data, "preflight": Raw(value.kept)}
    kept: dict[str, Any] = {"components": encode_components(recognize_components(value, world.config_maps))}
    if LAST_APPLIED in value.metadata.annotations:
        kept["lastApplied"] = _filter_last_applied(value.metadata.annotations[LAST_APPLIED])
    return {**data, "preflight": kept}


def _filter_last_applied(text: str) -> Any:
    """The manifest of kubectl's annotation, as far as it is read; {} where it is none."""
    try:
        data = msgspec.json.decode(text)
        manifest, _ = convert(data, DaemonSet, Origin(""))
    except (msgspec.DecodeError, RecursionError):
        return {}
    return select_read_fields(data, DaemonSet) if manifest is not None else {}


def _keep_scheduler_fields(data: Any, whole: Any) -> None:
    """Keep of the pod template also what the scheduler alone reads, so that whether a new pod fits is known of a snapshot too."""
    kept, every = data, whole
    for name in POD_TEMPLATE_SPEC:
        if not (isinstance(kept, dict) and isinstance(every, dict)):
            return
        kept, every = kept.get(name), every.get(name)
    if isinstance(kept, dict) and isinstance(every, dict):
        kept.update(select_read_fields(every, SchedulerPodSpec))


def _mark_api_address(data: Any, whole: Any) -> None:
    """Keep that a container is told the address of the API server, but not the address: the variable without its value."""
    kept, every = data, whole
    for name in POD_TEMPLATE_SPEC:
        kept = kept.get(name) if isinstance(kept, dict) else None
        every = every.get(name) if isinstance(every, dict) else None
    lists = [spec.get("containers") if isinstance(spec, dict) else None for spec in (kept, every)]
    if not all(isinstance(containers, list) for containers in lists):
        return
    for container, origin in zip(*lists, strict=True):
        env = origin.get("env") if isinstance(origin, dict) else None
        if isinstance(env, list) and any(isinstance(variable, dict) and variable.get("name") == _API_ADDRESS for variable in env):
            container["env"] = [{"name": _API_ADDRESS}]


def _iter_whole_pods(world: ClusterState) -> Iterable[SchedulerPod]:
    running = world.pods_by_key or {}
    found = {}
    for pod in world.pods:
        key = (pod.metadata.namespace, pod.metadata.name)
        try:
            found[key] = running[key]
        except KeyError:
            raise InputError(describe_unsaved_pod(*key)) from None
    return (found[key] for key in running)


def _encode_pod(pod: SchedulerPod) -> bytes:
    if isinstance(pod, PodState):
        pod = redact_pod(pod)
    annotations = {name: text for name, text in pod.metadata.annotations.items() if name in SNAPSHOT_ANNOTATIONS}
    if len(annotations) < len(pod.metadata.annotations):
        pod = replace(pod, metadata=replace(pod.metadata, annotations=annotations))
    if any(getattr(volume, name) for volume in pod.spec.volumes for name in _open_fields(type(volume))) or pod.spec.schedulingGroup:
        return _encode_line("Pod", select_read_fields(msgspec.to_builtins(pod), type(pod)))
    return b'{"apiVersion":"v1",' + msgspec.json.encode(pod)[1:]


@cache
def _open_fields(volume: type[Any]) -> tuple[str, ...]:
    """The fields of a volume that may hold more than what is read: a claim has annotations, and a map of anything everything."""
    hints = get_type_hints(volume)
    return (
        "ephemeral",
        *(name for name in volume.__struct_fields__ if Any in [argument for arg in get_args(hints[name]) for argument in get_args(arg)]),
    )


def _encode_line(kind: str, data: Any) -> bytes:
    group = CHECKED_KINDS[kind].groups[0]
    version = f"{group}/{_VERSIONS.get(group, 'v1')}" if group else "v1"
    return msgspec.json.encode({"apiVersion": version, "kind": kind, **data})
