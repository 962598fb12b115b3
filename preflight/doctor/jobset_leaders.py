"""Which nodes a leader could have: the classes of nodes with the topology domains that other Jobs have to themselves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from preflight.doctor.jobsets import StalledJob, find_taken_domains
from preflight.doctor.pending import unschedulable
from preflight.doctor.pending.unschedulable import SchedulerAccount
from preflight.messages.lists import join_node_names

if TYPE_CHECKING:
    from preflight.doctor.context import ClusterFacts


def describe_leader_nodes(facts: ClusterFacts, stalled_job: StalledJob, pod_fit: SchedulerAccount) -> Iterator[str]:
    """A line for each class of nodes, as of any pod; of those that only affinity keeps in doubt, whose their domain is."""
    if not stalled_job.topology:
        yield from unschedulable.describe_classes(pod_fit.classes)
        return
    owners = find_taken_domains(facts, stalled_job.topology)
    own = f"Job {stalled_job.namespace}/{stalled_job.job}"
    by_why: defaultdict[str, list[str]] = defaultdict(list)
    for node_class in pod_fit.classes:
        for node in node_class.nodes if node_class.can_take is None else ():
            by_why[_explain_domain(facts, stalled_job.topology, owners, own, node) or node_class.reason].append(node)
    for why, nodes in by_why.items():
        yield f"{join_node_names(nodes)}: {why}"
    yield from unschedulable.describe_classes([fit_class for fit_class in pod_fit.classes if fit_class.can_take is not None])


def _explain_domain(facts: ClusterFacts, topology: str, owners: Mapping[str, str], own_job: str, node: str) -> str:
    domain = facts.world.nodes[node].metadata.labels.get(topology)
    if domain is None:
        return f"it has no label {topology}"
    owner = owners.get(domain)
    return f"its domain {domain} belongs to {owner}" if owner is not None and owner != own_job else ""
