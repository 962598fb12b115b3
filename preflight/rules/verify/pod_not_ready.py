"""A DaemonSet has a pod on a node that is no longer Ready.

Why it matters
    The pod exists, so nothing seems to be lost, but what it provides does not work on the node, or not yet. Pods that were not Ready
    before either are not reported, nor pods on nodes that are not Ready: that is reported for the node.
How to fix
    Wait and verify again: a pod that has just started may need more time. Then `kubectl describe pod` and its logs show what it waits for.
Example
    `preflight verify world.json.gz` after an update to an image that cannot be pulled.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.coverage import describe_reason
from preflight.messages.verify import describe_unready_pods
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, ManifestLocation, Rule, make_subject_of
from preflight.rules.verify._text import make_impact_note


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet; the words of the pods are notes, each once."""
    since = context.comparison
    assert since is not None
    down = {node.name for node in since.nodes if node.node_now is not None and node.node_now.is_ready is False}
    for daemonset in since.daemonsets:
        nodes = tuple(name for name in daemonset.unready_nodes if name not in down)
        if nodes and daemonset.daemonset_now is not None:
            statements = [f"{name}: {describe_reason(daemonset.unready_nodes[name])}" for name in nodes[:3]]
            yield Hit(
                subject=make_subject_of(daemonset.daemonset_now),
                nodes=nodes,
                location=ManifestLocation(daemonset.daemonset_now.origin),
                message=describe_unready_pods(nodes),
                notes=(*(("note", text) for text in statements), *make_impact_note(daemonset, since.world_now)),
            )


RULE = Rule(id="PF402", name="pod-not-ready", severity=Severity.ERROR, check=check)
