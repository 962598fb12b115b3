"""An update of a DaemonSet stands still: nodes keep a pod of an older template, and nothing moves.

Why it matters
    A rolling update waits without a word for as long as maxUnavailable is used up: by a new pod that does not become Ready, by a node that
    does not speak and whose pod hangs in Terminating, by pods that cannot be created. No pod is Pending and no event says so, and the
    nodes that wait run the old version. What ends the standstill ends the old pods too.
How to fix
    Mend the nodes that have no pod that is Ready, or roll back. `kubectl rollout history` shows the templates, and which of them a pod is
    of is in its label controller-revision-hash.
Example
    A node that died in the night, and an update in the morning with maxUnavailable 1: no other node gets the new version.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.doctor.kubectl_hints import make_describe_command, make_get_command
from preflight.doctor.stalled_rollouts import StalledRollout
from preflight.doctor.timestamps import format_since
from preflight.messages.lists import join_and, join_node_names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.doctor._gap_hits import get_cluster_facts, make_check_notes

_ROLLBACK_NOTE = (
    "it may be a rollback too: that leaves pods which carry an older number and are up to date; ControllerRevisions tell, and are not read"
)


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet; a note where it may be a rollback."""
    facts = get_cluster_facts(context)
    for stalled_rollout in facts.stalled_rollouts:
        namespace, name = stalled_rollout.daemonset.metadata.namespace, stalled_rollout.daemonset.metadata.name
        yield Hit(
            subject=make_subject_of(stalled_rollout.daemonset),
            nodes=stalled_rollout.nodes,
            location=ManifestLocation(stalled_rollout.daemonset.origin, ("spec", "updateStrategy")),
            severity=None if stalled_rollout.is_certain else Severity.NOTE,
            message=_format_message(stalled_rollout, format_since(stalled_rollout.since, facts.latest_time)),
            notes=(
                (
                    "note",
                    (
                        f"the number of its template is {stalled_rollout.own_generation}, that of the "
                        f"pods {join_and(map(str, stalled_rollout.generations))}"
                    ),
                ),
                *(("note", text) for text in _iter_reasons(stalled_rollout)),
                *make_check_notes(
                    make_describe_command("ds", name, namespace),
                    make_get_command("pods", namespace=namespace, output="wide"),
                    make_get_command("controllerrevisions", namespace=namespace),
                ),
            ),
        )


def _format_message(stalled_rollout: StalledRollout, since_text: str) -> str:
    if not stalled_rollout.is_certain:
        return f"may have an update that could not begin: {stalled_rollout.old_pod_summary}, and no node has one of its own"
    return f"has an update that stands still{f' {since_text}' if since_text else ''}: {stalled_rollout.old_pod_summary}"


def _iter_reasons(stalled_rollout: StalledRollout) -> Iterator[str]:
    has = "has" if len(stalled_rollout.unavailable_nodes) == 1 else "have"
    if stalled_rollout.unavailable_nodes and not stalled_rollout.budget:
        yield (
            f"{join_node_names(stalled_rollout.unavailable_nodes)} {has} a pod of it that is not Ready "
            f"or hangs, and maxSurge lets no more of them come at a time"
        )
    elif stalled_rollout.unavailable_nodes:
        what = "no pod of it that is Ready" if stalled_rollout.is_certain else "no live pod of it"
        uses = "uses" if len(stalled_rollout.unavailable_nodes) == 1 else "use"
        whole = (
            f", and {uses} up maxUnavailable, which comes to {stalled_rollout.budget}"
            if stalled_rollout.budget <= len(stalled_rollout.unavailable_nodes)
            else ""
        )
        yield f"{join_node_names(stalled_rollout.unavailable_nodes)} {has} {what}{whole}"
    else:
        yield "every node has a pod of it that is Ready, so nothing here says what holds the update: see that its controller runs"
    if not stalled_rollout.is_certain:
        yield _ROLLBACK_NOTE


RULE = Rule(id="PF418", name="update-held-up", severity=Severity.WARNING, check=check)
