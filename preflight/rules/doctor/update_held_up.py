"""An update of a DaemonSet is stalled: nodes keep a pod from an older template, and nothing progresses.

Why it matters
    A rolling update waits silently while maxUnavailable is used up: by a new pod that does not become Ready, by a node that does not
    respond and whose pod is stuck in Terminating, by pods that cannot be created. No pod is Pending and no event reports it, and the
    waiting nodes run the old version. When the update continues, it ends the old pods too.
How to fix
    Fix the nodes without a Ready pod, or roll back. `kubectl rollout history` shows the templates; the label controller-revision-hash of a
    pod shows which template it is from.
Example
    A node that died in the night, and an update in the morning with maxUnavailable 1: no other node gets the new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.doctor.rollouts import describe_stalled_rollout, iter_rollout_notes
from preflight.messages.kubectl_hints import make_describe_command, make_get_command
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.doctor._gap_hits import get_diagnosis, make_check_notes


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet; a note where it may be a rollback."""
    diagnosis = get_diagnosis(context)
    for rollout in diagnosis.stalled_rollouts:
        metadata = rollout.daemonset.metadata
        yield Hit(
            subject=make_subject_of(rollout.daemonset),
            key=("update",),
            nodes=rollout.nodes,
            location=ManifestLocation(rollout.daemonset.origin, ("spec", "updateStrategy")),
            severity=None if rollout.is_certain else Severity.NOTE,
            message=describe_stalled_rollout(rollout, diagnosis.index.latest_time),
            notes=(
                *(("note", text) for text in iter_rollout_notes(rollout)),
                *make_check_notes(
                    make_describe_command("ds", metadata.name, metadata.namespace),
                    make_get_command("pods", namespace=metadata.namespace, output="wide"),
                    make_get_command("controllerrevisions", namespace=metadata.namespace),
                ),
            ),
        )


RULE = Rule(id="PF418", name="update-held-up", severity=Severity.WARNING, check=check)
