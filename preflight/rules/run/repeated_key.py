"""A key is repeated in one map, and the last value applies.

Why it matters
    Kubernetes reads YAML so that the last value of a repeated key replaces the others, without a warning. With two `tolerations:` in one
    pod template the first list has no effect.
How to fix
    Keep one of them, and merge their contents.
Example
    `tolerations:` at the top of a pod spec and again at its end.
"""

from __future__ import annotations

from collections.abc import Iterator

from preflight.messages import run as messages
from preflight.model.report import Severity
from preflight.rules.api import Context, Hit, Rule
from preflight.rules.identity import format_field_key, number_repeats


def check(context: Context) -> Iterator[Hit]:
    """One hit for each repeated key of an object that is judged."""
    return number_repeats(_iter_hits(context))


def _iter_hits(context: Context) -> Iterator[Hit]:
    for repeated in context.repeated_fields:
        yield Hit(
            subject=repeated.subject,
            key=(format_field_key(repeated.location.path), repeated.key),
            location=repeated.location,
            message=messages.describe_repeated_key(repeated.key, repeated.first_line, repeated.line),
            label=messages.label_repeated_key(repeated.first_line, repeated.line),
        )


RULE = Rule(id="PF901", name="repeated-key", severity=Severity.WARNING, check=check, is_per_object=True)
