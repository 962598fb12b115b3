"""What a server says that it serves: the versions of its API groups, and their resources."""

from __future__ import annotations

from enum import Enum

import msgspec
from msgspec import Struct

from preflight.errors import InputError
from preflight.load.live.connection import ApiConnection, HttpStatusError
from preflight.load.live.resources import ApiResource
from preflight.messages.live import describe_no_discovery

_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v={};as=APIGroupDiscoveryList"
_ACCEPT = ",".join((_AGGREGATED.format("v2"), _AGGREGATED.format("v2beta1"), "application/json"))


class Served(Enum):
    """What a server says of a resource: that it serves it, that it does not, or nothing at all."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class ServedVersion(Struct, frozen=True):
    """What a server says of a resource, and the version to ask for."""

    served: Served
    version: str = ""


class _Resource(Struct, frozen=True):
    resource: str = ""
    name: str = ""
    verbs: tuple[str, ...] = ()


class _Version(Struct, frozen=True):
    version: str = ""
    resources: tuple[_Resource, ...] = ()


class _Metadata(Struct, frozen=True):
    name: str = ""


class _Group(Struct, frozen=True):
    """A group of either document: `metadata` names it in the aggregated one, `name` in the other."""

    metadata: _Metadata = _Metadata()
    name: str = ""
    versions: tuple[_Version, ...] = ()


class _Document(Struct, frozen=True):
    kind: str = ""
    items: tuple[_Group, ...] = ()
    groups: tuple[_Group, ...] = ()
    resources: tuple[_Resource, ...] = ()


class Discovery:
    """The discovery documents of one API server, asked for as they are needed.

    1. `/apis` has all groups, with their resources where the server aggregates its discovery (since 1.26); else each version of a group
       has a document of its own.
    2. The core group is not asked for: every server has it.
    3. A server that refuses these documents says nothing: the usual version of a resource is then asked for. Of a resource without a
       usual version, nothing is.

    Source: `staging/src/k8s.io/api/apidiscovery/v2/types.go`, `staging/src/k8s.io/client-go/discovery/discovery_client.go`.
    """

    def __init__(self, connection: ApiConnection) -> None:
        self._connection = connection
        self._is_read = False
        self._groups: dict[str, tuple[str, ...]] | None = None
        self._lists: dict[tuple[str, str], frozenset[str] | None] = {}

    def find_version(self, resource: ApiResource) -> ServedVersion:
        """What the server says of a resource.

        Errors: InputError where the documents cannot be had or read.
        """
        if not resource.group:
            return ServedVersion(Served.YES, resource.version)
        if not self._is_read:
            self._read_groups()
            self._is_read = True
        if self._groups is None:
            return ServedVersion(Served.UNKNOWN if resource.version else Served.NO, resource.version)
        for version in (resource.version, *resource.older) if resource.version else self._groups.get(resource.group, ()):
            if version in self._groups.get(resource.group, ()):
                plurals = self._list_resources(resource.group, version)
                if plurals is None:
                    return ServedVersion(Served.UNKNOWN, version)
                if resource.plural in plurals:
                    return ServedVersion(Served.YES, version)
        return ServedVersion(Served.NO)

    def has_group(self, group: str) -> bool:
        """Whether the server says that it serves an API group."""
        if not self._is_read:
            self._read_groups()
            self._is_read = True
        return group in (self._groups or {})

    def _read_groups(self) -> None:
        document = self._read_document("/apis", ("APIGroupDiscoveryList", "APIGroupList"))
        if document is None:
            return
        groups = document.items or document.groups
        self._groups = {group.metadata.name or group.name: tuple(version.version for version in group.versions) for group in groups}
        if document.kind == "APIGroupDiscoveryList":
            self._lists = {
                (group.metadata.name, version.version): _select_listable(version.resources)
                for group in groups
                for version in group.versions
            }

    def _list_resources(self, group: str, version: str) -> frozenset[str] | None:
        """The plurals that can be listed; None where the server does not say."""
        if (group, version) not in self._lists:
            document = self._read_document(f"/apis/{group}/{version}", ("APIResourceList",))
            self._lists[group, version] = None if document is None else _select_listable(document.resources)
        return self._lists[group, version]

    def _read_document(self, path: str, kinds: tuple[str, ...]) -> _Document | None:
        """A document of one of these kinds; None where the server refuses it."""
        try:
            text = self._connection.get(path, accept=_ACCEPT)
        except HttpStatusError:
            return None
        try:
            document = msgspec.json.decode(text, type=_Document)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            document = _Document()
        if document.kind not in kinds:
            raise InputError(f"{self._connection.server}: {describe_no_discovery(path)}")
        return document


def _select_listable(resources: tuple[_Resource, ...]) -> frozenset[str]:
    return frozenset(item.resource or item.name for item in resources if "list" in item.verbs)
