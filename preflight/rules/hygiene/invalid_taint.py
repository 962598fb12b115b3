"""The API server refuses a taint of a node or of a node pool.

Why it matters
    The node keeps its current taints: pods that the new taint should keep off still come, or pods that should come are still kept off.
How to fix
    Follow the message: quote values that must be strings, set one of the effects NoSchedule, PreferNoSchedule and NoExecute, and give no
    two taints the same key and effect. A taint has no operator: what looks like one (`value: Exists`) is an ordinary value.
Example
    `taints: [{key: dedicated, value: true, effect: NoSchedule}]`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from preflight.messages import hygiene as messages
from preflight.model.core import Node, PoolTemplate, Taint
from preflight.model.meta import Refusal
from preflight.model.report import Severity, Subject
from preflight.rules.api import Context, FieldPath, Hit, ManifestLocation, Rule
from preflight.rules.identity import format_field_key, number_repeats
from preflight.scheduling.validation import validate_taints

_TAINTS_PATH: FieldPath = ("spec", "taints")


def check(context: Context) -> Iterator[Hit]:
    """One hit for each wrong field of a node that was given; under a change none: the change itself is refused by the command line."""
    return number_repeats(_iter_hits(context)) if context.is_lint else iter(())


def _iter_hits(context: Context) -> Iterator[Hit]:
    for node in context.nodes:
        if node.pool is not None:
            yield from _check_pool(node, node.pool)
            continue
        read = [refusal for refusal in node.refusals if refusal.path[:2] == _TAINTS_PATH]
        for refusal in (*read, *validate_taints(node.spec.taints)):
            yield Hit(
                subject=Subject("Node", "", node.name),
                key=_make_key(node.spec.taints, refusal),
                location=ManifestLocation(node.origin, refusal.path),
                message=messages.describe_refused_taint(refusal.reason),
            )


def _check_pool(node: Node, pool: PoolTemplate) -> Iterator[Hit]:
    """Of a pool, what its provider refuses; and, as a warning, what it takes though it looks like a mistake."""
    subject = Subject("Node", "", node.name)
    for refusal in pool.taint_errors:
        yield Hit(
            subject=subject,
            key=(format_field_key(refusal.path),),
            location=ManifestLocation(node.origin, refusal.path),
            message=messages.describe_refused_pool_taint(refusal.reason),
        )
    for doubt in pool.taint_warnings:
        yield Hit(
            subject=subject,
            key=(format_field_key(doubt.path), "doubtful"),
            location=ManifestLocation(node.origin, doubt.path),
            severity=Severity.WARNING,
            message=messages.describe_doubtful_pool_taint(doubt.reason),
        )


def _make_key(taints: Sequence[Taint], refusal: Refusal) -> tuple[str, ...]:
    """The field that is refused, and its taint where that could be read."""
    index = refusal.path[len(_TAINTS_PATH)] if len(refusal.path) > len(_TAINTS_PATH) else None
    known = (str(taints[index]),) if isinstance(index, int) and index < len(taints) else ()
    return (format_field_key(refusal.path), *known)


RULE = Rule(id="PF206", name="invalid-taint", severity=Severity.ERROR, check=check, is_per_object=True)
