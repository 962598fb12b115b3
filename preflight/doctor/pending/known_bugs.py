"""Known faults of Kubernetes by the version of the server: a table of facts, and what in a cluster is the sign of each.

To add one: a row in KNOWN_BUGS, its sign in `_SIGN_CHECKS` as a function that returns what is seen, None where it is not, and its texts in
`preflight.messages.doctor.known_bugs`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from preflight.doctor.cluster_messages import count_explained_nodes
from preflight.doctor.index import ClusterIndex
from preflight.model.core import Node
from preflight.model.releases import Version, VersionRange
from preflight.model.versions import VersionSource

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
    """A fault whose sign is there: what was seen, and the version (`v1.18.6`), "" where that is not known."""

    bug: KnownBug
    sign: ForgottenNode
    version: str


class SchedulerRefusal(Struct, frozen=True):
    """A pod that the scheduler refuses while some node takes it: its `node` ("" where it may get any), and the nodes that take it."""

    message: str
    node: str
    fitting_nodes: tuple[str, ...]


def find_known_bug(index: ClusterIndex, refusal: SchedulerRefusal) -> BugMatch | None:
    """The fault that explains why a pod waits: its sign is there, and the server has the version; None where there is none."""
    return next((found for found, is_affected in _iter_bug_matches(index, refusal) if is_affected), None)


def list_possible_bugs(index: ClusterIndex, refusal: SchedulerRefusal) -> tuple[BugMatch, ...]:
    """The faults whose sign is there, and of which it is not known whether the version of the server has them."""
    return tuple(found for found, is_affected in _iter_bug_matches(index, refusal) if is_affected is None)


def _iter_bug_matches(index: ClusterIndex, refusal: SchedulerRefusal) -> Iterator[tuple[BugMatch, bool | None]]:
    """The faults that the server may have and whose sign is there, and whether it has them."""
    versions = index.cluster.versions
    version = index.cluster.listing.version if index.cluster.listing is not None else ""
    if versions.server is not None and versions.source is VersionSource.OPTION:
        version = f"v1.{versions.server.lowest.minor}.{versions.server.lowest.patch}"
    for bug in KNOWN_BUGS:
        is_affected = bug.affects(versions.server)
        if is_affected is not False and (sign := _SIGN_CHECKS[bug.id](index, refusal)):
            yield BugMatch(bug, sign, version), is_affected


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
