"""Which nodes a leader could have: the classes of nodes with the topology domains that other Jobs have to themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from preflight.doctor.index import ClusterIndex
from preflight.doctor.jobsets import StalledJob
from preflight.doctor.pending.unschedulable import FitObstacle, NodeFitClass, SchedulerAccount
from preflight.model.report import Subject
from preflight.model.uncertainty import UncertaintyKind


class NoDomain(Struct, frozen=True):
    """The nodes have no label of the topology."""

    topology: str


class TakenDomain(Struct, frozen=True):
    """The domain of the nodes belongs to another Job."""

    domain: str
    owner: Subject


class UnknownFit(Struct, frozen=True):
    """Whether the nodes take the leader is unknown: what they have against it, else why it is unknown, as in NodeFitClass."""

    obstacles: tuple[FitObstacle, ...]
    doubts: tuple[UncertaintyKind, ...]


DomainState = NoDomain | TakenDomain | UnknownFit


class LeaderFit(Struct, frozen=True):
    """Where a leader fits: the nodes that only affinity keeps in doubt by the state of their domain, and the other nodes in classes."""

    domains: tuple[tuple[DomainState, tuple[str, ...]], ...]
    classes: tuple[NodeFitClass, ...]


def compute_leader_fit(
    index: ClusterIndex, stalled_job: StalledJob, account: SchedulerAccount, domain_owners: Mapping[str, Subject]
) -> LeaderFit:
    """Where the leader of a Job fits; `domain_owners` are the Jobs that have a domain of its topology to themselves."""
    topology = stalled_job.topology
    if not topology:
        return LeaderFit((), account.classes)
    job = Subject("Job", stalled_job.namespace, stalled_job.job)
    by_state: defaultdict[DomainState, list[str]] = defaultdict(list)
    for node_class in account.classes:
        unknown_fit = UnknownFit(node_class.obstacles, node_class.doubts)
        for node in node_class.nodes if node_class.can_take is None else ():
            domain = index.cluster.nodes[node].metadata.labels.get(topology)
            by_state[_find_domain_state(topology, domain, domain_owners, job) or unknown_fit].append(node)
    return LeaderFit(
        tuple((state, tuple(nodes)) for state, nodes in by_state.items()),
        tuple(node_class for node_class in account.classes if node_class.can_take is not None),
    )


def _find_domain_state(topology: str, domain: str | None, owners: Mapping[str, Subject], job: Subject) -> DomainState | None:
    if domain is None:
        return NoDomain(topology)
    owner = owners.get(domain)
    return TakenDomain(domain, owner) if owner is not None and owner != job else None
