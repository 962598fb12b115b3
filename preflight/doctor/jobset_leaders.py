"""Which nodes a leader could have: the classes of nodes with the topology domains that other Jobs have to themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from preflight.doctor.jobsets import Stalled, taken
from preflight.doctor.pending import unschedulable
from preflight.doctor.pending.unschedulable import Account
from preflight.messages.lists import names

if TYPE_CHECKING:
    from preflight.doctor.context import Diagnosis


def lines(facts: Diagnosis, stalled: Stalled, found: Account) -> Iterator[str]:
    """A line for each class of nodes, as of any pod; of those that only affinity keeps in doubt, whose their domain is."""
    if not stalled.topology:
        yield from unschedulable.lines(found.classes)
        return
    owners = taken(facts, stalled.topology)
    own = f"Job {stalled.namespace}/{stalled.job}"
    by_why: defaultdict[str, list[str]] = defaultdict(list)
    for each in found.classes:
        for node in each.nodes if each.takes is None else ():
            by_why[_why(facts, stalled.topology, owners, own, node) or each.why].append(node)
    for why, nodes in by_why.items():
        yield f"{names(nodes)}: {why}"
    yield from unschedulable.lines([each for each in found.classes if each.takes is not None])


def _why(facts: Diagnosis, topology: str, owners: Mapping[str, str], own: str, node: str) -> str:
    domain = facts.world.nodes[node].metadata.labels.get(topology)
    if domain is None:
        return f"it has no label {topology}"
    owner = owners.get(domain)
    return f"its domain {domain} belongs to {owner}" if owner is not None and owner != own else ""
