"""A DaemonSet has a pod on a node that is not Ready, and had one before that was.

Why it matters
    The pod is there, so nothing looks lost, but what it provides does not work on the node, or not yet. A pod that was not Ready before
    either is not said, nor one on a node that is not Ready itself: that is said of the node.
How to fix
    Wait a little and verify again: a pod that has just started may need its time. Then `kubectl describe pod` and its logs say what it
    waits for.
Example
    `preflight verify world.json.gz` after an update to an image that cannot be pulled.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages.lists import names
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Place, Rule, subject_of
from preflight.rules.verify._text import then


def check(context: Context) -> Iterator[Hit]:
    """One hit for each DaemonSet; the words of the pods are notes, each once."""
    since = context.since
    assert since is not None
    down = {node.name for node in since.nodes if node.now is not None and node.now.ready is False}
    for each in since.daemonsets:
        nodes = tuple(name for name in each.unready if name not in down)
        if nodes and each.now is not None:
            said = dict.fromkeys(f"{name}: {each.unready[name]}" for name in nodes[:3])
            yield Hit(
                subject=subject_of(each.now),
                nodes=nodes,
                place=Place(each.now.origin),
                message=f"has a pod on {names(nodes)} that is not Ready, and had one that was",
                notes=(*(("note", text) for text in said), *then(each, since.now)),
            )


RULE = Rule(id="PF402", name="pod-not-ready", severity=Severity.ERROR, check=check)
