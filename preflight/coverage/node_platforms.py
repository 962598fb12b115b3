"""The operating system and the architecture of nodes, and whether a pod asks for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from preflight.model.core import Node, PodSpec
from preflight.model.image_platforms import ForeignPlatform
from preflight.scheduling.affinity import collect_label_keys

OS_LABELS = ("kubernetes.io/os", "beta.kubernetes.io/os")
ARCH_LABELS = ("kubernetes.io/arch", "beta.kubernetes.io/arch")


class Platform(NamedTuple):
    """The operating system and architecture of a node, as its labels say; "" where they do not."""

    os: str
    arch: str

    def __str__(self) -> str:
        return "/".join(filter(None, self))


def get_platform(node: Node) -> Platform:
    """What a node runs, by the labels that its kubelet sets."""
    labels = node.metadata.labels
    os, arch = (next((labels[key] for key in keys if key in labels), "") for keys in (OS_LABELS, ARCH_LABELS))
    return Platform(os, arch)


def selects_any(spec: PodSpec, labels: Collection[str]) -> bool:
    """Whether a pod selects on one of these labels, or excludes nodes by one."""
    return any(label in collect_label_keys(spec)[0] for label in labels)


def find_foreign_platform(spec: PodSpec, gained: Iterable[Node], known: Iterable[Node]) -> ForeignPlatform | None:
    """The nodes among some that are new to a template, and of another operating system or architecture than all where its pods are.

    Where its pods are on no node yet, those of another operating system than Linux, where it takes nodes of both. An image is often for
    several architectures, rarely for two operating systems.
    """
    new, old = [(node.name, get_platform(node)) for node in gained], [get_platform(node) for node in known]
    systems = {platform.os for _, platform in new}
    if not selects_any(spec, OS_LABELS):
        others = {platform.os for platform in old} or (systems & {"linux"} if len(systems) > 1 else set())
        if others and "" not in others and (odd := [(name, found.os) for name, found in new if found.os and found.os not in others]):
            return _make_foreign_platform(OS_LABELS[0], odd, others)
    if not selects_any(spec, ARCH_LABELS):
        others = {platform.arch for platform in old}
        if others and "" not in others and (odd := [(name, found.arch) for name, found in new if found.arch and found.arch not in others]):
            return _make_foreign_platform(ARCH_LABELS[0], odd, others)
    return None


def _make_foreign_platform(label: str, odd: list[tuple[str, str]], others: Collection[str]) -> ForeignPlatform:
    names = tuple(sorted(name for name, _ in odd))
    return ForeignPlatform(names, label, tuple(sorted({value for _, value in odd})), tuple(sorted(others)))
