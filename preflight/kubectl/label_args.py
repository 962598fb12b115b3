"""`kubectl label`: how labels are written, and what a node's labels are afterwards.

Source: kubectl `pkg/cmd/label/label.go`; the API server's check of keys.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from preflight.errors import UsageError
from preflight.kubectl.formatting import quote_go
from preflight.scheduling.name_validation import validate_label_value, validate_qualified_name


def parse_labels(specs: Iterable[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The labels to set, `key=value` (`key=` for an empty value), and the keys to remove, `key-`.

    A key that is set twice holds the last value.

    Errors: UsageError in kubectl's words.
    """
    add: dict[str, str] = {}
    remove: list[str] = []
    for spec in specs:
        if "=" in spec:
            key, *values = spec.split("=")
            if len(values) > 1:
                raise UsageError(f"invalid label spec: {spec}")
            problems = validate_label_value(values[0])
            if problems:
                raise UsageError(f"invalid label value: {quote_go(spec)}: {';'.join(problems)}")
            add[key] = values[0]
        elif spec.endswith("-"):
            remove.append(spec[:-1])
        else:
            raise UsageError(f"unknown label spec: {spec}")
    if any(key in add for key in remove):
        raise UsageError("can not both modify and remove a label in the same command")
    return add, tuple(dict.fromkeys(remove))


def describe_key_problem(labels: Iterable[str]) -> str:
    """Why the API server refuses one of these label keys; "" where it takes them all."""
    for key in labels:
        problems = validate_qualified_name(key)
        if problems:
            return f"metadata.labels: Invalid value: {quote_go(key)}: {'; '.join(problems)}"
    return ""


def apply_labels(labels: Mapping[str, str], add: Mapping[str, str], remove: Sequence[str], *, overwrite: bool) -> dict[str, str]:
    """The labels of an object after `kubectl label`; a key to remove that is not there is no error.

    Errors: UsageError, in kubectl's words, where a label has another value and `overwrite` is not given.
    """
    if not overwrite:
        other = [key for key, value in add.items() if labels.get(key, value) != value]
        if other:
            raise UsageError("\n".join(f"'{key}' already has a value ({labels[key]}), and --overwrite is false" for key in sorted(other)))
    return {key: value for key, value in {**labels, **add}.items() if key not in remove}
