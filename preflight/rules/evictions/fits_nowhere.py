"""No node takes the replacement of a pod that has to go: it stays Pending.

Why it matters
    The replacement is created at once, and waits for a node with room for it. An error where all Ready pods of its owner go. Said only
    where it is certain, from taints, selectors, requests and ports, over all nodes and pods; whoever adds nodes by himself, as an
    autoscaler does, may make room.
How to fix
    Uncordon a node, add one, or scale something else down, before.
Example
    The last node with eight free GPUs is drained, and a notebook asks for eight.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.evictions._hits import find_unplaceable_pods


def check(context: Context) -> Iterator[Hit]:
    """One hit for each owner."""
    yield from find_unplaceable_pods(context, higher_severity=Severity.ERROR)


RULE = Rule(id="PF310", name="fits-nowhere", severity=Severity.WARNING, check=check)
