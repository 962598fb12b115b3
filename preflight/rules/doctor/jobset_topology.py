"""The nodes of a JobSet lack the topology label of its exclusive placement.

Why it matters
    The followers of a Job are bound to the domain of their leader: the value of a label of the leader's node. If that node has no such
    label, every follower is refused; if no node has it, no leader is ever scheduled. This does not resolve without intervention.
How to fix
    Set the label on the nodes, or correct `alpha.jobset.sigs.k8s.io/exclusive-topology`. Followers that require an empty domain were
    created while the leader's node was missing: delete them, and the Job re-creates them; newer versions refuse them instead.
Example
    `exclusive-topology: example.com/rack`, and a node that was reinstalled without its labels.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.jobsets import StallReason, group_by_domain
from preflight.messages.doctor.jobsets import describe_domains, describe_topology_problem
from preflight.messages.kubectl_hints import make_get_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis
from preflight.rules.doctor._jobset_hits import iter_similar_stalls, make_jobset_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for all Jobs of a JobSet that stall in the same way."""
    for same in iter_similar_stalls(context, StallReason.UNLABELLED, StallReason.NO_DOMAIN, StallReason.EMPTY_DOMAIN):
        domains = group_by_domain(get_diagnosis(context).index, same[0].topology)
        notes = (("note", describe_domains(domains)),) if domains else ()
        command = f"{make_get_command('nodes')} -L {same[0].topology}"
        yield make_jobset_hit(same, describe_topology_problem(same), *notes, commands=(command,))


RULE = Rule(id="PF446", name="jobset-topology", severity=Severity.ERROR, check=check)
