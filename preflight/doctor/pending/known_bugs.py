"""Known faults of Kubernetes by the version of the server: a table of facts, and what in a cluster is the sign of each.

To add one: a row in KNOWN_BUGS, its sign in `_SIGN_CHECKS` as a function that returns what is seen, None where it is not, and its texts in
`preflight.messages.doctor.known_bugs`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from preflight.doctor.cluster_messages import count_explained_nodes
from preflight.doctor.index import ClusterIndex
from preflight.model.core import Node
from preflight.model.releases import Version, VersionRange, parse_version
from preflight.model.versions import VersionSource, bound_server

_ZONE_LABELS = (
    ("topology.kubernetes.io/region", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"),
)


class KnownBug(Struct, frozen=True):
    """A fault of one component, from the version `since` on and gone in `fixed`.

    `ranges` are pairs of these, one for each release branch that has it: the first release that has it, and the first without it. `links`
    lead to its fix, as `OWNER/REPOSITORY#NUMBER`.
    """

    id: str
    component: str
    ranges: tuple[tuple[Version, Version], ...]
    links: tuple[str, ...]

    def affects(self, versions: VersionRange | None) -> bool | None:
        """Whether some versions have it; None where only some of them do, or none is known."""
        if versions is None:
            return None
        if any(since <= versions.lowest and versions.highest < fixed for since, fixed in self.ranges):
            return True
        return None if any(since <= versions.highest and versions.lowest < fixed for since, fixed in self.ranges) else False


KNOWN_BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="kubernetes#91601",
        component="kube-scheduler",
        ranges=((Version(18, 0), Version(18, 8)),),
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
    stated = _find_version(index)
    return next((found for found in _iter_bug_matches(index, refusal, stated) if found.bug.affects(stated.version)), None)


def list_possible_bugs(index: ClusterIndex, refusal: SchedulerRefusal) -> tuple[BugMatch, ...]:
    """The faults whose sign is there, and of which it is not known whether the version of the server has them."""
    stated = _find_version(index)
    return tuple(found for found in _iter_bug_matches(index, refusal, stated) if found.bug.affects(stated.possible_versions) is None)


class _StatedVersion(NamedTuple):
    """The version of the server: as it is written (`v1.18.4-tke.5`), as it is taken, which versions it may be, and who states it."""

    text: str
    version: VersionRange | None
    possible_versions: VersionRange | None
    source: VersionSource


def _find_version(index: ClusterIndex) -> _StatedVersion:
    """The version of the server, by the first that states it; that of the newest kubelet where nothing does.

    No kubelet is newer than its server, so that a server has at least this version.
    """
    known, listing = index.cluster.versions, index.cluster.listing
    listed = parse_version(listing.version) if listing is not None else None
    if known.server is not None and known.source in (VersionSource.OPTION, VersionSource.POLICY):
        text = f"v1.{known.server.lowest.minor}{f'.{known.server.lowest.patch}' if known.server.is_exact else ''}"
        return _StatedVersion(text, known.server, known.server, known.source)
    if listing is not None and listed is not None:
        return _StatedVersion(listing.version, listed, listed, VersionSource.SERVER)
    infos = (index.get_node_state(name).status.nodeInfo for name in index.existing_nodes)
    kubelets = {info.kubeletVersion for info in infos if info is not None}
    found = max(((version, text) for text in kubelets if (version := parse_version(text))), default=None)
    if found is None:
        return _StatedVersion("", None, None, VersionSource.NONE)
    newest, text = found
    bound = bound_server(kubelets)
    return _StatedVersion(text, newest, VersionRange(newest.lowest, (bound or newest).highest), VersionSource.KUBELETS)


def _iter_bug_matches(index: ClusterIndex, refusal: SchedulerRefusal, stated: _StatedVersion) -> Iterator[BugMatch]:
    for bug in KNOWN_BUGS:
        if sign := _SIGN_CHECKS[bug.id](index, refusal):
            yield BugMatch(bug, sign, stated.text, stated.source, refusal.is_conditional)


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
