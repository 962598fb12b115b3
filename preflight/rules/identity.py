"""Typed keys of findings: parts that stay when texts, counts, lines and list indexes change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from preflight.model.core import Toleration
from preflight.rules.api import FieldPath, Hit


def format_toleration_key(toleration: Toleration) -> str:
    """A toleration as text of its fields: `key=dedicated operator=Equal value=rdma effect=NoSchedule`.

    1. Empty fields are left out. No operator is Equal, as in the API.
    2. Seconds come last: `seconds=30`.
    """
    fields = {
        "key": toleration.key,
        "operator": toleration.operator or "Equal",
        "value": toleration.value,
        "effect": toleration.effect,
        "seconds": "" if toleration.tolerationSeconds is None else str(toleration.tolerationSeconds),
    }
    return " ".join(f"{name}={value}" for name, value in fields.items() if value)


def make_toleration_key(tolerations: Sequence[Toleration], index: int) -> tuple[str, ...]:
    """The key of one toleration of a list: its fields, and a number if the same toleration is in the list before it."""
    text = format_toleration_key(tolerations[index])
    repeats = sum(format_toleration_key(toleration) == text for toleration in tolerations[:index])
    return (text, str(repeats + 1)) if repeats else (text,)


def format_field_key(path: FieldPath) -> str:
    """A field path without its list indexes, so that the field keeps its key when an item is added before it: `spec.taints.value`."""
    return ".".join(part for part in path if isinstance(part, str))


def number_repeats(hits: Iterable[Hit]) -> Iterator[Hit]:
    """The hits of one rule, with a number added to the key of each that repeats an earlier key of the same object.

    It is for rules whose hits differ only in a list index.
    """
    seen: Counter[tuple[object, ...]] = Counter()
    for hit in hits:
        identity = (hit.subject, hit.location.origin, hit.key)
        seen[identity] += 1
        yield hit if seen[identity] == 1 else replace(hit, key=(*hit.key, str(seen[identity])))
