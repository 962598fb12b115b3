"""The replacement of a pod that a change removes fits on no node: it stays Pending.

Why it matters
    The replacement is created at once and waits for a node with enough capacity. An error if all Ready pods of its owner are removed.
    Reported only if it is certain from taints, selectors, requests and ports, over all nodes and pods. An autoscaler, or anybody else who
    adds nodes, may provide the capacity.
How to fix
    First uncordon a node, add one, or scale something else down.
Example
    The last node with eight free GPUs is drained, and a notebook requests eight.
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
