"""`kubectl taint`: how a taint is written, and what a node's taints are afterwards.

Source: kubectl `pkg/cmd/taint/{taint,utils}.go`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from preflight.errors import UsageError
from preflight.messages.suggestions import suggest
from preflight.model.core import TAINT_EFFECTS, Taint
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name


def is_taint(argument: str) -> bool:
    """Whether an argument is a taint, and no resource or name."""
    return "=" in argument or ":" in argument or argument.endswith("-")


def parse_taints(specs: Iterable[str]) -> tuple[tuple[Taint, ...], tuple[Taint, ...]]:
    """The taints to add and to remove.

    1. `key=value:Effect` or `key:Effect` (an empty value) adds; a `-` at the end removes, and then `key-` means every effect.
    2. The value of a taint to remove is kept as typed; kubectl ignores it.
    3. The same key and effect twice is refused where they are added.

    Errors: UsageError in kubectl's words.
    """
    add: list[Taint] = []
    remove: list[Taint] = []
    for spec in specs:
        if spec.endswith("-"):
            remove.append(parse_taint(spec[:-1]))
            continue
        taint = parse_taint(spec)
        if not taint.effect:
            raise UsageError(f"invalid taint spec: {spec}")
        if any(is_same_taint(taint, other) for other in add):
            shown = f"{taint.key} {taint.value} {taint.effect} <nil>"
            raise UsageError(f"duplicated taints with the same key and effect: {{{shown}}}")
        add.append(taint)
    return tuple(add), tuple(remove)


def parse_taint(spec: str) -> Taint:
    """One taint: `key=value:Effect`, `key:Effect` or `key` (no effect).

    Errors: UsageError in kubectl's words.
    """
    before, *rest = spec.split(":")
    if len(rest) > 1:
        raise UsageError(f"invalid taint spec: {spec}")
    key, value, effect = before, "", ""
    if rest:
        effect = rest[0]
        if effect not in TAINT_EFFECTS:
            raise UsageError(f"invalid taint effect: {effect}, unsupported taint effect{suggest(effect, TAINT_EFFECTS)}")
        key, *values = before.split("=")
        if len(values) > 1:
            raise UsageError(f"invalid taint spec: {spec}")
        value = values[0] if values else ""
        problems = validate_label_value(value)
        if problems:
            raise UsageError(f"invalid taint spec: {spec}, {'; '.join(problems)}")
    problems = validate_qualified_name(key)
    if problems:
        raise UsageError(f"invalid taint spec: {spec}, {'; '.join(problems)}")
    return Taint(key, value, effect)


def describe_conflicts(add: Sequence[Taint], remove: Sequence[Taint]) -> str:
    """The taints that one command would add and remove, in kubectl's words; "" where there are none."""
    both = [removed for added in add for removed in remove if removes_taint(removed, added)]
    return ", ".join(f"{removed.key}={removed.effect}" for removed in both)


def is_same_taint(taint: Taint, other: Taint) -> bool:
    """Whether two taints are one to Kubernetes: the key and the effect are equal, whatever the value."""
    return taint.key == other.key and taint.effect == other.effect


def removes_taint(removed: Taint, taint: Taint) -> bool:
    """Whether a removal is about this taint: the key is equal, and the effect where one is named."""
    return removed.key == taint.key and removed.effect in ("", taint.effect)


def apply_taints(
    name: str, taints: tuple[Taint, ...], add: Sequence[Taint], remove: Sequence[Taint], *, overwrite: bool
) -> tuple[Taint, ...]:
    """The taints of a node after `kubectl taint`.

    1. A taint to add whose key and effect are there is refused, even with the same value; with `overwrite` it takes its place.
    2. The new taints stand first, in the order of the command line, then the old ones that stay.
    3. A taint to remove must be there.

    Errors: UsageError in kubectl's words.
    """
    if not overwrite:
        there = [added.key for added in add for taint in taints if is_same_taint(added, taint)]
        if there:
            raise UsageError(f"node {name} already has {','.join(there)} taint(s) with same effect(s) and --overwrite is false")
    after = [*add, *(taint for taint in taints if not any(is_same_taint(added, taint) for added in add))]
    lost: list[str] = []
    for removed in remove:
        kept = [taint for taint in after if not removes_taint(removed, taint)]
        if len(kept) == len(after):
            spelled = f"{removed.key}:{removed.effect}" if removed.effect else removed.key
            lost.append(f'taint "{spelled}" not found')
        after = kept
    if lost:
        raise UsageError("\n".join(lost))
    return tuple(after)
