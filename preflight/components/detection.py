"""What was found out about one DaemonSet: kinds, each with its evidence and what it provides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from preflight.components.catalog import Kind, Product, Setting, by_variable, find, kinds
from preflight.components.container_commands import Path, Text, is_trivial
from preflight.components.pod_template import Container, Template

_HELPER = re.compile(r"proxy|reload|sidecar|livenessprobe|liveness-probe|watcher")
WATCHERS = frozenset({"metrics-exporter", "log-agent", "security-agent", "node-problem-detector"})
"""What only looks: that it can reach the folders of others does not make it one of them."""


class Evidence(Struct, frozen=True):
    """One reason for a kind: the path of the field in the DaemonSet, and what it shows, without values that could be secrets."""

    path: Path
    words: str


class Component(Struct, frozen=True):
    """What a DaemonSet is, in one respect.

    1. `resources` are the extended resources that it advertises; one that ends in `*` stands for all that begin so. () means that
       they are not known, or that there are none: a device plugin whose resources are not known has evidence, and no resources.
    2. `drivers` are names of CSI or DRA drivers; one read from a folder only is what the folder is called.
    3. `labels` are keys of node labels that it sets; one that ends in `.`, `-` or `/` is a prefix. `taints` are keys of the startup
       taints that a node keeps without it.
    4. `networks`: `pod` is the network of every pod, any other the type of a CNI plugin that pods ask for; () is not known.
    5. `outlive` is the version from which the labels outlive the pods that set them: before it, each restart of a pod takes them away
       for a while. "" where nothing is known of that.
    6. `note` is what else there is to know, one line, or "".
    """

    kind: Kind
    evidence: tuple[Evidence, ...]
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    note: str = ""
    outlive: str = ""

    def advertises(self, resource: str) -> bool | None:
        """Whether this makes an extended resource allocatable: None where a device plugin's resources are not known."""
        if not self.resources:
            return None if self.kind.id == "device-plugin" else False
        return any(resource == each or (each.endswith("*") and resource.startswith(each[:-1])) for each in self.resources)

    def sets_label(self, key: str) -> bool | None:
        """Whether this sets a node label: None where a label producer's labels are not known."""
        if not self.labels:
            return None if self.kind.id == "label-producer" else False
        return any(key == each or (each[-1:] in (".", "-", "/") and key.startswith(each)) for each in self.labels)


class Provided(NamedTuple):
    """What one piece of evidence says is provided."""

    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    note: str = ""
    outlive: str = ""


class Runs(NamedTuple):
    """A program that is known, in a container, and how it was known."""

    container: Container
    product: Product
    evidence: Evidence


class Findings:
    """The kinds found so far, for the matchers to add to."""

    def __init__(self, template: Template, configs: Mapping[str, Mapping[str, str]]) -> None:
        """`configs` are the ConfigMaps of the DaemonSet's namespace that are known, by name."""
        self.template = template
        self.configs = configs
        self.runs = tuple(run for container in template.containers for run in _runs(container))
        self._by_container: dict[Path, list[Runs]] = {}
        for run in self.runs:
            self._by_container.setdefault(run.container.path, []).append(run)
        self._strangers = {each.path for each in template.running if each.path not in self._by_container and not _helps(each)}
        self._evidence: dict[str, dict[Evidence, None]] = {}
        self._provided: dict[str, list[Provided]] = {}

    def __contains__(self, kind: str) -> bool:
        return kind in self._evidence

    def __bool__(self) -> bool:
        return bool(self._evidence)

    def add(self, kind: str, path: Path, words: str, provided: Provided | None = None) -> None:
        """One more piece of evidence for a kind."""
        self._evidence.setdefault(kind, {})[Evidence(path, words)] = None
        if provided is not None:
            self._provided.setdefault(kind, []).append(provided)

    def provide(self, kind: str, provided: Provided) -> None:
        """What a kind provides, without more evidence."""
        self._provided.setdefault(kind, []).append(provided)

    def drop(self, kind: str) -> None:
        """Take a kind back."""
        self._evidence.pop(kind, None)

    def runs_in(self, container: Container) -> Sequence[Runs]:
        """The programs that are known in a container."""
        return self._by_container.get(container.path, ())

    def only_watches(self, container: Container) -> bool:
        """Whether a container is known to only look at the node."""
        products = [run.product for run in self.runs_in(container)]
        return bool(products) and all(each.telemetry or (each.kinds and WATCHERS.issuperset(each.kinds)) for each in products)

    def stands_alone(self, container: Container) -> bool:
        """Whether nothing else runs in the pod but what is known, and helpers: then the pod is there for this container."""
        return self._strangers <= {container.path}

    def state(self, container: Container, setting: Setting) -> Text | None:
        """What is stated for a setting: by a flag, by the environment, or by a ConfigMap that is known."""
        stated = container.setting(setting.name)
        if stated is not None:
            return stated
        for name, data in self.configs.items():
            if name == setting.config or (not setting.config and name in self.template.configs):
                for key, text in data.items():
                    if key == setting.name:
                        return Text(text.strip(), container.path)
                    for line in text.splitlines():
                        left, colon, right = line.partition(":")
                        if colon and left.strip().lower() == setting.name:
                            return Text(right.strip().strip("\"'"), container.path)
        return None

    def components(self) -> tuple[Component, ...]:
        """Every kind that was found, worst first."""
        return tuple(self._component(kind) for kind in kinds().values() if kind.id in self._evidence)

    def _component(self, kind: Kind) -> Component:
        given = self._provided.get(kind.id, [])
        return Component(
            kind=kind,
            evidence=tuple(self._evidence[kind.id]),
            resources=_all(each.resources for each in given),
            drivers=_all(each.drivers for each in given),
            labels=_all(each.labels for each in given),
            taints=_all(each.taints for each in given),
            networks=_all(each.networks for each in given),
            note="; ".join(dict.fromkeys(each.note for each in given if each.note)),
            outlive=max((each.outlive for each in given), default=""),
        )


def _all(values: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({each for value in values for each in value}))


def _helps(container: Container) -> bool:
    return any(_HELPER.search(name) for name in (*container.images, container.name))


def _runs(container: Container) -> Iterator[Runs]:
    """The programs that are known in a container.

    1. The programs of its command, if one of them is known; else its image, then a variable that only one program is given; neither
       where the command only runs things like `sleep`.
    2. Where the image is not stated, the name of the container stands for it.
    3. An init container only has what `init` products do.
    """
    named = [(program, find(program.names)) for program in container.programs]
    known = [Runs(container, product, Evidence(program.path, f"runs {program.name}")) for program, product in named if product is not None]
    if not known and not is_trivial(container.programs):
        known = list(_named_otherwise(container))
    for run in known:
        if container.runs or run.product.init:
            yield run


def _named_otherwise(container: Container) -> Iterator[Runs]:
    product = find(container.images or (container.name,))
    if product is not None:
        field, words = ("image", f"image {container.images[-1]}") if container.images else ("name", f"container {container.name}")
        yield Runs(container, product, Evidence((*container.path, field), words))
        return
    for name, value in container.env.items():
        if name in by_variable():
            yield Runs(container, by_variable()[name], Evidence(value.path, f"has the variable {name}"))
            return
