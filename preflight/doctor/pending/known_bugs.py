"""Known faults of Kubernetes by the version of the server: a table of facts, and what in a cluster is the sign of each.

To add one: a row in FAULTS, and its sign in `_SIGN_CHECKS` as a function that says what is seen, "" where it is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.messages.lists import join_node_names
from preflight.model.objects import Node

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts
    from preflight.doctor.pending.causes import PodWait

ServerVersion = tuple[int, int, int]

_VERSION_PATTERN = re.compile(r"v?([0-9]+)\.([0-9]+)\.([0-9]+)(.*)")
_MESSAGE_PATTERN = re.compile(r"0/([0-9]+) nodes are available: (.*?)\.(?:\s|$)")
_REASON_PATTERN = re.compile(r"(?:^|, )(?=[0-9]+ )")
_ZONE_LABELS = (
    ("topology.kubernetes.io/region", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"),
)


class KnownBug(Struct, frozen=True):
    """A fault of one component, from the version `since` on and gone in `fixed`.

    1. `ranges` are pairs of these, one for each release branch that has it: the first without it is not in the pair.
    2. `what` continues the name of the component, `help` says what to do; both are lines of a report. `links` lead to its fix, as
       `OWNER/REPOSITORY#NUMBER`.
    """

    id: str
    component: str
    ranges: tuple[tuple[ServerVersion, ServerVersion], ...]
    what: str
    help: str
    links: tuple[str, ...]

    def affects(self, version: ServerVersion) -> bool:
        """Whether a version has it."""
        return any(since <= version < fixed for since, fixed in self.ranges)


KNOWN_BUGS: tuple[KnownBug, ...] = (
    KnownBug(
        id="kubernetes#91601",
        component="kube-scheduler",
        ranges=(((1, 18, 0), (1, 18, 8)),),
        what="forgets nodes where zones have unequal numbers of them and a node joins later",
        help="restart kube-scheduler, and update it to 1.18.8 or later: every node that joins may bring it back until then",
        links=("kubernetes/kubernetes#93355", "kubernetes/kubernetes#93387"),
    ),
)
"""Every fault that is known here. The ranges were read off the source of the releases."""


class BugMatch(Struct, frozen=True):
    """A fault whose sign is there: what was seen, and the version (`v1.18.6`), "" where that is not known."""

    bug: KnownBug
    sign: str
    version: str


def find_known_bug(facts: ClusterFacts, wait: PodWait) -> BugMatch | None:
    """The fault that explains why a pod waits: its sign is there, and the server has the version; None where there is none."""
    version = _get_server_version(facts)
    if version is None:
        return None
    return next((found for found in _iter_bug_matches(facts, wait) if found.bug.affects(version)), None)


def iter_possible_bugs(facts: ClusterFacts, wait: PodWait) -> Iterator[str]:
    """The faults whose sign is there where the version of the server is not known."""
    if _get_server_version(facts) is None:
        for found in _iter_bug_matches(facts, wait):
            ranges = " and ".join(
                f"{_format_version(since)} up to, and without, {_format_version(fixed)}" for since, fixed in found.bug.ranges
            )
            fault = found.bug
            yield f"{found.sign}: {fault.component} {ranges} has this fault ({fault.id}); the version here is not known"


def _get_server_version(facts: ClusterFacts) -> ServerVersion | None:
    survey = facts.world.listing
    found = _VERSION_PATTERN.fullmatch(survey.version) if survey is not None else None
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _iter_bug_matches(facts: ClusterFacts, wait: PodWait) -> Iterator[BugMatch]:
    version = facts.world.listing.version if facts.world.listing is not None else ""
    for fault in KNOWN_BUGS:
        if sign := _SIGN_CHECKS[fault.id](facts, wait):
            yield BugMatch(fault, sign, version)


def _describe_missing_nodes(facts: ClusterFacts, wait: PodWait) -> str:
    """The pod's own node takes it, the message has reasons for fewer nodes than there are, and zones are uneven."""
    if wait.pod_fit is None or not wait.node or wait.node not in wait.pod_fit.fitting_nodes:
        return ""
    told = count_explained_nodes(wait.scheduler_message)
    nodes = [node for node in facts.world.nodes.values() if node.pool is None]
    zones = Counter(_get_zone(node) for node in nodes)
    if told is None or told >= len(nodes) or len(zones) < 2 or len(set(zones.values())) < 2:
        return ""
    by_zone = ", ".join(f"{number} in {name or 'none'}" for name, number in sorted(zones.items()))
    return (
        f"the scheduler has reasons for {told} of {len(nodes)} nodes and not for "
        f"{join_node_names((wait.node,))}; zones are uneven ({by_zone})"
    )


def count_explained_nodes(message: str) -> int | None:
    """For how many nodes the scheduler gives a reason; None where a reason of it has no number, or nothing is said of nodes."""
    found = _MESSAGE_PATTERN.match(message)
    parts = [each for each in _REASON_PATTERN.split(found[2]) if each] if found else []
    if not parts or not all(re.match(r"[0-9]+ ", part) for part in parts):
        return None
    return sum(int(each.partition(" ")[0]) for each in parts)


def _get_zone(node: Node) -> str:
    labels = node.metadata.labels
    for keys in _ZONE_LABELS:
        if values := [labels[key] for key in keys if key in labels]:
            return "/".join(values)
    return ""


def _format_version(version: ServerVersion) -> str:
    return ".".join(str(each) for each in version)


_SIGN_CHECKS: Mapping[str, Callable[[ClusterFacts, PodWait], str]] = {"kubernetes#91601": _describe_missing_nodes}
