"""The template node of a pool in the making: labels and taints added one source after the other."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import NamedTuple

from msgspec import Struct

from preflight.components.catalog import is_startup_key
from preflight.load.kinds import PlainObject, get_path
from preflight.load.pools.taint_formats import (
    FieldPath,
    TaintFormat,
    explain_non_string,
    is_placeholder,
    iter_label_pairs,
    parse_taints,
    to_text,
)
from preflight.messages.pools import explain_instead, explain_invalid_part, format_most_nodes, format_node_range
from preflight.model.core import Node, NodeSpec, PoolTemplate, Taint
from preflight.model.meta import Metadata, Origin, Refusal
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name

OS, ARCH, INSTANCE_TYPE = "kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type"
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
CONTROL_PLANE = Taint("node-role.kubernetes.io/control-plane", "", "NoSchedule")

_PASSING = ("node.kubernetes.io/not-ready", "node.kubernetes.io/network-unavailable")
_EVERY = TaintFormat()


class ManifestReference(NamedTuple):
    """Another manifest that says more of a pool; the namespace is "" where none is stated."""

    kind: str
    namespace: str
    name: str


class PoolDeclaration(Struct, frozen=True):
    """What one manifest says of one pool.

    1. `references` are the manifests that say more; `offered_as` is what a manifest is to others that is no pool itself, None for a pool.
    2. The template node is that of this manifest alone: `resolve` puts them together.
    """

    node: Node
    references: tuple[ManifestReference, ...] = ()
    offered_as: ManifestReference | None = None


class PoolBuilder:
    """A template node in the making, from one entry of a manifest; paths are relative to the entry, to which `origin.path` leads."""

    def __init__(self, entry: PlainObject, origin: Origin, kind: str, name: str, *, cluster: str = "", renewal: str = "") -> None:
        self.entry, self.origin = entry, origin
        self.kind, self.name, self.cluster, self.renewal = kind, name, cluster, renewal
        self.owner = ("", "")
        self.count = ""
        self.members: dict[str, str] = {}
        self.provider_labels: dict[str, str] = {}
        self.absent: set[str] = set()
        self.startup_taints: list[Taint] = []
        self._labels: dict[str, str] = {}
        self._kept_labels: dict[str, str] = {}
        self._taints: list[Taint] = []
        self._kept_taints: list[Taint] = []
        self._automatic_taints: list[Taint] = []
        self._refusals: list[Refusal] = []
        self._refused: list[Refusal] = []
        self._doubtful: list[Refusal] = []

    def get(self, *path: str) -> object:
        """What stands at a path of map keys of the entry."""
        return get_path(self.entry, path)

    def get_text(self, *path: str) -> str:
        """The scalar at a path as text, "" where there is none, or something else fills it in later."""
        text = to_text(self.get(*path))
        return "" if is_placeholder(text) else text

    def set_provider_label(self, key: str, value: str, *, identifies_pool: bool = False) -> None:
        """A label that the provider surely sets; nothing where the value is "". `identifies_pool`: it tells the nodes of the pool."""
        if value and not is_placeholder(value):
            self.provider_labels[key] = value
            if identifies_pool:
                self.members[key] = value

    def add_labels(self, *path: str, in_place: bool = False, accepts_key: Callable[[str], bool] | None = None, data: object = None) -> None:
        """The labels that are declared at a path (or are `data`, which stands there); those whose value is filled in later are unknown."""
        for key, value in iter_label_pairs(self.get(*path) if data is None else data):
            if accepts_key is not None and not accepts_key(key):
                continue
            here: FieldPath = (*path, key)
            if value is not None and not isinstance(value, str):
                self._refusals.append(Refusal(here, explain_non_string("value", value)))
            text = to_text(value)
            if is_placeholder(key) or is_placeholder(text):
                continue
            for name, part, errors in (("key", key, validate_qualified_name(key)), ("value", text, validate_label_value(text))):
                self._refusals += (Refusal(here, explain_invalid_part(name, part, reason)) for reason in errors)
            self._labels[key] = text
            if in_place:
                self._kept_labels[key] = text

    def add_taints(
        self,
        *path: str,
        form: TaintFormat = _EVERY,
        in_place: bool = False,
        is_startup: bool = False,
        data: object = None,
        registration_only: Container[str] = (),
    ) -> int:
        """The taints that are declared at a path (or are `data`, which stands there), and how many there are.

        `in_place`: those are kept up to date on nodes that are there, but for the keys in `registration_only`. `startup`: something removes
        them; so it is with the keys that are known as such.
        """
        read = parse_taints(self.get(*path) if data is None else data, path, form)
        self._refused += read.refused
        self._doubtful += read.suspicious
        for taint in read.taints:
            if is_startup or taint.key in _PASSING or is_startup_key(taint.key):
                self.startup_taints.append(taint)
                continue
            self._taints.append(taint)
            if in_place and taint.key not in registration_only:
                self._kept_taints.append(taint)
        return len(read.taints)

    def add_taint(self, taint: Taint, *, in_place: bool = False) -> None:
        """A taint that the provider surely sets by itself, unless one of its key and effect is declared."""
        if any((known.key, known.effect) == (taint.key, taint.effect) for known in self._taints):
            return
        self._automatic_taints.append(taint)
        self._taints.append(taint)
        if in_place:
            self._kept_taints.append(taint)

    def refuse_unknown_field(self, *path: str, instead: str) -> None:
        """Refuse a field that the manifest's schema does not have, where it is there."""
        if self.get(*path) is not None:
            self._refused.append(Refusal(path, explain_instead(path[-1], instead)))

    def build(self, *refers: ManifestReference, offered_as: ManifestReference | None = None) -> PoolDeclaration:
        """The template node."""
        labels = {**self._labels, **self.provider_labels}
        pool = PoolTemplate(
            kind=self.kind,
            name=self.name,
            cluster="" if is_placeholder(self.cluster) else self.cluster,
            member_labels=self.members,
            owner_annotations=self.owner,
            synced_labels=self._kept_labels,
            synced_taints=tuple(self._kept_taints),
            replacement_trigger=self.renewal,
            node_count=self.count,
            taint_errors=tuple(self._refused),
            taint_warnings=tuple(self._doubtful),
            automatic_taints=tuple(self._automatic_taints),
        )
        node = Node(
            origin=self.origin,
            refusals=tuple(self._refusals),
            metadata=Metadata(name=f"({self.kind if offered_as else 'pool'} {self.name})", labels=labels),
            spec=NodeSpec(taints=tuple(dict.fromkeys(self._taints))),
            is_partial=True,
            absent_labels=frozenset(self.absent - labels.keys()),
            startup_taints=tuple(dict.fromkeys(self.startup_taints)),
            pool=pool,
        )
        return PoolDeclaration(node, refers, offered_as)


def extend_origin(origin: Origin, *path: str | int) -> Origin:
    """The origin of an entry of an object."""
    return Origin(origin.file, origin.document, origin.line, (*origin.path, *path))


def list_entries(data: object, *path: str) -> list[tuple[int, PlainObject]]:
    """The maps in the list at a path, each with its place."""
    found = get_path(data, path)
    return [(number, entry) for number, entry in enumerate(found) if isinstance(entry, dict)] if isinstance(found, list) else []


def describe_node_count(exact: object, low: object = None, high: object = None) -> str:
    """The number of nodes in words: see `Pool.count`."""
    numbers = [number if isinstance(number, int) and not isinstance(number, bool) else None for number in (exact, low, high)]
    if numbers[1] is not None and numbers[2] is not None and numbers[1] != numbers[2]:
        return format_node_range(numbers[1], numbers[2])
    if numbers[0] is None and numbers[1] is None and numbers[2] is not None:
        return format_most_nodes(numbers[2])
    stated = [number for number in (numbers[0], numbers[1]) if number is not None]
    return str(stated[0]) if stated else ""
