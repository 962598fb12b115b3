"""What is to become of a list of tolerations, and the smallest edits of a document's text that do it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from preflight.fix.yaml_style import PlainToleration
from preflight.messages import fix as messages


class AddToleration(Struct, frozen=True):
    """A toleration that joins the list, at its end."""

    toleration: PlainToleration


class SetFields(Struct, frozen=True):
    """Fields of one toleration that get a value, whether they are there or not."""

    index: int
    fields: Mapping[str, str]


class DropField(Struct, frozen=True):
    """A field of one toleration that goes."""

    index: int
    name: str


class ReplaceToleration(Struct, frozen=True):
    """One toleration in whose place others stand: the first where it stood, the others after the list's last."""

    index: int
    tolerations: tuple[PlainToleration, ...]


Operation = AddToleration | SetFields | DropField | ReplaceToleration


def apply_operations(tolerations: Sequence[Mapping[str, Any]], operations: Iterable[Operation]) -> list[dict[str, Any]]:
    """The list as plain data after the operations. Their indexes are those of the list before; what is added stands last, in order."""
    after = [dict(toleration) for toleration in tolerations]
    added: list[dict[str, Any]] = []
    for operation in operations:
        if isinstance(operation, AddToleration):
            added.append(dict(operation.toleration))
        elif isinstance(operation, SetFields):
            after[operation.index].update(operation.fields)
        elif isinstance(operation, DropField):
            after[operation.index].pop(operation.name, None)
        else:
            first, *others = operation.tolerations
            after[operation.index] = dict(first)
            added += map(dict, others)
    return after + added


class TextEdit(NamedTuple):
    """A part of a text that another text takes the place of."""

    start: int
    end: int
    text: str


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """The text with the edits made; those at one place in the order given.

    ValueError where two of them overlap.
    """
    parts = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if edit.start < at:
            raise ValueError(messages.OVERLAPPING_EDITS)
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])
