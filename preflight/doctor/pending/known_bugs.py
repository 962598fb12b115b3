"""Known faults of Kubernetes by the version of the server: a table of facts, and what in a cluster is the sign of each.

To add one: a row in FAULTS, and its sign in `_SIGNS` as a function that says what is seen, "" where it is not.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec import Struct

from preflight.messages.lists import names
from preflight.model.objects import Node

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis
    from preflight.doctor.pending.causes import Wait

Version = tuple[int, int, int]

_NUMBERS = re.compile(r"v?([0-9]+)\.([0-9]+)\.([0-9]+)(.*)")
_MESSAGE = re.compile(r"0/([0-9]+) nodes are available: (.*?)\.(?:\s|$)")
_REASON = re.compile(r"(?:^|, )(?=[0-9]+ )")
_ZONES = (
    ("topology.kubernetes.io/region", "topology.kubernetes.io/zone"),
    ("failure-domain.beta.kubernetes.io/region", "failure-domain.beta.kubernetes.io/zone"),
)


class KnownFault(Struct, frozen=True):
    """A fault of one component, from the version `since` on and gone in `fixed`.

    1. `ranges` are pairs of these, one for each release branch that has it: the first without it is not in the pair.
    2. `what` continues the name of the component, `help` says what to do; both are lines of a report. `links` lead to its fix, as
       `OWNER/REPOSITORY#NUMBER`.
    """

    id: str
    component: str
    ranges: tuple[tuple[Version, Version], ...]
    what: str
    help: str
    links: tuple[str, ...]

    def covers(self, version: Version) -> bool:
        """Whether a version has it."""
        return any(since <= version < fixed for since, fixed in self.ranges)


FAULTS: tuple[KnownFault, ...] = (
    KnownFault(
        id="kubernetes#91601",
        component="kube-scheduler",
        ranges=(((1, 18, 0), (1, 18, 8)),),
        what="forgets nodes where zones have unequal numbers of them and a node joins later",
        help="restart kube-scheduler, and update it to 1.18.8 or later: every node that joins may bring it back until then",
        links=("kubernetes/kubernetes#93355", "kubernetes/kubernetes#93387"),
    ),
)
"""Every fault that is known here. The ranges were read off the source of the releases."""


class Seen(Struct, frozen=True):
    """A fault whose sign is there: what was seen, and the version (`v1.18.6`), "" where that is not known."""

    fault: KnownFault
    sign: str
    version: str


def seen(facts: Diagnosis, wait: Wait) -> Seen | None:
    """The fault that explains why a pod waits: its sign is there, and the server has the version; None where there is none."""
    version = _version(facts)
    if version is None:
        return None
    return next((found for found in _signs(facts, wait) if found.fault.covers(version)), None)


def not_ruled_out(facts: Diagnosis, wait: Wait) -> Iterator[str]:
    """The faults whose sign is there where the version of the server is not known."""
    if _version(facts) is None:
        for found in _signs(facts, wait):
            ranges = " and ".join(f"{_text(since)} up to, and without, {_text(fixed)}" for since, fixed in found.fault.ranges)
            fault = found.fault
            yield f"{found.sign}: {fault.component} {ranges} has this fault ({fault.id}); the version here is not known"


def _version(facts: Diagnosis) -> Version | None:
    survey = facts.world.survey
    found = _NUMBERS.fullmatch(survey.version) if survey is not None else None
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


def _signs(facts: Diagnosis, wait: Wait) -> Iterator[Seen]:
    version = facts.world.survey.version if facts.world.survey is not None else ""
    for fault in FAULTS:
        if sign := _SIGNS[fault.id](facts, wait):
            yield Seen(fault, sign, version)


def _nodes_forgotten(facts: Diagnosis, wait: Wait) -> str:
    """The pod's own node takes it, the message has reasons for fewer nodes than there are, and zones are uneven."""
    if wait.account is None or not wait.node or wait.node not in wait.account.takers:
        return ""
    told = reasons_told(wait.words)
    nodes = [node for node in facts.world.nodes.values() if node.pool is None]
    zones = Counter(_zone(node) for node in nodes)
    if told is None or told >= len(nodes) or len(zones) < 2 or len(set(zones.values())) < 2:
        return ""
    by_zone = ", ".join(f"{number} in {name or 'none'}" for name, number in sorted(zones.items()))
    return f"the scheduler has reasons for {told} of {len(nodes)} nodes and not for {names((wait.node,))}; zones are uneven ({by_zone})"


def reasons_told(message: str) -> int | None:
    """For how many nodes the scheduler gives a reason; None where a reason of it has no number, or nothing is said of nodes."""
    found = _MESSAGE.match(message)
    parts = [each for each in _REASON.split(found[2]) if each] if found else []
    if not parts or not all(re.match(r"[0-9]+ ", each) for each in parts):
        return None
    return sum(int(each.partition(" ")[0]) for each in parts)


def _zone(node: Node) -> str:
    labels = node.metadata.labels
    for keys in _ZONES:
        if values := [labels[key] for key in keys if key in labels]:
            return "/".join(values)
    return ""


def _text(version: Version) -> str:
    return ".".join(str(each) for each in version)


_SIGNS: Mapping[str, Callable[[Diagnosis, Wait], str]] = {"kubernetes#91601": _nodes_forgotten}
