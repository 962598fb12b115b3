"""The nodes of a JobSet lack the topology label of its exclusive placement.

Why it matters
    The followers of a Job are bound to the domain of their leader: the value of a label of the leader's node. Where the node has no such
    label every follower is refused, and where no node has it no leader ever gets one. Nothing of it heals by itself.
How to fix
    Set the label on the nodes, or correct `alpha.jobset.sigs.k8s.io/exclusive-topology`. Followers that ask for a domain without a name
    came while the leader's node was gone: delete them, and the Job creates them anew; newer versions refuse them instead.
Example
    `exclusive-topology: example.com/rack`, and a node that was reinstalled without its labels.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.jobsets import StalledJob, StallReason, group_by_domain
from preflight.doctor.kubectl_hints import make_get_command
from preflight.messages.lists import join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts
from preflight.rules.doctor._jobset_hits import describe_followers, iter_similar_stalls, join_jobs, make_jobset_hit


def check(context: Context) -> Iterator[Hit]:
    """One hit for all Jobs of a JobSet that stall in the same way."""
    for same in iter_similar_stalls(context, StallReason.UNLABELLED, StallReason.NO_DOMAIN, StallReason.EMPTY_DOMAIN):
        show = f"{make_get_command('nodes')} -L {same[0].topology}"
        yield make_jobset_hit(same, _format_message(same), *(("note", text) for text in _iter_notes(context, same[0])), ("see", show))


def _format_message(stalled_jobs: tuple[StalledJob, ...]) -> str:
    first = stalled_jobs[0]
    if first.stall_reason is StallReason.EMPTY_DOMAIN:
        pods = [pod.metadata.name for stalled_job in stalled_jobs for pod in stalled_job.pods]
        verb = "asks" if len(pods) == 1 else "ask"
        return (
            f"has followers in {join_jobs(stalled_jobs)} that no node takes: {join_node_names(pods)} "
            f"{verb} for a node with an empty {first.topology}"
        )
    if first.stall_reason is StallReason.NO_DOMAIN:
        return (
            f"waits in {join_jobs(stalled_jobs)} for a domain of {first.topology}, and no node has "
            f"this label: {describe_followers(stalled_jobs)} refused"
        )
    nodes = sorted({job.leader.spec.nodeName for job in stalled_jobs if job.leader is not None})
    verb = "lacks" if len(nodes) == 1 else "lack"
    return (
        f"has leaders in {join_jobs(stalled_jobs)} on {join_node_names(nodes)}, which {verb} the label "
        f"{first.topology}: {describe_followers(stalled_jobs)} refused"
    )


def _iter_notes(context: Context, stalled_job: StalledJob) -> Iterator[str]:
    found = group_by_domain(get_cluster_facts(context), stalled_job.topology)
    if found:
        labelled = sorted(name for nodes in found.values() for name in nodes)
        yield (
            f"{len(found)} domain{'s' if len(found) != 1 else ''} of it {'are' if len(found) != 1 else 'is'} "
            f"there, on {join_node_names(labelled)}"
        )


RULE = Rule(id="PF446", name="jobset-topology", severity=Severity.ERROR, check=check)
