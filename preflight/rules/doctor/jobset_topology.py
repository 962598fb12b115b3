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

from preflight.doctor.jobsets import Stall, Stalled, domains
from preflight.doctor.kubectl_hints import get
from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.doctor._gap_hits import facts_of
from preflight.rules.doctor._jobset_hits import alike, followers, hit, jobs


def check(context: Context) -> Iterator[Hit]:
    """One hit for all Jobs of a JobSet that stall in the same way."""
    for same in alike(context, Stall.UNLABELLED, Stall.NO_DOMAIN, Stall.EMPTY):
        show = f"{get('nodes')} -L {same[0].topology}"
        yield hit(same, _message(same), *(("note", text) for text in _notes(context, same[0])), ("see", show))


def _message(same: tuple[Stalled, ...]) -> str:
    first = same[0]
    if first.stall is Stall.EMPTY:
        pods = [pod.metadata.name for each in same for pod in each.pods]
        verb = "asks" if len(pods) == 1 else "ask"
        return f"has followers in {jobs(same)} that no node takes: {names(pods)} {verb} for a node with an empty {first.topology}"
    if first.stall is Stall.NO_DOMAIN:
        return f"waits in {jobs(same)} for a domain of {first.topology}, and no node has this label: {followers(same)} refused"
    nodes = sorted({each.leader.spec.nodeName for each in same if each.leader is not None})
    verb = "lacks" if len(nodes) == 1 else "lack"
    return f"has leaders in {jobs(same)} on {names(nodes)}, which {verb} the label {first.topology}: {followers(same)} refused"


def _notes(context: Context, stalled: Stalled) -> Iterator[str]:
    found = domains(facts_of(context), stalled.topology)
    if found:
        labelled = sorted(name for nodes in found.values() for name in nodes)
        yield f"{len(found)} domain{'s' if len(found) != 1 else ''} of it {'are' if len(found) != 1 else 'is'} there, on {names(labelled)}"


RULE = Rule(id="PF446", name="jobset-topology", severity=Severity.ERROR, check=check)
