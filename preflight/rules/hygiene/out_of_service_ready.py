"""The taint out-of-service is added to a node that is Ready.

Why it matters
    The taint says that a node is shut down. On a node that is not Ready, pod garbage collection then force-deletes its terminating pods,
    and their volumes are detached at once. On a Ready node nothing is force-deleted, but the volumes of pods that end are detached without
    a check whether they are still mounted: a pod on another node may then write to the same volume. With NoExecute, all pods that do not
    tolerate the taint are deleted as well.
How to fix
    Shut the node down first, and wait until it is not Ready. To empty a running node, drain it.
Example
    `preflight taint nodes w1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute`, and w1 is Ready.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import hygiene as messages
from preflight.model.core import Node
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, Hit, ManifestLocation, Rule
from preflight.scheduling.node_health import has_out_of_service_taint


def check(context: Context) -> Iterator[Hit]:
    """One hit for each node that a change gives the taint; without a change none: doctor says which nodes have it."""
    if context.is_lint or context.impact is None:
        return
    change = context.impact.change
    for name in sorted(change.nodes):
        before, after = change.before.nodes.get(name), change.after.nodes.get(name)
        if before is not None and after is not None and _gains_taint(before, after) and after.is_ready:
            yield Hit(
                subject=Subject("Node", "", name),
                nodes=(name,),
                location=ManifestLocation(before.origin),
                message=messages.OUT_OF_SERVICE_READY,
                notes=(("impact", messages.DETACHED_VOLUMES), ("help", messages.describe_drain_instead(name))),
            )


def _gains_taint(before: Node, after: Node) -> bool:
    return has_out_of_service_taint(after) and not has_out_of_service_taint(before)


RULE = Rule(id="PF220", name="out-of-service-ready", severity=Severity.WARNING, check=check, concerns_change=True)
