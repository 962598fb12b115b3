"""Known faults of Kubernetes by the version of the server: a table of facts, and what in a cluster is the sign of each.

To add one: a row in KNOWN_BUGS, its sign in `_SIGN_CHECKS` as a function that returns what is seen, None where it is not, and its texts in
`preflight.messages.doctor.known_bugs`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import Enum

from msgspec import Struct

from preflight.doctor.cluster_messages import count_explained_nodes
from preflight.doctor.index import ClusterIndex
from preflight.model.core import Node

ServerVersion = tuple[int, int, int]

_VERSION_PATTERN = re.compile(r"v?([0-9]+)\.([0-9]+)\.([0-9]+)(.*)")
_ZONE_LABELS = (
    ("topology.kubernetes.io/region", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"),
)


class KnownBug(Struct, frozen=True):
    """A fault of one component, from the version `since` on and gone in `fixed`.

    `ranges` are pairs of these, one for each release branch that has it: the first without it is not in the pair. `links` lead to its fix,
    as `OWNER/REPOSITORY#NUMBER`.
    """

    id: str
    component: str
    ranges: tuple[tuple[ServerVersion, ServerVersion], ...]
    links: tuple[str, ...]

    def affects(self, version: ServerVersion) -> bool:
        """Whether a version has it."""
        return any(since <= version < fixed for since, fixed in self.ranges)


KNOWN_BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="kubernetes#91601",
        component="kube-scheduler",
        ranges=(((1, 18, 0), (1, 18, 8)),),
        links=("kubernetes/kubernetes#93355", "kubernetes/kubernetes#93387"),
    ),
)
"""Every fault that is known here. The ranges were read off the source of the releases."""


class ForgottenNode(Struct, frozen=True):
    """The scheduler gives reasons for fewer nodes than there are and none for `node`, which takes the pod, and zones are uneven.

    `zones` are the numbers of nodes by zone, "" for nodes without one.
    """

    node: str
    explained_nodes: int
    all_nodes: int
    zones: tuple[tuple[str, int], ...]


class VersionSource(Enum):
    """Who states the version of the server: the SERVER itself, or the KUBELETS, of which none is newer than their server."""

    SERVER = "server"
    KUBELETS = "kubelets"


class BugMatch(Struct, frozen=True):
    """A fault whose sign is there: what was seen, and the version (`v1.18.6`) with its source, "" where that is not known.

    `is_conditional`: not all pods are known, so that the node may lack room.
    """

    bug: KnownBug
    sign: ForgottenNode
    version: str
    version_source: VersionSource = VersionSource.SERVER
    is_conditional: bool = False


class SchedulerRefusal(Struct, frozen=True):
    """A pod that the scheduler refuses while some node takes it: its `node` ("" where it may get any), and the nodes that take it.

    `is_conditional`: they take it as far as is known; not all pods are.
    """

    message: str
    node: str
    fitting_nodes: tuple[str, ...]
    is_conditional: bool = False


def find_known_bug(index: ClusterIndex, refusal: SchedulerRefusal) -> BugMatch | None:
    """The fault that explains why a pod waits: its sign is there, and the server has the version; None where there is none."""
    version = _parse_version(_find_version(index)[0])
    if version is None:
        return None
    return next((found for found in _iter_bug_matches(index, refusal) if found.bug.affects(version)), None)


def list_possible_bugs(index: ClusterIndex, refusal: SchedulerRefusal) -> tuple[BugMatch, ...]:
    """The faults whose sign is there where the version of the server is not known."""
    text, source = _find_version(index)
    version = _parse_version(text)
    if version is not None and source is VersionSource.SERVER:
        return ()
    matches = _iter_bug_matches(index, refusal)
    return tuple(found for found in matches if version is None or any(version < fixed for _, fixed in found.bug.ranges))


def _find_version(index: ClusterIndex) -> tuple[str, VersionSource]:
    """The version of the server, as it is written (`v1.18.4-tke.5`), and who states it; that of the newest kubelet where it does not.

    No kubelet is newer than its server, so that a server has at least this version.
    """
    listing = index.cluster.listing
    if listing is not None and _parse_version(listing.version) is not None:
        return listing.version, VersionSource.SERVER
    infos = (index.get_node_state(name).status.nodeInfo for name in index.existing_nodes)
    kubelets = {info.kubeletVersion for info in infos if info is not None}
    return max(((version, text) for text in kubelets if (version := _parse_version(text))), default=((), ""))[1], VersionSource.KUBELETS


def _parse_version(text: str) -> ServerVersion | None:
    found = _VERSION_PATTERN.fullmatch(text)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _iter_bug_matches(index: ClusterIndex, refusal: SchedulerRefusal) -> Iterator[BugMatch]:
    version, source = _find_version(index)
    for bug in KNOWN_BUGS:
        if sign := _SIGN_CHECKS[bug.id](index, refusal):
            yield BugMatch(bug, sign, version, source, refusal.is_conditional)


def _find_forgotten_node(index: ClusterIndex, refusal: SchedulerRefusal) -> ForgottenNode | None:
    """The pod's own node takes it, the message has reasons for fewer nodes than there are, and zones are uneven."""
    if not refusal.node or refusal.node not in refusal.fitting_nodes:
        return None
    explained = count_explained_nodes(refusal.message)
    nodes = index.existing_nodes.values()
    zones = Counter(_get_zone(node) for node in nodes)
    if explained is None or explained >= len(nodes) or len(zones) < 2 or len(set(zones.values())) < 2:
        return None
    return ForgottenNode(refusal.node, explained, len(nodes), tuple(sorted(zones.items())))


def _get_zone(node: Node) -> str:
    labels = node.metadata.labels
    for keys in _ZONE_LABELS:
        if values := [labels[key] for key in keys if key in labels]:
            return "/".join(values)
    return ""


_SIGN_CHECKS: Mapping[str, Callable[[ClusterIndex, SchedulerRefusal], ForgottenNode | None]] = {"kubernetes#91601": _find_forgotten_node}
