"""A workload lacks pods because their creation is refused: by a quota, a webhook or Pod Security.

Why it matters
    A refused creation leaves no pod, so nothing is Pending, and a search for waiting pods finds none. Only an event of the ReplicaSet, the
    StatefulSet or the Job reports it, and events expire after about an hour.
How to fix
    Do what the message says: raise the quota or free some of it, fix the webhook, label the namespace for Pod Security. The controller
    retries without further action, with pauses of up to a quarter of an hour.
Example
    A quota of 16 GPUs in a namespace, a Job that has eight pods with two each, and a ninth.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.owners import find_origin
from preflight.doctor.pending.creation_failures import find_quota
from preflight.messages.doctor.pending import UNKNOWN_WORKLOAD, describe_refusal_time, describe_refused_creation, iter_quota_texts
from preflight.messages.kubectl_hints import make_describe_command, make_events_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.rules.doctor._gap_hits import get_diagnosis, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each workload."""
    cluster = get_diagnosis(context).index.cluster
    for refusal in get_diagnosis(context).refused_creations:
        kind, name = refusal.event_object
        namespace, quota = refusal.subject.namespace, refusal.quota
        missing = cluster.missing_kinds.get("ResourceQuota", "")
        quota_texts = iter_quota_texts(refusal, find_quota(cluster, refusal), missing) if quota else ()
        yield Hit(
            subject=refusal.subject,
            key=("quota", quota) if quota else ("admission",),
            location=ManifestLocation(find_origin(cluster, refusal.subject)),
            message=describe_refused_creation(refusal),
            notes=(
                ("note", describe_refusal_time(refusal)),
                *((("note", UNKNOWN_WORKLOAD),) if refusal.wanted is None else ()),
                *(("note", text) for text in quota_texts),
                *make_check_notes(
                    make_describe_command("quota", quota, namespace) if quota else "", make_events_command(kind, name, namespace)
                ),
            ),
        )


RULE = Rule(id="PF447", name="creation-refused", severity=Severity.WARNING, check=check)
