"""The template node of a pool in the making: labels and taints added one source after the other."""

from __future__ import annotations

from collections.abc import Callable, Container
from functools import cache
from typing import NamedTuple

from msgspec import Struct

from preflight.components.catalog import drivers, products
from preflight.load.kinds import Data, at
from preflight.load.pools.taint_formats import Form, Path, is_placeholder, no_string, read_pairs, read_taints, text_of
from preflight.model.objects import Metadata, Node, NodeSpec, Origin, Pool, Refusal, Taint
from preflight.scheduling.name_validation import label_value_errors, qualified_name_errors

OS, ARCH, INSTANCE_TYPE = "kubernetes.io/os", "kubernetes.io/arch", "node.kubernetes.io/instance-type"
ZONE, REGION = "topology.kubernetes.io/zone", "topology.kubernetes.io/region"
CONTROL_PLANE = Taint("node-role.kubernetes.io/control-plane", "", "NoSchedule")

_PASSING = (
    *("node.kubernetes.io/not-ready", "node.kubernetes.io/network-unavailable", "karpenter.sh/unregistered"),
    *("node.cluster.x-k8s.io/uninitialized", "node.gardener.cloud/critical-components-not-ready"),
)
_EVERY = Form()


class Reference(NamedTuple):
    """Another manifest that says more of a pool; the namespace is "" where none is stated."""

    kind: str
    namespace: str
    name: str


class Declared(Struct, frozen=True):
    """What one manifest says of one pool.

    1. `refers` are the manifests that say more; `offers` is what a manifest is to others that is no pool itself, None for a pool.
    2. The template node is that of this manifest alone: `resolve` puts them together.
    """

    node: Node
    refers: tuple[Reference, ...] = ()
    offers: Reference | None = None


@cache
def passing_taints() -> frozenset[str]:
    """The keys of taints that something known removes from each new node: an agent once it is ready, or a controller."""
    known = {taint for product in products() for taint in product.taints} | {driver.taint for driver in drivers()}
    return frozenset({*known, *_PASSING} - {""})


class Draft:
    """A template node in the making, from one entry of a manifest; paths are relative to the entry, to which `origin.path` leads."""

    def __init__(self, entry: Data, origin: Origin, kind: str, name: str, *, cluster: str = "", renewal: str = "") -> None:
        self.entry, self.origin = entry, origin
        self.kind, self.name, self.cluster, self.renewal = kind, name, cluster, renewal
        self.owner = ("", "")
        self.count = ""
        self.members: dict[str, str] = {}
        self.sure: dict[str, str] = {}
        self.absent: set[str] = set()
        self.startup: list[Taint] = []
        self._labels: dict[str, str] = {}
        self._kept_labels: dict[str, str] = {}
        self._taints: list[Taint] = []
        self._kept_taints: list[Taint] = []
        self._refusals: list[Refusal] = []
        self._refused: list[Refusal] = []
        self._doubtful: list[Refusal] = []

    def get(self, *path: str) -> object:
        """What stands at a path of map keys of the entry."""
        return at(self.entry, path)

    def text(self, *path: str) -> str:
        """The scalar at a path as text, "" where there is none, or something else fills it in later."""
        text = text_of(self.get(*path))
        return "" if is_placeholder(text) else text

    def state(self, key: str, value: str, *, member: bool = False) -> None:
        """A label that the provider surely sets; nothing where the value is "". `member`: it tells the nodes of the pool."""
        if value and not is_placeholder(value):
            self.sure[key] = value
            if member:
                self.members[key] = value

    def labels(self, *path: str, kept: bool = False, only: Callable[[str], bool] | None = None, data: object = None) -> None:
        """The labels that are declared at a path (or are `data`, which stands there); those whose value is filled in later are unknown."""
        for key, value in read_pairs(self.get(*path) if data is None else data):
            if only is not None and not only(key):
                continue
            here: Path = (*path, key)
            if value is not None and not isinstance(value, str):
                self._refusals.append(Refusal(here, no_string("value", value)))
            text = text_of(value)
            if is_placeholder(key) or is_placeholder(text):
                continue
            for name, part, errors in (("key", key, qualified_name_errors(key)), ("value", text, label_value_errors(text))):
                self._refusals += (Refusal(here, f'{name}: Invalid value: "{part}": {reason}') for reason in errors)
            self._labels[key] = text
            if kept:
                self._kept_labels[key] = text

    def taints(
        self, *path: str, form: Form = _EVERY, kept: bool = False, startup: bool = False, data: object = None, once: Container[str] = ()
    ) -> int:
        """The taints that are declared at a path (or are `data`, which stands there), and how many there are.

        `kept`: those are kept up to date on nodes that are there, but for the keys in `once`. `startup`: something removes them; so
        it is with the keys that `passing_taints` knows.
        """
        read = read_taints(self.get(*path) if data is None else data, path, form)
        self._refused += read.refused
        self._doubtful += read.doubtful
        for taint in read.taints:
            if startup or taint.key in passing_taints():
                self.startup.append(taint)
                continue
            self._taints.append(taint)
            if kept and taint.key not in once:
                self._kept_taints.append(taint)
        return len(read.taints)

    def add_taint(self, taint: Taint, *, kept: bool = False) -> None:
        """A taint that the provider surely sets by itself."""
        self._taints.append(taint)
        if kept:
            self._kept_taints.append(taint)

    def unknown_field(self, *path: str, instead: str) -> None:
        """Refuse a field that the manifest's schema does not have, where it is there."""
        if self.get(*path) is not None:
            self._refused.append(Refusal(path, f'unknown field "{path[-1]}": did you mean "{instead}"?'))

    def done(self, *refers: Reference, offers: Reference | None = None) -> Declared:
        """The template node."""
        labels = {**self._labels, **self.sure}
        pool = Pool(
            kind=self.kind,
            name=self.name,
            cluster="" if is_placeholder(self.cluster) else self.cluster,
            members=self.members,
            owner=self.owner,
            kept_labels=self._kept_labels,
            kept_taints=tuple(self._kept_taints),
            renewal=self.renewal,
            count=self.count,
            refused=tuple(self._refused),
            doubtful=tuple(self._doubtful),
        )
        node = Node(
            origin=self.origin,
            refusals=tuple(self._refusals),
            metadata=Metadata(name=f"({self.kind if offers else 'pool'} {self.name})", labels=labels),
            spec=NodeSpec(taints=tuple(dict.fromkeys(self._taints))),
            partial=True,
            absent=frozenset(self.absent - labels.keys()),
            startup=tuple(dict.fromkeys(self.startup)),
            pool=pool,
        )
        return Declared(node, refers, offers)


def inside(origin: Origin, *path: str | int) -> Origin:
    """The origin of an entry of an object."""
    return Origin(origin.file, origin.document, origin.line, (*origin.path, *path))


def entries(data: object, *path: str) -> list[tuple[int, Data]]:
    """The maps in the list at a path, each with its place."""
    found = at(data, path)
    return [(number, each) for number, each in enumerate(found) if isinstance(each, dict)] if isinstance(found, list) else []


def counted(exact: object, low: object = None, high: object = None) -> str:
    """The number of nodes in words: see `Pool.count`."""
    numbers = [each if isinstance(each, int) and not isinstance(each, bool) else None for each in (exact, low, high)]
    if numbers[1] is not None and numbers[2] is not None and numbers[1] != numbers[2]:
        return f"{numbers[1]} to {numbers[2]}"
    if numbers[0] is None and numbers[1] is None and numbers[2] is not None:
        return f"up to {numbers[2]}"
    stated = [each for each in (numbers[0], numbers[1]) if each is not None]
    return str(stated[0]) if stated else ""
