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

from preflight.doctor.kubectl_hints import make_describe_command, make_events_command
from preflight.doctor.owners import find_origin
from preflight.doctor.pending.creation_failures import RefusedCreation, find_quota
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.doctor._gap_hits import get_cluster_facts, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each workload."""
    facts = get_cluster_facts(context)
    for refused_creation in facts.pending_pods.refused_creations:
        kind, name = refused_creation.event_object
        namespace, quota = refused_creation.subject.namespace, refused_creation.quota
        yield Hit(
            subject=refused_creation.subject,
            location=ManifestLocation(find_origin(facts, refused_creation.subject)),
            message=(
                f"has {refused_creation.existing} of the {refused_creation.wanted} pods that it wants, "
                f"for their creation is refused: {refused_creation.reason}"
            ),
            notes=(
                ("note", f"the last refusal is of {refused_creation.last_seen}"),
                *(("note", text) for text in _describe_quota(context, refused_creation)),
                *make_check_notes(
                    make_describe_command("quota", quota, namespace) if quota else "", make_events_command(kind, name, namespace)
                ),
            ),
        )


def _describe_quota(context: Context, refused_creation: RefusedCreation) -> Iterator[str]:
    facts = get_cluster_facts(context)
    if not refused_creation.quota:
        return
    found = find_quota(facts, refused_creation)
    if found is None:
        missing = facts.world.missing_kinds.get("ResourceQuota", "ResourceQuotas were not given")
        yield f"how much of ResourceQuota {refused_creation.quota} is used now is not known: {missing}"
        return
    for resource, hard in found.spec.hard.items():
        if resource in found.status.used:
            yield f"ResourceQuota {refused_creation.quota}: {found.status.used[resource]} of {hard} {resource} are used"


RULE = Rule(id="PF447", name="creation-refused", severity=Severity.WARNING, check=check)
