"""The latest time that an object states of what has happened to it: the newest of a whole dump is when it was taken, or shortly before."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from msgspec import Raw

from preflight.model.convert import convert, decode_object
from preflight.model.meta import APIStruct, Origin
from preflight.model.timestamps import parse_time


class _Managed(APIStruct, frozen=True, gc=False):
    time: str | None = None


class _Metadata(APIStruct, frozen=True, gc=False):
    creationTimestamp: str | None = None
    deletionTimestamp: str | None = None
    deletionGracePeriodSeconds: int | None = None
    managedFields: tuple[_Managed, ...] | None = ()


class _Condition(APIStruct, frozen=True, gc=False):
    lastTransitionTime: str | None = None
    lastHeartbeatTime: str | None = None
    lastUpdateTime: str | None = None


class _Moment(APIStruct, frozen=True, gc=False):
    startedAt: str | None = None
    finishedAt: str | None = None


class _ContainerState(APIStruct, frozen=True, gc=False):
    running: _Moment | None = None
    terminated: _Moment | None = None


class _Container(APIStruct, frozen=True, gc=False):
    state: _ContainerState | None = None
    lastState: _ContainerState | None = None


class _Status(APIStruct, frozen=True, gc=False):
    startTime: str | None = None
    completionTime: str | None = None
    lastScheduleTime: str | None = None
    conditions: tuple[_Condition, ...] | None = ()
    containerStatuses: tuple[_Container, ...] | None = ()
    initContainerStatuses: tuple[_Container, ...] | None = ()


class _Spec(APIStruct, frozen=True, gc=False):
    renewTime: str | None = None


class _Object(APIStruct, frozen=True, gc=False):
    metadata: _Metadata = _Metadata()
    spec: _Spec | None = None
    status: _Status | None = None


def find_latest_time(value: Raw | memoryview | object) -> str:
    """The latest time that an object states, from its JSON text or from plain data; "" where it states none or makes no sense.

    Only what has happened counts: a pod that is being deleted states when its grace period ends, which may be still to come.
    """
    found = decode_object(value, _Object) if isinstance(value, Raw | memoryview) else convert(value, _Object, Origin("<none>"))[0]
    return max(filter(is_time, _list_times(found)), default="") if found is not None else ""


def is_time(text: str | None) -> bool:
    """Whether a text looks like a time of this thousand years."""
    return text is not None and text.startswith("2")


def _list_times(found: _Object) -> list[Any]:
    metadata, status = found.metadata, found.status
    times: list[Any] = [metadata.creationTimestamp, _find_deletion(metadata), *(managed.time for managed in metadata.managedFields or ())]
    if found.spec is not None:
        times.append(found.spec.renewTime)
    if status is not None:
        times += (status.startTime, status.completionTime, status.lastScheduleTime)
        for condition in status.conditions or ():
            times += (condition.lastTransitionTime, condition.lastHeartbeatTime, condition.lastUpdateTime)
        for container in (*(status.containerStatuses or ()), *(status.initContainerStatuses or ())):
            for state in (container.state, container.lastState):
                for moment in (state.running, state.terminated) if state is not None else ():
                    times += (moment.startedAt, moment.finishedAt) if moment is not None else ()
    return times


def _find_deletion(metadata: _Metadata) -> str | None:
    """When somebody deleted the object: its `deletionTimestamp` is a grace period later."""
    end = parse_time(metadata.deletionTimestamp or "")
    if end is None:
        return None
    return datetime.fromtimestamp(end - (metadata.deletionGracePeriodSeconds or 0), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
