"""The update strategy of a DaemonSet cannot complete its updates.

Why it matters
    With maxSurge the new pod starts next to the old one. If both use the same port of the node, the new pod stays Pending, and no update
    ever completes. With OnDelete an update changes nothing until each pod is deleted, and `rollout status` does not support it. OnDelete is
    correct if an operator or a person deletes the pods, so it is a note.
How to fix
    For a DaemonSet that uses ports of the node: maxSurge 0 and maxUnavailable 1 or more. For OnDelete: make sure that something deletes the
    pods.
Example
    `updateStrategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}` with a `hostPort`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.workload_fields import iter_linted_daemonsets
from preflight.scheduling.update_strategy import find_shared_ports, uses_surge


def check(context: Context) -> Iterator[Hit]:
    """One hit at most for each DaemonSet. Only in lint; PF105 says what a certain update does."""
    for daemonset in iter_linted_daemonsets(context):
        strategy = daemonset.spec.updateStrategy
        if strategy.type == "OnDelete" and daemonset.declaration is None:  # an operator deletes the pods itself
            yield Hit(
                subject=make_subject_of(daemonset),
                key=("OnDelete",),
                location=ManifestLocation(daemonset.origin, ("spec", "updateStrategy", "type")),
                severity=Severity.NOTE,
                message=messages.ON_DELETE,
            )
        elif uses_surge(daemonset.spec) and (ports := find_shared_ports(daemonset.spec.template.spec, daemonset.spec.template.spec)):
            surge = strategy.rollingUpdate.maxSurge
            yield Hit(
                subject=make_subject_of(daemonset),
                key=("maxSurge", *sorted(map(str, ports))),
                location=ManifestLocation(daemonset.origin, ("spec", "updateStrategy", "rollingUpdate", "maxSurge")),
                message=messages.describe_stalling_surge(surge, ports),
                label=messages.SURGE_LABEL,
                notes=(("help", messages.SURGE_HELP),),
            )


RULE = Rule(id="PF215", name="stalling-strategy", severity=Severity.WARNING, check=check, is_per_object=True)
