"""The API server refuses a taint of a node.

Why it matters
    The node keeps the taints that it has, and what was to be kept away comes, or the other way round.
How to fix
    As the reason says: quote what has to be a string, name the effect, one of NoSchedule, PreferNoSchedule and NoExecute, and give no two
    taints the same key and effect.
Example
    `taints: [{key: dedicated, value: true, effect: NoSchedule}]`
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.model.report import Severity, Subject
from preflight.rules._framework import Context, Hit, Path, Place, Rule
from preflight.scheduling.validation import taint_refusals

_TAINTS: Path = ("spec", "taints")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each wrong field of a node that was given; under a change none: the change itself is refused by the command line."""
    if not context.lint:
        return
    for node in context.nodes:
        read = [refusal for refusal in node.refusals if refusal.path[:2] == _TAINTS]
        for refusal in (*read, *taint_refusals(node.spec.taints)):
            yield Hit(
                subject=Subject("Node", "", node.name),
                place=Place(node.origin, refusal.path),
                message=f"has a taint that the API server refuses: {refusal.reason}",
            )


RULE = Rule(id="PF206", name="invalid-taint", severity=Severity.ERROR, check=check)
