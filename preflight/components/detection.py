"""What was found out about one DaemonSet: kinds, each with its evidence and what it provides."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from preflight.components.catalog import (
    ComponentKind,
    KnownProgram,
    ProgramMatch,
    ProgramSetting,
    find_program_match,
    is_companion,
    load_kinds,
    programs_by_variable,
)
from preflight.components.container_commands import FieldPath, LocatedText, is_trivial
from preflight.components.pod_template import ParsedContainer, ParsedTemplate
from preflight.messages import components as messages

_HELPER = re.compile(r"proxy|reload|sidecar|livenessprobe|liveness-probe|watcher")
_EXPORTER = re.compile(r"(?:^|[-_])(?:exporter|metrics)$")
OBSERVER_KINDS = frozenset({"metrics-exporter", "log-agent", "security-agent", "node-problem-detector"})
"""What only looks: that it can reach the folders of others does not make it one of them."""


class Evidence(Struct, frozen=True):
    """One reason for a kind: the path of the field in the DaemonSet, and what it shows, without values that could be secrets."""

    path: FieldPath
    description: str


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
    6. `note` is what else there is to know, one line, or "". `own_symptom` is what users see where it is missing, "" where the sentence of
       its kind is true of it.
    """

    kind: ComponentKind
    evidence: tuple[Evidence, ...]
    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    note: str = ""
    outlive: str = ""
    own_symptom: str = ""

    @property
    def symptom(self) -> str:
        """What users see where it is missing."""
        return self.own_symptom or self.kind.symptom

    def advertises(self, resource: str) -> bool | None:
        """Whether this makes an extended resource allocatable: None where a device plugin's resources are not known."""
        if not self.resources:
            return None if self.kind.id == "device-plugin" else False
        return any(resource == known or (known.endswith("*") and resource.startswith(known[:-1])) for known in self.resources)

    def sets_label(self, key: str) -> bool | None:
        """Whether this sets a node label: None where a label producer's labels are not known."""
        if not self.labels:
            return None if self.kind.id == "label-producer" else False
        return any(key == label or (label[-1:] in (".", "-", "/") and key.startswith(label)) for label in self.labels)


class ProvidedFeatures(NamedTuple):
    """What one piece of evidence says is provided."""

    resources: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    taints: tuple[str, ...] = ()
    networks: tuple[str, ...] = ()
    note: str = ""
    outlive: str = ""
    symptom: str = ""


class DetectedProgram(NamedTuple):
    """A program that is known, in a container, and how it was known."""

    container: ParsedContainer
    product: KnownProgram
    evidence: Evidence


class ComponentFindings:
    """The kinds found so far, for the matchers to add to."""

    def __init__(self, template: ParsedTemplate, configs: Mapping[str, Mapping[str, str]]) -> None:
        """`configs` are the ConfigMaps of the DaemonSet's namespace that are known, by name."""
        self.template = template
        self.configs = configs
        self.programs = tuple(run for container in template.containers for run in _detect_programs(container, template))
        self._by_container: dict[FieldPath, list[DetectedProgram]] = {}
        for run in self.programs:
            self._by_container.setdefault(run.container.path, []).append(run)
        self._strangers = {
            running_container.path
            for running_container in template.running_containers
            if running_container.path not in self._by_container and not _is_helper(running_container)
        }
        self._evidence: dict[str, dict[Evidence, None]] = {}
        self._provided: dict[str, list[ProvidedFeatures]] = {}

    def __contains__(self, kind: str) -> bool:
        return kind in self._evidence

    @property
    def kinds(self) -> Collection[str]:
        """The kinds found so far."""
        return self._evidence.keys()

    def __bool__(self) -> bool:
        return bool(self._evidence)

    def add_evidence(self, kind: str, path: FieldPath, description: str, provided: ProvidedFeatures | None = None) -> None:
        """One more piece of evidence for a kind."""
        self._evidence.setdefault(kind, {})[Evidence(path, description)] = None
        if provided is not None:
            self._provided.setdefault(kind, []).append(provided)

    def add_provided(self, kind: str, provided: ProvidedFeatures) -> None:
        """What a kind provides, without more evidence."""
        self._provided.setdefault(kind, []).append(provided)

    def drop(self, kind: str) -> None:
        """Take a kind back."""
        self._evidence.pop(kind, None)

    def programs_in(self, container: ParsedContainer) -> Sequence[DetectedProgram]:
        """The programs that are known in a container."""
        return self._by_container.get(container.path, ())

    def only_observes(self, container: ParsedContainer) -> bool:
        """Whether a container is known to only look at the node, or is called an exporter and is nothing that is known."""
        products = [run.product for run in self.programs_in(container)]
        if not products:
            return any(_EXPORTER.search(name) for name in (*container.images[-1:], *(program.name for program in container.programs)))
        return all(product.telemetry or (product.kinds and OBSERVER_KINDS.issuperset(product.kinds)) for product in products)

    def is_main_container(self, container: ParsedContainer) -> bool:
        """Whether nothing else runs in the pod but what is known, and helpers: then the pod is there for this container."""
        return self._strangers <= {container.path}

    def find_setting(self, container: ParsedContainer, setting: ProgramSetting) -> LocatedText | None:
        """What is stated for a setting: by a flag, by the environment, or by a ConfigMap that is known."""
        stated = container.get_setting(setting.name)
        if stated is not None:
            return stated
        for name, data in self.configs.items():
            if name == setting.config or (not setting.config and name in self.template.config_names):
                for key, text in data.items():
                    if key == setting.name:
                        return LocatedText(text.strip(), container.path)
                    for line in text.splitlines():
                        left, colon, right = line.partition(":")
                        if colon and left.strip().lower() == setting.name:
                            return LocatedText(right.strip().strip("\"'"), container.path)
        return None

    def build_components(self) -> tuple[Component, ...]:
        """Every kind that was found, worst first."""
        return tuple(self._build_component(kind) for kind in load_kinds().values() if kind.id in self._evidence)

    def _build_component(self, kind: ComponentKind) -> Component:
        given = self._provided.get(kind.id, [])
        return Component(
            kind=kind,
            evidence=tuple(self._evidence[kind.id]),
            resources=_merge_values(features.resources for features in given),
            drivers=_merge_values(features.drivers for features in given),
            labels=_merge_values(features.labels for features in given),
            taints=_merge_values(features.taints for features in given),
            networks=_merge_values(features.networks for features in given),
            note="; ".join(dict.fromkeys(features.note for features in given if features.note)),
            outlive=max((features.outlive for features in given), default=""),
            own_symptom=next((features.symptom for features in given if features.symptom), ""),
        )


def _merge_values(values: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(sorted({item for value in values for item in value}))


def _is_helper(container: ParsedContainer) -> bool:
    return any(_HELPER.search(name) for name in (*container.images, container.name))


def _detect_programs(container: ParsedContainer, template: ParsedTemplate) -> Iterator[DetectedProgram]:
    """The programs that are known in a container.

    1. The programs of its command, if one of them is known; else its image, then a variable that only one program is given; neither
       where the command only runs things like `sleep`.
    2. Where the image is not stated, the name of the container stands for it.
    3. An init container only has what `init` products do.
    4. An ordinary word counts as a name only where the pod reaches its node.
    """
    named = [(program, find_program_match(program.candidate_names)) for program in container.programs]
    known = [
        DetectedProgram(container, match.product, Evidence(program.path, f"runs {program.name}"))
        for program, match in named
        if match is not None and not _is_only_a_word(match, template)
    ]
    if not known and not is_trivial(container.programs):
        known = list(_detect_by_image(container, template))
    for run in known:
        if container.keeps_running or run.product.init:
            yield run


def _is_only_a_word(match: ProgramMatch, template: ParsedTemplate) -> bool:
    return match.name in match.product.ordinary and not template.reaches_node


def _detect_by_image(container: ParsedContainer, template: ParsedTemplate) -> Iterator[DetectedProgram]:
    match = find_program_match(container.images or (container.name,))
    if match is not None and not _is_only_a_word(match, template):
        field, words = ("image", f"image {container.images[-1]}") if container.images else ("name", f"container {container.name}")
        yield DetectedProgram(container, match.product, Evidence((*container.path, field), words))
        return
    for name, value in container.env.items():
        if name in programs_by_variable() and not any(map(is_companion, container.images[-1:])):
            yield DetectedProgram(container, programs_by_variable()[name], Evidence(value.path, messages.describe_variable(name)))
            return
