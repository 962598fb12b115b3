"""Known faults of Kubernetes by the version of the server: a table of facts, and what in a cluster is the sign of each.

To add one: a row in KNOWN_BUGS, its sign in `_SIGN_CHECKS` as a function that returns what is seen, None where it is not, and its texts in
`preflight.messages.doctor.known_bugs`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

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
    version = _get_server_version(index)
    if version is None:
        return None
    return next((found for found in _iter_bug_matches(index, refusal) if found.bug.affects(version)), None)


def list_possible_bugs(index: ClusterIndex, refusal: SchedulerRefusal) -> tuple[BugMatch, ...]:
    """The faults whose sign is there where the version of the server is not known."""
    return tuple(_iter_bug_matches(index, refusal)) if _get_server_version(index) is None else ()


def _get_server_version(index: ClusterIndex) -> ServerVersion | None:
    listing = index.cluster.listing
    found = _VERSION_PATTERN.fullmatch(listing.version) if listing is not None else None
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _iter_bug_matches(index: ClusterIndex, refusal: SchedulerRefusal) -> Iterator[BugMatch]:
    version = index.cluster.listing.version if index.cluster.listing is not None else ""
    for bug in KNOWN_BUGS:
        if sign := _SIGN_CHECKS[bug.id](index, refusal):
            yield BugMatch(bug, sign, version)


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
