"""A workload lacks pods because their creation is refused: by a quota, a webhook or Pod Security.

Why it matters
    A creation that is refused leaves no pod, so nothing is Pending, and whoever looks for pods that wait finds none. Only an event of the
    ReplicaSet, the StatefulSet or the Job says so, for about an hour at a time.
How to fix
    Do what the message says: raise the quota or free some of it, mend the webhook, label the namespace for Pod Security. The controller
    tries again by itself, with pauses of up to a quarter of an hour.
Example
    A quota of 16 GPUs in a namespace, a Job that has eight pods with two each, and a ninth.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import describe, events_of
from preflight.doctor.owners import origin_of
from preflight.doctor.pending.creation_failures import Refused, quota_of
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule
from preflight.rules.doctor._gap_hits import facts_of, shows


def check(context: Context) -> Iterator[Hit]:
    """One hit for each workload."""
    facts = facts_of(context)
    for each in facts.pending.refused:
        kind, name = each.about
        namespace, quota = each.subject.namespace, each.quota
        yield Hit(
            subject=each.subject,
            place=Place(origin_of(facts, each.subject)),
            message=f"has {each.there} of the {each.wanted} pods that it wants, for their creation is refused: {each.words}",
            notes=(
                ("note", f"the last refusal is of {each.last}"),
                *(("note", text) for text in _quota(context, each)),
                *shows(describe("quota", quota, namespace) if quota else "", events_of(kind, name, namespace)),
            ),
        )


def _quota(context: Context, each: Refused) -> Iterator[str]:
    facts = facts_of(context)
    if not each.quota:
        return
    found = quota_of(facts, each)
    if found is None:
        missing = facts.world.missing.get("ResourceQuota", "ResourceQuotas were not given")
        yield f"how much of ResourceQuota {each.quota} is used now is not known: {missing}"
        return
    for resource, hard in found.spec.hard.items():
        if resource in found.status.used:
            yield f"ResourceQuota {each.quota}: {found.status.used[resource]} of {hard} {resource} are used"


RULE = Rule(id="PF447", name="creation-refused", severity=Severity.WARNING, check=check)
