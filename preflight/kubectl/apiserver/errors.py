"""How the API server writes what it refuses of an object."""

from __future__ import annotations

from collections.abc import Sequence

from preflight.model.meta import Refusal

_OF_TEXTS = ("annotations", "labels", "matchLabels", "nodeSelector")


def format_invalid(kind: str, name: str, refusals: Sequence[Refusal]) -> str:
    """`The DaemonSet "d" is invalid: spec.selector: Invalid value: ...`; several reasons stand one below the other."""
    reasons = list(dict.fromkeys(f"{format_field_path(refusal.path)}: {refusal.problem}" for refusal in refusals))
    shown = reasons[0] if len(reasons) == 1 else "".join(f"\n* {reason}" for reason in reasons)
    return f'The {kind} "{name}" is invalid: {shown}'


def format_field_path(path: Sequence[str | int]) -> str:
    """A path as the API server writes it: `spec.tolerations[0].key`; a key of labels is not in it."""
    if len(path) > 1 and path[-2] in _OF_TEXTS:
        path = path[:-1]
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
