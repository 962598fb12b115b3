"""A change leaves no node on which the pods of a workload fit.

Why it matters
    Running pods keep running, unless the change removes them too. Whatever re-creates a pod (an eviction, a rollout, a failure, the next
    run of a CronJob) leaves it Pending, and nothing reports this before. Reported for workloads that require dedicated nodes, based on the
    labels and taints of the known nodes. Not reported if the pods are in the input and are removed: other rules report those.
How to fix
    Add a toleration for exactly this taint to the workload too, or leave it a node that is not changed.
Example
    A Job with `nodeSelector: {pool: gpu}`, and `taint nodes -l pool=gpu maintenance=true:NoSchedule`.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.workloads import describe_no_node_left
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule


def check(context: Context) -> Iterator[Hit]:
    """One hit for each workload; only where every node that took its pods is known."""
    if context.evictions is not None:
        return
    seen = set()
    for exposure in context.exposures:
        is_template = exposure.subject.kind != "Pod"
        are_known = all(not context.world.nodes[name].is_partial for name in exposure.nodes if name in context.world.nodes)
        if is_template and are_known and exposure.names_nodes and not exposure.has_node and exposure.subject not in seen:
            seen.add(exposure.subject)
            yield Hit(
                subject=exposure.subject,
                nodes=exposure.nodes,
                location=ManifestLocation(exposure.origin),
                message=describe_no_node_left(exposure.nodes, may_lose_pods=exposure.may_lose_pods),
            )


RULE = Rule(id="PF313", name="no-node-left", severity=Severity.WARNING, check=check)
